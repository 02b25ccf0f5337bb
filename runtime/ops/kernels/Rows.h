// Rows: what becomes of an element after its whole row has been seen, as in softmax and
// normalisation.
//
// Hosts and simulated devices do this by a fold and a loop over elements; a CUDA device in one
// kernel, which reads each row twice and writes nothing between.
#pragma once

#include "Reduce.h"

namespace gradtidy::runtime {
namespace detail {

#if defined(GRADTIDY_KERNELS)
/// `shares.parts` threads for each row.
template <class Op, class Out, class... In>
__global__ void mapRowsKernel(Op op, int64_t rows, Shares shares, Out *out, const In *...in) {
  constexpr int size = packSize<Out, In...>;
  const int thread = static_cast<int>(threadIdx.x), part = shares.partOf(thread);
  const int64_t width = shares.packs ? size : 1;
  for (int64_t first = blockIdx.x * int64_t{shares.results()}; first < rows;
       first += gridDim.x * int64_t{shares.results()}) {
    const int64_t row = first + shares.resultOf(thread), start = row * shares.length;
    auto acc = op.start();
    for (int64_t k = part * width; row < rows && k < shares.length; k += shares.parts * width)
      if (shares.packs)
        [&](const Pack<In, size> &...packs) {
          for (int j = 0; j < size; ++j)
            op.add(acc, MathType<In>(packs.values[j])...);
        }(*reinterpret_cast<const Pack<In, size> *>(in + start + k)...);
      else
        op.add(acc, MathType<In>(in[start + k])...);
    if (shares.parts > 1)
      joinParts(op, acc, part, shares);
    if constexpr (requires { op.keep(acc, row); })
      if (row < rows && part == 0)
        op.keep(acc, row);
    for (int64_t k = part * width; row < rows && k < shares.length; k += shares.parts * width)
      if (shares.packs)
        applyToPacks<Out, size>([&](const auto &...values) { return op.map(acc, values..., row); },
                                out + start + k,
                                *reinterpret_cast<const Pack<In, size> *>(in + start + k)...);
      else
        out[start + k] = static_cast<Out>(op.map(acc, MathType<In>(in[start + k])..., row));
  }
}
#endif

} // namespace detail

inline namespace GRADTIDY_LAUNCHERS {

/// out[r][k] = op.map(fold of op.add over row r of `in`, in[r][k]..., r), where `out` is on a
/// device that runs CUDA kernels; says whether it is. All are contiguous, with rows of `length`
/// elements. Op is one of reduce() that can join, but its add sees no index; keep(acc, r), if it
/// has it, is called once for each row.
template <class Out, class... In, class Op, class... Tensors>
bool mapRowsByCuda(const Op &op, const Tensor &out, int64_t length, const Tensors &...in) {
#if defined(GRADTIDY_KERNELS)
  if (auto stream = cudaStreamOf(out.device())) {
    if (out.numel() == 0)
      return true;
    const int64_t rows = out.numel() / length;
    constexpr int size = detail::packSize<Out, In...>;
    const bool packs = length % size == 0 && detail::Pack<Out, size>::fits(kernelData<Out>(out)) &&
                       (detail::Pack<In, size>::fits(kernelData<In>(in)) && ...);
    const detail::Shares shares{
        .parts = detail::partsOf(length, rows), .packs = packs, .length = length};
    const int64_t blocks = (rows + shares.results() - 1) / shares.results();
    launchKernel(detail::mapRowsKernel<Op, Out, In...>,
                 static_cast<unsigned>(std::min<int64_t>(blocks, cudaMaxBlocks)), *stream, op, rows,
                 shares, kernelData<Out>(out), static_cast<const In *>(kernelData<In>(in))...);
    return true;
  }
#endif
  return false;
}

} // namespace GRADTIDY_LAUNCHERS
} // namespace gradtidy::runtime
