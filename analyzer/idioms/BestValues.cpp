#include "BestValues.h"

#include "CodeForms.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

/// Whether \p statement gives the number \p best the value of \p other.
static bool replaces(const Node &statement, Entity best, Entity other) {
  if (const std::optional<Assignment> assigned = asAssignment(statement);
      assigned && entityOf(strip(assigned->target)) == best)
    return entityOf(strip(assigned->value)) == other;
  return llvm::any_of(statement.children,
                      [&](const Node *child) { return replaces(*child, best, other); });
}

/// Whether \p condition compares two numbers, of which \p branch replaces one by the other.
static bool keepsBetter(const Node &condition, const Node &branch) {
  if (!isRelation(condition))
    return llvm::any_of(condition.children,
                        [&](const Node *child) { return keepsBetter(*child, branch); });
  const Entity left = entityOf(strip(condition.children.front())),
               right = entityOf(strip(condition.children.back()));
  return left && right && (replaces(branch, left, right) || replaces(branch, right, left));
}

bool isOfBest(const Node &site, const FunctionBody &function) {
  const Node *inner = &site;
  for (const Node *outer : function.around(&site)) {
    if (outer->kind == NodeKind::If && outer->body == inner && outer->condition &&
        keepsBetter(*outer->condition, *inner))
      return true;
    inner = outer;
  }
  return false;
}

} // namespace gradtidy
