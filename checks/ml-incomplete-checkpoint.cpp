// Adam keeps two averages of every parameter, SGD its momentum. A program that is to go on from a
// checkpoint without them begins with averages of nothing: the first steps of Adam are too long,
// and the loss jumps.

#include "Calls.h"
#include "Check.h"
#include "Loops.h"
#include "Moments.h"

#include "analyzer/flow/Files.h"
#include "analyzer/idioms/Accumulation.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

class IncompleteCheckpoint : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.operation == Operation::Save ||
           llvm::is_contained({EventKind::Step, EventKind::Load}, moment.event.kind) ||
           makesOptimizer(moment.event);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &save = visit.event;
    if (save.operation != Operation::Save || !isModule(storedBy(save).role))
      return;
    const Training training = trainingAround(visit);
    if (!training.loop || savesMore(visit) || isCopy(visit, training) ||
        !reported.insert(save.function->function).second)
      return;
    const Event *load = loadOf(visit, training);
    Finding finding(load ? Level::Likely : Level::Advice, save,
                    "this checkpoint has the model, but not the state of its optimizer: training "
                    "cannot go on from it as it would have");
    finding.notes.push_back({*training.step, "the optimizer steps here"});
    if (load)
      finding.notes.push_back({*load, "the program goes on from one here"});
    reporter.report(std::move(finding));
  }

private:
  struct Training {
    const ir::Node *loop = nullptr;
    const FunctionBody *function = nullptr; ///< In which the loop stands.
    const Event *step = nullptr;            ///< One of the steps in it.
  };

  /// The innermost loop that saves in every round, or every Nth, and runs steps of an optimizer
  /// with a state of its own.
  static Training trainingAround(const Visit &visit) {
    const Frames frames = framesOf(visit);
    for (const Event *frame : llvm::reverse(frames)) {
      const FunctionBody &function = *frame->function;
      for (const ir::Node *loop : function.loopsAround(frame->site)) {
        if (function.isConditional(frame->site, loop) && !roundsBetween(*frame->site, function))
          return {};
        for (const Observation &other : visit.observations())
          if (other.event->kind == EventKind::Step && isIn(visit, other, function, *loop))
            return keepsState(visit, other) && !isMadeAnew(visit, other, function, *loop)
                       ? Training{loop, &function, other.event}
                       : Training();
      }
      if (function.isConditional(frame->site) && !roundsBetween(*frame->site, function))
        return {};
    }
    return {};
  }

  /// Whether the optimizer that \p step steps has a state of its own: by its class, or as it is
  /// made by one of the functions that lead there or by the constructor of an object whose method
  /// runs.
  static bool keepsState(const Visit &visit, const Observation &step) {
    if (step.event->trait == Trait::AdaptiveSteps)
      return true;
    const bool isEither = step.event->trait == Trait::None; // Of the base class.
    const auto isMadeFor = [](const Event &made, const FunctionBody &function) {
      return made.function == &function ||
             (made.function->function->kind == ir::SymbolKind::Constructor &&
              made.function->function->owner == function.function->owner);
    };
    return llvm::any_of(visit.observations(), [&](const Observation &other) {
      const Event &made = *other.event;
      return made.kind == EventKind::Construct && made.subject.role == TypeRole::Optimizer &&
             (made.keepsMomentum || (isEither && made.trait == Trait::AdaptiveSteps)) &&
             (isMadeFor(made, *step.event->function) ||
              llvm::any_of(step.callers, [&](const Event *caller) {
                return isMadeFor(made, *caller->function);
              }));
    });
  }

  /// Whether the optimizer is a variable of the loop, or of what that calls: each round begins with
  /// a new one anyway.
  static bool isMadeAnew(const Visit &visit, const Observation &step, const FunctionBody &function,
                         const ir::Node &loop) {
    const PathTable &paths = visit.unit.tables().paths;
    const PathStep &root = paths.last(paths.rootOf(step.before.resolve(step.event->subject.path)));
    const auto *variable = root.kind == PathStep::Variable ? root.symbol() : nullptr;
    if (!variable || !variable->isLocal || !variable->hasLocalStorage())
      return false;
    const ir::Symbol *owner = variable->owner;
    if (owner == function.function)
      return contains(visit, &loop, variable->location);
    const auto inner = llvm::find_if(
        step.callers, [&](const Event *caller) { return caller->function == &function; });
    return step.event->function->function == owner ||
           llvm::any_of(llvm::make_range(inner, step.callers.end()),
                        [&](const Event *caller) { return caller->function->function == owner; });
  }

  /// Whether the event, or a call that leads there, is in \p loop of \p function.
  static bool isIn(const Visit &visit, const Observation &other, const FunctionBody &function,
                   const ir::Node &loop) {
    const auto isHere = [&](const Event *event) {
      return event->function == &function && contains(visit, &loop, event->site);
    };
    return isHere(other.event) || llvm::any_of(other.callers, isHere);
  }

  /// Whether the unit saves anything but modules and tensors: an optimizer, or an archive of both.
  static bool savesMore(const Visit &visit) {
    return llvm::any_of(visit.observations(), [](const Observation &other) {
      if (other.event->operation != Operation::Save)
        return false;
      const Operand &saved = storedBy(*other.event);
      return saved.role == TypeRole::Optimizer || (saved.role == TypeRole::None && !saved.isTensor);
    });
  }

  /// Whether the function loads what it saves into another module: a copy by way of memory.
  static bool isCopy(const Visit &visit, const Training &training) {
    const FunctionBody &function = *visit.event.function;
    return &function != training.function &&
           hasEvent(function, [](const Event &other) { return other.kind == EventKind::Load; });
  }

  /// The load of the same module in front of the loop, in its function or one that is called there,
  /// or in the constructor of an object of which it is a member; or null.
  static const Event *loadOf(const Visit &visit, const Training &training) {
    const PathTable &paths = visit.unit.tables().paths;
    const Operand &saved = storedBy(visit.event);
    const auto isBefore = [&](const Event *event) {
      return event->function == training.function &&
             visit.source.isBefore(event->site->begin(), training.loop->begin());
    };
    for (const Observation &other : visit.observations()) {
      const Event &load = *other.event;
      if (load.kind != EventKind::Load)
        continue;
      const Operand &loaded = storedBy(load);
      const bool isSame = other.before.resolve(loaded.path) == visit.before.resolve(saved.path) &&
                          (isBefore(&load) || llvm::any_of(other.callers, isBefore));
      const PathStep &member = paths.last(loaded.path);
      const bool isOfObject = member.kind == PathStep::Member &&
                              member.identity == paths.last(saved.path).identity &&
                              load.function->function->kind == ir::SymbolKind::Constructor;
      if (isModule(loaded.role) && (isSame || isOfObject))
        return &load;
    }
    return nullptr;
  }

  llvm::SmallPtrSet<const ir::Symbol *, 4> reported; ///< That save, once each.
};

} // namespace

std::unique_ptr<Check> makeIncompleteCheckpoint() {
  return std::make_unique<IncompleteCheckpoint>();
}

} // namespace gradtidy
