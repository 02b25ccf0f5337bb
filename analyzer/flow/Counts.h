// Counts of elements: numbers on the host that grow with the sizes of tensors.
#pragma once

#include "Numbers.h"
#include "ProgramFacts.h"

#include "llvm/ADT/DenseSet.h"

namespace gradtidy {

class Counts {
public:
  /// All arguments must outlive this object.
  Counts(const CallGraph &graph, const ProgramFacts &program, const Numbers &numbers)
      : graph(graph), program(program), numbers(numbers) {}

  /// Of how many sizes of tensors, or positions along dimensions, \p number in \p function is the
  /// product; 0 for what does not grow with a tensor, as far as one can see.
  unsigned degreeOf(const ir::Node *number, const FunctionBody &function) const;

  /// Whether \p function, or what calls it, asks whether something is below a number that 16 bits
  /// cannot hold, or leaves that to the framework: it knows that counts have a bound.
  bool isBounded(const FunctionBody &function) const;

  /// Visits the calls of \p function that can be seen, and its launches, if it is a kernel.
  void forEachCall(
      const FunctionBody &function,
      llvm::function_ref<void(const ir::Node &call, const FunctionBody &caller)> visit) const;

private:
  class Reader;

  /// What a function says of the numbers that it counts.
  struct Index {
    /// What variables are compared with from below, be they counters of loops or positions.
    llvm::DenseMap<const ir::Symbol *, llvm::SmallVector<const ir::Node *, 1>> bounds;
    llvm::DenseSet<const ir::Symbol *> sizes; ///< What tells the sizes of new tensors.
    llvm::DenseSet<const ir::Symbol *> fixed; ///< What has to be a certain number: `if (c != 3)`.
    bool asksForLimit = false;
  };
  const Index &indexOf(const FunctionBody &function) const;

  const CallGraph &graph;
  const ProgramFacts &program;
  const Numbers &numbers;
  mutable llvm::DenseMap<const FunctionBody *, std::unique_ptr<const Index>> indices;
};

} // namespace gradtidy
