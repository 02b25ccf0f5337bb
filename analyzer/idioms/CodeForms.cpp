#include "CodeForms.h"
#include "analyzer/ir/UserWords.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

const Symbol *variableOf(const Node *expr) {
  const Node *named = as(NodeKind::Reference, strip(expr));
  return named && named->symbol && named->symbol->isVariable() ? named->symbol : nullptr;
}

const Symbol *onlyVariableOf(const Node &declaration) {
  const Symbol *only = declaration.declared.size() == 1 ? declaration.declared.front() : nullptr;
  return only && only->isVariable() ? only : nullptr;
}

bool declares(const Node &code, Entity variable) {
  bool isFound = false;
  forEach(&code, [&](const Node &part) {
    isFound |= part.kind == NodeKind::Declaration &&
               llvm::any_of(part.declared, [&](const Symbol *declared) {
                 return canonical(declared) == variable;
               });
  });
  return isFound;
}

Entity ownerOf(const Node *expr) {
  expr = strip(expr);
  while (expr) {
    const bool isAccess = expr->kind == NodeKind::OperatorCall && expr->arguments.size() == 1 &&
                          (expr->op == "->" || expr->op == "*");
    const llvm::StringRef name = expr->kind == NodeKind::MemberCall ? expr->calledName() : "";
    if (!isAccess && name != "get" && name != "ptr")
      break;
    expr = strip(isAccess ? expr->arguments.front() : expr->object);
  }
  return entityOf(expr);
}

llvm::StringRef nameOfCallee(const Node &call) {
  if (!call.isCall() || call.symbol)
    return call.calledName();
  const Node *callee = call.callee();
  if (!callee)
    return {};
  return callee->kind == NodeKind::Open ? callee->op
         : callee->symbol               ? callee->symbol->name
                                        : llvm::StringRef();
}

static bool isMemberOperator(const Node &call) {
  return call.kind == NodeKind::OperatorCall && call.symbol && call.symbol->isMethod() &&
         !call.arguments.empty();
}

const Node *objectOf(const Node &call) {
  if (call.kind == NodeKind::MemberCall)
    return call.object;
  if (isMemberOperator(call))
    return call.arguments.front();
  // With arguments of unknown type.
  const Node *member = as(NodeKind::Member, call.callee());
  return member && member->symbol && member->symbol->isMethod() ? member->object : nullptr;
}

llvm::ArrayRef<const Node *> argumentsOf(const Node &call) {
  return call.arguments.drop_front(isMemberOperator(call) ? 1 : 0);
}

bool changesObject(const Node &call) {
  return isAssignmentOperator(call) || (call.symbol && call.symbol->worksInPlace);
}

bool asksForSize(const Node &call) {
  return call.calls(Operation::CountElements) || call.calls(Aspect::CountsEntries) ||
         words::countsEntries(call.calledName());
}

bool isTensor(const Node *expr) {
  return expr && expr->type && expr->type->role == TypeRole::Tensor;
}

bool isWithin(const Node *part, const Node &whole) {
  while (part && part != &whole)
    part = part->parent;
  return part;
}

bool mentions(const Node *code, Entity entity) {
  bool isFound = false;
  forEach(code, [&](const Node &each) { isFound |= entityOf(&each) == entity; });
  return isFound;
}

bool isCast(const Node &node) {
  return node.kind == NodeKind::Cast || node.kind == NodeKind::FunctionalCast;
}

bool isMove(const Node &node) {
  return node.calledName() == "move" && node.symbol->isStandard && node.arguments.size() == 1;
}

bool makesValue(const Node &expr) {
  const Node *inner = withoutParentheses(&expr);
  return asConstruction(inner) || (inner->isCall() && inner->symbol && inner->symbol->type &&
                                   !inner->symbol->type->isReference);
}

bool isRelation(const Node &node) {
  return node.kind == NodeKind::Binary &&
         (node.op == "<" || node.op == ">" || node.op == "<=" || node.op == ">=");
}

bool isComparison(const Node &node) {
  return isRelation(node) ||
         (node.kind == NodeKind::Binary && (node.op == "==" || node.op == "!="));
}

const Type *behindPointers(const Type *type) {
  while (type && type->pointee)
    type = type->pointee;
  return type;
}

Trait traitOfClass(const Symbol *record) {
  Trait trait = record ? record->trait : Trait::None;
  if (record)
    for (const Symbol *base : record->bases)
      trait = trait == Trait::None ? traitOfClass(base) : trait;
  return trait;
}

bool isBefore(const Node &a, const Node &b, const FunctionBody &function) {
  const Node *first = nullptr;
  forEach(function.body, [&](const Node &each) {
    if (!first && (&each == &a || &each == &b))
      first = &each;
  });
  return first == &a && &a != &b;
}

} // namespace gradtidy
