#include "LostPointers.h"

namespace gradtidy {

static Leader leaderOf(const Look &look) {
  if (look.isIntoContainer())
    return Leader::Other;
  if (look.taken->operation == Operation::WrapMemory)
    return Leader::Tensor;
  const bool isPointer = look.taken->operation == Operation::AccessElements ||
                         (look.taken->site->type && look.taken->site->type->isPointer);
  return isPointer ? Leader::Pointer : Leader::View;
}

/// Whether what is at \p place is there for others when the event is over: a member, what a
/// function returns, what a caller has handed in, or what the program has for good.
static bool isKept(const Visit &visit, PathId place) {
  const PathTable &paths = visit.unit.tables().paths;
  const PathStep &root = paths.last(paths.rootOf(place));
  if (root.kind == PathStep::This || root.kind == PathStep::Returned)
    return true;
  if (root.kind != PathStep::Variable)
    return false;
  const ir::Symbol &variable = *root.symbol();
  return variable.isStatic || (variable.kind == ir::SymbolKind::Parameter &&
                               (variable.type->isReference ||
                                (variable.type->isPointer && place != paths.rootOf(place))));
}

/// The pointer or view that the event uses though what it leads into has ended; none if it uses
/// none.
static Look lostUsedBy(const Event &event, const State &state) {
  if (!state.tables->hasLost)
    return {};
  const auto lost = [&](const Operand &operand) {
    const bool mayLead = operand.role == TypeRole::None || operand.role == TypeRole::Tensor;
    const Look look = operand.path && mayLead ? state.lookOf(operand.path) : Look();
    return look.ended ? look : Look();
  };
  const auto lostAmong = [&](llvm::ArrayRef<Operand> operands) {
    for (const Operand &operand : operands)
      if (const Look look = lost(operand); look.taken)
        return look;
    return Look();
  };
  switch (event.kind) {
  case EventKind::Access:
    return lost(event.subject);
  case EventKind::Call: {
    const bool makes = event.callee && (event.callee->kind == ir::SymbolKind::Constructor ||
                                        event.callee->kind == ir::SymbolKind::Destructor);
    if (makes)
      return {};
    if (const Look look = lostAmong(event.operands); look.taken)
      return look;
    for (const Operand &operand : event.operands)
      if (operand.path && operand.role == TypeRole::None && !operand.isClosure)
        if (const Look look = state.lostWithin(operand.path); look.taken)
          return look;
    return event.subject.path && event.callee ? state.lostWithin(event.subject.path)
                                              : lost(event.subject);
  }
  case EventKind::Combine:
    if (event.isAttribute || event.leadsIn ||
        llvm::is_contained({"size", "empty"}, event.site->calledName())) // It has that itself.
      return {};
    if (const Look look = lost(event.subject);
        look.taken && (!event.subject.escapes || (event.site->type && event.site->type->isPointer)))
      return look; // `pointers.data()`
    return lostAmong(event.operands);
  case EventKind::Construct:
    return event.leadsIn ? Look() : lostAmong(event.operands);
  case EventKind::Create:
  case EventKind::Forward:
  case EventKind::Overwrite:
  case EventKind::Move:
    return lostAmong(event.operands);
  case EventKind::Return:
    if (const Look look = lostAmong(event.operands); look.taken || event.operands.empty())
      return look;
    return event.operands.front().isTensor ? state.lostWithin(event.operands.front().path) : Look();
  default:
    return {};
  }
}

bool usesLost(const Moment &moment) {
  return lostUsedBy(moment.event, moment.before).taken != nullptr;
}

/// What the event, behind it, has left without what it leads into.
static llvm::SmallVector<State::Ended, 2> leftBy(const Event &event, const State &state) {
  // What gets another value may give the pointer one, too.
  const bool isEnd = event.kind == EventKind::EndLifetime || event.kind == EventKind::Call;
  if (!isEnd || !state.tables->hasLost)
    return {};
  return state.endedBy(event);
}

bool leavesLost(const Moment &moment) { return !leftBy(moment.event, moment.before).empty(); }

llvm::SmallVector<Lost, 1> lostBy(const Visit &visit, Leader leader) {
  llvm::SmallVector<Lost, 1> found;
  // Memory that others may have got, as by a move, lives on.
  const auto isLost = [&](const Look &look) {
    return leaderOf(look) == leader &&
           !(leader == Leader::Tensor && visit.unit.tables().mayBeShared.contains(look.into));
  };
  if (const Look used = lostUsedBy(visit.event, visit.before); used.taken && isLost(used))
    found.push_back({used, true});
  for (const State::Ended &ended : leftBy(visit.event, visit.before))
    if (isLost(ended.look) && isKept(visit, ended.place) &&
        llvm::none_of(found, [&](const Lost &other) { return other.look == ended.look; }))
      found.push_back({ended.look, false});
  return found;
}

Level levelOf(const Visit &visit, const Lost &lost) {
  const Tables &tables = visit.unit.tables();
  const PathId holder = lost.look.into;
  const bool isMember =
      tables.paths.last(holder).kind == PathStep::Member && leaderOf(lost.look) != Leader::Tensor;
  return isMember || tables.mayBeShared.contains(holder) ||
                 lost.look.ended->kind == EventKind::Combine
             ? Level::Likely
             : Level::Certain;
}

std::string fateOf(const Visit &visit, const Lost &lost) {
  const PathTable &paths = visit.unit.tables().paths;
  const Event &taken = *lost.look.taken;
  const bool isMade = taken.kind != EventKind::Combine;
  std::string name = paths.spelling(isMade ? lost.look.into : taken.subject.path);
  name = name.empty() ? "a tensor" : "'" + name + "'";
  switch (lost.look.ended->kind) {
  case EventKind::Bind:
    return name + ", which gets another value";
  case EventKind::Combine:
    return name + ", which may move its elements";
  default:
    return name + ", which ends";
  }
}

void noteFate(const Visit &visit, const Lost &lost, Finding &finding) {
  const Event &ended = *lost.look.ended;
  switch (ended.kind) {
  case EventKind::Bind:
    finding.notes.push_back({ended, "it gets another value here"});
    break;
  case EventKind::Combine:
    finding.notes.push_back({ended, "they may move here"});
    break;
  case EventKind::EndLifetime:
    finding.notes.push_back({ended.site->end(), "it ends here"});
    break;
  default:
    finding.notes.push_back({ended, "it ends with this call"});
  }
  if (lost.isUsed)
    finding.notes.push_back({visit.event, "used here"});
}

} // namespace gradtidy
