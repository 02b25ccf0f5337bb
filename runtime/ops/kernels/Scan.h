// Scans: an accumulator that runs along one dimension of a tensor.
#pragma once

#include "Reduce.h"
#if defined(GRADTIDY_KERNELS)
#include <cub/block/block_scan.cuh>
#endif

namespace gradtidy::runtime {
namespace detail {

template <class Out, class In, class Op>
GRADTIDY_HOST_DEVICE void scanRow(const Op &op, const In *in, int64_t inStep, Out *out,
                                  int64_t outStep, int64_t length) {
  auto acc = op.start();
  for (int64_t k = 0; k < length; ++k) {
    op.add(acc, MathType<In>(in[k * inStep]), k);
    out[k * outStep] = static_cast<Out>(op.result(acc));
  }
}

#if defined(GRADTIDY_KERNELS)
/// One thread for each row, or for some of them.
template <class Out, class In, class Op>
__global__ void scanKernel(Op op, Fold rows, const In *in, Out *out, int64_t outStep) {
  forEachOf(rows.outer.count, [&](int64_t i) {
    scanRow(op, in + locate(rows.outer, rows.outerIn, i), rows.innerIn[0],
            out + locate(rows.outer, rows.outerOut, i), outStep, rows.inner.count);
  });
}

/// One block for each row, or for some of them: one element after the other for each thread.
template <class Out, class In, class Op>
__global__ void scanByBlockKernel(Op op, Fold rows, const In *in, Out *out, int64_t outStep) {
  using Acc = AccumulatorOf<Op>;
  using Block = cub::BlockScan<Acc, cudaThreads>;
  __shared__ typename Block::TempStorage memory;
  auto join = [&](Acc before, const Acc &after) {
    op.join(before, after);
    return before;
  };
  for (int64_t row = blockIdx.x; row < rows.outer.count; row += gridDim.x) {
    const In *elements = in + locate(rows.outer, rows.outerIn, row);
    Out *results = out + locate(rows.outer, rows.outerOut, row);
    Acc before = op.start();
    for (int64_t first = 0; first < rows.inner.count; first += cudaThreads) {
      const int64_t k = first + threadIdx.x;
      Acc acc = op.start(), all;
      if (k < rows.inner.count)
        op.add(acc, MathType<In>(elements[k * rows.innerIn[0]]), k);
      Block(memory).InclusiveScan(acc, acc, join, all);
      if (k < rows.inner.count)
        results[k * outStep] = static_cast<Out>(op.result(join(before, acc)));
      before = join(before, all);
      __syncthreads(); // before the memory is written again
    }
  }
}
#endif

} // namespace detail

inline namespace GRADTIDY_LAUNCHERS {

/// out[.., k, ..] = what op, as in reduce(), makes of the elements 0 to k of `in` along `dim`. Both
/// are of one shape. Op must have join(Acc &, Acc), with the accumulator of later elements second.
template <class Out, class In, class Op>
void scan(const Op &op, const Tensor &out, const Tensor &in, int64_t dim) {
  if (in.dim() == 0)
    return scan<Out, In>(op, out.view({1}), in.view({1}), 0);
  if (in.numel() == 0)
    return;
  detail::Fold rows = detail::foldOf(out, in, reducedDims(in.sizes(), dim));
  const In *source = kernelData<In>(in);
  Out *target = kernelData<Out>(out);
  int64_t step = out.stride(dim);
#if defined(GRADTIDY_KERNELS)
  if (auto stream = cudaStreamOf(in.device()))
    return rows.inner.count < cudaThreads
               ? launchKernel(detail::scanKernel<Out, In, Op>, cudaBlocks(rows.outer.count),
                              *stream, op, rows, source, target, step)
               : launchKernel(detail::scanByBlockKernel<Out, In, Op>,
                              std::min<int64_t>(rows.outer.count, cudaMaxBlocks), *stream, op, rows,
                              source, target, step);
#endif
  launch("scan", in.device(), detail::workOf<Out, In>(in.numel()), [=] {
    detail::Walk<2> starts(rows.outer, rows.outer.dims, {&rows.outerIn, &rows.outerOut});
    for (int64_t i = 0; i < rows.outer.count; ++i, starts.next())
      detail::scanRow(op, source + starts.at[0], rows.innerIn[0], target + starts.at[1], step,
                      rows.inner.count);
  });
}

} // namespace GRADTIDY_LAUNCHERS
} // namespace gradtidy::runtime
