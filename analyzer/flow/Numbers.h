// Where numbers on the host come from: what gives variables and members their values, and what has
// read these from a tensor.
#pragma once

#include "CallGraph.h"

#include "analyzer/ir/Path.h"

#include "llvm/ADT/DenseMap.h"

namespace gradtidy {

class Numbers {
public:
  /// All must outlive this object.
  Numbers(const CallGraph &graph, const PathTable &paths) : graph(graph), paths(paths) {}

  /// What reads a tensor for the number \p expr, which stands in \p function: goes back through
  /// variables, members, functions, and the parameters that the last of \p callers gives. Null if
  /// nothing does, as far as one can see.
  const Event *readFor(const ir::Node *expr, const FunctionBody &function,
                       llvm::ArrayRef<const Event *> callers) const;

  /// What a function does with numbers.
  struct Index {
    /// What reads a tensor, counts its elements or calls a function, by the site.
    llvm::DenseMap<const ir::Node *, llvm::SmallVector<const Event *, 1>> events;
    /// What is assigned to variables and members, or handed to methods of the standard library.
    llvm::DenseMap<const ir::Symbol *, llvm::SmallVector<const ir::Node *, 1>> given;
    llvm::SmallVector<const ir::Node *, 1> returned;
  };
  const Index &indexOf(const FunctionBody &function) const;

  /// Calls \p visit for what gives \p variable its value in \p function, and for that of a member
  /// in the methods of its class, until it returns true. Returns whether it did.
  bool
  anyGiven(const ir::Symbol &variable, const FunctionBody &function,
           llvm::function_ref<bool(const ir::Node *value, const FunctionBody &giver)> visit) const;

private:
  class Trail;

  const CallGraph &graph;
  const PathTable &paths;
  mutable llvm::DenseMap<const FunctionBody *, std::unique_ptr<const Index>> indices;
};

} // namespace gradtidy
