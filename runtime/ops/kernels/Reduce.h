// Reductions: an accumulator folded over some dimensions of a tensor.
#pragma once

#include "Elementwise.h"

#include <bit>
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
/// A new result with its folded dimensions of size one kept or dropped; no view of another tensor.
Tensor shaped(const Tensor &kept, const ReducedDims &dims, bool keepdim);

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

/// Walks through a nest of loops, one step of the innermost at a time, and keeps pointers where the
/// steps in memory lead.
template <std::size_t N> class Walk {
public:
  /// `dims` of the nest's loops, the outermost ones, are walked through.
  Walk(const Nest &nest, int dims, std::array<const std::array<int64_t, maxLoopDims> *, N> steps)
      : nest(nest), dims(dims), steps(steps) {}

  std::array<int64_t, N> at{};

  void next() {
    for (int d = dims - 1; d >= 0; --d) {
      for (std::size_t k = 0; k < N; ++k)
        at[k] += (*steps[k])[d];
      if (++position[d] < nest.sizes[d])
        return;
      position[d] = 0;
      for (std::size_t k = 0; k < N; ++k)
        at[k] -= (*steps[k])[d] * nest.sizes[d];
    }
  }

private:
  const Nest &nest;
  int dims;
  std::array<const std::array<int64_t, maxLoopDims> *, N> steps;
  std::array<int64_t, maxLoopDims> position{};
};

/// Folds the elements at row[0], row[step], ... Where op can join accumulators, several take turns,
/// so that no addition waits for the one before, unless op says that it has none to wait for.
template <class In, class Op, class Acc>
void foldRow(const Op &op, Acc &acc, const In *row, int64_t step, int64_t length, int64_t index) {
  int64_t k = 0;
  if constexpr (requires { op.join(acc, acc); } && !requires { typename Op::OneByOne; }) {
    constexpr int lanes = 8;
    if (length >= 2 * lanes) {
      std::array<Acc, lanes> parts;
      parts.fill(op.start());
      for (; k + lanes <= length; k += lanes)
        for (int lane = 0; lane < lanes; ++lane)
          op.add(parts[lane], MathType<In>(row[(k + lane) * step]), index + k + lane);
      for (const Acc &part : parts)
        op.join(acc, part);
    }
  }
  for (; k < length; ++k)
    op.add(acc, MathType<In>(row[k * step]), index + k);
}

template <class Out, class In, class Op>
[[gnu::noinline]] void hostFold(const Op &op, const Fold &fold, const In *source, Out *target) {
  const auto &[outer, inner, outerOut, outerIn, innerIn] = fold;
  int last = inner.dims - 1, lastOuter = outer.dims - 1;
  int64_t length = last < 0 ? 1 : inner.sizes[last], step = last < 0 ? 0 : innerIn[last];
  // Where neighbours belong to different results, several results are folded side by side.
  if (step != 1 && lastOuter >= 0 && outerIn[lastOuter] == 1 && inner.count > 1) {
    constexpr int64_t block = 64;
    int64_t width = outer.sizes[lastOuter];
    Walk<2> results(outer, lastOuter, {&outerIn, &outerOut});
    for (int64_t i = 0; i < outer.count; i += width, results.next())
      for (int64_t from = 0; from < width; from += block) {
        int64_t count = std::min(block, width - from);
        std::array<decltype(op.start()), block> accs;
        accs.fill(op.start());
        Walk<1> elements(inner, inner.dims, {&innerIn});
        for (int64_t k = 0; k < inner.count; ++k, elements.next()) {
          const In *row = source + results.at[0] + from + elements.at[0];
          for (int64_t j = 0; j < count; ++j)
            op.add(accs[j], MathType<In>(row[j]), k);
        }
        Out *out = target + results.at[1] + from * outerOut[lastOuter];
        for (int64_t j = 0; j < count; ++j)
          out[j * outerOut[lastOuter]] = static_cast<Out>(op.result(accs[j]));
      }
    return;
  }
  Walk<2> results(outer, outer.dims, {&outerIn, &outerOut});
  for (int64_t i = 0; i < outer.count; ++i, results.next()) {
    auto acc = op.start();
    Walk<1> rows(inner, last, {&innerIn});
    for (int64_t done = 0; done < inner.count; done += length, rows.next())
      foldRow<In>(op, acc, source + results.at[0] + rows.at[0], step, length, done);
    target[results.at[1]] = static_cast<Out>(op.result(acc));
  }
}

