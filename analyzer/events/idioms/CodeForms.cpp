#include "CodeForms.h"

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

bool isCast(const Node &node) {
  return node.kind == NodeKind::Cast || node.kind == NodeKind::FunctionalCast;
}

bool isRelation(const Node &node) {
  return node.kind == NodeKind::Binary &&
         (node.op == "<" || node.op == ">" || node.op == "<=" || node.op == ">=");
}

llvm::SmallVector<const Node *, 16> around(const Node &site, const FunctionBody &function) {
  llvm::SmallVector<const Node *, 16> result;
  for (const Node *outer = function.statementAround(&site); outer;
       outer = outer == function.body ? nullptr : outer->parent)
    result.push_back(outer);
  return result;
}

} // namespace gradtidy
