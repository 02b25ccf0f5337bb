#include "LateNumbers.h"

#include "CodeForms.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

/// Whether \p name is only printed, or compared to something.
static bool isOnlyShown(const Node &name, const FunctionBody &function) {
  for (const Node *outer : function.around(&name)) {
    const bool isShift = outer->op == "<<" &&
                         (outer->kind == NodeKind::OperatorCall || outer->kind == NodeKind::Binary);
    const bool isOrder =
        outer->kind == NodeKind::Binary && llvm::is_contained({"<", ">", "<=", ">="}, outer->op);
    const Symbol *callee = outer->kind == NodeKind::Call ? outer->symbol : nullptr;
    if (isShift || isOrder || (callee && callee->name.ends_with("printf")))
      return true;
    if (outer->kind != NodeKind::Parentheses && !isCast(*outer))
      return false;
  }
  return false;
}

/// The variable that \p node assigns a number to, or computes another one for; or null.
static const Symbol *assignedBy(const Node &node) {
  return node.isAssignment() && !node.children.empty() ? variableOf(node.children.front())
                                                       : nullptr;
}

/// Whether the optimizer, or another one, steps in \p loop.
static bool steps(const Node &loop, const FunctionBody &function) {
  const auto isStep = [&](const Event &event) {
    return event.kind == EventKind::Step &&
           llvm::is_contained(function.loopsAround(event.site), &loop);
  };
  return llvm::any_of(function.blocks,
                      [&](const Block &block) { return llvm::any_of(block.events, isStep); });
}

LateNumber lateNumberOf(const Event &made, const FunctionBody &function) {
  const auto loops = function.loopsAround(made.site);
  LateNumber late;
  for (const Symbol *variable : function.namedIn(made.site)) {
    const bool isNumber = variable->type && variable->type->isArithmetic &&
                          !variable->type->isInteger && !variable->type->isReference;
    if (late.variable || !isNumber || !variable->isLocal || variable->isStatic)
      continue;
    const Node *change = nullptr;
    bool isUsed = false;
    forEach(function.body, [&](const Node &node) {
      if (assignedBy(node) == variable) {
        const auto around = function.loopsAround(&node);
        const bool isInLoop = llvm::any_of(around, [&](const Node *loop) {
          return !llvm::is_contained(loops, loop) && steps(*loop, function);
        });
        change = isInLoop && isBefore(*made.site, node, function) ? &node : change;
      }
      if (node.kind != NodeKind::Reference || node.symbol != variable)
        return;
      bool isOwn = false; // In the optimizer's options, or in what gives it another value.
      for (const Node *outer = &node; outer && !isOwn; outer = outer->parent)
        isOwn = outer == made.site ||
                (assignedBy(*outer) == variable && function.expressionStatementOf(outer) == outer);
      isUsed |= !isOwn && !isOnlyShown(node, function);
    });
    if (change && !isUsed)
      late = {variable, change};
  }
  return late;
}

} // namespace gradtidy
