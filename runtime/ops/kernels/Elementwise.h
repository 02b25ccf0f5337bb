// Elementwise loops: one function object applied to every element of broadcast operands.
//
// This is one of the two places (with Reduce.h) where a functor meets a device: the loops below
// are the host's and the simulated devices'; where a CUDA compiler reads this, it makes a kernel of
// the same functor over the same Geometry.
#pragma once

#include "Dispatch.h"
#include "Divisor.h"
#include "Launch.h"
#if defined(GRADTIDY_KERNELS)
#include "../../backends/cuda/Cuda.cuh"
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
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
/// collapsed loop nest over the elements of `out`, to which `in` are broadcast; returns the number
/// of dimensions.
int collapse(const Tensor &out, std::initializer_list<const Tensor *> in, int64_t *sizes,
             int64_t *rows);

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
/// with one in another way, so no element depends on the one before. Inlined, it would be compiled
/// several times for each formula, a good part of what compiling the runtime takes.
template <class Op, class Out, class... In>
[[gnu::noinline]] void consecutiveRow(const Op op, int64_t n, Out *out, const In *...in) {
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
[[gnu::noinline]] void hostLoop(const Geometry<N> &g, const Op &op, Out *out,
                                std::index_sequence<I...> indices, const In *...in) {
  forEachRow(g, [&](const std::array<int64_t, N> &at, int64_t length) {
    hostRow(op, length, out + at[0], g.strides[0], indices, (in + at[I + 1])...);
  });
}

template <class Op, std::size_t N, std::size_t... I, class... In>
[[gnu::noinline]] void hostVisit(const Geometry<N> &g, const Op &op, std::index_sequence<I...>,
                                 const In *...in) {
  forEachRow(g, [&](const std::array<int64_t, N> &at, int64_t length) {
    for (int64_t i = 0; i < length; ++i)
      op(MathType<In>(in[at[I] + i * g.strides[0][I]])...);
  });
}

#if defined(GRADTIDY_KERNELS)
/// Calls body(i) for every i below `count`, one thread for each, or for some of them.
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

/// A Geometry all of whose numbers are below 2^31.
template <std::size_t N> struct Loops {
  int dims;
  int32_t count;
  std::array<Divisor<int32_t>, maxLoopDims> sizes;
  std::array<std::array<int32_t, N>, maxLoopDims> strides;

  [[gnu::noinline]] explicit Loops(const Geometry<N> &g)
      : dims(g.dims), count(static_cast<int32_t>(g.count)) {
    for (int d = 0; d < dims; ++d) {
      sizes[d] = Divisor<int32_t>(g.shape[d]);
      for (std::size_t k = 0; k < N; ++k)
        strides[d][k] = static_cast<int32_t>(g.strides[d][k]);
    }
  }

  /// Where element i of all operands lies.
  __device__ void locate(int32_t i, int32_t (&at)[N]) const {
    for (std::size_t k = 0; k < N; ++k)
      at[k] = 0;
    for (int d = 0; d < dims; ++d) {
      const int32_t position = d + 1 < dims ? runtime::splitOff(i, sizes[d]) : i;
      for (std::size_t k = 0; k < N; ++k)
        at[k] += position * strides[d][k];
    }
  }
};

template <std::size_t N> [[gnu::noinline]] bool fitsLoops(const Geometry<N> &g) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  std::array<int64_t, N> last{};
  for (int d = 0; d < g.dims; ++d)
    for (std::size_t k = 0; k < N; ++k)
      last[k] += (g.shape[d] - 1) * g.strides[d][k];
  return g.count <= most &&
         std::all_of(last.begin(), last.end(), [](int64_t i) { return i <= most; });
}

/// Part of a geometry, and where its first elements lie in each operand.
template <std::size_t N> struct Part {
  Geometry<N> geometry;
  std::array<int64_t, N> first;
};

