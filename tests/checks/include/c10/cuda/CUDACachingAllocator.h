// The part of LibTorch's header of this name that the tests of the checks use. LibTorch's own
// includes headers of CUDA, so the tests do without it where these are missing.
#pragma once

namespace c10::cuda::CUDACachingAllocator {
void emptyCache();
} // namespace c10::cuda::CUDACachingAllocator
