// One kernel over many tensors, for which each alone would be too little work.
#pragma once

#include "Elementwise.h"

#include <vector>

namespace gradtidy::runtime {

/// N tensors of `count` elements in the same order, and what is done to each of these: op(x, y,
/// ...) with references to them. Op has a default constructor.
template <class T, std::size_t N, class Op> struct TensorRow {
  Op op;
  std::array<T *, N> data;
  int64_t count;
};

namespace detail {

template <class T, class Op, class... Data>
void hostElements(const Op &op, int64_t count, Data *...data) {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#elif defined(__GNUC__)
#pragma GCC ivdep
#endif
  for (int64_t i = 0; i < count; ++i)
    op(data[i]...);
}

#if defined(GRADTIDY_KERNELS)
constexpr int64_t elementsOfBlock = 32 * cudaThreads;

/// As many rows as the arguments of a kernel may hold, and the first block of each of them.
template <class Row> struct Rows {
  static constexpr int most = (4096 - 2 * sizeof(int)) / (sizeof(Row) + sizeof(unsigned));
  Row rows[most];
  unsigned firstBlock[most];
  int count = 0;
};

template <class Op, class T, std::size_t N, std::size_t... I>
__device__ void elementOf(const TensorRow<T, N, Op> &row, int64_t i, std::index_sequence<I...>) {
  row.op(row.data[I][i]...);
}

template <class T, std::size_t N, class Op>
__global__ void multiTensorKernel(const __grid_constant__ Rows<TensorRow<T, N, Op>> rows) {
  int r = rows.count - 1;
  while (rows.firstBlock[r] > blockIdx.x)
    --r;
  const TensorRow<T, N, Op> &row = rows.rows[r];
  int64_t from = (blockIdx.x - rows.firstBlock[r]) * elementsOfBlock;
  int64_t to = from + elementsOfBlock < row.count ? from + elementsOfBlock : row.count;
  for (int64_t i = from + threadIdx.x; i < to; i += blockDim.x)
    elementOf(row, i, std::make_index_sequence<N>());
}

template <class T, std::size_t N, class Op>
void launchRows(const std::vector<TensorRow<T, N, Op>> &all, void *stream) {
  Rows<TensorRow<T, N, Op>> rows;
  unsigned blocks = 0;
  auto flush = [&] {
    if (rows.count > 0)
      launchKernel(multiTensorKernel<T, N, Op>, blocks, stream, rows);
    rows.count = 0;
    blocks = 0;
  };
  for (const TensorRow<T, N, Op> &row : all) {
    rows.rows[rows.count] = row;
    rows.firstBlock[rows.count++] = blocks;
    blocks += static_cast<unsigned>((row.count + elementsOfBlock - 1) / elementsOfBlock);
    if (rows.count == rows.most)
      flush();
  }
  flush();
}
#endif

} // namespace detail

inline namespace GRADTIDY_LAUNCHERS {

/// Does what each row says, on `device`, in one kernel for as many rows as its arguments can hold.
/// No row is empty.
template <class T, std::size_t N, class Op>
void multiTensor(const char *name, Device device, const std::vector<TensorRow<T, N, Op>> &rows) {
#if defined(GRADTIDY_KERNELS)
  if (auto stream = cudaStreamOf(device))
    return detail::launchRows(rows, *stream);
#endif
  int64_t count = 0;
  for (const auto &row : rows)
    count += row.count;
  launch(name, device, {count * static_cast<int64_t>(N * sizeof(T)), count}, [rows] {
    for (const auto &row : rows)
      std::apply([&](auto *...data) { detail::hostElements<T>(row.op, row.count, data...); },
                 row.data);
  });
}

} // namespace GRADTIDY_LAUNCHERS
} // namespace gradtidy::runtime
