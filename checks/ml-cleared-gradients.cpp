// A backward fills the gradients for the step that follows. Cleared in between, the step has
// nothing to follow: the parameters stay as they are, or drift by momentum and weight decay alone.

#include "Check.h"
#include "Fixes.h"

#include "clang/AST/Expr.h"

namespace gradtidy {
namespace {

class ClearedGradients : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &step = visit.event;
    if (step.kind != EventKind::Step)
      return;
    const OptimizerFacts *facts = visit.before.optimizer(step.subject);
    if (!facts || facts->gradients.possible != Gradients::Lost)
      return;
    const Event &clear = *facts->gradients.cleared;
    const Event &backward = *facts->gradients.backward;

    Finding finding;
    finding.location = clear.site->getBeginLoc();
    finding.range = clear.site->getSourceRange();
    finding.message = "the gradients of the backward are cleared before the optimizer uses them";
    finding.notes.push_back({backward.site->getBeginLoc(), "the backward computes them here"});
    finding.notes.push_back({step.site->getBeginLoc(), "the step finds no gradients here"});
    finding.fixes = move(visit, clear, backward);
    reporter.report(std::move(finding));
  }

private:
  /// In front of the backward if both are statements of one block, else behind the step, where it
  /// serves the next round.
  static Fix move(const Visit &visit, const Event &clear, const Event &backward) {
    const FunctionBody &function = *clear.function;
    const auto *expr = llvm::dyn_cast<clang::Expr>(clear.site);
    Fix fix = removeStatement(visit, clear);
    if (!expr || fix.empty() || visit.event.function != &function)
      return {};
    std::string text = (textOf(visit, expr) + ";").str();
    const clang::Stmt *place =
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
