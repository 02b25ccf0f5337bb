// from_blob() copies nothing: the tensor lies in memory that somebody else owns. When a local
// variable owns it, a tensor that outlives the variable reads whatever comes to lie there.

#include "Check.h"
#include "DanglingViews.h"
#include "Fixes.h"
#include "Loops.h"
#include "LostPointers.h"

#include <optional>

namespace gradtidy {
namespace {

class DanglingFromBlob : public Check {
public:
  bool wants(const Moment &moment) const override {
    const Event &event = moment.event;
    switch (event.kind) {
    case EventKind::Create:
      if (event.details->danglingView.ending != Ending::None)
        return true;
      break;
    case EventKind::Return:
      if (!event.operands.empty() && moment.before.valueOf(event.operands.front()).lending.borrowed)
        return true;
      break;
    case EventKind::EndLifetime:
      return !moment.before.borrowersOf(event.subject.path).empty();
    case EventKind::Combine:
      if (putsBeside(moment))
        return true;
      break;
    default:
      break;
    }
    return releasedReadBy(event, moment.before) != nullptr || usesLost(moment);
  }
  bool wantsBehind(const Moment &moment) const override { return leavesLost(moment); }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    for (const Lost &lost : lostBy(visit, Leader::Tensor))
      reportLost(visit, lost, reporter);
    if (const Operand *read = releasedReadBy(event, visit.before))
      reportReleased(visit, visit.before.valueOf(*read).storage, reporter);
    const std::optional<Value> value = borrowed(visit, event);
    const char *outlives = "which it outlives";
    if (event.kind == EventKind::Create && event.details->danglingView.ending != Ending::None) {
      reportTemporary(visit, reporter);
    } else if (event.kind == EventKind::Return) {
      const Note note{event, "it is returned here"};
      if (value && isLocalOf(*event.function, ownerOf(visit, value->lending.borrowed->memory)) &&
          !isReturned(visit, value->lending.borrowed->memory)) {
        report(visit, *value, outlives, note, reporter);
        for (const State::Borrower &part : partsOf(visit, *value))
          report(visit, *part.value, outlives, note, reporter);
      }
    } else if (event.kind == EventKind::EndLifetime) {
      for (const State::Borrower &borrower : visit.before.borrowersOf(event.subject.path))
        if (isKept(visit, borrower.place))
          report(visit, *borrower.value, outlives, {event.site->end(), "the variable ends here"},
                 reporter);
    } else if (value && event.kind == EventKind::Combine && event.subject.path &&
               value->lending.borrowed == visit.before.valueOf(event.subject).lending.borrowed &&
               isWhole(visit, value->lending.borrowed->memory) &&
               isMadeAgain(visit, *value->lending.borrowed)) {
      report(visit, *value, "like those that the list holds already",
             {event, "they are all put into the list here"}, reporter);
    }
  }

private:
  static void reportLost(const Visit &visit, const Lost &lost, Reporter &reporter) {
    Finding finding(levelOf(visit, lost), *lost.look.taken,
                    "the tensor lies in the memory of " + fateOf(visit, lost) +
                        (lost.isUsed ? " before the tensor is used" : " although it is kept"));
    noteFate(visit, lost, finding);
    reporter.report(std::move(finding));
  }

  /// Whether the event puts a tensor into a list that may hold another one in the same memory.
  static bool putsBeside(const Moment &moment) {
    const Event &event = moment.event;
    const Event *held = event.subject.path && event.subject.role == TypeRole::None
                            ? moment.before.valueOf(event.subject).lending.borrowed
                            : nullptr;
    return held && llvm::any_of(event.operands, [&](const Operand &operand) {
             return operand.isTensor && moment.before.valueOf(operand).lending.borrowed == held;
           });
  }

  /// Whether each round of the loop around the event makes a tensor over the memory, which may hold
  /// something else by then.
  static bool isMadeAgain(const Visit &visit, const Event &made) {
    if (made.function != visit.event.function)
      return true; // As often as that is called.
    const auto loops = visit.event.function->loopsAround(visit.event.site);
    return loops.empty() || contains(visit, loops.front(), made.site);
  }

  static const ir::Symbol &ownerOf(const Visit &visit, PathId memory) {
    const PathTable &paths = visit.unit.tables().paths;
    return *paths.last(paths.rootOf(memory)).symbol();
  }

  /// Whether the owner goes where the tensor goes: a struct of both is returned.
  static bool isReturned(const Visit &visit, PathId memory) {
    const PathId returned = visit.before.resolve(visit.event.operands.front().path);
    return returned == visit.unit.tables().paths.rootOf(memory);
  }

  /// Whether it is the same memory each time, not a part of it that is computed.
  static bool isWhole(const Visit &visit, PathId memory) {
    return visit.unit.tables().paths.rootOf(memory) == memory;
  }

