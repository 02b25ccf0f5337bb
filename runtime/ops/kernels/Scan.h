// Scans: an accumulator that runs along one dimension of a tensor.
#pragma once

#include "Reduce.h"

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

#if defined(__CUDACC__)
/// One thread for each row, or for some of them.
template <class Out, class In, class Op>
__global__ void scanKernel(Op op, Fold rows, const In *in, Out *out, int64_t outStep) {
  forEachOf(rows.outer.count, [&](int64_t i) {
    scanRow(op, in + locate(rows.outer, rows.outerIn, i), rows.innerIn[0],
            out + locate(rows.outer, rows.outerOut, i), outStep, rows.inner.count);
  });
}
#endif

} // namespace detail

inline namespace GRADTIDY_LAUNCHERS {

/// out[.., k, ..] = what op, as in reduce(), makes of the elements 0 to k of `in` along `dim`. Both
/// are of one shape.
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
#if defined(__CUDACC__)
  if (auto stream = cudaStreamOf(in.device())) {
    detail::scanKernel<<<cudaBlocks(rows.outer.count), cudaThreads, 0,
                         static_cast<cudaStream_t>(*stream)>>>(op, rows, source, target, step);
    return checkCuda(cudaGetLastError());
  }
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
