// Where numbers on the host come from: what has read them from a tensor, or counted its elements.
#pragma once

#include "CallGraph.h"

#include "llvm/ADT/DenseMap.h"

namespace gradtidy {

class Numbers {
public:
  /// Both must outlive this object.
  Numbers(const LoweredUnit &unit, const CallGraph &graph) : unit(unit), graph(graph) {}

  /// What reads a tensor for the number \p expr, which stands in \p function: goes back through
  /// variables, members, functions, and the parameters that the last of \p callers gives. Null if
  /// nothing does, as far as one can see.
  const Event *readFor(const ir::Node *expr, const FunctionBody &function,
                       llvm::ArrayRef<const Event *> callers) const;

  /// What counts the elements of a tensor for the number \p expr: goes back in the same way, but to
  /// no caller. Null if nothing does, as far as one can see.
  const Event *countFor(const ir::Node *expr, const FunctionBody &function) const;

private:
  class Trail;

  /// What a function does with numbers, by what one asks for.
  struct Index {
    llvm::DenseMap<const ir::Node *, llvm::SmallVector<const Event *, 1>> events; ///< By the site.
    /// What is assigned to variables and members, or handed to methods of the standard library.
    llvm::DenseMap<const ir::Symbol *, llvm::SmallVector<const ir::Node *, 1>> given;
    llvm::SmallVector<const ir::Node *, 1> returned;
  };
  const Index &indexOf(const FunctionBody &function) const;

  const LoweredUnit &unit;
  const CallGraph &graph;
  mutable llvm::DenseMap<const FunctionBody *, std::unique_ptr<const Index>> indices;
};

} // namespace gradtidy
