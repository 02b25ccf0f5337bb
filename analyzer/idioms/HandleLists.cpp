#include "HandleLists.h"

#include "CodeForms.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

/// What \p access, a call, is an access of: `list[i]`, `list.front()`.
static const Symbol *accessed(const Node *access) {
  const Node *object = access ? objectOf(*access) : nullptr;
  const bool isAccess = object && (access->op == "[]" || llvm::is_contained({"at", "front", "back"},
                                                                            access->calledName()));
  return isAccess ? variableOf(object) : nullptr;
}

/// The loop whose variable is \p element, or null.
static const Node *loopOver(const Symbol &element, const Node &inside,
                            const FunctionBody &function) {
  for (const Node *loop : function.loopsAround(&inside))
    if (loop->kind == NodeKind::RangeFor && loop->symbol == &element)
      return loop;
  return nullptr;
}

/// The list, by its name, of which \p variable leads to an element: it goes over it in a loop, or
/// has been found in it. Null if it is none.
static const Symbol *listThrough(const Symbol &variable, const Node &inside,
                                 const FunctionBody &function) {
  if (const Node *loop = loopOver(variable, inside, function))
    return variable.type->isReference ? variableOf(loop->object) : nullptr;
  const Node *found = variable.isLocal ? asCall(originalOf(variable.init)) : nullptr;
  const Node *object = found && found->calledName() == "find" ? objectOf(*found) : nullptr;
  return object && variable.type->isPointer ? variableOf(object) : nullptr;
}

/// The variable of which \p expr is an element, or null: `list[i]`, `*found`, `item.value()`.
static const Symbol *listOf(const Node *expr, const FunctionBody &function) {
  const Node *place = strip(expr);
  if (!place)
    return nullptr;
  if (const Symbol *list = accessed(asCall(place)))
    return list;
  const Node *through = place;
  if (place->kind == NodeKind::Unary && place->op == "*")
    through = place->children.front();
  else if (place->kind == NodeKind::MemberCall && place->calledName() == "value")
    through = objectOf(*place);
  const Symbol *variable = variableOf(through);
  return variable ? listThrough(*variable, *place, function) : nullptr;
}

static bool isAttribute(const Node &call) {
  return call.calls(FunctionRole::Attribute) || call.calls(FunctionRole::Defined) ||
         call.calls(Aspect::TellsKey) || asksForSize(call) || call.calledName() == "empty";
}

/// Whether what is done with \p mention, the list or an element, keeps it from everybody.
static bool isKeptBack(const Node &mention, const Symbol &list, const FunctionBody &function) {
  for (const Node *outer : function.around(&mention)) {
    if (const std::optional<Assignment> assigned = asAssignment(*outer))
      return listOf(assigned->target, function) == &list;
    if (outer->kind == NodeKind::Binary && llvm::any_of(outer->children, isNull))
      return true;
    if (outer->kind == NodeKind::MemberCall && isAttribute(*outer))
      return true;
    // What leads to an element is looked at by itself.
    if (const Node *loop = as(NodeKind::RangeFor, outer->parent);
        loop && outer != loop->body && variableOf(loop->object) == &list)
      return loop->symbol->type->isReference;
    if (const Symbol *leading = as(NodeKind::Declaration, outer) ? onlyVariableOf(*outer) : nullptr)
      return listThrough(*leading, *outer, function) == &list;
    if (!outer->isExpression)
      break;
  }
  return false;
}

/// Whether the variable is a list of a module's parameters, made for it alone.
static bool listsParameters(const Symbol &list) {
  const Node *made = list.isLocal && !list.isStatic ? asCall(originalOf(list.init)) : nullptr;
  return made && made->symbol && makesValue(*made) &&
         (made->symbol->purpose == FunctionRole::Parameters ||
          made->symbol->aspects.has(Aspect::ListsParameters)); // One of the user's.
}

bool isOfDeadList(const Node &place, const FunctionBody &function) {
  const Symbol *list = listOf(&place, function);
  const Type *type = list ? list->type : nullptr;
  if (!type || !type->record || type->isReference)
    return false;
  const bool isGiven = list->kind == SymbolKind::Parameter && type->record->isStandard &&
                       list->owner == function.function;
  bool isDead = isGiven || listsParameters(*list);
  forEach(isDead ? function.body : nullptr, [&](const Node &code) {
    const bool isMention =
        code.kind == NodeKind::Reference && code.symbol->isVariable() &&
        (code.symbol == list || listThrough(*code.symbol, code, function) == list);
    isDead &= !isMention || isKeptBack(code, *list, function);
  });
  return isDead;
}

/// Whether the expression makes a module, which has state of its own.
static bool makesModule(const Node &expr) {
  const Symbol *record = moduleClassOf(expr.type);
  const Node *made = record && !record->isStateless ? originalOf(&expr) : nullptr;
  return (made && made->calledName() == "make_shared") ||
         (asConstruction(made) && (made->arguments.empty() || !isNull(made->arguments.front())));
}

/// Whether the call changes the tensor that an element of the list is.
static bool changesElement(const Node &call, const Symbol &list) {
  const std::optional<Assignment> assigned = asAssignment(call);
  const Node *part = assigned ? asCall(strip(assigned->target)) : &call; // list[i][j] = value
  const Node *object = part ? objectOf(*part) : nullptr;
  return object && accessed(asCall(strip(object))) == &list && (assigned || changesObject(call));
}

const Node *changeOfShared(const Node &made, const FunctionBody &function) {
  const Symbol *record = gradtidy::classOf(made.symbol);
  if (!record || !record->isStandard || record->name != "vector" || made.arguments.size() < 2 ||
      !made.arguments[0]->type->isInteger || made.arguments[0]->integer.value_or(2) <= 1)
    return nullptr;
  const Node &element = *made.arguments[1];
  if (makesModule(element))
    return &made;
  const Node *declared = as(NodeKind::Declaration, function.statementOf(&made));
  const Symbol *list = declared ? onlyVariableOf(*declared) : nullptr;
  if (!list || strip(list->init) != &made || element.type->role != TypeRole::Tensor)
    return nullptr;
  const Node *change = nullptr;
  bool isReplaced = false;
  forEach(function.body, [&](const Node &code) {
    const std::optional<Assignment> assigned = asAssignment(code);
    isReplaced |= assigned && accessed(asCall(strip(assigned->target))) == list &&
                  !function.loopsAround(&code).empty();
    if (!change && code.isCall() && changesElement(code, *list))
      change = &code;
  });
  return isReplaced ? nullptr : change;
}

} // namespace gradtidy