#if defined(GRADTIDY_KERNELS)
/// Where step i of a nest leads in memory.
__device__ inline int64_t locate(const Nest &nest, const std::array<int64_t, maxLoopDims> &steps,
                                 int64_t i) {
  int64_t at = 0;
  for (int d = nest.dims - 1; d > 0; --d)
    at += splitOff(i, nest.sizes[d]) * steps[d];
  return nest.dims > 0 ? at + i * steps[0] : at;
}

template <class Op> using AccumulatorOf = decltype(std::declval<const Op &>().start());
/// Whether several threads may share a fold.
template <class Op>
concept Joins = requires(const Op &op, AccumulatorOf<Op> &acc) { op.join(acc, acc); };

/// A fold whose threads find their elements without divisions, where 32 bits count them.
struct FoldLoops : Fold {
  using Divisors = std::array<Divisor<int32_t>, maxLoopDims>;
  Divisors outerSizes, innerSizes;

  explicit FoldLoops(const Fold &fold) : Fold(fold) {
    setDivisors(outerSizes, outer);
    setDivisors(innerSizes, inner);
  }
  __device__ int64_t placeOf(int64_t result) const {
    return locate(outer, outerSizes, outerOut, result);
  }
  __device__ int64_t firstOf(int64_t result) const {
    return locate(outer, outerSizes, outerIn, result);
  }
  __device__ int64_t stepTo(int64_t element) const {
    return locate(inner, innerSizes, innerIn, element);
  }

private:
  static void setDivisors(Divisors &divisors, const Nest &nest) {
    for (int d = 0; d < nest.dims && isSmall(nest); ++d)
      divisors[d] = Divisor<int32_t>(nest.sizes[d]);
  }
  GRADTIDY_HOST_DEVICE static bool isSmall(const Nest &nest) { return nest.count >> 31 == 0; }
  __device__ static int64_t locate(const Nest &nest, const Divisors &divisors,
                                   const std::array<int64_t, maxLoopDims> &steps, int64_t i) {
    if (!isSmall(nest))
      return detail::locate(nest, steps, i);
    int64_t at = 0;
    auto left = static_cast<int32_t>(i);
    for (int d = nest.dims - 1; d > 0; --d)
      at += runtime::splitOff(left, divisors[d]) * steps[d];
    return nest.dims > 0 ? at + left * steps[0] : at;
  }
};

/// Who folds what. A block has cudaThreads threads; the block (x, y) of the grid folds for some
/// results the elements from y * length on.
struct Shares {
  int parts = 1;       ///< threads for each result, a power of two
  bool across = false; ///< neighbouring threads belong to neighbouring results, not to one
  bool packs = false;  ///< a thread reads packs of elements
  int64_t splits = 1;  ///< blocks for each result
  int64_t length = 0;  ///< elements of a result that one block folds

  GRADTIDY_HOST_DEVICE int results() const { return cudaThreads / parts; }
  int64_t blocks(const Fold &fold) const { return (fold.outer.count + results() - 1) / results(); }
  /// The result of the block's first ones that a thread works for, and its part of it.
  GRADTIDY_HOST_DEVICE int resultOf(int thread) const {
    return across ? thread % results() : thread / parts;
  }
  GRADTIDY_HOST_DEVICE int partOf(int thread) const {
    return across ? thread / results() : thread % parts;
  }
};

