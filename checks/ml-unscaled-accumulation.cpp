// The gradients of N backwards add up. Where a step follows every Nth of them only, it is N times
// as long as that of one large batch, unless the loss of each is divided by N.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"
#include "analyzer/idioms/Accumulation.h"

#include "clang/Basic/SourceManager.h"

namespace gradtidy {
namespace {

class UnscaledAccumulation : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.kind == EventKind::Step && every(moment.event);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &step = visit.event;
    const auto loops = step.function->loopsAround(step.site);
    // A function that does one round is called in a loop.
    const ir::Node *loop = loops.empty() ? nullptr : loops.front();
    const Event *backward = backwardIn(visit, loop);
    if (!backward)
      return;
    const std::string rounds = textOf(visit, every(step)).str();
    if (rounds.empty() ||
        !onlyCounts(*every(step), *step.function, visit.unit.callGraph().functions()))
      return;
    Finding finding(stepsByGradients(visit) ? Level::Likely : Level::Advice, *backward,
                    "the gradients of " + rounds +
                        " backwards add up before the step: divide the loss by " + rounds +
                        " to follow their mean");
    finding.notes.push_back({step, "the step that uses their sum"});
    finding.fixes = repair(visit, *backward, rounds);
    reporter.report(std::move(finding));
  }

private:
  static const ir::Node *every(const Event &event) {
    return roundsBetween(*event.site, *event.function);
  }

  /// Whether the steps are as long as the gradients: of the class, or of all optimizers there are.
  static bool stepsByGradients(const Visit &visit) {
    if (visit.event.trait != Trait::None)
      return visit.event.trait == Trait::GradientSteps;
    bool isKnown = false, isOther = false;
    for (const FunctionBody *function : visit.unit.callGraph().functions())
      for (const Block &block : function->blocks)
        for (const Event &event : block.events)
          if (event.kind == EventKind::Construct && event.subject.role == TypeRole::Optimizer &&
              !event.operands.empty())
            (event.trait == Trait::GradientSteps ? isKnown : isOther) = true;
    return isKnown && !isOther;
  }

  /// The one backward of each round of \p loop, or run of the function where there is none, to
  /// which the steps and clears in it leave what it adds, or null.
  static const Event *backwardIn(const Visit &visit, const ir::Node *loop) {
    const FunctionBody &function = *visit.event.function;
    const Event *backward = nullptr;
    bool isCleared = loop; // Who calls may clear each time.
    for (const Block &block : function.blocks)
      for (const Event &event : block.events) {
        const bool changes = event.kind == EventKind::Step || event.kind == EventKind::Backward ||
                             event.kind == EventKind::ClearGradients;
        if (!changes || (loop && !contains(visit, loop, event.site)))
          continue;
        const auto loops = function.loopsAround(event.site);
        const bool isEachTime = (loop ? !loops.empty() && loops.front() == loop : loops.empty()) &&
                                !function.isConditional(event.site, loop);
        if (event.kind == EventKind::Backward) {
          const bool isGiven =
              llvm::any_of(event.operands, [](const Operand &operand) { return operand.isTensor; });
          if (!isEachTime || isGiven || backward)
            return nullptr;
          backward = &event;
        } else if (isEachTime || !event.site || (event.kind == EventKind::Step && !every(event))) {
          return nullptr;
        } else {
          isCleared |= event.kind == EventKind::ClearGradients;
        }
      }
    return isCleared ? backward : nullptr;
  }

  static Fix repair(const Visit &visit, const Event &backward, const std::string &rounds) {
    const ir::Node *loss = backward.subject.expr;
    const ir::Node *number = ir::as(ir::NodeKind::Reference, every(visit.event));
    const bool isKnownThere =
        !number || visit.source.isBefore(number->symbol->location, backward.site->begin());
    if (!loss || backward.subject.role != TypeRole::Tensor || textOf(visit, loss).empty() ||
        !isKnownThere)
      return {};
    return {clang::FixItHint::CreateInsertion(loss->begin(), "("),
            clang::FixItHint::CreateInsertion(endOf(visit, loss), " / " + rounds + ")")};
  }
};

} // namespace

std::unique_ptr<Check> makeUnscaledAccumulation() {
  return std::make_unique<UnscaledAccumulation>();
}

} // namespace gradtidy
