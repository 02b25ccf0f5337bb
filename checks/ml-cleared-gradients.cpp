// A backward fills the gradients for the step that follows. Cleared in between, the step has
// nothing to follow: the parameters stay as they are, or drift by momentum and weight decay alone.

#include "Calls.h"
#include "Check.h"
#include "Fixes.h"
#include "Loops.h"
#include "analyzer/idioms/Accumulation.h"

#include "clang/Basic/SourceManager.h"

namespace gradtidy {
namespace {

class ClearedGradients : public Check {
public:
  bool wants(const Moment &moment) const override {
    return llvm::is_contained({EventKind::Step, EventKind::Backward, EventKind::ClearGradients},
                              moment.event.kind);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &step = visit.event;
    if (step.kind != EventKind::Step)
      return;
    if (every(step)) {
      onAccumulation(visit, reporter);
      onEveryRound(visit, reporter);
      return;
    }
    const OptimizerFacts *facts = visit.before.optimizer(step.subject);
    if (facts && facts->gradients.possible == Gradients::Fresh)
      onLoop(visit, *facts, reporter);
    if (!facts || facts->gradients.possible != Gradients::Lost)
      return;
    const Event &clear = *facts->gradients.cleared;
    const Event &backward = *facts->gradients.backward;

    Finding finding(Level::Certain, clear,
                    "the gradients of the backward are cleared before the optimizer uses them");
    finding.notes.push_back({backward, "the backward computes them here"});
    finding.notes.push_back({step, "the step finds no gradients here"});
    finding.fixes = move(visit, clear, backward);
    reporter.report(std::move(finding));
  }

private:
  /// `if (k % n == 0) clear; backward; if (k % n == 0) step;`: what the rounds before have added is
  /// gone, and only the last counts.
  static void onAccumulation(const Visit &visit, Reporter &reporter) {
    const Event &step = visit.event;
    const Event *clear = nullptr;
    llvm::SmallVector<const Event *, 2> backwards;
    for (const Block &block : step.function->blocks)
      for (const Event &event : block.events)
        if (event.kind == EventKind::Backward) {
          backwards.push_back(&event);
        } else if (event.kind == EventKind::ClearGradients &&
                   event.subject.path == step.subject.path) {
          if (clear)
            return;
          clear = &event;
        }
    const ir::Node *choice = choiceOf(step);
    const ir::Node *other = clear ? choiceOf(*clear) : nullptr;
    const auto isBetween = [&](const Event *backward) {
      return !contains(visit, choice, backward->site) && !contains(visit, other, backward->site) &&
             isBehind(visit, *backward, *clear) && isBehind(visit, step, *backward);
    };
    if (!other || !choice || choice == other || !isSame(visit, *choice, *other) ||
        llvm::none_of(backwards, isBetween))
      return;
    Finding finding(Level::Certain, *clear,
                    "the gradients that the rounds before have added up are cleared in the round "
                    "that uses them");
    finding.notes.push_back({step, "the step uses those of the last round here"});
    reporter.report(std::move(finding));
  }

  /// `clear; backward; if (k % n == 0) step;`: each round forgets what those before it have added,
  /// and only the last counts.
  static void onEveryRound(const Visit &visit, Reporter &reporter) {
    const Event &step = visit.event;
    const FunctionBody &function = *step.function;
    const ir::Node *choice = choiceOf(step);
    const OptimizerFacts *facts = visit.before.optimizer(step.subject);
    if (!choice || choice->otherwise || !facts || facts->gradients.possible != Gradients::Fresh)
      return;
    const auto loops = function.loopsAround(choice);
    const Event *clear = nullptr;
    bool isFilled = false;
    for (const Block &block : function.blocks)
      for (const Event &event : block.events) {
        if (readsGradients(visit, event))
          return; // It may add them up by hand.
        if (event.kind == EventKind::ClearGradients && event.subject.path == step.subject.path) {
          if (clear)
            return;
          clear = &event;
        }
        const bool isInChoice = contains(visit, choice, event.site);
        // Optimizers that take turns leave out what is not for them.
        if ((event.kind == EventKind::Step && !isInChoice) ||
            (event.kind == EventKind::Backward && isInChoice))
          return;
        isFilled |= event.kind == EventKind::Backward && clear && isBehind(visit, event, *clear) &&
                    isBehind(visit, step, event) && event.function == &function &&
                    function.loopsAround(event.site) == loops;
      }
    if (!isFilled || loops.empty() || every(*clear) || function.loopsAround(clear->site) != loops ||
        function.isConditional(clear->site, loops.front()))
      return;
    Finding finding(Level::Certain, *clear,
                    "the gradients are cleared in every round, but used only in some: those of the "
                    "rounds between are lost");
    finding.notes.push_back({step, "the step uses those of the last round here"});
    reporter.report(std::move(finding));
  }

  // --- a loop before the step
  // ---------------------------------------------------------------------

  /// How many of the first frames both have.
  static size_t commonFrames(const Frames &one, const Frames &other) {
    return std::mismatch(one.begin(), one.end(), other.begin(), other.end()).first - one.begin();
  }

