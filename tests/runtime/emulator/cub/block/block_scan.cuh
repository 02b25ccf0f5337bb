// What the runtime needs of CUB's algorithms for one block.
#pragma once

#include <cuda_runtime.h>

namespace cub {

template <class T, int threads> class BlockScan {
public:
  struct TempStorage {
    T values[threads];
  };

  explicit BlockScan(TempStorage &storage) : storage(storage) {}

  template <class Op> void InclusiveScan(T input, T &output, Op op, T &aggregate) {
    storage.values[threadIdx.x] = input;
    __syncthreads();
    output = storage.values[0];
    for (unsigned i = 1; i <= threadIdx.x; ++i)
      output = op(output, storage.values[i]);
    aggregate = storage.values[0];
    for (unsigned i = 1; i < threads; ++i)
      aggregate = op(aggregate, storage.values[i]);
  }

private:
  TempStorage &storage;
};

} // namespace cub
