#include "Upsampling.h"
#include "../autograd/Casting.h"
#include "Arithmetic.h"
#include "Factories.h"
#include "Indexing.h"

#include <algorithm>
#include <cmath>

namespace gradtidy::runtime {
namespace {

/// How one dimension is resized: `scale` is the input's step for one step of the output.
struct Resizing {
  int64_t dim, in, out;
  double scale;
};

/// Elements at the given places along a dimension.
Tensor pickAlong(const Tensor &x, int64_t dim, const std::vector<int64_t> &places) {
  return index_select(x, dim, table(places, x.device()));
}

Tensor nearest(const Tensor &x, const Resizing &r, double shift) {
  std::vector<int64_t> places;
  for (int64_t i = 0; i < r.out; ++i) {
    auto place = static_cast<int64_t>(
        std::floor((static_cast<float>(i) + shift) * static_cast<float>(r.scale)));
    places.push_back(std::min(place, r.in - 1));
  }
  return pickAlong(x, r.dim, places);
}

/// The sum, along one dimension, of `taps` neighbours of each place, the first of them `before` the
/// one below it, with the weights of weightOf(distance).
template <class WeightOf>
Tensor blended(const Tensor &x, const Resizing &r, bool alignCorners, bool clampStart, int64_t taps,
               int64_t before, WeightOf weightOf) {
  double step = r.scale;
  if (alignCorners)
    step = r.out > 1 ? static_cast<double>(r.in - 1) / static_cast<double>(r.out - 1) : 0;
  std::vector<int64_t> shape(static_cast<std::size_t>(x.dim()), 1);
  shape[r.dim] = r.out;
  Tensor sum;
  for (int64_t tap = 0; tap < taps; ++tap) {
    std::vector<int64_t> places;
    std::vector<double> weights;
    for (int64_t i = 0; i < r.out; ++i) {
      auto at = static_cast<double>(i);
      double place = alignCorners ? at * step : (at + 0.5) * step - 0.5;
      if (clampStart)
        place = std::max(place, 0.0);
      double below = std::floor(place);
      int64_t neighbour = static_cast<int64_t>(below) - before + tap;
      places.push_back(std::clamp<int64_t>(neighbour, 0, r.in - 1));
      weights.push_back(weightOf(std::abs(place - static_cast<double>(neighbour))));
    }
    Tensor weight = table(weights, x.options().requires_grad(false)).view(shape);
    Tensor part = pickAlong(x, r.dim, places) * weight;
    sum = sum.defined() ? sum + part : part;
  }
  return sum;
}

Tensor linear(const Tensor &x, const Resizing &r, bool alignCorners) {
  return blended(x, r, alignCorners, true, 2, 0, [](double distance) { return 1 - distance; });
}

Tensor cubic(const Tensor &x, const Resizing &r, bool alignCorners) {
  return blended(x, r, alignCorners, false, 4, 1, [](double d) {
    constexpr double a = -0.75;
    return d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1 : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  });
}

/// Resizes one dimension after the other by resize(x, how), from the last one on.
template <class Resize>
Tensor resized(const Tensor &self, IntArrayRef sizes, const UpsampleScales &scales,
               const Resize &resize) {
  auto dims = static_cast<int64_t>(sizes.size());
  TORCH_CHECK(self.dim() == dims + 2, "It is expected input_size equals to ", dims + 2,
              ", but got size ", self.dim());
  Casting cast = autocast::widen(self, autocast::onCuda);
  Tensor result = cast(self);
  for (int64_t d = dims - 1; d >= 0; --d) {
    int64_t in = self.size(d + 2), out = sizes[d];
    TORCH_CHECK(in > 0 && out > 0,
                "Input and output sizes should be greater than 0, but got input (", in,
                ") and output (", out, ") at dimension ", d + 2);
    double scale = scales[d] ? 1 / *scales[d] : static_cast<double>(in) / static_cast<double>(out);
    result = resize(result, Resizing{d + 2, in, out, scale});
  }
  return result;
}

/// Throws unless there is a size for each of `dims` dimensions.
void checkSizes(IntArrayRef sizes, std::size_t dims) {
  TORCH_CHECK(sizes.size() == dims, "It is expected output_size equals to ", dims,
              ", but got size ", sizes.size());
}

} // namespace

Tensor upsampleNearest(const Tensor &self, IntArrayRef sizes, const UpsampleScales &scales) {
  return resized(self, sizes, scales,
                 [](const Tensor &x, const Resizing &r) { return nearest(x, r, 0); });
}
Tensor upsampleNearestExact(const Tensor &self, IntArrayRef sizes, const UpsampleScales &scales) {
  return resized(self, sizes, scales,
                 [](const Tensor &x, const Resizing &r) { return nearest(x, r, 0.5); });
}
Tensor upsampleLinear(const Tensor &self, IntArrayRef sizes, bool alignCorners,
                      const UpsampleScales &scales) {
  return resized(self, sizes, scales, [alignCorners](const Tensor &x, const Resizing &r) {
    return linear(x, r, alignCorners);
  });
}
Tensor upsampleCubic(const Tensor &self, IntArrayRef sizes, bool alignCorners,
                     const UpsampleScales &scales) {
  return resized(self, sizes, scales, [alignCorners](const Tensor &x, const Resizing &r) {
    return cubic(x, r, alignCorners);
  });
}

Tensor upsample_nearest1d(const Tensor &self, IntArrayRef size, optional<double> scale) {
  checkSizes(size, 1);
  return upsampleNearest(self, size, {scale});
}
Tensor upsample_nearest2d(const Tensor &self, IntArrayRef size, optional<double> scaleH,
                          optional<double> scaleW) {
  checkSizes(size, 2);
  return upsampleNearest(self, size, {scaleH, scaleW});
}
Tensor upsample_nearest3d(const Tensor &self, IntArrayRef size, optional<double> scaleD,
                          optional<double> scaleH, optional<double> scaleW) {
  checkSizes(size, 3);
  return upsampleNearest(self, size, {scaleD, scaleH, scaleW});
}
Tensor upsample_linear1d(const Tensor &self, IntArrayRef size, bool alignCorners,
                         optional<double> scale) {
  checkSizes(size, 1);
  return upsampleLinear(self, size, alignCorners, {scale});
}
Tensor upsample_bilinear2d(const Tensor &self, IntArrayRef size, bool alignCorners,
                           optional<double> scaleH, optional<double> scaleW) {
  checkSizes(size, 2);
  return upsampleLinear(self, size, alignCorners, {scaleH, scaleW});
}
Tensor upsample_bicubic2d(const Tensor &self, IntArrayRef size, bool alignCorners,
                          optional<double> scaleH, optional<double> scaleW) {
  checkSizes(size, 2);
  return upsampleCubic(self, size, alignCorners, {scaleH, scaleW});
}
Tensor upsample_trilinear3d(const Tensor &self, IntArrayRef size, bool alignCorners,
                            optional<double> scaleD, optional<double> scaleH,
                            optional<double> scaleW) {
  checkSizes(size, 3);
  return upsampleLinear(self, size, alignCorners, {scaleD, scaleH, scaleW});
}

} // namespace gradtidy::runtime
