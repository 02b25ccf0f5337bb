// Averages of numbers that a program reads in the rounds of a loop.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// A sum of numbers, each as it was read, and what it is divided by behind the loop.
struct SumOfReads {
  const ir::Node *loop = nullptr; ///< The innermost around the reads; null if there is no such sum.
  const ir::Symbol *sum = nullptr;
  llvm::SmallVector<const ir::Node *, 2> divisions; ///< `sum / count`, `sum /= count`.
};

/// The sum to which each round of a loop adds the number that \p read gives.
SumOfReads sumOf(const ir::Node &read, const FunctionBody &function);

} // namespace gradtidy
