// L-BFGS looks for the length of each step: it calls a closure that computes the loss and its
// gradients, up to twenty times a step. Without a closure, or one that computes none, there is
// nothing to look at.

#include "Check.h"

#include "clang/AST/ExprCXX.h"

namespace gradtidy {
namespace {

class LbfgsClosure : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &step = visit.event;
    const OptimizerFacts *facts =
        step.kind == EventKind::Step ? visit.before.optimizer(step.subject) : nullptr;
    if (step.kind != EventKind::Step ||
        (step.trait != Trait::NeedsClosure && !(facts && facts->needsClosure)))
      return;
    Finding finding(Level::Certain, step);
    if (step.operands.empty() || isNull(step.operands.front())) {
      finding.message = "step() of L-BFGS needs a closure that computes the loss: without one it "
                        "throws";
    } else if (const clang::LambdaExpr *closure = closureOf(visit); closure && facts) {
      finding.location = closure->getBeginLoc();
      finding.range = {closure->getBeginLoc(), closure->getBeginLoc()};
      const unsigned possible = facts->gradients.possible;
      if (possible & Gradients::Stale)
        finding.message = "the closure does not clear the gradients: L-BFGS calls it several "
                          "times, and they add up";
      else if (!mayDifferentiate(visit, *closure))
        finding.message = "the closure computes no gradients: every call of it sees the same ones";
      else
        return;
    } else {
      return;
    }
    reporter.report(std::move(finding));
  }

private:
  static bool isNull(const Operand &operand) {
    return operand.expr &&
           llvm::isa<clang::CXXNullPtrLiteralExpr>(operand.expr->IgnoreUnlessSpelledInSource());
  }

  /// The lambda that the step calls, or null. The state is that behind its second call.
  static const clang::LambdaExpr *closureOf(const Visit &visit) {
    const PathStep &step =
        visit.unit.tables().paths.last(visit.before.resolve(visit.event.operands.front().path));
    const auto *made =
        step.kind == PathStep::Temporary ? static_cast<const clang::Stmt *>(step.subject) : nullptr;
    return llvm::dyn_cast_or_null<clang::LambdaExpr>(made);
  }

  /// Whether the closure, or code that it calls, may run a backward.
  static bool mayDifferentiate(const Visit &visit, const clang::LambdaExpr &closure) {
    const FunctionBody *body = visit.unit.callGraph().bodyOf(*closure.getCallOperator());
    const auto isBackward = [](const Event &event) {
      return event.kind == EventKind::Backward || event.kind == EventKind::Differentiate;
    };
    return !body ||
           visit.unit.callGraph().runs(*body, isBackward, [](const Event &) { return true; });
  }
};

} // namespace

std::unique_ptr<Check> makeLbfgsClosure() { return std::make_unique<LbfgsClosure>(); }

} // namespace gradtidy