  /// `for (…) { clear; backward; } step;`: each round forgets what those before it have added.
  static void onLoop(const Visit &visit, const OptimizerFacts &facts, Reporter &reporter) {
    const Event *backward = facts.gradients.backward.event();
    const PathId optimizer = visit.before.resolve(visit.event.subject.path);
    const Frames step = framesOf(visit);
    for (const Observation &filled : visit.observations()) {
      if (filled.event != backward)
        continue;
      const Frames fill = framesOf(filled.callers, *filled.event);
      const ir::Node *loop =
          isFilledNearer(visit, step, fill) ? nullptr : loopBefore(visit, step, fill);
      for (const Observation &cleared : visit.observations())
        if (loop && cleared.event->kind == EventKind::ClearGradients &&
            cleared.before.resolve(cleared.event->subject.path) == optimizer &&
            clearsEachRound(visit, *loop, fill, framesOf(cleared.callers, *cleared.event))) {
          Finding finding(Level::Likely, *cleared.event,
                          "each round clears the gradients of those before it, and the step behind "
                          "the loop uses those of the last round alone");
          finding.notes.push_back({*loop, "the rounds begin here"});
          finding.notes.push_back({*backward, "each computes its gradients here"});
          finding.notes.push_back({visit.event, "the step is here"});
          return reporter.report(std::move(finding));
        }
    }
  }

  /// Whether a call that leads to the step, but not to \p fill, leads to the same backward.
  static bool isFilledNearer(const Visit &visit, const Frames &step, const Frames &fill) {
    const size_t common = commonFrames(step, fill);
    return llvm::any_of(visit.observations(), [&](const Observation &other) {
      return other.event == fill.back() &&
             commonFrames(step, framesOf(other.callers, *other.event)) > common;
    });
  }

  /// The loop of counted rounds around what fills the gradients, but not around the step, which
  /// comes behind it. Null if there is none, or the program takes gradients there.
  static const ir::Node *loopBefore(const Visit &visit, const Frames &step, const Frames &fill) {
    const size_t common = commonFrames(step, fill);
    if (common == step.size() || common == fill.size())
      return nullptr;
    const FunctionBody &function = *step[common]->function;
    if (fill[common]->function != &function ||
        llvm::any_of(function.blocks, [&](const Block &block) {
          return llvm::any_of(block.events,
                              [&](const Event &event) { return readsGradients(visit, event); });
        }))
      return nullptr;
    for (const ir::Node *loop : function.loopsAround(fill[common]->site))
      if ((loop->kind == ir::NodeKind::For || loop->kind == ir::NodeKind::RangeFor) &&
          !contains(visit, loop, step[common]->site) &&
          isBehind(visit, *step[common], *fill[common]))
        return loop;
    return nullptr;
  }

  /// Whether each round of the loop clears before it fills.
  static bool clearsEachRound(const Visit &visit, const ir::Node &loop, const Frames &fill,
                              const Frames &clear) {
    const size_t common = commonFrames(fill, clear);
    if (common == fill.size() || common == clear.size() ||
        !isBehind(visit, *fill[common], *clear[common]))
      return false;
    bool isWithin = false; // Of the round, whatever it asks.
    for (const Event *frame : clear) {
      const bool isInLoop = contains(visit, &loop, frame->site);
      if (isInLoop ? frame->function->isConditional(frame->site, &loop)
                   : isWithin && frame->function->isConditional(frame->site))
        return false;
      isWithin |= isInLoop;
    }
    return isWithin;
  }

  /// Whether the event takes or changes the gradient of a tensor.
  static bool readsGradients(const Visit &visit, const Event &event) {
    const PathTable &paths = visit.unit.tables().paths;
    const auto isGradient = [&](const Operand &operand) {
      return operand.path && paths.last(operand.path).kind == PathStep::Gradient;
    };
    return isGradient(event.subject) || llvm::any_of(event.operands, isGradient);
  }

  static const ir::Node *every(const Event &event) {
    return roundsBetween(*event.site, *event.function);
  }

  /// What asks for the round in which the event happens.
  static const ir::Node *choiceOf(const Event &event) {
    const ir::Node *around = every(event);
    while (around && around->kind != ir::NodeKind::If)
      around = event.function->statementAround(around);
    return ir::as(ir::NodeKind::If, around);
  }

  static bool isSame(const Visit &visit, const ir::Node &one, const ir::Node &other) {
    return ir::areAlike(*one.condition, *other.condition) &&
           visit.event.function->loopsAround(&one) == visit.event.function->loopsAround(&other);
  }

  static bool isBehind(const Visit &visit, const Event &later, const Event &earlier) {
    return visit.source.isBefore(earlier.site->begin(), later.site->begin());
  }

  /// In front of the backward if both are statements of one block, else behind the step, where it
  /// serves the next round.
  static Fix move(const Visit &visit, const Event &clear, const Event &backward) {
    const FunctionBody &function = *clear.function;
    const ir::Node *expr = clear.site;
    Fix fix = removeStatement(visit, clear);
    if (!expr->isExpression || fix.empty() || visit.event.function != &function)
      return {};
    std::string text = (textOf(visit, expr) + ";").str();
    const ir::Node *place =
        backward.function == &function ? function.expressionStatementOf(backward.site) : nullptr;
    bool areNeighbours =
        place && function.compoundOf(place) == function.compoundOf(function.statementOf(expr));
    Fix insertion =
        areNeighbours ? insertBefore(visit, place, text) : insertAfter(visit, visit.event, text);
    if (insertion.empty())
      return {};
    fix.append(insertion);
    return fix;
  }
};

} // namespace

std::unique_ptr<Check> makeClearedGradients() { return std::make_unique<ClearedGradients>(); }

} // namespace gradtidy
