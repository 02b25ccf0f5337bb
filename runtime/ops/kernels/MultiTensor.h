// One kernel over many tensors, for which each alone would be too little work.
#pragma once

#include "Elementwise.h"

#include <type_traits>
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
constexpr int64_t elementsOfBlock = 16 * cudaThreads;

/// As many rows as the arguments of a kernel may hold, and the first block of each of them.
template <class Row> struct Rows {
  static constexpr int most = (4096 - 2 * sizeof(int)) / (sizeof(Row) + sizeof(unsigned) + 1);
  Row rows[most];
  unsigned firstBlock[most];
  bool packs[most]; ///< whether all data of a row begin with a pack
  int count = 0;
};

/// Whether Op only reads its argument I.
template <class Op, class T, std::size_t I, std::size_t... J>
constexpr bool reads(std::index_sequence<J...>) {
  return std::is_invocable_v<const Op &, std::conditional_t<I == J, const T, T> &...>;
}

template <class T, std::size_t N, class Op, std::size_t... I>
__device__ void elementOf(const TensorRow<T, N, Op> &row, int64_t i, std::index_sequence<I...>) {
  row.op(row.data[I][i]...);
}

/// Loads packs of all data, and stores those that change.
template <class T, std::size_t N, class Op, std::size_t... I>
__device__ void packOf(const TensorRow<T, N, Op> &row, int64_t i,
                       std::index_sequence<I...> indices) {
  constexpr int size = packSize<T>;
  Pack<T, size> packs[N] = {*reinterpret_cast<const Pack<T, size> *>(row.data[I] + i)...};
  for (int j = 0; j < size; ++j)
    row.op(packs[I].values[j]...);
  ((reads<Op, T, I>(indices)
        ? void()
        : void(*reinterpret_cast<Pack<T, size> *>(row.data[I] + i) = packs[I])),
   ...);
}

template <class T, std::size_t N, class Op>
__global__ void multiTensorKernel(const __grid_constant__ Rows<TensorRow<T, N, Op>> rows) {
  int r = rows.count - 1;
  while (rows.firstBlock[r] > blockIdx.x)
    --r;
  const TensorRow<T, N, Op> &row = rows.rows[r];
  const bool fit = rows.packs[r];
  constexpr int size = packSize<T>;
  const int64_t from = (blockIdx.x - rows.firstBlock[r]) * elementsOfBlock;
  const int64_t most = from + elementsOfBlock, to = most < row.count ? most : row.count;
  constexpr auto indices = std::make_index_sequence<N>();
  int64_t i = from + (fit ? threadIdx.x * int64_t{size} : threadIdx.x);
  for (; fit && i + size <= to; i += int64_t{size} * blockDim.x)
    packOf(row, i, indices);
  for (int64_t k = i; k < to && (!fit || k < i + size); k += fit ? 1 : blockDim.x)
    elementOf(row, k, indices);
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
    rows.packs[rows.count] = std::ranges::all_of(
        row.data, [](const T *data) { return Pack<T, packSize<T>>::fits(data); });
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
