// Gradients add up over backward() calls until somebody clears them. A step that uses what an
// earlier step has used already follows a sum over all iterations instead of this batch's gradient.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/SourceManager.h"

namespace gradtidy {
namespace {

class MissingZeroGrad : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &step = visit.event;
    if (step.kind != EventKind::Step)
      return;
    const OptimizerFacts *facts = visit.before.optimizer(step.subject);
    if (!facts)
      return;
    const Gradients &gradients = facts->gradients;
    if (!(gradients.possible & Gradients::Stale))
      return;

    Finding finding;
    finding.level = isAnotherEachTime(visit) ? Level::Advice : Level::Certain;
    finding.location = step.site->getBeginLoc();
    finding.range = step.site->getSourceRange();
    finding.message = "this step uses gradients left over from before the previous step";
    if (!step.clear.empty())
      finding.message += ("; clear them with " + step.clear + "() between the two").str();
    explain(visit, gradients, finding);
    repair(visit, *gradients.backward, finding);
    reporter.report(std::move(finding));
  }

private:
  /// Whether the optimizer is an element of a list, and the loop around the step goes over these.
  static bool isAnotherEachTime(const Visit &visit) {
    const Event &step = visit.event;
    const PathTable &paths = visit.unit.tables().paths;
    const auto loops = step.function->loopsAround(step.site);
    bool isElement = false;
    for (PathId path = visit.before.resolve(step.subject.path); path; path = paths.parent(path))
      isElement |= paths.last(path).kind == PathStep::Element && paths.last(path).index < 0;
    return isElement && !loops.empty() && step.subject.expr &&
           namesVariableOf(visit, loops.front(), step.subject.expr);
  }

  /// Whether \p expr names a variable that \p loop declares.
  static bool namesVariableOf(const Visit &visit, const clang::Stmt *loop,
                              const clang::Stmt *expr) {
    const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(expr);
    if (reference && contains(visit, loop, reference->getDecl()->getLocation()))
      return true;
    return llvm::any_of(expr->children(), [&](const clang::Stmt *child) {
      return child && namesVariableOf(visit, loop, child);
    });
  }

  static void explain(const Visit &visit, const Gradients &gradients, Finding &finding) {
    const Event &step = visit.event;
    finding.notes.push_back(
        {gradients.step->site->getBeginLoc(), "the previous step uses the gradients here"});
    if (const clang::Stmt *loop = loopBetween(visit, *gradients.step))
      finding.notes.push_back(
          {loop->getBeginLoc(), "the loop comes round again and nothing clears the gradients"});
    if (gradients.backward->site != step.site)
      finding.notes.push_back({gradients.backward->site->getBeginLoc(),
                               "new gradients are added to the old ones here"});
  }

  /// The loop by which control comes from the previous step to this one, or null.
  static const clang::Stmt *loopBetween(const Visit &visit, const Event &previous) {
    const Event &step = visit.event;
    if (previous.function != step.function ||
        visit.context.getSourceManager().isBeforeInTranslationUnit(previous.site->getBeginLoc(),
                                                                   step.site->getBeginLoc()))
      return nullptr;
    if (auto loops = step.function->loopsAround(step.site); !loops.empty())
      return loops.front();
    for (const Event *call : llvm::reverse(visit.callers))
      if (auto loops = call->function->loopsAround(call->site); !loops.empty())
        return loops.front();
    return nullptr;
  }

  /// Before the backward if both are statements of one block, so that it reads as everybody writes
  /// it; else right behind the step, which is right wherever the backward is.
  static void repair(const Visit &visit, const Event &backward, Finding &finding) {
    const Event &step = visit.event;
    std::string object = memberPrefix(visit, step.subject);
    if (object.empty() || step.clear.empty())
      return;
    std::string text = object + step.clear.str() + "();";
    const clang::Stmt *stepStatement = step.function->expressionStatementOf(step.site);
    const clang::Stmt *backwardStatement = backward.function == step.function
                                               ? step.function->expressionStatementOf(backward.site)
                                               : nullptr;
    bool areNeighbours =
        stepStatement && backwardStatement &&
        step.function->compoundOf(backwardStatement) == step.function->compoundOf(stepStatement) &&
        visit.context.getSourceManager().isBeforeInTranslationUnit(backwardStatement->getBeginLoc(),
                                                                   stepStatement->getBeginLoc());
    if (areNeighbours)
      finding.fixes = insertBefore(visit, backwardStatement, text);
    else
      finding.fixes = insertAfter(visit, step, text);
  }
};

} // namespace

std::unique_ptr<Check> makeMissingZeroGrad() { return std::make_unique<MissingZeroGrad>(); }

} // namespace gradtidy
