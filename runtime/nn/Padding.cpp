#include "Padding.h"
#include "../ops/GridSampling.h"
#include "../ops/Padding.h"
#include "../ops/Pooling.h"
#include "../ops/Upsampling.h"

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
  std::vector<int64_t> sizes;
  std::vector<optional<double>> scales;
  for (int64_t d = 0; d < dims; ++d) {
    int64_t in = input.size(d + 2);
    double factor = options.scale_factor() ? options.scale_factor()->at(d) : 1;
    int64_t out = options.size()
                      ? options.size()->at(d)
                      : static_cast<int64_t>(std::floor(static_cast<double>(in) * factor));
    sizes.push_back(out);
    scales.push_back(keepScale ? optional(factor) : nullopt);
  }
  if (is(kArea))
    return dims == 1   ? adaptive_avg_pool1d(input, sizes)
           : dims == 2 ? adaptive_avg_pool2d(input, sizes)
                       : adaptive_avg_pool3d(input, sizes);
  bool alignCorners = options.align_corners().value_or(false);
  return is(kBicubic)        ? upsampleCubic(input, sizes, alignCorners, scales)
         : blends            ? upsampleLinear(input, sizes, alignCorners, scales)
         : is(kNearestExact) ? upsampleNearestExact(input, sizes, scales)
                             : upsampleNearest(input, sizes, scales);
}

Tensor grid_sample(const Tensor &input, const Tensor &grid, const GridSampleFuncOptions &options) {
  // The modes are listed in the order of their numbers.
  return grid_sampler(input, grid, static_cast<int64_t>(options.mode().index()),
                      static_cast<int64_t>(options.padding_mode().index()),
                      options.align_corners().value_or(false));
}

Tensor affine_grid(const Tensor &theta, IntArrayRef size, bool alignCorners) {
  TORCH_CHECK(theta.is_floating_point(), "Expected theta to have floating point type, but got ",
              theta.dtype());
  int64_t dims = static_cast<int64_t>(size.size()) - 2;
  TORCH_CHECK(theta.dim() == 3 && theta.size(-2) == dims && theta.size(-1) == dims + 1,
              "Expected a batch of ", dims, "D affine matrices of shape Nx", dims, "x", dims + 1,
              " for size ", toText(size), ". Got ", toText(theta.sizes()), ".");
  return affine_grid_generator(theta, size, alignCorners);
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
