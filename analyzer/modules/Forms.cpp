#include "Forms.h"
#include "analyzer/ir/UserWords.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

Entity canonical(const Symbol *declaration) {
  if (declaration && declaration->kind == SymbolKind::Binding)
    declaration = declaration->owner;
  return declaration && declaration->first ? declaration->first : declaration;
}

Entity entityOf(const Node *expr) {
  const bool isName = as(NodeKind::Reference, expr) || as(NodeKind::Member, expr);
  const Symbol *named = isName ? expr->symbol : nullptr;
  if (!named)
    return nullptr;
  if (expr->kind == NodeKind::Member)
    return named->kind == SymbolKind::Member ? canonical(named) : nullptr;
  return named->isVariable() || named->kind == SymbolKind::Binding ? canonical(named) : nullptr;
}

/// What \p node is without what stands in the same place, or itself.
static const Node *unwrapped(const Node *node) {
  if (node->kind == NodeKind::New) {
    for (const Node *child : node->children)
      if (asConstruction(child))
        return child;
    return node;
  }
  if (!node->isExpression || node->children.size() != 1)
    return node;
  const Node *only = node->children.front();
  const bool isOpenList = node->kind == NodeKind::List && node->type && node->type->isVoid;
  const bool isSame = (node->kind == NodeKind::Other || node->kind == NodeKind::Damaged) &&
                      only->isExpression && only->range == node->range;
  return isOpenList || isSame ? only : node;
}

const Node *strip(const Node *node) {
  while (node) {
    const Node *inner = unwrapped(stripped(node));
    if (inner == node)
      break;
    node = inner;
  }
  return node;
}

std::optional<Assignment> asAssignment(const Node &expr) {
  if (expr.kind == NodeKind::Binary && expr.op == "=" && expr.children.size() == 2)
    return Assignment{expr.children[0], expr.children[1]};
  if (expr.kind == NodeKind::OperatorCall && expr.op == "=" && expr.arguments.size() == 2)
    return Assignment{expr.arguments[0], expr.arguments[1]};
  return std::nullopt;
}

static bool isComparison(llvm::StringRef op) {
  return op == "==" || op == "!=" || op == "<=" || op == ">=";
}

bool isAssignmentOperator(const Node &call) {
  return call.kind == NodeKind::OperatorCall && call.op.ends_with("=") && !isComparison(call.op);
}

const Node *originalOf(const Node *expr) {
  expr = strip(expr);
  return asConstruction(expr) && expr->arguments.size() == 1 ? originalOf(expr->arguments.front())
                                                             : expr;
}

const Node *convertedFrom(const Node *value) {
  value = strip(value);
  while (asConstruction(value)) {
    const bool isOther =
        value->arguments.size() > 1 && value->arguments[1]->kind != NodeKind::DefaultArgument;
    if (value->arguments.empty() || isOther)
      return nullptr;
    value = strip(value->arguments.front());
  }
  return value;
}

llvm::ArrayRef<const Node *> withoutDefaults(llvm::ArrayRef<const Node *> arguments) {
  while (arguments.size() > 1 && arguments.back()->kind == NodeKind::DefaultArgument)
    arguments = arguments.drop_back();
  return arguments;
}

const Symbol *calleeOf(const Node &call) {
  const Node *open = call.symbol ? nullptr : as(NodeKind::Open, call.callee());
  return open ? open->symbol : call.symbol;
}

Trait traitOfCallee(const Node &call) {
  const Symbol *callee = calleeOf(call);
  return callee ? callee->trait : Trait::None;
}

bool isMethodCall(const Node &call) {
  if (call.kind == NodeKind::MemberCall)
    return true;
  const Node *open = as(NodeKind::Open, call.callee());
  return open && open->symbol && open->symbol->isMethod();
}

const Node *methodObject(const Node &call) {
  if (call.kind == NodeKind::MemberCall)
    return call.object;
  const Node *open = as(NodeKind::Open, call.callee());
  return open ? open->object : nullptr;
}

const Symbol *classOf(const Symbol *function) {
  return function && function->isMethod() ? function->owner : nullptr;
}

const Symbol *definitionOf(const Symbol *function) {
  const Symbol *definition = function ? function->definition : nullptr;
  // Where nothing instantiates a template, it speaks for itself; that is no definition.
  return definition && definition->isDependent && !function->isDependent ? nullptr : definition;
}

bool isForward(const Symbol *function) {
  return function && function->isMethod() &&
         (function->spelling == "operator()" || words::speaksOfForward(function->name));
}

bool isFactory(const Symbol *callee) {
  return callee && callee->isStandard &&
         (callee->name == "make_unique" || callee->name == "make_shared");
}

bool saysTrue(const Node &call) {
  if (call.arguments.empty())
    return true;
  // By default, too, wherever the header with the default is.
  const Node *flag = call.arguments.size() == 1 ? call.arguments.front() : nullptr;
  return flag && (flag->integer == 1 || strip(flag)->integer == 1);
}

const Symbol *moduleClassOf(const Type *type) {
  return type && isModule(type->role) && type->modules.size() == 1 ? type->modules.front()
                                                                   : nullptr;
}

bool isClosure(const Type *type) {
  const Symbol *record = type ? type->record : nullptr;
  return record && (record->name.empty() || (record->isStandard && record->name == "function"));
}

} // namespace gradtidy
