#include "FunctionParts.h"

#include "llvm/ADT/SetVector.h"

namespace gradtidy {

FunctionParts::FunctionParts(const FunctionBody &function) {
  ir::forEach(function.body, [&](const ir::Node &node) { add(node); });
}

bool FunctionParts::reaches(const ir::Node *expr,
                            llvm::function_ref<bool(const ir::Node &)> one) const {
  llvm::SmallSetVector<const ir::Symbol *, 8> names;
  bool isFound = false;
  const auto look = [&](const ir::Node *part) {
    ir::forEach(part, [&](const ir::Node &node) {
      isFound |= one(node);
      if (const ir::Symbol *variable = ir::variableIn(&node))
        names.insert(variable);
    });
  };
  look(expr);
  for (size_t i = 0; i < names.size() && !isFound; ++i)
    if (const auto found = given.find(names[i]); found != given.end())
      llvm::for_each(found->second, look);
  return isFound;
}

void FunctionParts::add(const ir::Node &node) {
  if (node.isCall() && node.symbol && node.symbol->operation == Operation::Barrier)
    barriers.push_back(&node);
  if (node.isCall() && node.symbol && node.symbol->operation == Operation::AddAtomically)
    atomics.push_back(&node);
  if (node.kind == ir::NodeKind::Subscript)
    subscripts.push_back(&node);
  for (const ir::Symbol *variable : node.declared)
    if (variable->init)
      given[variable].push_back(variable->init);
  if (!node.isAssignment() || node.children.size() != 2)
    return;
  writes.push_back(&node);
  if (const ir::Symbol *variable = ir::variableIn(node.children[0]))
    given[variable].push_back(node.children[1]);
}

} // namespace gradtidy
