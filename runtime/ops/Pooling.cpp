// Maxima are found by one functor, and another sums the gradients of the windows that took an
// element; both compute which windows and elements belong together. Means are sums over a view of
// windows. Everything is written for three dimensions or for any number of them, so that there is
// one of each.
#include "Pooling.h"
#include "../autograd/Casting.h"
#include "../autograd/Record.h"
#include "../core/RecordFunction.h"
#include "Arithmetic.h"
#include "Factories.h"
#include "Indexing.h"
#include "Padding.h"
#include "Reductions.h"
#include "Views.h"
#include "Windows.h"
#include "kernels/Divisor.h"
#include "kernels/Elementwise.h"

#include <algorithm>
#include <array>

namespace gradtidy::runtime {
namespace {

struct Pool {
  Windows windows;
  DimVector padding, extents, counts;
};

// Kernels count with 32 bits where these are enough, which devices are several times as fast at.

/// Places along one dimension: every `step`th from `start` on, before `end`.
template <class Index> struct Span {
  Index start, end, step;
};

template <class Index> using Sizes = std::array<Divisor<Index>, 3>;

/// Windows of one size at equal distances, in three dimensions.
template <class Index> struct StridedWindows {
  using Number = Index;
  Sizes<Index> extents, counts, stride;
  std::array<Index, 3> reach, padding, dilation;

  /// The elements of window `i`.
  GRADTIDY_HOST_DEVICE Span<Index> elementsOf(int d, Index i) const {
    Index start = i * stride[d].get() - padding[d];
    const Index end = start + reach[d], extent = extents[d].get();
    while (start < 0)
      start += dilation[d];
    return {start, end < extent ? end : extent, dilation[d]};
  }
  /// The windows that may have element `i`; where they are dilated, some have not.
  GRADTIDY_HOST_DEVICE Span<Index> windowsOf(int d, Index i) const {
    const Index place = i + padding[d], count = counts[d].get(),
                end = stride[d].quotientOf(place) + 1;
    const Index start = place < reach[d] ? 0 : stride[d].quotientOf(place - reach[d]) + 1;
    return {start, end < count ? end : count, 1};
  }
};

/// As many windows as are asked for, which cover all elements evenly, in three dimensions.
template <class Index> struct AdaptiveWindows {
  using Number = Index;
  Sizes<Index> extents, counts;

  GRADTIDY_HOST_DEVICE Span<Index> elementsOf(int d, Index i) const {
    return shareOf(i, extents[d], counts[d]);
  }
  GRADTIDY_HOST_DEVICE Span<Index> windowsOf(int d, Index i) const {
    return shareOf(i, counts[d], extents[d]);
  }

private:
  /// Which of `whole` elements the part `i` of `parts` touches.
  GRADTIDY_HOST_DEVICE static Span<Index> shareOf(Index i, const Divisor<Index> &whole,
                                                  const Divisor<Index> &parts) {
    const Index from = i * whole.get();
    return {parts.quotientOf(from), parts.quotientOf(from + whole.get() + parts.get() - 1), 1};
  }
};

/// Which channel element `i` of dense channels is in, and where.
template <class Index> struct Place {
  Index channel, at[3];

  GRADTIDY_HOST_DEVICE Place(Index i, const Sizes<Index> &sizes) : channel(i) {
    for (int d = 2; d >= 0; --d) {
      const Index outside = sizes[d].quotientOf(channel);
      at[d] = channel - outside * sizes[d].get();
      channel = outside;
    }
  }
};

/// Writes the largest element of window number `i`: the first one; the last NaN beats everything.
/// Returns its index within the channel.
template <class T, class Layout> struct LargestOfWindow {
  using Index = typename Layout::Number;
  Layout windows;
  const T *data;
  T *values;

  GRADTIDY_HOST_DEVICE Index operator()(int64_t i) const {
    const Place<Index> window(static_cast<Index>(i), windows.counts);
    const Span<Index> xs = windows.elementsOf(0, window.at[0]),
                      ys = windows.elementsOf(1, window.at[1]),
                      zs = windows.elementsOf(2, window.at[2]);
    const Index height = windows.extents[1].get(), width = windows.extents[2].get();
    const T *channel = data + window.channel * windows.extents[0].get() * height * width;
    MathType<T> best{};
    Index index = -1;
    for (Index x = xs.start; x < xs.end; x += xs.step)
      for (Index y = ys.start; y < ys.end; y += ys.step) {
        const Index row = (x * height + y) * width;
        for (Index z = zs.start; z < zs.end; z += zs.step) {
          auto value = MathType<T>(channel[row + z]);
          if (index < 0 || value > best || value != value) {
            best = value;
            index = row + z;
          }
        }
      }
    values[i] = static_cast<T>(best);
    return index;
  }
};

/// The gradient of element number `i`: those of the windows whose largest element it is.
template <class T, class Layout> struct GradientOfElement {
  using Index = typename Layout::Number;
  Layout windows;
  const T *gradients;
  const int64_t *indices;

  GRADTIDY_HOST_DEVICE MathType<T> operator()(int64_t i) const {
    const Place<Index> element(static_cast<Index>(i), windows.extents);
    const Span<Index> xs = windows.windowsOf(0, element.at[0]),
                      ys = windows.windowsOf(1, element.at[1]),
                      zs = windows.windowsOf(2, element.at[2]);
    const Index height = windows.counts[1].get(), width = windows.counts[2].get(),
                first = element.channel * windows.counts[0].get() * height * width,
                index = (element.at[0] * windows.extents[1].get() + element.at[1]) *
                            windows.extents[2].get() +
                        element.at[2];
    MathType<T> sum{};
    for (Index x = xs.start; x < xs.end; ++x)
      for (Index y = ys.start; y < ys.end; ++y) {
        const Index row = first + (x * height + y) * width;
        for (Index z = zs.start; z < zs.end; ++z)
          if (indices[row + z] == index)
            sum += MathType<T>(gradients[row + z]);
      }
    return sum;
  }
};

/// The gradients of all elements on the host, which goes through the windows, as there are fewer of
/// them: the same sums in the same order.
template <class T> struct GradientsOfChannels {
  int64_t channels, elements, windows; ///< of one channel
  const T *gradients;
  const int64_t *indices;
  T *result;

  void operator()() const {
    std::vector<MathType<T>> sums(static_cast<std::size_t>(elements));
    for (int64_t channel = 0; channel < channels; ++channel) {
      std::fill(sums.begin(), sums.end(), MathType<T>(0));
      for (int64_t i = channel * windows; i < (channel + 1) * windows; ++i)
        sums[static_cast<std::size_t>(indices[i])] += MathType<T>(gradients[i]);
      std::transform(sums.begin(), sums.end(), result + channel * elements,
                     [](MathType<T> sum) { return static_cast<T>(sum); });
    }
  }
};

/// `values` for three dimensions, behind as many `filler` as are missing.
std::array<int64_t, 3> three(IntArrayRef values, int64_t filler) {
  std::array<int64_t, 3> result{filler, filler, filler};
  std::copy(values.begin(), values.end(), result.end() - static_cast<int64_t>(values.size()));
  return result;
}

DimVector expanded(IntArrayRef values, std::size_t dims, const char *pool, const char *name) {
  TORCH_CHECK(values.size() == 1 || values.size() == dims, pool, ": ", name,
              " must either be a single int, or a tuple of ", dims, " ints");
  return values.size() == 1 ? DimVector(dims, values[0]) : values.vec();
}

std::string times(IntArrayRef values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : "x") + std::to_string(value);
  return text;
}

void checkNotEmpty(const std::string &name, const Tensor &self, int64_t first = 1) {
  for (int64_t i = first; i < self.dim(); ++i)
    TORCH_CHECK(self.size(i) > 0, name,
                "(): Expected input to have non-zero size for non-batch dimensions, but input has "
                "sizes ",
                toText(self.sizes()), " with dimension ", i, " being empty");
}

/// What pools of windows ask of the sizes.
void checkPool(const char *name, const Tensor &self, const Pool &pool) {
  const DimVector &kernel = pool.windows.kernel;
  std::size_t dims = kernel.size();
  int64_t first = self.dim() == static_cast<int64_t>(dims) + 2 ? 1 : 0; // a batch may be empty
  if (dims == 3)
    checkNotEmpty(name, self, first);
  for (int64_t d = first; d < self.dim(); ++d)
    TORCH_CHECK(self.size(d) > 0, "Expected ", dims + 1, "D or ", dims + 2,
                "D (batch mode) tensor with optional 0 dim batch size for input, but got:",
                toText(self.sizes()));
  std::array<int64_t, 3> k = three(kernel, 1), p = three(pool.padding, 0);
  for (std::size_t d = 0; d < 3; ++d)
    TORCH_CHECK(
        p[d] <= k[d] / 2, "pad should be smaller than or equal to half of kernel size, but got ",
        dims == 3 ? concat("kT: ", k[0], " kW: ", k[2], " kH: ", k[1], " padT: ", p[0],
                           " padW: ", p[2], " padH: ", p[1])
                  : concat("padW = ", p[2], ", padH = ", p[1], ", kW = ", k[2], ", kH = ", k[1]));
}

Pool makePool(const char *name, std::size_t dims, const Tensor &self, IntArrayRef kernel,
              IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceilMode) {
  auto d = static_cast<int64_t>(dims);
  TORCH_CHECK(self.dim() == d + 1 || self.dim() == d + 2, "non-empty ", d + 1, "D or ", d + 2,
              "D (batch mode) tensor expected for input");
  Pool pool{{expanded(kernel, dims, name, "kernel_size"),
             stride.empty() ? expanded(kernel, dims, name, "kernel_size")
                            : expanded(stride, dims, name, "stride"),
             expanded(dilation, dims, name, "dilation")},
            expanded(padding, dims, name, "padding"),
            spatialSizes(self, dims),
            {}};
  const Windows &w = pool.windows;
  for (std::size_t i = 0; i < dims; ++i) {
    TORCH_CHECK(w.stride[i] != 0, "stride should not be zero");
    TORCH_CHECK(pool.padding[i] >= 0, "pad must be non-negative, but got pad: ", pool.padding[i]);
    TORCH_CHECK(pool.padding[i] <= w.reach(i) / 2,
                "pad should be at most half of effective kernel size, but "
                "got pad=",
                pool.padding[i], ", kernel_size=", w.kernel[i], " and dilation=", w.dilation[i]);
    TORCH_CHECK(w.kernel[i] > 0 && w.stride[i] > 0,
                "kernel size and stride should be greater than zero");
    TORCH_CHECK(w.dilation[i] > 0,
                "dilation should be greater than zero, but got dilation: ", w.dilation[i]);
    int64_t room = pool.extents[i] + 2 * pool.padding[i] - w.reach(i);
    if (ceilMode)
      room += w.stride[i] - 1;
    int64_t count = (room < 0 ? room - w.stride[i] + 1 : room) / w.stride[i] + 1; // rounded down
    // A window must not start behind the input.
    if (ceilMode && (count - 1) * w.stride[i] >= pool.extents[i] + pool.padding[i])
      --count;
    pool.counts.push_back(count);
  }
  checkPool(name, self, pool);
  int64_t channels = self.size(-d - 1);
  DimVector in{channels}, out{channels};
  in.insert(in.end(), pool.extents.begin(), pool.extents.end());
  out.insert(out.end(), pool.counts.begin(), pool.counts.end());
  TORCH_CHECK(*std::min_element(pool.counts.begin(), pool.counts.end()) >= 1, "Given input size: (",
              times(in), "). Calculated output size: (", times(out), "). Output size is too small");
  return pool;
}

DimVector outputShape(const Tensor &self, IntArrayRef counts) {
  DimVector shape(self.sizes().begin(), self.sizes().end() - counts.size());
  shape.insert(shape.end(), counts.begin(), counts.end());
  return shape;
}

/// The elements of each channel at `indices`, which have the shape of the result.
Tensor pick(const Tensor &self, const Tensor &indices, std::size_t dims) {
  auto d = static_cast<int64_t>(dims);
  return gather(self.flatten(-d), -1, indices.flatten(-d)).view(indices.sizes());
}

/// LibTorch's names of a pooling by maxima, of its gradient and of the gradient of that.
struct MaxPoolNames {
  const char *operation, *gradient, *ofGradient;
};

template <class Index> Sizes<Index> divisors(IntArrayRef sizes) {
  std::array<int64_t, 3> all = three(sizes, 1);
  return {Divisor<Index>(all[0]), Divisor<Index>(all[1]), Divisor<Index>(all[2])};
}

template <class Index> std::array<Index, 3> numbers(IntArrayRef values, int64_t filler) {
  std::array<int64_t, 3> all = three(values, filler);
  return {static_cast<Index>(all[0]), static_cast<Index>(all[1]), static_cast<Index>(all[2])};
}

/// Calls f.operator()<Index>() with a type that can count to `largest`.
template <class F> auto withIndex(int64_t largest, F f) {
  return largest <= INT32_MAX ? f.template operator()<int32_t>() : f.template operator()<int64_t>();
}

/// The gradient of largestOf's input, of these sizes.
template <class Layout>
Tensor gradientOfLargest(const MaxPoolNames &names, std::size_t dims, const Layout &windows,
                         const Tensor &g, const Tensor &indices, IntArrayRef sizes) {
  Tensor dense = g.detach().contiguous(), result = makeEmpty(sizes, g.scalar_type(), g.device());
  dispatchFloating(g.scalar_type(), names.operation, [&]<class T>() {
    const T *gradients = kernelData<T>(dense);
    const int64_t *places = kernelData<int64_t>(indices);
    if (cudaStreamOf(g.device()))
      return enumerate<T>(GradientOfElement<T, Layout>{windows, gradients, places}, result);
    int64_t elements = elementCount(sizes.slice(sizes.size() - dims)),
            count = elementCount(g.sizes().slice(sizes.size() - dims));
    launch("max_pool_backward", g.device(), detail::workOf<T>(result.numel()),
           GradientsOfChannels<T>{result.numel() / elements, elements, count, gradients, places,
                                  kernelData<T>(result)});
  });
  return record(result, names.ofGradient, {g}, {indices},
                [dims](const Tensor &outer, const GradientContext &c) -> Gradients {
                  return {pick(outer, c.saved(0), dims)};
                });
}

/// The largest elements of all windows, and their places.
template <class Layout>
std::tuple<Tensor, Tensor> largestOf(const MaxPoolNames &names, const Tensor &self,
                                     IntArrayRef counts, const Layout &windows) {
  DimVector shape = outputShape(self, counts);
  Tensor values = makeEmpty(shape, self.scalar_type(), self.device()),
         indices = makeEmpty(shape, kLong, self.device()), dense = self.detach().contiguous();
  dispatchNumbers(self.scalar_type(), names.operation, [&]<class T>() {
    enumerate<int64_t>(
        LargestOfWindow<T, Layout>{windows, kernelData<T>(dense), kernelData<T>(values)}, indices);
  });
  values = record(values, names.gradient, {self}, {indices},
                  [names, windows, dims = counts.size(), sizes = self.sizes().vec()](
                      const Tensor &g, const GradientContext &c) -> Gradients {
                    return {gradientOfLargest(names, dims, windows, g, c.saved(0), sizes)};
                  });
  return {values, indices};
}

/// Whether a window has nothing but padding: dilation may take its second element over the end.
template <class Index> bool hasEmptyOne(const StridedWindows<Index> &windows) {
  for (int d = 0; d < 3; ++d)
    for (Index i = 0; i < windows.counts[d].get(); ++i) {
      if (i * windows.stride[d].get() >= windows.padding[d])
        break;
      const Span<Index> elements = windows.elementsOf(d, i);
      if (elements.start >= elements.end)
        return true;
    }
  return false;
}

std::tuple<Tensor, Tensor> maxPool(const MaxPoolNames &names, std::size_t dims, const Tensor &self,
                                   IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                                   IntArrayRef dilation, bool ceilMode) {
  OperationScope scope(names.operation);
  Pool pool = makePool(names.operation, dims, self, kernel, stride, padding, dilation, ceilMode);
  const Windows &w = pool.windows;
  DimVector reach, dilations;
  int64_t largest = std::max(self.numel(), elementCount(outputShape(self, pool.counts)));
  for (std::size_t d = 0; d < dims; ++d) {
    reach.push_back(w.reach(d));
    dilations.push_back(std::min(w.dilation[d], reach[d])); // whatever it is for one element
    largest = std::max({largest, pool.extents[d] + 2 * pool.padding[d] + reach[d], w.stride[d]});
  }
  return withIndex(largest, [&]<class Index>() {
    StridedWindows<Index> windows{divisors<Index>(pool.extents),   divisors<Index>(pool.counts),
                                  divisors<Index>(w.stride),       numbers<Index>(reach, 1),
                                  numbers<Index>(pool.padding, 0), numbers<Index>(dilations, 1)};
    TORCH_CHECK(self.numel() == 0 || !hasEmptyOne(windows),
                "index -1 is out of bounds for dimension ", self.dim() - static_cast<int64_t>(dims),
                " with size ", elementCount(pool.extents));
    return largestOf(names, self, pool.counts, windows);
  });
}

Tensor averagePool(const char *name, std::size_t dims, const Tensor &self, IntArrayRef kernel,
                   IntArrayRef stride, IntArrayRef padding, bool ceilMode, bool countIncludePad,
                   optional<int64_t> divisorOverride) {
  OperationScope scope(name);
  TORCH_CHECK(!divisorOverride || *divisorOverride != 0, "divisor must be not zero");
  if (self.scalar_type() == kLong)
    return averagePool(name, dims, self.to(kDouble), kernel, stride, padding, ceilMode,
                       countIncludePad, divisorOverride)
        .to(kLong);
  if (isReducedFloatingType(self.scalar_type())) // the sum may be too large
    return averagePool(name, dims, self.to(kFloat), kernel, stride, padding, ceilMode,
                       countIncludePad, divisorOverride)
        .to(self.scalar_type());
  Pool pool = makePool(name, dims, self, kernel, stride, padding, 1, ceilMode);
  dispatchFloating(self.scalar_type(), name, []<class T>() {});
  const Windows &w = pool.windows;
  DimVector pads, folded;
  Tensor divisor = ones({}, self.options().requires_grad(false));
  for (std::size_t d = dims; d-- > 0;) {
    int64_t before = pool.padding[d], end = pool.extents[d] + before;
    int64_t behind = (pool.counts[d] - 1) * w.stride[d] + w.kernel[d] - end;
    pads.insert(pads.end(), {before, std::max<int64_t>(behind, 0)});
    folded.push_back(self.dim() + static_cast<int64_t>(d) - static_cast<int64_t>(dims));
    // How much of each window counts along this dimension.
    std::vector<double> lengths;
    for (int64_t i = 0; i < pool.counts[d]; ++i) {
      int64_t from = i * w.stride[d], to = std::min(from + w.kernel[d], end + before);
      if (!countIncludePad) {
        from = std::max(from, before);
        to = std::min(to, end);
      }
      lengths.push_back(static_cast<double>(to - from));
    }
    DimVector shape(dims, 1);
    shape[d] = pool.counts[d];
    divisor = divisor * table(lengths, self.options().requires_grad(false)).view(shape);
  }
  bool bare = std::all_of(pads.begin(), pads.end(), [](int64_t p) { return p == 0; });
  Tensor total = windowsOf(bare ? self : constant_pad_nd(self, pads, 0), w).sum(folded);
  return divisorOverride ? total / *divisorOverride : total / divisor;
}

/// Calls cell(start, length) for the part of `size` elements that each of `count` cells covers.
template <class Cell> void forEachCell(int64_t size, int64_t count, Cell cell) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t start = i * size / count, end = ((i + 1) * size + count - 1) / count;
    cell(start, end - start);
  }
}

