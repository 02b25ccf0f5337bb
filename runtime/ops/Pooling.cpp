// Maxima are found by one functor that is told where a window's channel starts; values and
// gradients then follow by gather. Means are sums over a view of windows. Everything is written for
// three dimensions or for any number of them, so that there is one of each.
#include "Pooling.h"
#include "../autograd/Casting.h"
#include "../core/RecordFunction.h"
#include "Arithmetic.h"
#include "Factories.h"
#include "Indexing.h"
#include "Padding.h"
#include "Reductions.h"
#include "Views.h"
#include "Windows.h"
#include "kernels/Elementwise.h"

#include <algorithm>
#include <array>

namespace gradtidy::runtime {
namespace {

struct Pool {
  Windows windows;
  DimVector padding, extents, counts;
};

/// The index within its channel (dense, from element `channel` of `data`) of the largest element of
/// a window of three dimensions, given by its first element, which may lie outside, and its
/// lengths: the first one; the last NaN beats everything.
template <class T> struct LargestOfWindow {
  const T *data;
  std::array<int64_t, 3> dilation, extents;

  GRADTIDY_HOST_DEVICE int64_t operator()(int64_t channel, int64_t start0, int64_t start1,
                                          int64_t start2, int64_t length0, int64_t length1,
                                          int64_t length2) const {
    const int64_t end0 = clip(0, start0, length0), end1 = clip(1, start1, length1),
                  end2 = clip(2, start2, length2);
    MathType<T> best{};
    int64_t index = -1;
    for (int64_t x = start0; x < end0; x += dilation[0])
      for (int64_t y = start1; y < end1; y += dilation[1]) {
        const int64_t row = (x * extents[1] + y) * extents[2];
        for (int64_t z = start2; z < end2; z += dilation[2]) {
          auto value = MathType<T>(data[channel + row + z]);
          if (index < 0 || value > best || value != value) {
            best = value;
            index = row + z;
          }
        }
      }
    return index;
  }

private:
  /// Moves the start of a window to its first element inside. Returns where the window ends.
  GRADTIDY_HOST_DEVICE int64_t clip(int d, int64_t &start, int64_t length) const {
    const int64_t end = start + (length - 1) * dilation[d] + 1;
    if (start < 0)
      start += (dilation[d] - 1 - start) / dilation[d] * dilation[d];
    return end < extents[d] ? end : extents[d];
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

/// The windows along one dimension: where each starts and how long it is.
struct Cells {
  std::vector<int64_t> starts, lengths;
};

/// The largest elements of all windows, and their places.
std::tuple<Tensor, Tensor> largestOf(const char *name, const Tensor &self,
                                     const DimVector &dilation, const std::vector<Cells> &cells) {
  std::size_t dims = cells.size();
  DimVector extents = spatialSizes(self, dims), counts;
  std::array<Tensor, 3> starts, lengths;
  for (std::size_t d = 0; d < 3; ++d) {
    DimVector shape(3, 1);
    bool missing = d + dims < 3;
    const Cells &along = missing ? Cells{{0}, {1}} : cells[d + dims - 3];
    shape[d] = static_cast<int64_t>(along.starts.size());
    starts[d] = table(along.starts, self.device()).view(shape);
    lengths[d] = table(along.lengths, self.device()).view(shape);
    if (!missing)
      counts.push_back(shape[d]);
  }
  std::array<int64_t, 3> grid = three(counts, 1);
  int64_t size = elementCount(extents), channels = size == 0 ? 0 : self.numel() / size;
  Tensor channel = (arange(channels, self.device()) * size).view({channels, 1, 1, 1});
  Tensor indices = makeEmpty(outputShape(self, counts), kLong, self.device());
  Tensor flat = indices.view({channels, grid[0], grid[1], grid[2]});
  Tensor dense = self.detach().contiguous();
  dispatchNumbers(self.scalar_type(), name, [&]<class T>() {
    LargestOfWindow<T> largest{kernelData<T>(dense), three(dilation, 1), three(extents, 1)};
    elementwise<int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t>(
        largest, flat, channel, starts[0], starts[1], starts[2], lengths[0], lengths[1],
        lengths[2]);
  });
  return {pick(self, indices, dims), indices};
}

std::tuple<Tensor, Tensor> maxPool(const char *name, std::size_t dims, const Tensor &self,
                                   IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                                   IntArrayRef dilation, bool ceilMode) {
  OperationScope scope(name);
  Pool pool = makePool(name, dims, self, kernel, stride, padding, dilation, ceilMode);
  const Windows &w = pool.windows;
  std::vector<Cells> cells(dims);
  for (std::size_t d = 0; d < dims; ++d)
    for (int64_t i = 0; i < pool.counts[d]; ++i) {
      cells[d].starts.push_back(i * w.stride[d] - pool.padding[d]);
      cells[d].lengths.push_back(w.kernel[d]);
    }
  return largestOf(name, self, w.dilation, cells);
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

std::tuple<Tensor, Tensor> adaptiveMax(const char *name, std::size_t dims, const Tensor &self,
                                       IntArrayRef size) {
  OperationScope scope(name);
  DimVector sizes = adaptiveSizes(name, dims, self, size, true);
  std::vector<Cells> cells(dims);
  for (std::size_t d = 0; d < dims; ++d)
    forEachCell(self.size(static_cast<int64_t>(d) - static_cast<int64_t>(dims)), sizes[d],
                [&](int64_t start, int64_t length) {
                  cells[d].starts.push_back(start);
                  cells[d].lengths.push_back(length);
                });
  return largestOf(name, self, DimVector(dims, 1), cells);
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

#define GRADTIDY_POOLING(D)                                                                        \
  std::tuple<Tensor, Tensor> max_pool##D##d_with_indices(const Tensor &self, IntArrayRef kernel,   \
                                                         IntArrayRef stride, IntArrayRef padding,  \
                                                         IntArrayRef dilation, bool ceilMode) {    \
    return maxPool("max_pool" #D "d", D, self, kernel, stride, padding, dilation, ceilMode);       \
  }                                                                                                \
  Tensor max_pool##D##d(const Tensor &self, IntArrayRef kernel, IntArrayRef stride,                \
                        IntArrayRef padding, IntArrayRef dilation, bool ceilMode) {                \
    Casting cast = autocast::widen(self, D == 3 ? autocast::onHost : 0);                           \
    return std::get<0>(                                                                            \
        max_pool##D##d_with_indices(cast(self), kernel, stride, padding, dilation, ceilMode));     \
  }                                                                                                \
  std::tuple<Tensor, Tensor> adaptive_max_pool##D##d(const Tensor &self, IntArrayRef size) {       \
    return adaptiveMax("adaptive_max_pool" #D "d", D, self, size);                                 \
  }                                                                                                \
  Tensor adaptive_avg_pool##D##d(const Tensor &self, IntArrayRef size) {                           \
    Casting cast = autocast::widen(self, D == 3 ? autocast::onHost : 0);                           \
    return adaptiveAverage("adaptive_avg_pool" #D "d", D, cast(self), size);                       \
  }                                                                                                \
  Tensor max_unpool##D##d(const Tensor &self, const Tensor &indices, IntArrayRef size) {           \
    Casting cast = autocast::widen(self, D > 1 ? autocast::onHost : 0);                            \
    return maxUnpool(D, cast(self), indices, size);                                                \
  }
GRADTIDY_POOLING(1)
GRADTIDY_POOLING(2)
GRADTIDY_POOLING(3)
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
