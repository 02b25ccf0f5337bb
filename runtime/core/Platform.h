// What depends on the compiler.
#pragma once

// Formulas of elements are function objects marked with this word, so that a device compiler may
// compile the same formula for its kernels.
//
// GRADTIDY_KERNELS is defined where the kernels of CUDA devices are compiled: by nvcc, or as host
// code for tests without a device (tests/runtime/emulator). Templates that launch kernels are not
// the same there; in the namespace GRADTIDY_LAUNCHERS the linker keeps their instances apart.
#if defined(__CUDACC__)
#define GRADTIDY_HOST_DEVICE __host__ __device__
#else
#define GRADTIDY_HOST_DEVICE
#endif
#if defined(__CUDACC__) || defined(GRADTIDY_EMULATED_CUDA)
#define GRADTIDY_KERNELS
#define GRADTIDY_LAUNCHERS launchersWithCuda
#else
#define GRADTIDY_LAUNCHERS launchers
#endif

/// In a formula: throws the exception (all that follows the condition) on the host, where the
/// condition does not hold. A kernel of a CUDA device ends, and nothing works there after that.
#if defined(__CUDA_ARCH__)
#define GRADTIDY_FORMULA_CHECK(CONDITION, ...)                                                     \
  if (!(CONDITION))                                                                                \
  __assert_fail(#CONDITION, __FILE__, __LINE__, "")
#else
#define GRADTIDY_FORMULA_CHECK(CONDITION, ...)                                                     \
  if (!(CONDITION))                                                                                \
  throw __VA_ARGS__
#endif
