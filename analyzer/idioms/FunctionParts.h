// What a kernel, or the function that launches it, is made of.
#pragma once

#include "analyzer/ir/Event.h"

#include "llvm/ADT/DenseMap.h"

namespace gradtidy {

/// The code of one function by what its parts do.
struct FunctionParts {
  using Nodes = llvm::SmallVector<const ir::Node *, 8>;

  explicit FunctionParts(const FunctionBody &function);

  Nodes barriers, atomics, writes, subscripts;
  /// What gives variables their values.
  llvm::DenseMap<const ir::Symbol *, Nodes> given;

  /// Whether \p expr, or what gives the variables in it their values, has a part that is \p one.
  bool reaches(const ir::Node *expr, llvm::function_ref<bool(const ir::Node &)> one) const;

  /// Whether \p expr depends on what \p trait tells apart: threads, or blocks.
  bool dependsOn(const ir::Node *expr, Trait trait) const {
    return reaches(
        expr, [&](const ir::Node &node) { return node.symbol && node.symbol->trait == trait; });
  }

private:
  void add(const ir::Node &node);
};

} // namespace gradtidy
