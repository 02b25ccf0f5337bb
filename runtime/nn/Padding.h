// Padding and resizing: options, functional forms and modules.
#pragma once

#include "../core/ExpandingArray.h"
#include "../ops/Padding.h"
#include "Module.h"
#include "Words.h"

namespace gradtidy::runtime::nn {

#define GRADTIDY_PADDING(Name)                                                                     \
  template <std::size_t D> struct Name##Options {                                                  \
    Name##Options(ExpandingArray<2 * D> padding) : padding_(padding) {}                            \
    TORCH_ARG(ExpandingArray<2 * D>, padding);                                                     \
  };                                                                                               \
  using Name##1dOptions = Name##Options<1>;                                                        \
  using Name##2dOptions = Name##Options<2>;                                                        \
  using Name##3dOptions = Name##Options<3>;
GRADTIDY_PADDING(ReflectionPad)
GRADTIDY_PADDING(ReplicationPad)
GRADTIDY_PADDING(ZeroPad)
#undef GRADTIDY_PADDING

template <std::size_t D> struct ConstantPadOptions {
  ConstantPadOptions(ExpandingArray<2 * D> padding, double value)
      : padding_(padding), value_(value) {}
  TORCH_ARG(ExpandingArray<2 * D>, padding);
  TORCH_ARG(double, value);
};
using ConstantPad1dOptions = ConstantPadOptions<1>;
using ConstantPad2dOptions = ConstantPadOptions<2>;
using ConstantPad3dOptions = ConstantPadOptions<3>;

/// A size, or a factor for each dimension; `align_corners` maps corner elements onto each other
/// instead of the outer edges.
struct UpsampleOptions {
  using mode_t = std::variant<enumtype::kNearest, enumtype::kLinear, enumtype::kBilinear,
                              enumtype::kBicubic, enumtype::kTrilinear>;
  TORCH_ARG(optional<std::vector<int64_t>>, size) = nullopt;
  TORCH_ARG(optional<std::vector<double>>, scale_factor) = nullopt;
  TORCH_ARG(mode_t, mode) = kNearest;
  TORCH_ARG(optional<bool>, align_corners) = nullopt;
};

namespace functional {

struct PadFuncOptions {
  using mode_t = std::variant<enumtype::kConstant, enumtype::kReflect, enumtype::kReplicate,
                              enumtype::kCircular>;
  PadFuncOptions(std::vector<int64_t> pad) : pad_(std::move(pad)) {}
  TORCH_ARG(std::vector<int64_t>, pad);
  TORCH_ARG(mode_t, mode) = kConstant;
  TORCH_ARG(double, value) = 0;
};

struct InterpolateFuncOptions {
  using mode_t =
      std::variant<enumtype::kNearest, enumtype::kLinear, enumtype::kBilinear, enumtype::kBicubic,
                   enumtype::kTrilinear, enumtype::kArea, enumtype::kNearestExact>;
  TORCH_ARG(optional<std::vector<int64_t>>, size) = nullopt;
  TORCH_ARG(optional<std::vector<double>>, scale_factor) = nullopt;
  TORCH_ARG(mode_t, mode) = kNearest;
  TORCH_ARG(optional<bool>, align_corners) = nullopt;
  TORCH_ARG(optional<bool>, recompute_scale_factor) = nullopt;
};

struct GridSampleFuncOptions {
  using mode_t = std::variant<enumtype::kBilinear, enumtype::kNearest, enumtype::kBicubic>;
  using padding_mode_t = std::variant<enumtype::kZeros, enumtype::kBorder, enumtype::kReflection>;
  TORCH_ARG(mode_t, mode) = kBilinear;
  TORCH_ARG(padding_mode_t, padding_mode) = kZeros;
  TORCH_ARG(optional<bool>, align_corners) = nullopt;
};

Tensor pad(const Tensor &input, const PadFuncOptions &options);
Tensor interpolate(const Tensor &input, const InterpolateFuncOptions &options);
/// The values of images at the places of a grid (ops/GridSampling.h).
Tensor grid_sample(const Tensor &input, const Tensor &grid,
                   const GridSampleFuncOptions &options = {});
Tensor affine_grid(const Tensor &theta, IntArrayRef size, bool alignCorners = false);

} // namespace functional

template <std::size_t D, class Derived>
class ReflectionPadImpl : public Stateless<Derived, ReflectionPadOptions<D>> {
public:
  using Stateless<Derived, ReflectionPadOptions<D>>::Stateless;
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &x) { return pad(x, this->options.padding(), "reflect"); }
};

template <std::size_t D, class Derived>
class ReplicationPadImpl : public Stateless<Derived, ReplicationPadOptions<D>> {
public:
  using Stateless<Derived, ReplicationPadOptions<D>>::Stateless;
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &x) { return pad(x, this->options.padding(), "replicate"); }
};

template <std::size_t D, class Derived>
class ZeroPadImpl : public Stateless<Derived, ZeroPadOptions<D>> {
public:
  using Stateless<Derived, ZeroPadOptions<D>>::Stateless;
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &x) { return pad(x, this->options.padding()); }
};

template <std::size_t D, class Derived>
class ConstantPadImpl : public Stateless<Derived, ConstantPadOptions<D>> {
public:
  using Stateless<Derived, ConstantPadOptions<D>>::Stateless;
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &x) {
    return pad(x, this->options.padding(), "constant", this->options.value());
  }
};

#define GRADTIDY_PADDING(Kind, D)                                                                  \
  class Kind##D##dImpl : public Kind##Impl<D, Kind##D##dImpl> {                                    \
  public:                                                                                          \
    using Kind##Impl<D, Kind##D##dImpl>::Kind##Impl;                                               \
  };                                                                                               \
  TORCH_MODULE(Kind##D##d);
#define GRADTIDY_PADDINGS(D)                                                                       \
  GRADTIDY_PADDING(ReflectionPad, D)                                                               \
  GRADTIDY_PADDING(ReplicationPad, D)                                                              \
  GRADTIDY_PADDING(ZeroPad, D)                                                                     \
  GRADTIDY_PADDING(ConstantPad, D)
GRADTIDY_PADDINGS(1)
GRADTIDY_PADDINGS(2)
GRADTIDY_PADDINGS(3)
#undef GRADTIDY_PADDINGS
#undef GRADTIDY_PADDING

class UpsampleImpl : public Stateless<UpsampleImpl, UpsampleOptions> {
public:
  using Stateless::Stateless;
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input);
};
TORCH_MODULE(Upsample);

} // namespace gradtidy::runtime::nn
