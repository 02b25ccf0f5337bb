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

/// Two loops over dimensions: one over the results, and one over what is folded into each.
struct Fold {
  DimVector outer, outerOut, outerIn, inner, innerIn;
};

Fold foldOf(const Tensor &out, const Tensor &in, const ReducedDims &dims);

template <class Out, class In, class Op>
void hostFold(const Op &op, const Fold &nest, const In *source, Out *target) {
  const auto &[outer, outerOut, outerIn, inner, innerIn] = nest;
  int64_t outerCount = elementCount(outer), innerCount = elementCount(inner);
  DimVector position(outer.size(), 0), innerPosition(inner.size(), 0);
  int64_t length = inner.empty() ? 1 : inner.back();
  int64_t step = innerIn.empty() ? 0 : innerIn.back();
  for (int64_t i = 0; i < outerCount; ++i) {
    auto acc = op.start();
    const In *row = source;
    for (int64_t done = 0; done < innerCount; done += length) {
      for (int64_t k = 0; k < length; ++k)
        op.add(acc, MathType<In>(row[k * step]), done + k);
      for (auto d = static_cast<int64_t>(inner.size()) - 2; d >= 0; --d) {
        row += innerIn[d];
        if (++innerPosition[d] < inner[d])
          break;
        innerPosition[d] = 0;
        row -= innerIn[d] * inner[d];
      }
    }
    *target = static_cast<Out>(op.result(acc));
    for (auto d = static_cast<int64_t>(outer.size()) - 1; d >= 0; --d) {
      source += outerIn[d];
      target += outerOut[d];
      if (++position[d] < outer[d])
        break;
      position[d] = 0;
      source -= outerIn[d] * outer[d];
      target -= outerOut[d] * outer[d];
    }
  }
}

} // namespace detail

/// out[i] = op.result(fold of op.add over the elements of `in` that fall on i). `out` has the
/// shape with the folded dimensions kept. Op has a type Acc, Acc start(), void add(Acc &,
/// MathType<In> value, int64_t index) with the running index within the fold, and Out result(const
/// Acc &).
template <class Out, class In, class Op>
void reduce(const Op &op, const Tensor &out, const Tensor &in, const ReducedDims &dims) {
  launch(in.device(), detail::workOf<In>(in.numel()),
         [op, nest = detail::foldOf(out, in, dims), source = kernelData<In>(in),
          target = kernelData<Out>(out)] { detail::hostFold<Out, In>(op, nest, source, target); });
}

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
