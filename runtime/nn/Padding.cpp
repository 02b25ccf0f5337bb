#include "Padding.h"
#include "../autograd/Casting.h"
#include "../ops/Arithmetic.h"
#include "../ops/Factories.h"
#include "../ops/Indexing.h"
#include "../ops/Pooling.h"

#include <algorithm>
#include <cmath>
#include <ostream>

namespace gradtidy::runtime::nn {
namespace functional {

Tensor pad(const Tensor &input, const PadFuncOptions &options) {
  std::string word = enumtype::get_enum_name(options.mode()).substr(1);
  word[0] = static_cast<char>(std::tolower(word[0]));
  bool constant = std::holds_alternative<enumtype::kConstant>(options.mode());
  return runtime::pad(input, options.pad(), word,
                      constant ? optional<double>(options.value()) : nullopt);
}

namespace {

/// How one dimension is resized: `scale` is the input's step for one step of the output.
struct Resizing {
  int64_t dim, in, out;
  double scale;
};

/// Elements at the given places along a dimension.
Tensor pickAlong(const Tensor &x, int64_t dim, const std::vector<int64_t> &places) {
  return index_select(x, dim, tensor(places).to(x.device()));
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
    Tensor weight = tensor(weights, x.options().requires_grad(false)).view(shape);
    Tensor part = pickAlong(x, r.dim, places) * weight;
    sum = sum.defined() ? sum + part : part;
  }
  return sum;
}

Tensor linear(const Tensor &x, const Resizing &r, bool alignCorners) {
  return blended(x, r, alignCorners, true, 2, 0, [](double distance) { return 1 - distance; });
}

/// R. Keys, Cubic Convolution Interpolation for Digital Image Processing, 1981.
Tensor cubic(const Tensor &x, const Resizing &r, bool alignCorners) {
  return blended(x, r, alignCorners, false, 4, 1, [](double d) {
    constexpr double a = -0.75;
    return d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1 : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  });
}

} // namespace

Tensor interpolate(const Tensor &input, const InterpolateFuncOptions &options) {
  auto is = [&]<class Word>(const Word &) { return std::holds_alternative<Word>(options.mode()); };
  bool blends = is(kLinear) || is(kBilinear) || is(kBicubic) || is(kTrilinear);
  TORCH_CHECK(blends || !options.align_corners(),
              "align_corners option can only be set with the interpolating modes: linear | "
              "bilinear | bicubic | trilinear");
  TORCH_CHECK(options.size() || options.scale_factor(),
              "either size or scale_factor should be defined");
  TORCH_CHECK(!options.size() || !options.scale_factor(),
              "only one of size or scale_factor should be defined");
  int64_t dims = input.dim() - 2;
  TORCH_CHECK(dims >= 1 && dims <= 3,
              "Input Error: Only 3D, 4D and 5D input Tensors supported (got ", input.dim(),
              "D) for the modes: nearest | linear | bilinear | bicubic | trilinear "
              "(got ",
              enumtype::get_enum_name(options.mode()), ")");
  int64_t needed = is(kLinear) ? 1 : is(kTrilinear) ? 3 : 2;
  TORCH_CHECK(!blends || needed == dims, "Got ", input.dim(), "D input, but ",
              enumtype::get_enum_name(options.mode()).substr(1), " mode needs ", needed + 2,
              "D input");
  std::size_t given = options.size() ? options.size()->size() : options.scale_factor()->size();
  TORCH_CHECK(given == static_cast<std::size_t>(dims), options.size() ? "size" : "scale_factor",
              " shape must match input shape. Input is ", dims, "D, ",
              options.size() ? "size" : "scale_factor", " is ", given, "D");
  bool keepScale = options.scale_factor() && !options.recompute_scale_factor().value_or(false);
  std::vector<Resizing> resizings;
  for (int64_t d = 0; d < dims; ++d) {
    int64_t in = input.size(d + 2);
    double factor = options.scale_factor() ? options.scale_factor()->at(d) : 1;
    int64_t out = options.size()
                      ? options.size()->at(d)
                      : static_cast<int64_t>(std::floor(static_cast<double>(in) * factor));
    TORCH_CHECK(in > 0 && out > 0,
                "Input and output sizes should be greater than 0, but got input (", in,
                ") and output (", out, ") at dimension ", d + 2);
    resizings.push_back(
        {d + 2, in, out,
         keepScale ? 1 / factor : static_cast<double>(in) / static_cast<double>(out)});
  }
  if (is(kArea)) {
    std::vector<int64_t> sizes;
    for (const Resizing &r : resizings)
      sizes.push_back(r.out);
    return dims == 1   ? adaptive_avg_pool1d(input, sizes)
           : dims == 2 ? adaptive_avg_pool2d(input, sizes)
                       : adaptive_avg_pool3d(input, sizes);
  }
  Casting cast = autocast::widen(input, autocast::onCuda);
  Tensor result = cast(input);
  bool alignCorners = options.align_corners().value_or(false);
  for (auto r = resizings.rbegin(); r != resizings.rend(); ++r)
    result = is(kBicubic) ? cubic(result, *r, alignCorners)
             : blends     ? linear(result, *r, alignCorners)
                          : nearest(result, *r, is(kNearestExact) ? 0.5 : 0);
  return result;
}

} // namespace functional