/// The two halves of `part` along its longest dimension.
template <std::size_t N> std::array<Part<N>, 2> halvesOf(const Part<N> &part) {
  std::array<Part<N>, 2> halves{part, part};
  auto &[front, back] = halves;
  const Geometry<N> &g = part.geometry;
  const auto longest = std::max_element(g.shape.begin(), g.shape.begin() + g.dims);
  const auto d = longest - g.shape.begin();
  front.geometry.shape[d] /= 2;
  back.geometry.shape[d] -= front.geometry.shape[d];
  front.geometry.count = g.count / g.shape[d] * front.geometry.shape[d];
  back.geometry.count = g.count - front.geometry.count;
  for (std::size_t k = 0; k < N; ++k)
    back.first[k] += front.geometry.shape[d] * g.strides[d][k];
  return halves;
}

/// Calls launch(loops, first) with the loops over all elements, and where the first of them lie in
/// each operand: once, or, where 32 bits do not do, for several parts of the geometry.
template <std::size_t N, class Launch>
void forEachLoops(const Geometry<N> &g, const Launch &launch,
                  const std::array<int64_t, N> &first = {}) {
  if (fitsLoops(g))
    return launch(Loops<N>(g), first);
  for (const Part<N> &half : halvesOf<N>({g, first}))
    forEachLoops(half.geometry, launch, half.first);
}

template <class T> T *from(T *data, int64_t first) { return data + first; }
template <class T> Operand<T> from(const Operand<T> &x, int64_t first) {
  return x.elements() ? Operand<T>(x.elements() + first) : x;
}

template <class Op, std::size_t... I, class... In>
__device__ decltype(auto) evaluate(const Op &op, const int32_t *at, std::index_sequence<I...>,
                                   const Operand<In> &...in) {
  return op(MathType<In>(in[at[I]])...);
}

/// Elements that a thread reads and writes at once.
template <class T, int n = 4> struct alignas(std::min<std::size_t>(n * sizeof(T), 16)) Pack {
  static constexpr int size = n;
  T values[size];

  static bool fits(const T *first) {
    return reinterpret_cast<std::uintptr_t>(first) % alignof(Pack) == 0;
  }
};

/// How many elements make a pack where these types meet: 16 bytes of the widest, but 4 at least.
template <class... T> constexpr int packSize = std::max({sizeof(T)...}) <= 2 ? 8 : 4;

/// `size` elements from `at` on where the step is 1, or one over and over.
template <int size, class T>
__device__ Pack<T, size> packAt(const Operand<T> &x, int64_t at, bool repeated) {
  if (!repeated)
    return *reinterpret_cast<const Pack<T, size> *>(x.elements() + at);
  Pack<T, size> pack;
  const T value = x[at];
  for (T &each : pack.values)
    each = value;
  return pack;
}

template <class Out, int size, class Op, class... In>
__device__ void applyToPacks(const Op &op, Out *out, const Pack<In, size> &...in) {
  Pack<Out, size> result;
  for (int j = 0; j < size; ++j)
    result.values[j] = static_cast<Out>(op(MathType<In>(in.values[j])...));
  *reinterpret_cast<Pack<Out, size> *>(out) = result;
}

/// Calls packs(i) for every i from which a thread does `size` elements at once, where they `fit`,
/// and single(i) for all others, neighbouring ones by neighbouring threads.
template <int size, class Packs, class Single>
__device__ void forEachPack(int64_t count, bool fit, const Packs &packs, const Single &single) {
  constexpr int64_t tile = int64_t{size} * cudaThreads;
  for (int64_t start = blockIdx.x * tile; start < count; start += gridDim.x * tile) {
    const int64_t first = start + int64_t{threadIdx.x} * size;
    if (fit && first + size <= count) {
      packs(first);
      continue;
    }
    for (int j = 0; j < size; ++j)
      if (const int64_t i = fit ? first + j : start + j * cudaThreads + threadIdx.x; i < count)
        single(i);
  }
}

/// Which operands are one element all along the innermost dimension.
template <std::size_t N> using Repeated = std::array<bool, N>;

