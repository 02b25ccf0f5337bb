#include "CudaSort.h"
#include "../../ops/Factories.h"
#include "../../ops/Indexing.h"
#include "../../ops/Views.h"
#include "../../ops/kernels/Launch.h"
#include "Cuda.cuh"

#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <utility>

namespace gradtidy::runtime {
namespace {

/// The values in the order of the lowest `bits` bits of their keys, and these keys.
std::pair<Tensor, Tensor> sortedBy(const Tensor &keys, const Tensor &values, int bits,
                                   void *stream) {
  Tensor keysOut = empty_like(keys), valuesOut = empty_like(values);
  auto run = [&](void *workspace, std::size_t &bytes) {
    checkCuda(cub::DeviceRadixSort::SortPairs(
        workspace, bytes, reinterpret_cast<const uint64_t *>(kernelData<int64_t>(keys)),
        reinterpret_cast<uint64_t *>(kernelData<int64_t>(keysOut)), kernelData<int64_t>(values),
        kernelData<int64_t>(valuesOut), keys.numel(), 0, bits, static_cast<cudaStream_t>(stream)));
  };
  std::size_t bytes = 0;
  run(nullptr, bytes); // says how much it needs
  Tensor workspace = empty({static_cast<int64_t>(bytes)}, keys.options().dtype(kByte));
  run(workspace.data_ptr(), bytes);
  return {keysOut, valuesOut};
}

} // namespace

void orderByCuda(const Tensor &order, const Tensor &keys, void *stream) {
  if (keys.numel() == 0)
    return;
  int64_t length = keys.size(-1), rows = keys.numel() / length;
  auto numbered = [&](const Tensor &numbers) {
    return numbers.expand({rows, length}).reshape({-1});
  };
  Tensor places = arange(keys.numel(), keys.device());
  Tensor row = numbered(arange(rows, keys.device()).unsqueeze(1));
  Tensor column = numbered(arange(length, keys.device()));
  Tensor sorted = sortedBy(keys.view({-1}), places, 64, stream).second;
  if (rows > 1) // the elements of each row come together again, in the order they have
    sorted = sortedBy(row.index_select(0, sorted), sorted,
                      std::bit_width(static_cast<uint64_t>(rows - 1)), stream)
                 .second;
  order.view({-1}).copy_(column.index_select(0, sorted));
}

} // namespace gradtidy::runtime