/// Gives all threads of a block that share a result what they have folded for it.
template <class Op, class Acc>
__device__ void joinParts(const Op &op, Acc &acc, int part, const Shares &shares) {
  alignas(Acc) __shared__ unsigned char memory[cudaThreads * sizeof(Acc)];
  auto *accs = reinterpret_cast<Acc *>(memory);
  accs[threadIdx.x] = acc;
  const int step = shares.across ? shares.results() : 1; // to the thread with the next part
  for (int width = shares.parts / 2; width > 0; width /= 2) {
    __syncthreads();
    if (part < width)
      op.join(accs[threadIdx.x], accs[threadIdx.x + width * step]);
  }
  if (shares.parts > 1)
    __syncthreads();
  acc = accs[threadIdx.x - part * step];
  __syncthreads(); // before the memory is written again
}

/// Hands a result to op.keep(acc, place), if there is such, else writes it to `target`.
template <class Out, class Op>
__device__ void finish(const Op &op, const AccumulatorOf<Op> &acc, const FoldLoops &fold, int64_t i,
                       Out *target) {
  const int64_t place = fold.placeOf(i);
  if constexpr (requires { op.keep(acc, place); })
    op.keep(acc, place);
  else
    target[place] = static_cast<Out>(op.result(acc));
}

/// Adds elements index, index + step, ... of a fold.
template <class Op, class Acc, int size, class... In>
__device__ void addPacks(const Op &op, Acc &acc, int64_t index, int64_t step,
                         const Pack<In, size> &...in) {
  for (int j = 0; j < size; ++j)
    op.add(acc, MathType<In>(in.values[j])..., index + j * step);
}

/// Elements some way apart, all of which are asked for before any is there.
template <int size, class T> __device__ Pack<T, size> gathered(const T *first, int64_t step) {
  Pack<T, size> pack;
  for (int j = 0; j < size; ++j)
    pack.values[j] = first[j * step];
  return pack;
}

/// Adds the elements from, from + parts, ... below `to` of a fold to `acc`; where there are packs,
/// as many elements at each of these.
template <class Op, class Acc, class... In>
__device__ void addPart(const Op &op, Acc &acc, const FoldLoops &fold, bool packs, int64_t start,
                        int64_t from, int64_t to, int64_t parts, const In *...sources) {
  constexpr int size = packSize<In...>;
  int64_t k = from;
  if (packs) {
    for (; k < to; k += parts) {
      const int64_t at = start + fold.stepTo(k);
      addPacks<Op, Acc, size>(op, acc, k, 1,
                              *reinterpret_cast<const Pack<In, size> *>(sources + at)...);
    }
    return;
  }
  if (fold.inner.dims == 1)
    for (const int64_t step = fold.innerIn[0]; k + (size - 1) * parts < to; k += size * parts)
      addPacks<Op, Acc, size>(op, acc, k, parts,
                              gathered<size>(sources + start + k * step, parts * step)...);
  for (; k < to; k += parts) {
    const int64_t at = start + fold.stepTo(k);
    op.add(acc, MathType<In>(sources[at])..., k);
  }
}

/// Finishes results, or, where there are several splits, writes what each of them folded to
/// `folded`.
template <class Out, class Op, class... In>
__global__ void foldKernel(Op op, const __grid_constant__ FoldLoops fold, Shares shares,
                           Out *target, AccumulatorOf<Op> *folded, const In *...sources) {
  const int results = shares.results(), thread = static_cast<int>(threadIdx.x);
  const int part = shares.partOf(thread);
  const int64_t from = blockIdx.y * shares.length, most = from + shares.length;
  const int64_t to = most < fold.inner.count ? most : fold.inner.count;
  for (int64_t first = blockIdx.x * int64_t{results}; first < fold.outer.count;
       first += gridDim.x * int64_t{results}) {
    const int64_t i = first + shares.resultOf(thread);
    auto acc = op.start();
    const int size = shares.packs ? packSize<In...> : 1;
    if (i < fold.outer.count)
      addPart(op, acc, fold, shares.packs, fold.firstOf(i), from + part * size, to,
              shares.parts * size, sources...);
    if constexpr (Joins<Op>)
      if (shares.parts > 1)
        joinParts(op, acc, part, shares);
    if (part != 0 || i >= fold.outer.count)
      continue;
    if (shares.splits > 1)
      folded[blockIdx.y * fold.outer.count + i] = acc;
    else
      finish(op, acc, fold, i, target);
  }
}

