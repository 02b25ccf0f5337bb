#include "Coverages.h"

#include "CodeForms.h"
#include "analyzer/model/Operators.h"

namespace gradtidy {

using namespace ir;

/// The variable of which \p view, a chain of calls, is a view; null if it is none.
static const Symbol *baseOf(const Node *view) {
  const Node *base = strip(view);
  while (const Node *call = asCall(base))
    base = strip(objectOf(*call));
  return variableOf(base);
}

/// Whether \p write stands in one branch of a choice within \p loop of which there is no other.
static bool isLeftOut(const Node &write, const Node *loop, const FunctionBody &function) {
  for (const Node *outer : function.around(&write)) {
    if (outer == loop)
      break;
    if (outer->kind == NodeKind::If)
      return !outer->otherwise;
  }
  return function.isConditional(&write, loop);
}

static bool isCallOf(const Node *expr, llvm::StringRef name) {
  const Node *call = asCall(expr);
  return call && call->calledName() == name && call->symbol->isStandard;
}

/// Whether \p variable is the largest of several numbers: `n = std::max(n, …)`, `*max_element(…)`.
static bool isLargest(const Symbol *variable, const FunctionBody &function) {
  const Node *element = strip(variable->init);
  if (element && element->kind == NodeKind::OperatorCall && element->op == "*")
    element = strip(element->arguments.front());
  bool isFound = isCallOf(element, "max_element");
  forEach(function.body, [&](const Node &code) {
    isFound |= code.kind == NodeKind::Binary && code.op == "=" &&
               mentions(code.children.front(), variable) &&
               mentions(code.children.back(), variable) &&
               isCallOf(strip(code.children.back()), "max");
  });
  return isFound;
}

/// The variable among the sizes of the tensor that \p made makes which is the largest of several.
static const Symbol *largestSizeIn(const Node *made, const FunctionBody &function) {
  const Symbol *found = nullptr;
  forEach(made, [&](const Node &code) {
    const Symbol *variable = code.kind == NodeKind::Reference ? variableOf(&code) : nullptr;
    if (!found && variable && variable->type->isInteger && isLargest(variable, function))
      found = variable;
  });
  return found;
}

/// How many calls change elements of \p tensor or of views of it.
static unsigned countWrites(const Symbol *tensor, const FunctionBody &function) {
  unsigned count = 0;
  forEach(function.body, [&](const Node &code) {
    const Operator *run = code.isCall() && code.symbol ? code.symbol->run : nullptr;
    count += ((run && run->changesElements()) || isAssignmentOperator(code)) && objectOf(code) &&
             baseOf(objectOf(code)) == tensor;
  });
  return count;
}

/// Whether \p view has as much of \p tensor as each sample has, in a dimension that is as long as
/// the longest of them, and nothing else fills the rest.
static bool isShorter(const Node *view, const Symbol *tensor, const FunctionBody &function) {
  const Symbol *longest = tensor ? largestSizeIn(tensor->init, function) : nullptr;
  bool takesRange = false;
  for (const Node *call = asCall(strip(view)); call; call = asCall(strip(objectOf(*call))))
    takesRange |= call->symbol && call->symbol->run && call->symbol->run->rule == ResultRule::Slice;
  return longest && takesRange && !mentions(view, longest) && countWrites(tensor, function) == 1;
}

Coverage coverageOf(const Node &write, const FunctionBody &function) {
  const Node *view = objectOf(write);
  const Symbol *base = baseOf(view);
  for (const Node *loop : function.loopsAround(&write)) {
    if (!base || declares(*loop, base)) // It is another tensor in each round.
      break;
    const bool isOfRound = loop->kind == NodeKind::RangeFor && mentions(view, loop->symbol);
    if (isOfRound || isLeftOut(write, loop, function))
      return Coverage::Some;
  }
  return isShorter(view, base, function) ? Coverage::Some : Coverage::Part;
}

} // namespace gradtidy
