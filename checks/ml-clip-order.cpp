// Clipping bounds what a step does with the gradients, so it belongs between the backward that
// computes them and that step. Anywhere else it bounds nothing.

#include "Check.h"
#include "Fixes.h"

#include "clang/Basic/SourceManager.h"

namespace gradtidy {
namespace {

class ClipOrder : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &clip = visit.event;
    if (clip.operation != Operation::ClipGradients || clip.operands.empty())
      return;
    const auto optimizers =
        visit.before.optimizersOf(visit.before.sourcesOf(clip.operands.front()));
    unsigned possible = 0;
    for (const OptimizerFacts *facts : optimizers)
      possible |= facts->gradients.possible;
    // What the function finds is said of the rounds that follow.
    const unsigned seen = possible & ~unsigned(Gradients::Untouched);
    if (!seen || seen & ~unsigned(Gradients::Clean | Gradients::Used | Gradients::Lost))
      return;

    Finding finding(Level::Certain, clip);
    // The norm may be all that is wanted.
    if (!clip.function->expressionStatementOf(clip.site))
      finding.level = Level::Advice;
    const Gradients &gradients = optimizers.front()->gradients;
    if (seen == Gradients::Used && gradients.step) {
      finding.message = "the gradients are clipped after the optimizer has used them";
      finding.notes.push_back({*gradients.step, "the step uses them here"});
      finding.fixes = moveBefore(visit, *gradients.step);
    } else if (!isBeforeBackward(visit)) {
      return;
    } else {
      finding.message = "the gradients are clipped before a backward has computed any";
      if (gradients.cleared)
        finding.notes.push_back({*gradients.cleared, "they are cleared here"});
    }
    reporter.report(std::move(finding));
  }

private:
  /// Whether a backward follows in the same round. A call that cannot be seen may run one before.
  static bool isBeforeBackward(const Visit &visit) {
    const Event &clip = visit.event;
    const FunctionBody &function = *clip.function;
    const auto loops = function.loopsAround(clip.site);
    return llvm::any_of(function.blocks, [&](const Block &block) {
      return llvm::any_of(block.events, [&](const Event &event) {
        return event.kind == EventKind::Backward && function.loopsAround(event.site) == loops &&
               visit.source.isBefore(clip.site->begin(), event.site->begin());
      });
    });
  }

  /// In front of the step, if both are statements of one block.
  static Fix moveBefore(const Visit &visit, const Event &step) {
    const Event &clip = visit.event;
    const FunctionBody &function = *clip.function;
    const ir::Node *statement = function.expressionStatementOf(clip.site);
    const ir::Node *place =
        step.function == &function ? function.expressionStatementOf(step.site) : nullptr;
    Fix fix = removeStatement(visit, clip);
    if (!statement || !place || fix.empty() ||
        function.compoundOf(place) != function.compoundOf(statement))
      return {};
    const Fix insertion = insertBefore(visit, place, (textOf(visit, statement) + ";").str());
    if (insertion.empty())
      return {};
    fix.append(insertion);
    return fix;
  }
};

} // namespace

std::unique_ptr<Check> makeClipOrder() { return std::make_unique<ClipOrder>(); }

} // namespace gradtidy