DimVector adaptiveSizes(const char *name, std::size_t dims, const Tensor &self, IntArrayRef sizes,
                        bool mustHaveElements) {
  auto d = static_cast<int64_t>(dims);
  TORCH_CHECK(sizes.size() == dims, name, ": output_size must be ", dims);
  TORCH_CHECK(self.dim() == d + 1 || self.dim() == d + 2, name, "(): Expected ", d + 1, "D or ",
              d + 2, "D tensor, but got ", toText(self.sizes()));
  if (mustHaveElements)
    checkNotEmpty(name, self);
  TORCH_CHECK(std::none_of(sizes.begin(), sizes.end(), [](int64_t n) { return n < 0; }), name,
              ": elements of output_size must be greater than or equal to 0 but received ",
              toText(sizes));
  return sizes.vec();
}

/// The kernel of a plain pooling that gives these sizes, if there is one.
optional<DimVector> evenKernel(const Tensor &self, const DimVector &sizes) {
  DimVector kernel = spatialSizes(self, sizes.size());
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0 || kernel[d] % sizes[d] != 0)
      return nullopt;
    kernel[d] /= sizes[d];
  }
  return kernel;
}

Tensor adaptiveAverage(const char *name, std::size_t dims, const Tensor &self, IntArrayRef size) {
  OperationScope scope(name);
  DimVector sizes = adaptiveSizes(name, dims, self, size, dims == 3);
  if (auto kernel = evenKernel(self, sizes); kernel && self.numel() > 0)
    return averagePool(name, dims, self, *kernel, *kernel, 0, false, true, nullopt);
  // Cells are boxes, so their means are means along one dimension after the other.
  Tensor result = self;
  for (std::size_t d = 0; d < dims; ++d) {
    int64_t dim = static_cast<int64_t>(d) - static_cast<int64_t>(dims);
    std::vector<Tensor> cells;
    forEachCell(self.size(dim), sizes[d], [&](int64_t start, int64_t length) {
      cells.push_back(result.narrow(dim, start, length).mean(dim, true));
    });
    result = cells.empty() ? result.narrow(dim, 0, 0) : cat(cells, dim);
  }
  return result;
}

