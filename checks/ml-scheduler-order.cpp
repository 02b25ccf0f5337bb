// A scheduler does nothing by itself: each of its steps sets the learning rate. One that is never
// stepped leaves the rate what it is, and one whose steps are counted in rounds of the outer loop
// is through long before the last of them if it is stepped in the inner one.

#include "Check.h"
#include "Doings.h"
#include "Loops.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

class SchedulerOrder : public Check {
public:
  void onFunction(const FunctionVisit &visit, Reporter &reporter) override {
    llvm::SmallDenseSet<PathId, 4> made;
    for (const Block &block : visit.function.blocks)
      for (const Event &event : block.events)
        if (event.trait == Trait::SchedulesRate && isMade(event)) {
          made.insert(event.result);
          onMade(visit, event, reporter);
        } else if (event.kind == EventKind::Bind && !event.operands.empty() &&
                   made.contains(event.operands.front().path)) {
          onHeld(visit, event.subject.path, reporter);
        }
  }

private:
  /// Whether the event makes a scheduler of an optimizer.
  static bool isMade(const Event &event) {
    return (event.kind == EventKind::Construct || event.kind == EventKind::Call) &&
           llvm::any_of(event.operands,
                        [](const Operand &operand) { return operand.role == TypeRole::Optimizer; });
  }

  static void onHeld(const FunctionVisit &visit, PathId place, Reporter &reporter) {
    const PathStep &last = visit.unit.tables().paths.last(place);
    const bool isMember = last.kind == PathStep::Member;
    const auto isStep = [](const Event &event) { return event.kind == EventKind::Step; };
    const auto isUse = [](const Event &event) {
      return event.kind != EventKind::Bind && event.kind != EventKind::EndLifetime;
    };
    const auto &functions = visit.unit.callGraph().functions();
    const bool trains =
        isMember ? llvm::any_of(functions,
                                [&](const FunctionBody *each) { return hasEvent(*each, isStep); })
                 : visit.unit.callGraph().mayRun(visit.function, isStep);
    if ((!isMember && last.kind != PathStep::Variable) || !trains ||
        mayBeDone(visit.unit, visit.source, place, isUse))
      return;
    reporter.report(Finding(Level::Likely, *last.symbol(),
                            "'" + last.symbol()->spelling.str() +
                                "' is never stepped: the learning rate stays what it is"));
  }

  /// `StepLR scheduler(optimizer, epochs / 3)` that is stepped for each batch of each epoch.
  static void onMade(const FunctionVisit &visit, const Event &made, Reporter &reporter) {
    const FunctionBody &function = visit.function;
    const ir::Symbol *scheduler = variableOf(made);
    const ir::Type *type = scheduler ? scheduler->type : nullptr;
    const ir::Symbol *record = type && type->pointee ? type->pointee->record
                               : type                ? type->record
                                                     : nullptr;
    // A class of the user's may count otherwise.
    if (!record || llvm::any_of(ir::classOf(*record).methods, [](const ir::Method &method) {
          return method.isDefined && !method.isGenerated;
        }))
      return;
    const ir::Node *step = onlyStepOf(*scheduler, function);
    const auto loops = step ? function.loopsAround(step) : llvm::SmallVector<const ir::Node *, 4>();
    if (loops.size() < 2 || function.isConditional(step, loops.front()))
      return;
    for (const ir::Node *argument : made.site->arguments)
      if (const ir::Symbol *rounds = roundsIn(argument); rounds && !rounds->type->isReference)
        if (const ir::Node *counted = loopOver(*rounds, function, loops);
            counted && counted != loops.front() && !contains(visit.source, counted, made.site)) {
          Finding finding(Level::Likely, *step,
                          "the scheduler counts rounds of the outer loop by '" +
                              rounds->spelling.str() +
                              "', but is stepped in each of the inner one");
          finding.notes.push_back({made, "it is made here"});
          finding.notes.push_back({*counted, "the loop whose rounds it counts is here"});
          reporter.report(std::move(finding));
          return;
        }
  }

  /// The local variable that holds what is made, or null.
  static const ir::Symbol *variableOf(const Event &made) {
    const ir::Node *around = made.site;
    while (around && around->isExpression)
      around = around->parent;
    const ir::Node *declaration = ir::as(ir::NodeKind::Declaration, around);
    return declaration && declaration->declared.size() == 1 &&
                   declaration->declared.front()->isLocal
               ? declaration->declared.front()
               : nullptr;
  }

  /// The only thing that is done with the scheduler, if that is a step that is told nothing.
  static const ir::Node *onlyStepOf(const ir::Symbol &scheduler, const FunctionBody &function) {
    const ir::Node *step = nullptr;
    llvm::SmallPtrSet<const ir::Node *, 4> names;
    ir::forEach(function.body, [&](const ir::Node &node) {
      if (node.kind == ir::NodeKind::Reference && node.symbol == &scheduler)
        names.insert(&node);
      const ir::Node *object =
          node.kind == ir::NodeKind::MemberCall ? ir::stripped(node.object) : nullptr;
      while (object && object->kind == ir::NodeKind::OperatorCall && object->op == "->")
        object = ir::stripped(object->arguments.front());
      if (object && ir::variableIn(object) == &scheduler && node.arguments.empty() && node.type &&
          node.type->isVoid)
        step = &node;
    });
    return names.size() == 1 ? step : nullptr;
  }

  /// The variable or member of which \p expr is a part or a multiple that the source tells, or
  /// null.
  static const ir::Symbol *roundsIn(const ir::Node *expr) {
    expr = expr ? &ir::stripped(expr)->spelled() : nullptr;
    while (expr && expr->kind == ir::NodeKind::Binary && (expr->op == "/" || expr->op == "*")) {
      const bool isLeft = ir::stripped(expr->children.back())->isConstant ||
                          ir::stripped(expr->children.back())->integer;
      if (!isLeft && !ir::stripped(expr->children.front())->integer)
        return nullptr;
      expr = ir::stripped(isLeft ? expr->children.front() : expr->children.back());
    }
    const bool isName =
        expr && (expr->kind == ir::NodeKind::Reference || expr->kind == ir::NodeKind::Member);
    return isName && expr->symbol && expr->type && expr->type->isInteger &&
                   (expr->symbol->isVariable() || expr->symbol->kind == ir::SymbolKind::Member)
               ? expr->symbol
               : nullptr;
  }

  /// The only one of the loops that runs as often as \p rounds says, or null.
  static const ir::Node *loopOver(const ir::Symbol &rounds, const FunctionBody &function,
                                  llvm::ArrayRef<const ir::Node *> loops) {
    const ir::Node *found = nullptr;
    for (const ir::Node *loop : loops)
      if (loop->condition && llvm::is_contained(function.namedIn(loop->condition), &rounds)) {
        if (found)
          return nullptr;
        found = loop;
      }
    return found;
  }
};

} // namespace

std::unique_ptr<Check> makeSchedulerOrder() { return std::make_unique<SchedulerOrder>(); }

} // namespace gradtidy