  /// The parts of what the event returns that lie in the memory of the same variable as \p whole.
  static llvm::SmallVector<State::Borrower, 2> partsOf(const Visit &visit, const Value &whole) {
    const PathTable &paths = visit.unit.tables().paths;
    auto parts = visit.before.borrowersOf(paths.rootOf(whole.lending.borrowed->memory));
    const PathId returned = visit.before.resolve(visit.event.operands.front().path);
    llvm::erase_if(
        parts, [&](const State::Borrower &part) { return !paths.isWithin(part.place, returned); });
    return parts;
  }

  static bool isLocalOf(const FunctionBody &function, const ir::Symbol &variable) {
    return variable.owner == function.function;
  }

  /// The tensor in borrowed memory that the event passes on.
  static std::optional<Value> borrowed(const Visit &visit, const Event &event) {
    for (const Operand &operand : event.operands)
      if (operand.isTensor)
        if (const Value value = visit.before.valueOf(operand); value.lending.borrowed)
          return value;
    return std::nullopt;
  }

  /// Whether what is at \p place is there to be used when the variable has ended: a member, what a
  /// caller has, or what is in a list that a loop fills. A variable that is a tensor itself gets
  /// another one first.
  static bool isKept(const Visit &visit, PathId place) {
    const PathTable &paths = visit.unit.tables().paths;
    const PathStep &root = paths.last(paths.rootOf(place));
    if (root.kind == PathStep::This)
      return true;
    if (root.kind == PathStep::Temporary) // The object that a caller makes, and has a method of.
      return llvm::any_of(visit.callers, [&](const Event *call) {
        return call->site == root.made() ||
               (call->subject.path && paths.rootOf(call->subject.path) == paths.rootOf(place));
      });
    if (root.kind != PathStep::Variable)
      return false;
    const ir::Symbol &variable = *root.symbol();
    if (!isLocalOf(*visit.event.function, variable) ||
        (variable.kind == ir::SymbolKind::Parameter && leadsOut(visit, variable)))
      return true;
    const ir::Symbol *list = variable.type->record;
    const ir::Node *loop = loopOutlivedBy(visit, place);
    return list && list->isStandard && loop &&
           contains(visit, loop, ownerOf(visit, visit.event.subject.path).location);
  }

  /// Whether what the parameter leads to is the caller's.
  static bool leadsOut(const Visit &visit, const ir::Symbol &parameter) {
    const FunctionBody &function = *visit.event.function;
    return parameter.type->isReference ||
           (parameter.type->isPointer && !function.mayChange(parameter, function.body));
  }

  /// A tensor is made over the elements of an object that ends with the statement.
  static void reportTemporary(const Visit &visit, Reporter &reporter) {
    const Event &made = visit.event;
    Finding finding(Level::Certain, made,
                    "the tensor lies in the memory of a temporary object, which it outlives");
    finding.notes.push_back(noteOnTemporary(visit, "the temporary is made here"));
    finding.fixes = append(visit, made.site, phrase(visit.unit.code(), Phrase::Copy));
    reporter.report(std::move(finding));
  }

  /// The memory is freed, or moves, before the tensor is read.
  static void reportReleased(const Visit &visit, const Storage &storage, Reporter &reporter) {
    const Event &made = *storage.wrapped;
    const bool isFreed = storage.released->constant == true;
    Finding finding(isFreed ? Level::Certain : Level::Likely, made,
                    "the tensor lies in the memory of '" +
                        ownerOf(visit, made.details->holder).spelling.str() + "', which is " +
                        (isFreed ? "freed" : "reallocated") + " before the tensor is read");
    finding.notes.push_back({*storage.released, isFreed ? "freed here" : "reallocated here"});
    finding.notes.push_back({visit.event, "read here"});
    finding.fixes = append(visit, made.site, phrase(visit.unit.code(), Phrase::Copy));
    reporter.report(std::move(finding));
  }

  static void report(const Visit &visit, const Value &value, const char *problem, Note note,
                     Reporter &reporter) {
    if (value.placement.device.isKnown() && !visit.unit.program().mayBeCpu(value.placement.device))
      return; // It is copied to a GPU.
    const Event &made = *value.lending.borrowed;
    Finding finding(Level::Certain, made,
                    "the tensor lies in the memory of '" +
                        ownerOf(visit, made.memory).spelling.str() + "', " + problem);
    if (value.placement.placed && value.placement.placed->kind == EventKind::Move)
      finding.notes.push_back({*value.placement.placed, "on the CPU nothing is copied here"});
    finding.notes.push_back(std::move(note));
    finding.fixes = append(visit, made.site, phrase(visit.unit.code(), Phrase::Copy));
    reporter.report(std::move(finding));
  }
};

} // namespace

std::unique_ptr<Check> makeDanglingFromBlob() { return std::make_unique<DanglingFromBlob>(); }

} // namespace gradtidy
