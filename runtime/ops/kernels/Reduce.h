// Reductions: an accumulator folded over some dimensions of a tensor.
#pragma once

#include "Elementwise.h"

#include <type_traits>

namespace gradtidy::runtime {

/// The dimensions of a reduction: which are folded, and the shapes with them kept and dropped.
struct ReducedDims {
  std::vector<bool> folded;
  DimVector kept;
  DimVector dropped;
};

/// No dims means all of them, as everywhere in LibTorch.
ReducedDims reducedDims(IntArrayRef sizes, IntArrayRef dims);

namespace detail {

/// A nest of loops over dimensions, the last of them innermost.
struct Nest {
  int dims = 0;
  std::array<int64_t, maxLoopDims> sizes{};
  int64_t count = 1;

  /// The position of the new loop.
  int add(int64_t size) {
    TORCH_CHECK(dims < maxLoopDims, "tensors of more than ", maxLoopDims,
                " dimensions cannot be reduced");
    sizes[dims] = size;
    count *= size;
    return dims++;
  }
};

/// A loop over the results, and one over what is folded into each, with the steps of both in
/// memory.
struct Fold {
  Nest outer, inner;
  std::array<int64_t, maxLoopDims> outerOut{}, outerIn{}, innerIn{};
};

Fold foldOf(const Tensor &out, const Tensor &in, const ReducedDims &dims);

template <class Out, class In, class Op>
void hostFold(const Op &op, const Fold &fold, const In *source, Out *target) {
  const auto &[outer, inner, outerOut, outerIn, innerIn] = fold;
  std::array<int64_t, maxLoopDims> position{}, innerPosition{};
  int64_t length = inner.dims == 0 ? 1 : inner.sizes[inner.dims - 1];
  int64_t step = inner.dims == 0 ? 0 : innerIn[inner.dims - 1];
  for (int64_t i = 0; i < outer.count; ++i) {
    auto acc = op.start();
    const In *row = source;
    for (int64_t done = 0; done < inner.count; done += length) {
      for (int64_t k = 0; k < length; ++k)
        op.add(acc, MathType<In>(row[k * step]), done + k);
      for (int d = inner.dims - 2; d >= 0; --d) {
        row += innerIn[d];
        if (++innerPosition[d] < inner.sizes[d])
          break;
        innerPosition[d] = 0;
        row -= innerIn[d] * inner.sizes[d];
      }
    }
    *target = static_cast<Out>(op.result(acc));
    for (int d = outer.dims - 1; d >= 0; --d) {
      source += outerIn[d];
      target += outerOut[d];
      if (++position[d] < outer.sizes[d])
        break;
      position[d] = 0;
      source -= outerIn[d] * outer.sizes[d];
      target -= outerOut[d] * outer.sizes[d];
    }
  }
}

#if defined(__CUDACC__)
/// One thread for each result, or for some of them.
template <class Out, class In, class Op>
__global__ void foldKernel(Op op, Fold fold, const In *source, Out *target) {
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < fold.outer.count;
       i += int64_t{gridDim.x} * blockDim.x) {
    int64_t from = 0, to = 0, rest = i;
    for (int d = fold.outer.dims - 1; d >= 0; rest /= fold.outer.sizes[d--]) {
      from += rest % fold.outer.sizes[d] * fold.outerIn[d];
      to += rest % fold.outer.sizes[d] * fold.outerOut[d];
    }
    auto acc = op.start();
    for (int64_t k = 0; k < fold.inner.count; ++k) {
      int64_t at = from;
      rest = k;
      for (int d = fold.inner.dims - 1; d >= 0; rest /= fold.inner.sizes[d--])
        at += rest % fold.inner.sizes[d] * fold.innerIn[d];
      op.add(acc, MathType<In>(source[at]), k);
    }
    target[to] = static_cast<Out>(op.result(acc));
  }
}
#endif

} // namespace detail

inline namespace GRADTIDY_LAUNCHERS {
/// out[i] = op.result(fold of op.add over the elements of `in` that fall on i). `out` has the
/// shape with the folded dimensions kept. Op has a type Acc, Acc start(), void add(Acc &,
/// MathType<In> value, int64_t index) with the running index within the fold, and Out
/// result(const Acc &).
template <class Out, class In, class Op>
void reduce(const Op &op, const Tensor &out, const Tensor &in, const ReducedDims &dims) {
  detail::Fold fold = detail::foldOf(out, in, dims);
  const In *source = kernelData<In>(in);
  Out *target = kernelData<Out>(out);
#if defined(__CUDACC__)
  if (auto stream = cudaStreamOf(in.device())) {
    detail::foldKernel<Out, In>
        <<<cudaBlocks(fold.outer.count), cudaThreads, 0, static_cast<cudaStream_t>(*stream)>>>(
            op, fold, source, target);
    return checkCuda(cudaGetLastError());
  }
#endif
  launch(in.device(), detail::workOf<In>(in.numel()),
         [=] { detail::hostFold<Out, In>(op, fold, source, target); });
}

} // namespace GRADTIDY_LAUNCHERS

/// Floats are summed in double: exact enough not to depend on the order.
template <class T>
using Accumulator = std::conditional_t<std::is_floating_point_v<MathType<T>>, double, int64_t>;

template <class T> struct Sum {
  GRADTIDY_HOST_DEVICE Accumulator<T> start() const { return 0; }
  GRADTIDY_HOST_DEVICE void add(Accumulator<T> &acc, MathType<T> value, int64_t) const {
    acc += value;
  }
  GRADTIDY_HOST_DEVICE T result(Accumulator<T> acc) const { return static_cast<T>(acc); }
};

} // namespace gradtidy::runtime
