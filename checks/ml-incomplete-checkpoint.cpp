// Adam keeps two averages of every parameter. A program that is to go on from a checkpoint without
// them begins with averages of nothing: its first steps are too long, and the loss jumps.

#include "Check.h"
#include "Loops.h"

#include "clang/AST/Expr.h"
#include "clang/Basic/SourceManager.h"

namespace gradtidy {
namespace {

class IncompleteCheckpoint : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &save = visit.event;
    if (save.operation != Operation::Save || save.operands.empty() ||
        !isModule(save.operands.front().role))
      return;
    const Training training = trainingAround(visit);
    if (!training.loop || savesMore(visit))
      return;
    Finding finding;
    const Event *load = loadBefore(visit, training);
    finding.level = load ? Level::Likely : Level::Advice;
    finding.location = save.site->getBeginLoc();
    finding.range = save.site->getSourceRange();
    finding.message = "this checkpoint has the model, but not the state of its optimizer: training "
                      "cannot go on from it as it would have";
    finding.notes.push_back({training.step->site->getBeginLoc(), "the optimizer steps here"});
    if (load)
      finding.notes.push_back({load->site->getBeginLoc(), "the program goes on from one here"});
    reporter.report(std::move(finding));
  }

private:
  struct Training {
    const clang::Stmt *loop = nullptr;
    const FunctionBody *function = nullptr; ///< In which the loop stands.
    const Event *step = nullptr;            ///< One of the steps in it.
  };

  /// The innermost loop that saves in every round, or every Nth, and runs steps of an optimizer
  /// with a state of its own.
  static Training trainingAround(const Visit &visit) {
    llvm::SmallVector<const Event *, 8> frames(visit.callers);
    frames.push_back(&visit.event);
    for (const Event *frame : llvm::reverse(frames)) {
      const FunctionBody &function = *frame->function;
      for (const clang::Stmt *loop : function.loopsAround(frame->site)) {
        if (function.isConditional(frame->site, loop) && !frame->every)
          return {};
        for (const Observation &other : visit.unit.observations())
          if (other.event->kind == EventKind::Step && isIn(visit, other, function, *loop))
            return other.event->trait == Trait::AdaptiveSteps
                       ? Training{loop, &function, other.event}
                       : Training();
      }
      if (function.isConditional(frame->site) && !frame->every)
        return {};
    }
    return {};
  }

  /// Whether the event, or a call that leads there, is in \p loop of \p function.
  static bool isIn(const Visit &visit, const Observation &other, const FunctionBody &function,
                   const clang::Stmt &loop) {
    const auto isHere = [&](const Event *event) {
      return event->function == &function && contains(visit, &loop, event->site);
    };
    return isHere(other.event) || llvm::any_of(other.callers, isHere);
  }

  /// Whether the unit saves anything but modules and tensors: an optimizer, or an archive of both.
  static bool savesMore(const Visit &visit) {
    return llvm::any_of(visit.unit.observations(), [](const Observation &other) {
      if (other.event->operation != Operation::Save)
        return false;
      const Operand &saved =
          other.event->subject.path ? other.event->subject : other.event->operands.front();
      return saved.role == TypeRole::Optimizer || (saved.role == TypeRole::None && !saved.isTensor);
    });
  }

  /// The load of the same module in front of the loop, in its function or one that is called there;
  /// or null.
  static const Event *loadBefore(const Visit &visit, const Training &training) {
    const PathId saved = visit.before.resolve(visit.event.operands.front().path);
    const auto isBefore = [&](const Event *event) {
      return event->function == training.function &&
             visit.context.getSourceManager().isBeforeInTranslationUnit(
                 event->site->getBeginLoc(), training.loop->getBeginLoc());
    };
    for (const Observation &other : visit.unit.observations()) {
      const Event &load = *other.event;
      if (load.kind != EventKind::Load)
        continue;
      const Operand *module = isModule(load.subject.role) ? &load.subject
                              : load.operands.empty()     ? nullptr
                                                          : &load.operands.front();
      if (module && other.before.resolve(module->path) == saved &&
          (isBefore(&load) || llvm::any_of(other.callers, isBefore)))
        return &load;
    }
    return nullptr;
  }
};

} // namespace

std::unique_ptr<Check> makeIncompleteCheckpoint() {
  return std::make_unique<IncompleteCheckpoint>();
}

} // namespace gradtidy