std::tuple<Tensor, Tensor> adaptiveMax(const MaxPoolNames &names, std::size_t dims,
                                       const Tensor &self, IntArrayRef size) {
  OperationScope scope(names.operation);
  DimVector sizes = adaptiveSizes(names.operation, dims, self, size, true),
            extents = spatialSizes(self, dims);
  int64_t largest = std::max(self.numel(), elementCount(outputShape(self, sizes)));
  for (std::size_t d = 0; d < dims; ++d)
    largest = std::max(largest, (extents[d] + 1) * (sizes[d] + 1));
  return withIndex(largest, [&]<class Index>() {
    return largestOf(names, self, sizes,
                     AdaptiveWindows<Index>{divisors<Index>(extents), divisors<Index>(sizes)});
  });
}

Tensor maxUnpool(std::size_t dims, const Tensor &self, const Tensor &indices, IntArrayRef size) {
  OperationScope scope("max_unpool");
  TORCH_CHECK(indices.scalar_type() == kLong,
              "elements in indices should be type int64 but got: ", indices.scalar_type());
  TORCH_CHECK(self.sizes() == indices.sizes(),
              "Expected shape of indices to be same as that of the "
              "input tensor (",
              toText(self.sizes()),
              ") but got indices tensor with shape: ", toText(indices.sizes()));
  checkNotEmpty(concat("max_unpooling", std::max<std::size_t>(dims, 2), "d_forward_out_cpu"), self);
  auto d = static_cast<int64_t>(dims);
  DimVector shape = outputShape(self, size);
  Tensor flat = zeros(shape, self.options().requires_grad(false)).flatten(-d);
  return flat.scatter(-1, indices.flatten(-d), self.flatten(-d)).view(shape);
}

} // namespace