namespace {

/// "[1, 1]", also for one dimension, whose padding has two sides.
template <std::size_t D>
void print(std::ostream &stream, const char *name, const ExpandingArray<2 * D> &padding) {
  stream << "torch::nn::" << name << D << "d(padding=" << IntArrayRef(padding);
}

} // namespace

template <std::size_t D, class Derived>
void ReflectionPadImpl<D, Derived>::pretty_print(std::ostream &stream) const {
  print<D>(stream, "ReflectionPad", this->options.padding());
  stream << ")";
}
template <std::size_t D, class Derived>
void ReplicationPadImpl<D, Derived>::pretty_print(std::ostream &stream) const {
  print<D>(stream, "ReplicationPad", this->options.padding());
  stream << ")";
}
template <std::size_t D, class Derived>
void ZeroPadImpl<D, Derived>::pretty_print(std::ostream &stream) const {
  print<D>(stream, "ZeroPad", this->options.padding());
  stream << ")";
}
template <std::size_t D, class Derived>
void ConstantPadImpl<D, Derived>::pretty_print(std::ostream &stream) const {
  print<D>(stream, "ConstantPad", this->options.padding());
  stream << ", value=" << this->options.value() << ")";
}

#define GRADTIDY_PADDINGS(D)                                                                       \
  template class ReflectionPadImpl<D, ReflectionPad##D##dImpl>;                                    \
  template class ReplicationPadImpl<D, ReplicationPad##D##dImpl>;                                  \
  template class ZeroPadImpl<D, ZeroPad##D##dImpl>;                                                \
  template class ConstantPadImpl<D, ConstantPad##D##dImpl>;
GRADTIDY_PADDINGS(1)
GRADTIDY_PADDINGS(2)
GRADTIDY_PADDINGS(3)
#undef GRADTIDY_PADDINGS

Tensor UpsampleImpl::forward(const Tensor &input) {
  functional::InterpolateFuncOptions call;
  std::visit([&](auto word) { call.mode(word); }, options.mode());
  return functional::interpolate(input, call.size(options.size())
                                            .scale_factor(options.scale_factor())
                                            .align_corners(options.align_corners()));
}

void UpsampleImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::Upsample(";
  if (options.scale_factor())
    stream << "scale_factor=" << ArrayRef<double>(*options.scale_factor());
  else
    stream << "size=" << IntArrayRef(*options.size());
  stream << ", mode=" << enumtype::get_enum_name(options.mode()) << ")";
}

} // namespace gradtidy::runtime::nn
