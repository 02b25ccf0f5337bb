// What checks of CUDA kernels share: what a kernel is made of, who is to see to what a launch
// relies on, and where findings and repairs stand, which macros around a launch repeat for each
// type of elements.
#pragma once

#include "Check.h"

namespace gradtidy {

/// What checks look for in a kernel, or in the function that launches it.
struct FunctionParts {
  using Nodes = llvm::SmallVector<const ir::Node *, 8>;

  explicit FunctionParts(const FunctionBody &function);

  Nodes barriers, atomics, writes, subscripts;
  /// What gives variables their values.
  llvm::DenseMap<const ir::Symbol *, Nodes> given;

  /// Whether \p expr depends on what \p trait tells apart: threads, or blocks.
  bool dependsOn(const ir::Node *expr, Trait trait) const;

private:
  void add(const ir::Node &node);
};

/// Who has seen to something before a launch.
enum class Cared : unsigned char {
  Yes,
  Unknown, ///< Not the functions that can be seen, but these may have other callers.
  No,      ///< Nobody: Python or a dispatcher calls a function that leads to the launch.
};

/// Whether each way that leads to the visited function does \p what.
Cared caredByCallers(const LauncherVisit &visit, bool KernelCare::*what);

/// Where \p location is written: in the file, also where it is an argument of a macro.
clang::SourceLocation writtenAt(const LauncherVisit &visit, clang::SourceLocation location);

/// A finding about \p launch.
Finding findingAt(const LauncherVisit &visit, const KernelLaunch &launch);

} // namespace gradtidy
