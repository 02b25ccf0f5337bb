// A backward fills the gradients for the step that follows. Cleared in between, the step has nothing
// to follow: the parameters stay as they are, or drift by momentum and weight decay alone.

#include "Check.h"
#include "Fixes.h"

#include "clang/AST/Stmt.h"

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
    // Behind the step the clear serves the next round.
    Fix removal = removeStatement(visit, clear);
    Fix insertion = insertAfter(visit, step, (textOf(visit, clear) + ";").str());
    if (!removal.empty() && !insertion.empty() && clear.function == step.function) {
      finding.fixes.append(removal);
      finding.fixes.append(insertion);
    }
    reporter.report(std::move(finding));
  }

private:
  static llvm::StringRef textOf(const Visit &visit, const Event &event) {
    const auto *expr = llvm::dyn_cast<clang::Expr>(event.site);
    return expr ? gradtidy::textOf(visit, expr) : llvm::StringRef();
  }
};

} // namespace

std::unique_ptr<Check> makeClearedGradients() { return std::make_unique<ClearedGradients>(); }

} // namespace gradtidy