// N is the number of dimensions of LibTorch's gradient.
#define GRADTIDY_POOLING(D, N)                                                                     \
  std::tuple<Tensor, Tensor> max_pool##D##d_with_indices(const Tensor &self, IntArrayRef kernel,   \
                                                         IntArrayRef stride, IntArrayRef padding,  \
                                                         IntArrayRef dilation, bool ceilMode) {    \
    return maxPool({"max_pool" #D "d", "MaxPool" #N "DWithIndicesBackward0",                       \
                    "MaxPool" #N "DWithIndicesBackwardBackward0"},                                 \
                   D, self, kernel, stride, padding, dilation, ceilMode);                          \
  }                                                                                                \
  Tensor max_pool##D##d(const Tensor &self, IntArrayRef kernel, IntArrayRef stride,                \
                        IntArrayRef padding, IntArrayRef dilation, bool ceilMode) {                \
    Casting cast = autocast::widen(self, D == 3 ? autocast::onHost : 0);                           \
    return std::get<0>(                                                                            \
        max_pool##D##d_with_indices(cast(self), kernel, stride, padding, dilation, ceilMode));     \
  }                                                                                                \
  std::tuple<Tensor, Tensor> adaptive_max_pool##D##d(const Tensor &self, IntArrayRef size) {       \
    return adaptiveMax({"adaptive_max_pool" #D "d", "AdaptiveMaxPool" #N "DBackward0",             \
                        "AdaptiveMaxPool" #N "DBackwardBackward0"},                                \
                       D, self, size);                                                             \
  }                                                                                                \
  Tensor adaptive_avg_pool##D##d(const Tensor &self, IntArrayRef size) {                           \
    Casting cast = autocast::widen(self, D == 3 ? autocast::onHost : 0);                           \
    return adaptiveAverage("adaptive_avg_pool" #D "d", D, cast(self), size);                       \
  }                                                                                                \
  Tensor max_unpool##D##d(const Tensor &self, const Tensor &indices, IntArrayRef size) {           \
    Casting cast = autocast::widen(self, D > 1 ? autocast::onHost : 0);                            \
    return maxUnpool(D, cast(self), indices, size);                                                \
  }
