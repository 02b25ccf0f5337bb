#include "ValueFlow.h"
#include "analyzer/ir/UserWords.h"

namespace gradtidy {

using namespace ir;

bool isInLambda(const Node *code) {
  for (; code; code = code->parent)
    if (code->kind == NodeKind::Lambda)
      return true;
  return false;
}

// ---- The way -----------------------------------------------------------------------------------

ValueFlow::ValueFlow(ModuleUses &uses, const VisitedPlace &place, Entity entity, const Node &site,
                     ModeCalls &modeCalls)
    : uses(uses), place(place), entity(entity), modeCalls(modeCalls),
      isTensor(!holdsModules(entity ? entity->type : site.type)), value(&site),
      use{&site, place.function} {}

std::optional<EntityUse> ValueFlow::follow() {
  Step step = Step::Onward;
  while (step == Step::Onward && value != place.root && value->parent) {
    const Node *parent = value->parent;
    step = into(*parent);
    if (step == Step::Onward)
      value = parent;
  }
  if (step == Step::Onward && value == place.root)
    step = intoRoot();
  if (step == Step::NoUse)
    return std::nullopt;
  use.isRecorded = place.guards == 0;
  return use;
}

ValueFlow::Step ValueFlow::into(const Node &parent) {
  return parent.isExpression ? intoExpression(parent) : intoStatement(parent);
}

ValueFlow::Step ValueFlow::intoRoot() {
  if (!value->isExpression) // The body of a function.
    return Step::Used;
  return place.keeper ? keep(place.keeper) : lose();
}

ValueFlow::Step ValueFlow::intoStatement(const Node &statement) {
  switch (statement.kind) {
  case NodeKind::Declaration:
    return intoDeclaration(statement);
  case NodeKind::RangeFor:
    return Step::Used;
  case NodeKind::Return: {
    const bool isResult =
        isTensor && place.function && isForward(place.function) && !isInLambda(value);
    return isResult ? Step::Used : give();
  }
  default:
    return dropped();
  }
}

ValueFlow::Step ValueFlow::intoDeclaration(const Node &declaration) {
  if (const Node *loop = as(NodeKind::RangeFor, declaration.parent); loop && loop->object == value)
    return keep(loop->symbol);
  for (const Symbol *variable : declaration.declared)
    if (variable->init == value)
      return keep(variable);
  return lose();
}

/// Whether the expression selects elements of a tensor.
static bool isIndex(const Node &expr) {
  const Symbol *record = expr.type ? expr.type->record : nullptr;
  return record && record->trait == Trait::Index;
}

ValueFlow::Step ValueFlow::intoExpression(const Node &expr) {
  if (std::optional<Assignment> assigned = asAssignment(expr))
    return intoAssignment(*assigned);
  if (expr.isCall())
    return intoCall(expr);
  if (expr.kind == NodeKind::Damaged && strip(&expr) == &expr)
    return intoUnresolvedCall(expr);
  if (isTensor && isIndex(expr))
    return Step::Used;
  switch (expr.kind) {
  case NodeKind::Construct:
  case NodeKind::Temporary:
    return intoConstruction(expr);
  case NodeKind::Member:
    return intoMember(expr);
  case NodeKind::Binary:
    return intoBinary(expr);
  case NodeKind::Open:
    if (expr.symbol)
      return Step::Onward;
    return !isTensor && words::isForward(expr.op) ? Step::Used : lose();
  case NodeKind::List:
    isAmongOthers |= llvm::any_of(expr.children, [&](const Node *element) {
      return element != value && holdsTensors(element->type);
    });
    return Step::Onward;
  case NodeKind::Unary:
    return expr.op == "!" ? Step::Used : Step::Onward;
  case NodeKind::Conditional:
    return value == expr.condition ? Step::Used : Step::Onward;
  case NodeKind::Cast:
  case NodeKind::FunctionalCast:
    return isArithmetic(expr) ? Step::Used : Step::Onward;
  case NodeKind::Lambda:
    return Step::Used;
  default:
    return Step::Onward;
  }
}

ValueFlow::Step ValueFlow::intoAssignment(const Assignment &assigned) {
  if (value == assigned.target) {
    isTarget |= !isDerived;
    return isDerived ? Step::Used : Step::Onward;
  }
  if (value != assigned.value) // The operator itself.
    return Step::Used;
  Entity target = uses.rootOf(assigned.target);
  if (!target)
    return lose();
  holdIn(target);
  return Step::Onward;
}

ValueFlow::Step ValueFlow::intoBinary(const Node &operation) {
  if (operation.op != ",")
    return Step::Used;
  return value == operation.children.front() ? dropped() : Step::Onward;
}

ValueFlow::Step ValueFlow::intoMember(const Node &member) {
  if (member.symbol && member.symbol->isMethod())
    return Step::Onward;
  if (!matters(member) || (!isTensor && holdsTensors(member.type)))
    return Step::Used;
  // `pair.first` is a part; a member of the user's class is an entity of its own.
  return member.symbol && member.symbol->isUser ? Step::Used : Step::Onward;
}

static bool makesUsersModule(const Node &expr) {
  return llvm::any_of(modulesIn(expr.type), [](const Symbol *module) { return module->isUser; });
}

ValueFlow::Step ValueFlow::intoConstruction(const Node &construct) {
  if (!construct.symbol)
    return lose();
  // Where the constructor is written: users inherit those of module holders from the framework.
  const Symbol &constructor =
      construct.symbol->inherited ? *construct.symbol->inherited : *construct.symbol;
  if (isHandedOn(construct, constructor))
    return Step::Onward;
  const bool isSeen = &constructor == construct.symbol || !makesUsersModule(construct);
  return isSeen && passed(construct.arguments, constructor) ? Step::Onward : lose();
}

// ---- How a step ends ---------------------------------------------------------------------------

ValueFlow::Step ValueFlow::onwardIfHeld(const Node &expr) {
  return matters(expr) ? Step::Onward : Step::Used;
}

static bool endsInAssignment(const Node *expr) {
  expr = strip(expr);
  return expr->kind == NodeKind::Binary && expr->op == "," ? endsInAssignment(expr->children.back())
                                                           : asAssignment(*expr).has_value();
}

/// Nobody takes the value. To have assigned it was no use.
ValueFlow::Step ValueFlow::dropped() const {
  return isTarget && endsInAssignment(value) ? Step::NoUse : Step::Used;
}

void ValueFlow::holdIn(const Symbol *where) {
  if (!isDerived || !entity)
    uses.link(entity, where);
  else if (isTensor && !use.isMove && !use.isOperand && where && where->isVariable())
    uses.facts[entity].derived.insert(canonical(where));
}

ValueFlow::Step ValueFlow::keep(const Symbol *where) {
  holdIn(where);
  return Step::Used;
}

ValueFlow::Step ValueFlow::lose() {
  if (entity && !isDerived)
    uses.facts[entity].escapes = true;
  return Step::Used;
}

/// The function gives the value to its callers.
ValueFlow::Step ValueFlow::give() {
  const Symbol *record = classOf(place.function);
  const bool isHelper = record && !isTensor && !isInLambda(value) && entity &&
                        entity->kind == SymbolKind::Member && record->role == TypeRole::None;
  if (!isHelper || isDerived)
    return lose();
  uses.facts[entity].givers.insert(place.function);
  return Step::Used;
}

// ---- Questions ---------------------------------------------------------------------------------

/// Whether the result can still be, or hold, the entity's value.
bool ValueFlow::matters(const Node &expr) const {
  if (isDependent(expr))
    return true;
  return isTensor ? holdsTensors(expr.type) : holdsModules(expr.type);
}

/// Whether the construction makes a copy, or a holder of what a shared pointer points to.
bool ValueFlow::isHandedOn(const Node &construct, const Symbol &constructor) const {
  if (construct.symbol->isCopying)
    return true;
  if (construct.arguments.size() != 1)
    return false;
  return (isTensor && holdsTensors(construct.type)) ||
         (!constructor.isUser &&
          modulesIn(construct.arguments.front()->type) == modulesIn(construct.type));
}

} // namespace gradtidy