/// `fit`: the innermost dimension consists of packs of elements that lie one after the other, but
/// may end within one where it is the only dimension.
template <class Op, class Out, std::size_t N, std::size_t... I, class... In>
__device__ void applyElementwise(const Loops<N> &g, bool fit, const Repeated<N> &repeated,
                                 const Op &op, Out *out, std::index_sequence<I...> indices,
                                 const Operand<In> &...in) {
  constexpr int size = packSize<Out, In...>;
  forEachPack<size>(
      g.count, fit,
      [&](int64_t i) {
        int32_t at[N];
        g.locate(static_cast<int32_t>(i), at);
        applyToPacks<Out, size>(op, out + at[0], packAt<size>(in, at[I + 1], repeated[I + 1])...);
      },
      [&](int64_t i) {
        int32_t at[N];
        g.locate(static_cast<int32_t>(i), at);
        out[at[0]] = static_cast<Out>(evaluate(op, at + 1, indices, in...));
      });
}

template <class Op, class Out, std::size_t N, class... In>
__global__ void elementwiseKernel(const __grid_constant__ Loops<N> g, bool fit,
                                  Repeated<N> repeated, Op op, Out *out, Operand<In>... in) {
  applyElementwise(g, fit, repeated, op, out, std::index_sequence_for<In...>(), in...);
}

/// Whether an operand consists of packs along the innermost dimension, or of one element there.
template <int size, std::size_t N, class T>
[[gnu::noinline]] bool hasPacks(const Loops<N> &g, std::size_t k, const T *elements) {
  if (g.dims == 0 || g.strides[0][k] == 0)
    return true;
  bool aligned = g.strides[0][k] == 1 && Pack<T, size>::fits(elements);
  for (int d = 1; d < g.dims; ++d)
    aligned = aligned && g.strides[d][k] % size == 0;
  return aligned;
}

template <class Op, class Out, std::size_t N, std::size_t... I, class... In>
void launchElementwise(const Geometry<N> &g, const Op &op, void *stream, Out *out,
                       std::index_sequence<I...>, const Operand<In> &...in) {
  constexpr int size = packSize<Out, In...>;
  Repeated<N> repeated{};
  for (std::size_t k = 0; k < N; ++k)
    repeated[k] = g.dims == 0 || g.strides[0][k] == 0;
  forEachLoops(g, [&](const Loops<N> &loops, const std::array<int64_t, N> &first) {
    const bool fit = !repeated[0] && (g.dims == 1 || loops.sizes[0].get() % size == 0) &&
                     hasPacks<size>(loops, 0, out + first[0]) &&
                     (hasPacks<size>(loops, I + 1, from(in, first[I + 1]).elements()) && ...);
    launchKernel(elementwiseKernel<Op, Out, N, In...>, cudaBlocks((loops.count + size - 1) / size),
                 stream, loops, fit, repeated, op, from(out, first[0]), from(in, first[I + 1])...);
  });
}

template <class Op, std::size_t N, class... In>
__global__ void visitKernel(const __grid_constant__ Loops<N> g, Op op, Operand<In>... in) {
  forEachOf(g.count, [&](int64_t i) {
    int32_t at[N];
    g.locate(static_cast<int32_t>(i), at);
    evaluate(op, at, std::index_sequence_for<In...>(), in...);
  });
}

template <class Op, std::size_t N, std::size_t... I, class... In>
void launchVisit(const Geometry<N> &g, const Op &op, void *stream, std::index_sequence<I...>,
                 const Operand<In> &...in) {
  forEachLoops(g, [&](const Loops<N> &loops, const std::array<int64_t, N> &first) {
    launchKernel(visitKernel<Op, N, In...>, cudaBlocks(loops.count), stream, loops, op,
                 from(in, first[I])...);
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
  if (g.count != 0)
    g.dims = detail::collapse(out, {&in...}, g.shape.data(), g.strides[0].data());
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
    return detail::launchVisit(geometry, op, *stream, std::index_sequence_for<In...>(),
                               operandOf<In>(in, device)...);
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
