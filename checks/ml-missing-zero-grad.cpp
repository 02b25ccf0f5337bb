// Gradients add up over backward() calls until somebody clears them. A step that uses what an
// earlier step has used already follows a sum over all iterations instead of this batch's gradient.

#include "Check.h"
#include "Fixes.h"
#include "Loops.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

namespace gradtidy {
namespace {

class MissingZeroGrad : public Check {
public:
  bool wants(const Moment &moment) const override { return moment.event.kind == EventKind::Step; }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &step = visit.event;
    const OptimizerFacts *facts = visit.before.optimizer(step.subject);
    if (!facts || !(facts->gradients.possible & Gradients::Stale))
      return reportMember(visit, reporter);
    const Gradients &gradients = facts->gradients;
    if (facts->needsClosure || accumulates(visit)) // See ml-lbfgs-closure.
      return;

    Finding finding = leftOver(visit);
    finding.level = isAnotherEachTime(visit) ? Level::Advice : Level::Certain;
    explain(visit, gradients, finding);
    repair(visit, *gradients.backward, finding);
    reporter.report(std::move(finding));
  }

private:
  static Finding leftOver(const Visit &visit) {
    const Event &step = visit.event;
    Finding finding(Level::Certain, step,
                    "this step uses gradients left over from before the previous step");
    if (!step.clear.empty())
      finding.message += ("; clear them with " + step.clear + "() between the two").str();
    return finding;
  }

  /// Whether the function steps in some of its runs, and clears the gradients in some: those of
  /// several batches are added up, and which run is the first of them depends on numbers.
  static bool accumulates(const Visit &visit) {
    const Event &step = visit.event;
    const FunctionBody &function = *step.function;
    const auto isClear = [&](const Event &event) {
      return event.kind == EventKind::ClearGradients && event.subject.path == step.subject.path &&
             function.isInBranch(event.site) && flagAround(event) != flagAround(step);
    };
    return flagAround(step) && llvm::any_of(function.blocks, [&](const Block &block) {
             return llvm::any_of(block.events, isClear);
           });
  }

  /// The variable that tells, it or its opposite, whether the event runs; null if none does.
  static const ir::Symbol *flagAround(const Event &event) {
    const ir::Node *around = event.function->statementAround(event.site);
    while (around && around->kind != ir::NodeKind::If)
      around = event.function->statementAround(around);
    const ir::Node *condition = around ? ir::stripped(around->condition) : nullptr;
    while (condition && condition->kind == ir::NodeKind::Unary && condition->op == "!")
      condition = ir::stripped(condition->children.front());
    return condition ? ir::variableIn(condition) : nullptr;
  }

  /// A step in a method that others call again and again, with an optimizer that is a member, whose
  /// gradients nobody clears.
  static void reportMember(const Visit &visit, Reporter &reporter) {
    const Event &step = visit.event;
    const Event *backward = backwardBefore(visit);
    const ir::Symbol *field = backward ? ownMember(visit) : nullptr;
    if (!field || isCalledInSight(visit) || visit.unit.program().mayClear(*field))
      return;
    Finding finding = leftOver(visit);
    finding.level = field->isPrivate ? Level::Likely : Level::Advice;
    finding.notes.push_back(
        {step.function->function->location,
         "the previous call of this function made that step, and nothing seen clears the gradients "
         "of '" +
             field->name.str() + "'"});
    repair(visit, *backward, finding);
    reporter.report(std::move(finding));
  }

  /// The last backward before the step in its function, by place, or null.
  static const Event *backwardBefore(const Visit &visit) {
    const Source &sources = visit.source;
    const Event *last = nullptr;
    for (const Block &block : visit.event.function->blocks)
      for (const Event &event : block.events)
        if (event.kind == EventKind::Backward &&
            sources.isBefore(event.site->begin(), visit.event.site->begin()) &&
            (!last || sources.isBefore(last->site->begin(), event.site->begin())))
          last = &event;
    return last;
  }

  /// The member that is the optimizer, of a class all of which can be seen, if the step is in one
  /// of its methods; else null.
  static const ir::Symbol *ownMember(const Visit &visit) {
    const FunctionBody &function = *visit.event.function;
    const ir::Symbol &method = *function.function;
    // Of what a macro makes, such as a test, each object may run once.
    if (method.kind != ir::SymbolKind::Method || method.location.isMacroID())
      return nullptr;
    const PathTable &paths = visit.unit.tables().paths;
    const PathId optimizer = visit.before.resolve(visit.event.subject.path);
    if (paths.last(optimizer).kind != PathStep::Member ||
        paths.parent(optimizer) != function.thisObject)
      return nullptr;
    const ir::Symbol *field = paths.last(optimizer).symbol();
    const auto isSeen = [](const ir::Method &other) {
      return other.isGenerated || other.symbol->isPureVirtual || other.isDefined ||
             other.isOfTemplate;
    };
    return field->owner == method.owner && llvm::all_of(ir::classOf(*method.owner).methods, isSeen)
               ? field
               : nullptr;
  }

  /// Whether it is seen from where the function of the step is called, and what is left over then.
  static bool isCalledInSight(const Visit &visit) {
    return !visit.callers.empty() ||
           llvm::any_of(visit.observations(), [&](const Observation &other) {
             return other.event == &visit.event && !other.callers.empty();
           });
  }

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
  static bool namesVariableOf(const Visit &visit, const ir::Node *loop, const ir::Node *expr) {
    if (expr->kind == ir::NodeKind::Reference && contains(visit, loop, expr->symbol->location))
      return true;
    return llvm::any_of(expr->children,
                        [&](const ir::Node *child) { return namesVariableOf(visit, loop, child); });
  }

  static void explain(const Visit &visit, const Gradients &gradients, Finding &finding) {
    const Event &step = visit.event;
    finding.notes.push_back({*gradients.step, "the previous step uses the gradients here"});
    if (const ir::Node *loop = loopBetween(visit, *gradients.step))
      finding.notes.push_back(
          {*loop, "the loop comes round again and nothing clears the gradients"});
    if (gradients.backward->site != step.site)
      finding.notes.push_back(
          {*gradients.backward, "new gradients are added to the old ones here"});
  }

  /// The loop by which control comes from the previous step to this one, or null.
  static const ir::Node *loopBetween(const Visit &visit, const Event &previous) {
    const Event &step = visit.event;
    if (previous.function != step.function ||
        visit.source.isBefore(previous.site->begin(), step.site->begin()))
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
    const ir::Node *stepStatement = step.function->expressionStatementOf(step.site);
    const ir::Node *backwardStatement = backward.function == step.function
                                            ? step.function->expressionStatementOf(backward.site)
                                            : nullptr;
    bool areNeighbours =
        stepStatement && backwardStatement &&
        step.function->compoundOf(backwardStatement) == step.function->compoundOf(stepStatement) &&
        visit.source.isBefore(backwardStatement->begin(), stepStatement->begin());
    if (areNeighbours)
      finding.fixes = insertBefore(visit, backwardStatement, text);
    else
      finding.fixes = insertAfter(visit, step, text);
  }
};

} // namespace

std::unique_ptr<Check> makeMissingZeroGrad() { return std::make_unique<MissingZeroGrad>(); }

} // namespace gradtidy
