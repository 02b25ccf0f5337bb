// What the runtime needs of CUB's device-wide algorithms, by the standard library.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <numeric>
#include <vector>

namespace cub {

struct DeviceRadixSort {
  template <class Key, class Value>
  static cudaError_t SortPairs(void *workspace, std::size_t &bytes, const Key *keysIn, Key *keysOut,
                               const Value *valuesIn, Value *valuesOut, int64_t count, int beginBit,
                               int endBit, cudaStream_t stream) {
    if (!workspace) {
      bytes = 1;
      return cudaSuccess;
    }
    if (const cudaError_t before = cudaPeekAtLastError(); before != cudaSuccess)
      return before; // as CUB does, which takes it for its own
    return emulator::onDevice(stream, [=] {
      const Key mask = endBit - beginBit >= 64 ? ~Key{0} : (Key{1} << (endBit - beginBit)) - 1;
      std::vector<std::size_t> order(static_cast<std::size_t>(count));
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return ((keysIn[a] >> beginBit) & mask) < ((keysIn[b] >> beginBit) & mask);
      });
      for (std::size_t i = 0; i < order.size(); ++i) {
        keysOut[i] = keysIn[order[i]];
        valuesOut[i] = valuesIn[order[i]];
      }
    });
  }
};

} // namespace cub