/// Makes results of what `splits` blocks have folded for each.
template <class Out, class Op>
__global__ void joinKernel(Op op, const __grid_constant__ FoldLoops fold, int64_t splits,
                           Shares shares, const AccumulatorOf<Op> *folded, Out *target) {
  const int results = shares.results(), thread = static_cast<int>(threadIdx.x);
  const int part = shares.partOf(thread);
  for (int64_t first = blockIdx.x * int64_t{results}; first < fold.outer.count;
       first += gridDim.x * int64_t{results}) {
    const int64_t i = first + shares.resultOf(thread);
    auto acc = op.start();
    for (int64_t split = part; split < splits && i < fold.outer.count; split += shares.parts)
      op.join(acc, folded[split * fold.outer.count + i]);
    if (shares.parts > 1)
      joinParts(op, acc, part, shares);
    if (part == 0 && i < fold.outer.count)
      finish(op, acc, fold, i, target);
  }
}

/// A power of two up to `most`, itself one, and about `count`.
inline int powerOfTwo(int64_t count, int64_t most) {
  return static_cast<int>(
      std::bit_floor(static_cast<uint64_t>(std::clamp<int64_t>(count, 1, most))));
}

/// How many threads share each of some rows of `length` elements that lie side by side: so few that
/// they add more than they wait for each other, so many that a device is busy.
inline int partsOf(int64_t length, int64_t rows) {
  constexpr int64_t elementsOfThread = 16, busyThreads = int64_t{1} << 17;
  int parts = powerOfTwo(length / elementsOfThread, cudaThreads);
  while (parts < cudaThreads && parts * elementsOfThread / 2 <= length &&
         rows * parts < busyThreads)
    parts *= 2;
  return parts;
}

/// Whether the elements of all sources, which are laid out alike, consist of packs.
template <class... In> bool hasPacks(const Fold &fold, const In *...sources) {
  constexpr int size = packSize<In...>;
  const int last = fold.inner.dims - 1;
  if (last < 0 || fold.innerIn[last] != 1 || fold.inner.sizes[last] % size != 0)
    return false;
  auto arePacks = [](const std::array<int64_t, maxLoopDims> &steps, int dims) {
    return std::all_of(steps.begin(), steps.begin() + dims,
                       [](int64_t step) { return step % size == 0; });
  };
  return arePacks(fold.innerIn, last) && arePacks(fold.outerIn, fold.outer.dims) &&
         (Pack<In, size>::fits(sources) && ...);
}

/// So many threads that the loads of each warp lie side by side, and so many blocks that a device
/// is busy.
template <class Op, class... In> Shares sharesOf(const Fold &fold, const In *...sources) {
  Shares shares{.length = fold.inner.count};
  if constexpr (Joins<Op>) {
    constexpr int64_t rowsOfThread = 16, busy = 1024;
    const int last = fold.inner.dims - 1, lastOuter = fold.outer.dims - 1;
    shares.across =
        lastOuter >= 0 && fold.outerIn[lastOuter] == 1 && last >= 0 && fold.innerIn[last] != 1;
    shares.packs = !shares.across && hasPacks(fold, sources...);
    shares.parts = shares.across ? powerOfTwo(fold.inner.count / rowsOfThread, cudaThreads / 32)
                                 : partsOf(fold.inner.count, fold.outer.count);
    const int64_t worthwhile = fold.inner.count / (shares.parts * rowsOfThread);
    shares.splits =
        std::clamp<int64_t>(busy / shares.blocks(fold), 1, std::max<int64_t>(worthwhile, 1));
    constexpr int64_t size = packSize<In...>;
    shares.length =
        ((fold.inner.count + shares.splits - 1) / shares.splits + size - 1) / size * size;
  }
  return shares;
}

