#include "GridSampling.h"
#include "../core/RecordFunction.h"
#include "Arithmetic.h"
#include "Comparisons.h"
#include "Factories.h"
#include "Indexing.h"
#include "Linear.h"
#include "Pointwise.h"
#include "Views.h"

#include <vector>

namespace gradtidy::runtime {
namespace {

enum Interpolation { Linear, Nearest, Cubic };
enum Padding { Zeros, Border, Reflection };

/// Places from -1 to 1 in elements from the first one.
Tensor inElements(const Tensor &places, int64_t size, bool alignCorners) {
  auto length = static_cast<double>(size);
  return alignCorners ? (places + 1) / 2 * (length - 1) : ((places + 1) * length - 1) / 2;
}

/// Places moved to where the padding finds its elements.
Tensor padded(const Tensor &x, int64_t size, int64_t padding, bool alignCorners) {
  auto last = static_cast<double>(size - 1);
  if (padding == Zeros)
    return x;
  if (padding == Border)
    return x.clamp_min(0).clamp_max(last);
  double low = alignCorners ? 0 : -0.5, span = alignCorners ? last : last + 1;
  if (span == 0)
    return x * 0;
  Tensor far = (x - low).abs(), rest = far.fmod(span);
  Tensor flips = (far.detach() / span).floor();
  return where(flips.remainder(2).eq(0), rest + low, span - rest + low)
      .clamp_min(0)
      .clamp_max(last);
}

/// The weight of an element at a distance of `d` elements: R. Keys, Cubic Convolution Interpolation
/// for Digital Image Processing, 1981.
Tensor cubicWeight(const Tensor &d, bool isNear) {
  constexpr double a = -0.75;
  return isNear ? ((a + 2) * d - (a + 3)) * d * d + 1 : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
}

/// Elements along one dimension for all places: which, what each weighs, and whether there is one.
struct Tap {
  Tensor place, weight, inside;
};

/// The taps of one dimension for `x`, its places in elements.
std::vector<Tap> tapsOf(const Tensor &x, int64_t size, int64_t interpolation, int64_t padding,
                        bool alignCorners) {
  auto tap = [&](const Tensor &place, const Tensor &weight) -> Tap {
    Tensor inside = place.ge(0).logical_and(place.le(static_cast<double>(size - 1)));
    return {place.masked_fill(inside.logical_not(), 0).to(kLong), weight, inside};
  };
  if (interpolation == Cubic) { // the elements are padded, not the place between them
    Tensor below = x.detach().floor(), t = x - below;
    std::vector<Tap> taps;
    for (int64_t k = -1; k <= 2; ++k) {
      Tensor distance = k <= 0 ? t - static_cast<double>(k) : static_cast<double>(k) - t;
      taps.push_back(
          tap(padded(below + static_cast<double>(k), size, padding, alignCorners).round(),
              cubicWeight(distance, k == 0 || k == 1)));
    }
    return taps;
  }
  Tensor at = padded(x, size, padding, alignCorners);
  if (interpolation == Nearest) {
    Tensor constant = (at - at.detach()) * 0 + 1; // but part of the graph, as in LibTorch
    return {tap(at.detach().round(), constant)};
  }
  Tensor below = at.detach().floor(), t = at - below;
  return {tap(below, 1 - t), tap(below + 1, t)};
}

} // namespace

Tensor grid_sampler(const Tensor &input, const Tensor &grid, int64_t interpolation, int64_t padding,
                    bool alignCorners) {
  if (isReducedFloatingType(input.scalar_type()) && isReducedFloatingType(grid.scalar_type()))
    return grid_sampler(input.to(kFloat), grid.to(kFloat), interpolation, padding, alignCorners)
        .to(input.scalar_type());
  OperationScope scope("grid_sampler");
  int64_t dims = input.dim() - 2;
  TORCH_CHECK(input.device() == grid.device(),
              "grid_sampler(): expected input and grid to be on same device, but input is on ",
              input.device().str(), " and grid is on ", grid.device().str());
  TORCH_CHECK(
      dims == 2 || dims == 3,
      "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but "
      "got input with sizes ",
      toText(input.sizes()), " and grid with sizes ", toText(grid.sizes()));
  TORCH_CHECK(grid.dim() == input.dim() && grid.size(0) == input.size(0),
              "grid_sampler(): expected grid and input to have same batch size, but got input with "
              "sizes ",
              toText(input.sizes()), " and grid with sizes ", toText(grid.sizes()));
  TORCH_CHECK(grid.size(-1) == dims, "grid_sampler(): expected grid to have size ", dims,
              " in last dimension, but got grid with sizes ", toText(grid.sizes()));
  TORCH_CHECK(interpolation != Cubic || dims == 2,
              "grid_sampler(): bicubic interpolation only supports 4D input");
  int64_t batch = input.size(0), channels = input.size(1), places = 1, elements = 1;
  for (int64_t d = 1; d <= dims; ++d) {
    TORCH_CHECK(input.size(d + 1) > 0,
                "grid_sampler(): expected input to have non-empty spatial "
                "dimensions, but input has sizes ",
                toText(input.sizes()), " with dimension ", d + 1, " being empty");
    places *= grid.size(d);
    elements *= input.size(d + 1);
  }
  // Every combination of taps: its element of the flattened image and its weight.
  std::vector<Tap> all{{zeros({batch, places}, TensorOptions(kLong).device(input.device())),
                        ones({batch, places}, grid.options()),
                        ones({batch, places}, TensorOptions(kBool).device(input.device()))}};
  for (int64_t d = 0; d < dims; ++d) { // the grid names the last dimension first
    int64_t size = input.size(d + 2);
    Tensor x = inElements(grid.select(-1, dims - 1 - d), size, alignCorners);
    std::vector<Tap> combined;
    for (const Tap &tap :
         tapsOf(x.reshape({batch, places}), size, interpolation, padding, alignCorners))
      for (const Tap &before : all)
        combined.push_back({before.place * size + tap.place, before.weight * tap.weight,
                            before.inside.logical_and(tap.inside)});
    all = std::move(combined);
  }
  Tensor image = input.reshape({batch, channels, elements}), sum;
  for (const Tap &tap : all) {
    Tensor values = gather(image, 2, tap.place.unsqueeze(1).expand({batch, channels, places}));
    Tensor part = where(tap.inside.unsqueeze(1), values * tap.weight.unsqueeze(1), 0);
    sum = sum.defined() ? sum + part : part;
  }
  std::vector<int64_t> shape = grid.sizes().vec();
  shape.pop_back();
  shape.insert(shape.begin() + 1, channels);
  return sum.view(shape);
}

Tensor affine_grid_generator(const Tensor &theta, IntArrayRef size, bool alignCorners) {
  OperationScope scope("affine_grid_generator");
  auto dims = static_cast<int64_t>(size.size()) - 2;
  TORCH_CHECK(dims == 2 || dims == 3, "AffineGridGenerator needs 4d (spatial) or 5d (volumetric) "
                                      "inputs.");
  std::vector<int64_t> shape(size.begin() + 2, size.end());
  shape.push_back(1);
  std::vector<Tensor> columns; // x, y, (z,) 1 for each place
  for (int64_t d = dims - 1; d >= 0; --d) {
    int64_t length = size[static_cast<std::size_t>(d + 2)];
    Tensor places = length > 1 ? linspace(-1, 1, length, theta.options().requires_grad(false))
                               : zeros({length}, theta.options().requires_grad(false));
    if (!alignCorners)
      places = places * (static_cast<double>(length - 1) / static_cast<double>(length));
    std::vector<int64_t> own(shape.size(), 1);
    own[static_cast<std::size_t>(d)] = length;
    columns.push_back(places.view(own).expand(shape));
  }
  columns.push_back(ones(shape, theta.options().requires_grad(false)));
  Tensor base = cat(columns, -1).view({1, -1, dims + 1});
  shape.back() = dims;
  shape.insert(shape.begin(), size[0]);
  return matmul(base, theta.transpose(1, 2)).view(shape);
}

} // namespace gradtidy::runtime
