#include "ModeConditions.h"

#include "CodeForms.h"
#include "analyzer/ir/UserWords.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

static bool isNumeric(const Type *type) {
  return type && type->isArithmetic && !type->isBoolean && !type->isEnumeration;
}

/// Whether the variable counts the iterations of a `for` loop around \p site.
static bool isCounter(const Symbol &variable, const Node &site, const FunctionBody &function) {
  return llvm::any_of(function.loopsAround(&site), [&](const Node *loop) {
    const Node *init =
        loop->kind == NodeKind::For ? as(NodeKind::Declaration, loop->init) : nullptr;
    return init && llvm::is_contained(init->declared, &variable);
  });
}

static bool isMember(const Node *object) {
  const Node *access = as(NodeKind::OperatorCall, strip(object)); // Of a module holder.
  return as(NodeKind::Member,
            access && access->op == "->" ? strip(access->arguments.front()) : strip(object));
}

bool isLeftAlone(const Symbol &member) {
  const auto leavesAlone = [&](const Method &each) {
    const Symbol &method = *each.symbol;
    if (each.isGenerated || method.isStaticMethod || method.kind != SymbolKind::Method)
      return true;
    const Symbol *definition = definitionOf(&method);
    bool isOnlyRead = definition && definition->body;
    forEach(isOnlyRead ? definition->body : nullptr, [&](const Node &part) {
      isOnlyRead &=
          part.kind != NodeKind::Member || entityOf(&part) != canonical(&member) || part.isOnlyRead;
    });
    return isOnlyRead;
  };
  return member.owner && member.owner->isUser &&
         llvm::all_of(ir::classOf(*member.owner).methods, leavesAlone);
}

/// Whether \p expr is a number that is the same in both modes.
static bool isPlainNumber(const Node *expr, const Node &site, const FunctionBody &function) {
  expr = withoutParentheses(expr);
  if (!isNumeric(expr->type))
    return false;
  switch (expr->kind) {
  case NodeKind::Binary:
    return !expr->isAssignment() && isPlainNumber(expr->children.front(), site, function) &&
           isPlainNumber(expr->children.back(), site, function);
  case NodeKind::Cast:
  case NodeKind::FunctionalCast:
    return isPlainNumber(expr->children.front(), site, function);
  case NodeKind::MemberCall:
    return expr->arguments.empty() && asksForSize(*expr) && isMember(expr->object);
  case NodeKind::Member:
    return entityOf(expr) && as(NodeKind::This, withoutParentheses(expr->object)) &&
           !words::speaksOfMode(expr->symbol->name) && isLeftAlone(*expr->symbol);
  case NodeKind::Integer:
  case NodeKind::Real:
    return true;
  default:
    break;
  }
  const Symbol *variable = variableOf(expr);
  return variable && variable->kind != SymbolKind::Parameter &&
         !words::speaksOfMode(variable->name) &&
         (isCounter(*variable, site, function) ||
          (variable->isLocal && variable->init && !function.mayChange(*variable, function.body) &&
           isPlainNumber(variable->init, site, function)));
}

/// Whether the condition compares numbers that are the same in both modes.
static bool comparesNumbers(const Node *condition, const Node &site, const FunctionBody &function) {
  condition = withoutParentheses(condition);
  if (condition->kind == NodeKind::Unary && condition->op == "!")
    return comparesNumbers(condition->children.front(), site, function);
  if (condition->kind != NodeKind::Binary)
    return false;
  const Node *left = condition->children.front(), *right = condition->children.back();
  if (condition->op == "&&" || condition->op == "||")
    return comparesNumbers(left, site, function) && comparesNumbers(right, site, function);
  const bool compares = isComparison(*condition);
  return compares && isPlainNumber(left, site, function) && isPlainNumber(right, site, function);
}

/// Whether the class has its own notion of the modes.
static bool setsOwnMode(const FunctionBody &function) {
  const Symbol *record = classOf(function.function);
  return record && llvm::any_of(ir::classOf(*record).methods, [](const Method &method) {
           return method.symbol->aspects.has(Aspect::SetsMode);
         });
}

bool mayAskForMode(const Node &site, const FunctionBody &function) {
  for (const Node *place = &site; function.isConditional(place);) {
    const auto outer = function.around(place);
    const auto choice =
        llvm::find_if(outer, [](const Node *each) { return each->kind == NodeKind::If; });
    if (choice == outer.end() || function.isConditional(place, *choice) || setsOwnMode(function) ||
        !(*choice)->condition || !comparesNumbers((*choice)->condition, **choice, function))
      return true;
    place = *choice;
  }
  return false;
}

} // namespace gradtidy
