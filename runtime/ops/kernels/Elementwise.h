// Elementwise loops: one function object applied to every element of broadcast operands.
//
// This is one of the two places (with Reduce.h) where a functor meets a device: the loops below
// are the host's and the simulated devices'; where a CUDA compiler reads this, it makes a kernel of
// the same functor over the same Geometry.
#pragma once

#include "Dispatch.h"
#include "Launch.h"
#if defined(GRADTIDY_KERNELS)
#include "../../backends/cuda/Cuda.cuh"
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

namespace gradtidy::runtime {

constexpr int maxLoopDims = 16;

/// N operands over one index space. Dimension 0 is innermost; strides are in elements. Size-one
/// dimensions are gone, neighbours that can be walked as one are merged, and dimensions are
/// ordered by the strides of operand 0.
template <std::size_t N> struct Geometry {
  int dims = 0;
  std::array<int64_t, maxLoopDims> shape{};
  std::array<std::array<int64_t, N>, maxLoopDims> strides{};
  int64_t count = 1;
};

namespace detail {

/// Fills sizes and strides (row d holds the strides of all operands in dimension d) with the
/// collapsed loop nest; returns the number of dimensions.
int collapse(IntArrayRef shape, const std::vector<DimVector> &strides, int64_t *sizes,
             int64_t *rows);
/// The strides with which `tensor` is read as `shape`.
DimVector broadcastStrides(const Tensor &tensor, IntArrayRef shape);

/// How many elements of a row are worked on at once where an operand is one element over and over.
constexpr int64_t rowBlock = 256;

/// A row of an operand as consecutive elements: itself (step 1), or a block of copies of the one
/// element it consists of (step 0).
template <class T> class Consecutive {
public:
  Consecutive(const T *row, int64_t step, int64_t length) : row(step == 0 ? nullptr : row) {
    if (step == 0)
      std::fill_n(copies.begin(), std::min(length, rowBlock), *row);
  }
  const T *from(int64_t i) const { return row ? row + i : copies.data(); }

private:
  const T *row;
  std::array<T, rowBlock> copies;
};

/// The loop that compilers make vector instructions of. `out` may be one of `in`, but not overlap
/// with one in another way, so no element depends on the one before.
template <class Op, class Out, class... In>
void consecutiveRow(const Op &op, int64_t n, Out *out, const In *...in) {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#elif defined(__GNUC__)
#pragma GCC ivdep
#endif
  for (int64_t i = 0; i < n; ++i)
    out[i] = static_cast<Out>(op(MathType<In>(in[i])...));
}

template <class Op, class Out, class... In>
void blockwiseRow(const Op &op, int64_t n, Out *out, const Consecutive<In> &...in) {
  for (int64_t i = 0; i < n; i += rowBlock)
    consecutiveRow(op, std::min(rowBlock, n - i), out + i, in.from(i)...);
}

template <class Op, class Out, std::size_t N, std::size_t... I, class... In>
void hostRow(const Op &op, int64_t n, Out *out, const std::array<int64_t, N> &step,
             std::index_sequence<I...>, const In *...in) {
  if (step[0] == 1 && ((step[I + 1] == 1) && ...))
    return consecutiveRow(op, n, out, in...);
  if (step[0] == 1 && ((step[I + 1] == 0 || step[I + 1] == 1) && ...))
    return blockwiseRow(op, n, out, Consecutive<In>(in, step[I + 1], n)...);
  for (int64_t i = 0; i < n; ++i)
    out[i * step[0]] = static_cast<Out>(op(MathType<In>(in[i * step[I + 1]])...));
}

/// Calls row(at, length) for every innermost row; `at` holds the offsets of its first elements.
template <std::size_t N, class Row> void forEachRow(const Geometry<N> &g, Row row) {
  if (g.count == 0)
    return;
  std::array<int64_t, maxLoopDims> position{};
  std::array<int64_t, N> at{};
  int64_t length = g.dims == 0 ? 1 : g.shape[0];
  int64_t rows = g.count / length;
  for (int64_t done = 1;; ++done) {
    row(at, length);
    if (done == rows)
      return;
    for (int d = 1;; ++d) {
      for (std::size_t k = 0; k < N; ++k)
        at[k] += g.strides[d][k];
      if (++position[d] < g.shape[d])
        break;
      position[d] = 0;
      for (std::size_t k = 0; k < N; ++k)
        at[k] -= g.strides[d][k] * g.shape[d];
    }
  }
}

template <class Op, class Out, std::size_t N, std::size_t... I, class... In>
void hostLoop(const Geometry<N> &g, const Op &op, Out *out, std::index_sequence<I...> indices,
              const In *...in) {
  forEachRow(g, [&](const std::array<int64_t, N> &at, int64_t length) {
    hostRow(op, length, out + at[0], g.strides[0], indices, (in + at[I + 1])...);
  });
}

template <class Op, std::size_t N, std::size_t... I, class... In>
void hostVisit(const Geometry<N> &g, const Op &op, std::index_sequence<I...>, const In *...in) {
  forEachRow(g, [&](const std::array<int64_t, N> &at, int64_t length) {
    for (int64_t i = 0; i < length; ++i)
      op(MathType<In>(in[at[I] + i * g.strides[0][I]])...);
  });
}

#if defined(GRADTIDY_KERNELS)
// One thread for each element, or for some of them.

template <class Body> __device__ void forEachOf(int64_t count, Body body) {
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < count;
       i += int64_t{gridDim.x} * blockDim.x)
    body(i);
}

/// The position in a dimension of `size`; `i` becomes that in the dimensions outside it. Division
/// of 64 bits takes many times as long as that of 32.
__device__ inline int64_t splitOff(int64_t &i, int64_t size) {
  const int64_t outside =
      ((i | size) >> 32) == 0 ? static_cast<uint32_t>(i) / static_cast<uint32_t>(size) : i / size;
  const int64_t position = i - outside * size;
  i = outside;
  return position;
}

/// Where element i of all operands lies.
template <std::size_t N> __device__ void locate(const Geometry<N> &g, int64_t i, int64_t (&at)[N]) {
  for (std::size_t k = 0; k < N; ++k)
    at[k] = 0;
  for (int d = 0; d < g.dims; ++d) {
    const int64_t position = d + 1 < g.dims ? splitOff(i, g.shape[d]) : i;
    for (std::size_t k = 0; k < N; ++k)
      at[k] += position * g.strides[d][k];
  }
}

template <class Op, std::size_t... I, class... In>
__device__ decltype(auto) evaluate(const Op &op, const int64_t *at, std::index_sequence<I...>,
                                   const Operand<In> &...in) {
  return op(MathType<In>(in[at[I]])...);
}

template <class Op, class Out, std::size_t N, class... In>
__global__ void elementwiseKernel(Geometry<N> g, Op op, Out *out, Operand<In>... in) {
  forEachOf(g.count, [&](int64_t i) {
    int64_t at[N];
    locate(g, i, at);
    out[at[0]] = static_cast<Out>(evaluate(op, at + 1, std::index_sequence_for<In...>(), in...));
  });
}

/// Elements that a thread reads and writes at once.
template <class T> struct alignas(sizeof(T) < 4 ? 4 * sizeof(T) : 16) Pack {
  static constexpr int size = 4;
  T values[size];

  static bool fits(const T *first) {
    return reinterpret_cast<std::uintptr_t>(first) % alignof(Pack) == 0;
  }
};

/// Consecutive elements, or one for all.
template <class T> struct Run {
  Operand<T> first;
  bool repeated;

  bool fitsPacks() const { return repeated || Pack<T>::fits(first.elements()); }
  GRADTIDY_HOST_DEVICE T at(int64_t i) const { return first[repeated ? 0 : i]; }
  GRADTIDY_HOST_DEVICE Pack<T> packFrom(int64_t i) const {
    if (!repeated)
      return *reinterpret_cast<const Pack<T> *>(first.elements() + i);
    Pack<T> pack;
    for (T &value : pack.values)
      value = first[0];
    return pack;
  }
};

template <class Op, class Out, class... In>
__device__ void applyToPacks(const Op &op, Out *out, const Pack<In> &...in) {
  Pack<Out> result;
  for (int j = 0; j < result.size; ++j)
    result.values[j] = static_cast<Out>(op(MathType<In>(in.values[j])...));
  *reinterpret_cast<Pack<Out> *>(out) = result;
}

/// The same as elementwiseKernel where all operands are runs, packs of them at once where they
/// `fit`.
template <class Op, class Out, class... In>
__global__ void runKernel(int64_t count, bool fit, Op op, Out *out, Run<In>... in) {
  constexpr int64_t size = Pack<Out>::size;
  forEachOf((count + size - 1) / size, [&](int64_t pack) {
    const int64_t from = pack * size;
    if (fit && from + size <= count)
      return applyToPacks(op, out + from, in.packFrom(from)...);
    for (int64_t i = from; i < from + size && i < count; ++i)
      out[i] = static_cast<Out>(op(MathType<In>(in.at(i))...));
  });
}

/// Whether the result lies in consecutive elements, and the others do, too, or are one for all.
template <std::size_t N> bool isRun(const Geometry<N> &g) {
  return g.dims == 0 || (g.dims == 1 && g.strides[0][0] == 1 &&
                         std::all_of(g.strides[0].begin(), g.strides[0].end(),
                                     [](int64_t stride) { return stride == 0 || stride == 1; }));
}

template <class Op, class Out, std::size_t N, std::size_t... I, class... In>
void launchElementwise(const Geometry<N> &g, const Op &op, void *stream, Out *out,
                       std::index_sequence<I...>, const Operand<In> &...in) {
  if (!isRun(g))
    return launchKernel(elementwiseKernel<Op, Out, N, In...>, cudaBlocks(g.count), stream, g, op,
                        out, in...);
  [&](const Run<In> &...runs) {
    const bool fit = Pack<Out>::fits(out) && (runs.fitsPacks() && ...);
    launchKernel(runKernel<Op, Out, In...>, cudaBlocks(g.count / Pack<Out>::size + 1), stream,
                 g.count, fit, op, out, runs...);
  }(Run<In>{in, g.dims == 0 || g.strides[0][I + 1] == 0}...);
}

template <class Op, std::size_t N, class... In>
__global__ void visitKernel(Geometry<N> g, Op op, Operand<In>... in) {
  forEachOf(g.count, [&](int64_t i) {
    int64_t at[N];
    locate(g, i, at);
    evaluate(op, at, std::index_sequence_for<In...>(), in...);
  });
}

template <class Out, class Op> __global__ void enumerateKernel(int64_t count, Op op, Out *out) {
  forEachOf(count, [&](int64_t i) { out[i] = static_cast<Out>(op(i)); });
}
#endif

/// One operation for each element, and the elements of all operands.
template <class... Operands> Work workOf(int64_t count) {
  return {count * static_cast<int64_t>((sizeof(Operands) + ...)), count};
}

} // namespace detail

