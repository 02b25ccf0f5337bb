// Launches of CUDA kernels on the memory of tensors, and what the functions around them see to:
// a kernel knows neither the device nor the layout of a tensor, and reports no failure by itself.
#pragma once

#include "Node.h"

#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace gradtidy {

/// A pointer to the memory of a tensor whose elements need not lie in the order of its dimensions.
struct RawPointer {
  const ir::Node *pointer = nullptr;
  const ir::Symbol *tensor = nullptr;   ///< Null if it has no name.
  const ir::Node *rearranged = nullptr; ///< What certainly changes the order, or null: then
                                        ///< the tensor is the caller's.
};

/// A launch of a kernel that gets memory.
struct KernelLaunch {
  const ir::Node *call = nullptr;
  /// What is in `<<<…>>>`, as a call; of a call of a function the call itself.
  const ir::Node *configuration = nullptr;
  bool isOnDefaultStream = false;
  bool isOnTensors = false; ///< Some of the memory is that of tensors which the function has.
  llvm::SmallVector<RawPointer, 2> pointers;
  /// The pointers among the function's parameters that the kernel gets: callers know whose memory
  /// that is.
  llvm::SmallVector<const ir::Symbol *, 4> handedOn;
};

/// What a function does about kernels, the closures in it included.
struct KernelCare {
  std::vector<KernelLaunch> launches; ///< As they stand in the source.
  /// Calls that give functions of the user plain pointers to the memory of tensors, for launches
  /// that these make.
  std::vector<KernelLaunch> calls;
  bool choosesDevice = false; ///< It makes a GPU the current one.
  bool checksDevice = false;  ///< It makes sure that tensors are on a GPU.
  bool asksForLayout = false; ///< Or makes a tensor contiguous, or leaves that to a helper.
  bool asksForErrors = false; ///< Of launches.
  bool asksLast = false;      ///< It does so behind its last launch.
};

} // namespace gradtidy