template <class Out, class Op, class... In>
void launchFold(const Op &op, const Fold &fold, Out *target, Device device, void *stream,
                const In *...sources) {
  if (fold.outer.count == 0)
    return;
  const Shares shares = sharesOf<Op>(fold, sources...);
  const FoldLoops loops(fold);
  std::optional<Workspace> workspace;
  AccumulatorOf<Op> *folded = nullptr;
  if (shares.splits > 1) {
    const auto count = static_cast<std::size_t>(shares.splits * fold.outer.count);
    workspace.emplace(acceleratorOf(device), count * sizeof *folded);
    folded = static_cast<AccumulatorOf<Op> *>(workspace->data());
  }
  auto blocksOf = [&](const Shares &shares) {
    return static_cast<unsigned>(std::min<int64_t>(shares.blocks(fold), cudaMaxBlocks));
  };
  const dim3 grid(blocksOf(shares), static_cast<unsigned>(shares.splits));
  launchKernel(foldKernel<Out, Op, In...>, grid, stream, op, loops, shares, target, folded,
               sources...);
  if constexpr (Joins<Op>)
    if (folded) {
      const Shares joining{.parts = powerOfTwo(shares.splits, cudaThreads), .across = true};
      launchKernel(joinKernel<Out, Op>, blocksOf(joining), stream, op, loops, shares.splits,
                   joining, folded, target);
    }
}
#endif

} // namespace detail

inline namespace GRADTIDY_LAUNCHERS {
/// out[i] = op.result(fold of op.add over the elements of `in` that fall on i). `out` has the
/// shape with the folded dimensions kept. Op has a type Acc, Acc start(), void add(Acc &,
/// MathType<In> value, int64_t index) with the running index within the fold, Out
/// result(const Acc &), and, where the order does not matter, void join(Acc &, Acc), without which
/// a device has one thread for each result.
template <class Out, class In, class Op>
void reduce(const Op &op, const Tensor &out, const Tensor &in, const ReducedDims &dims) {
  detail::Fold fold = detail::foldOf(out, in, dims);
  const In *source = kernelData<In>(in);
  Out *target = kernelData<Out>(out);
#if defined(GRADTIDY_KERNELS)
  if (auto stream = cudaStreamOf(in.device()))
    return detail::launchFold(op, fold, target, in.device(), *stream, source);
#endif
  launch("reduce", in.device(), detail::workOf<In>(in.numel()),
         [=] { detail::hostFold<Out, In>(op, fold, source, target); });
}

/// The same for tensors of one shape and order in memory at once, where they are on a device that
/// runs CUDA kernels; says whether they are. Op has add(Acc &, value..., index) and, instead of
/// result, keep(const Acc &, int64_t place), which gets the place of a result in a tensor like
/// `out`.
template <class... In, class Op, class... Tensors>
bool foldByCuda(const Op &op, const Tensor &out, const ReducedDims &dims, const Tensors &...in) {
#if defined(GRADTIDY_KERNELS)
  const Tensor &first = std::get<0>(std::tie(in...));
  if (auto stream = cudaStreamOf(first.device())) {
    detail::launchFold(op, detail::foldOf(out, first, dims), static_cast<char *>(nullptr),
                       first.device(), *stream, static_cast<const In *>(kernelData<In>(in))...);
    return true;
  }
#endif
  return false;
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
  GRADTIDY_HOST_DEVICE void join(Accumulator<T> &acc, Accumulator<T> other) const { acc += other; }
  GRADTIDY_HOST_DEVICE T result(Accumulator<T> acc) const { return static_cast<T>(acc); }
};

template <class T> struct Product {
  GRADTIDY_HOST_DEVICE Accumulator<T> start() const { return 1; }
  GRADTIDY_HOST_DEVICE void add(Accumulator<T> &acc, MathType<T> value, int64_t) const {
    acc *= value;
  }
  GRADTIDY_HOST_DEVICE void join(Accumulator<T> &acc, Accumulator<T> other) const { acc *= other; }
  GRADTIDY_HOST_DEVICE T result(Accumulator<T> acc) const { return static_cast<T>(acc); }
};

} // namespace gradtidy::runtime