GRADTIDY_POOLING(1, 2)
GRADTIDY_POOLING(2, 2)
GRADTIDY_POOLING(3, 3)
#undef GRADTIDY_POOLING

Tensor avg_pool1d(const Tensor &self, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                  bool ceilMode, bool countIncludePad) {
  TORCH_CHECK(
      self.dim() == 2 || self.dim() == 3, "Expected 2 to 3 dimensions, but got ", self.dim(),
      "-dimensional tensor for argument #1 'self' (while checking arguments for avg_pool1d)");
  return averagePool("avg_pool1d", 1, self, kernel, stride, padding, ceilMode, countIncludePad,
                     nullopt);
}
Tensor avg_pool2d(const Tensor &self, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                  bool ceilMode, bool countIncludePad, optional<int64_t> divisorOverride) {
  wrapDim(-3, self.dim()); // which has its own words for too few
  return averagePool("avg_pool2d", 2, self, kernel, stride, padding, ceilMode, countIncludePad,
                     divisorOverride);
}
Tensor avg_pool3d(const Tensor &self, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                  bool ceilMode, bool countIncludePad, optional<int64_t> divisorOverride) {
  Casting cast = autocast::widen(self, autocast::onHost);
  return averagePool("avg_pool3d", 3, cast(self), kernel, stride, padding, ceilMode,
                     countIncludePad, divisorOverride);
}

} // namespace gradtidy::runtime
