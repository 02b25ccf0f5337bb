#include "LostPointers.h"

namespace gradtidy {

static bool isOfMemory(const Look &look) {
  return look.taken->operation == Operation::AccessElements ||
         (look.taken->site->type && look.taken->site->type->isPointer);
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

llvm::SmallVector<Lost, 1> lostBy(const Visit &visit, bool ofMemory) {
  llvm::SmallVector<Lost, 1> found;
  if (const Look used = lostUsedBy(visit.event, visit.before);
      used.taken && isOfMemory(used) == ofMemory)
    found.push_back({used, true});
  // What gets another value may give the pointer one, too.
  const bool isEnd =
      visit.event.kind == EventKind::EndLifetime || visit.event.kind == EventKind::Call;
  if (isEnd && visit.unit.tables().hasLost)
    for (const State::Ended &ended : visit.before.endedBy(visit.event))
      if (isOfMemory(ended.look) == ofMemory && isKept(visit, ended.place) &&
          llvm::none_of(found, [&](const Lost &other) { return other.look == ended.look; }))
        found.push_back({ended.look, false});
  return found;
}

Level levelOf(const Visit &visit, const Lost &lost) {
  const Tables &tables = visit.unit.tables();
  const PathId holder = lost.look.into;
  const bool isMember = tables.paths.last(holder).kind == PathStep::Member;
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