/// Throws LibTorch's words unless all are on one device. A 0-dim CPU tensor goes with any.
Device commonDevice(std::initializer_list<const Tensor *> tensors);

/// The same where the result goes into `target`, which no number of the host can be.
void checkDevices(const Tensor &target, std::initializer_list<const Tensor *> operands);

/// A named argument of an operation, as error messages call it.
struct Argument {
  const char *name;
  const Tensor *tensor; ///< may be undefined
};
/// The same for operations that take no tensor from another device at all: all must be where the
/// first is. `method` is LibTorch's name of the operation on CUDA.
Device commonDevice(const char *method, std::initializer_list<Argument> arguments);

template <class... Tensors>
Geometry<1 + sizeof...(Tensors)> makeGeometry(const Tensor &out, const Tensors &...in) {
  Geometry<1 + sizeof...(Tensors)> g;
  g.count = out.numel();
  IntArrayRef shape = out.sizes();
  if (g.count != 0)
    g.dims = detail::collapse(shape, {out.strides().vec(), detail::broadcastStrides(in, shape)...},
                              g.shape.data(), g.strides[0].data());
  return g;
}

inline namespace GRADTIDY_LAUNCHERS {
/// out = op(in...) elementwise; `in` broadcast to the shape of `out`. The element types are given
/// and must be those of the tensors; op sees Half and BFloat16 as float. `out` may be one of
/// `in`.
template <class Out, class... In, class Op, class... Tensors>
void elementwise(const Op &op, const Tensor &out, const Tensors &...in) {
  static_assert(sizeof...(In) == sizeof...(Tensors));
  auto geometry = makeGeometry(out, in...);
  if (geometry.count == 0)
    return;
  Device device = out.device();
#if defined(GRADTIDY_KERNELS)
  if (auto stream = cudaStreamOf(device))
    return detail::launchElementwise(geometry, op, *stream, kernelData<Out>(out),
                                     std::index_sequence_for<In...>(),
                                     operandOf<In>(in, device)...);
#endif
  launch("elementwise", device, detail::workOf<Out, In...>(geometry.count),
         [=, target = kernelData<Out>(out), sources = std::tuple(operandOf<In>(in, device)...)] {
           std::apply(
               [&](const auto &...source) {
                 detail::hostLoop(geometry, op, target, std::index_sequence_for<In...>(),
                                  source.get()...);
               },
               sources);
         });
}

/// Calls op(in...) for every element of the first operand, to which the others are broadcast; op
/// writes where it wants, on `device`. On the host in the order of memory, elsewhere in any
/// order.
template <class... In, class Op, class... Tensors>
void visitElements(Device device, const Op &op, const Tensors &...in) {
  static_assert(sizeof...(In) == sizeof...(Tensors));
  auto geometry = makeGeometry(in...);
  if (geometry.count == 0)
    return;
#if defined(GRADTIDY_KERNELS)
  if (auto stream = cudaStreamOf(device))
    return launchKernel(detail::visitKernel<Op, sizeof...(In), In...>, cudaBlocks(geometry.count),
                        *stream, geometry, op, operandOf<In>(in, device)...);
#endif
  launch("elementwise", device, detail::workOf<In...>(geometry.count),
         [=, sources = std::tuple(operandOf<In>(in, device)...)] {
           std::apply(
               [&](const auto &...source) {
                 detail::hostVisit(geometry, op, std::index_sequence_for<In...>(), source.get()...);
               },
               sources);
         });
}

/// out[i] = op(i) for the elements of a contiguous tensor.
template <class Out, class Op> void enumerate(const Op &op, const Tensor &out) {
  int64_t count = out.numel();
  if (count == 0)
    return;
  Out *target = kernelData<Out>(out);
#if defined(GRADTIDY_KERNELS)
  if (auto stream = cudaStreamOf(out.device()))
    return launchKernel(detail::enumerateKernel<Out, Op>, cudaBlocks(count), *stream, count, op,
                        target);
#endif
  launch("elementwise", out.device(), detail::workOf<Out>(count), [=] {
    for (int64_t i = 0; i < count; ++i)
      target[i] = static_cast<Out>(op(i));
  });
}

} // namespace GRADTIDY_LAUNCHERS

/// Throws where `target` is about to be written while `source` reads part of the same memory.
void checkNoPartialOverlap(const Tensor &target, const Tensor &source);
/// An uninitialised tensor for the result of an elementwise operation, in the memory order of the
/// first operand that has the full shape.
Tensor makeResult(IntArrayRef shape, ScalarType type,
                  std::initializer_list<const Tensor *> operands);
/// The type in which operands are combined: tensors decide over 0-dim tensors and these over
/// numbers, unless the latter are of a higher kind (integer, floating point).
ScalarType resultType(std::initializer_list<const Tensor *> operands);

} // namespace gradtidy::runtime
