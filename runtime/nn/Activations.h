// Activations beyond the common ones (Layers.h): options, functional forms and modules.
#pragma once

#include "../ops/Activations.h"
#include "Functional.h"

namespace gradtidy::runtime::nn {

struct GLUOptions {
  GLUOptions(int64_t dim = -1) : dim_(dim) {}
  TORCH_ARG(int64_t, dim);
};
struct SELUOptions {
  SELUOptions(bool inplace = false) : inplace_(inplace) {}
  TORCH_ARG(bool, inplace);
};
struct RReLUOptions {
  TORCH_ARG(double, lower) = 1.0 / 8.0;
  TORCH_ARG(double, upper) = 1.0 / 3.0;
  TORCH_ARG(bool, inplace) = false;
};
struct CELUOptions {
  TORCH_ARG(double, alpha) = 1.0;
  TORCH_ARG(bool, inplace) = false;
};
struct ReLU6Options {
  ReLU6Options(bool inplace = false) : inplace_(inplace) {}
  TORCH_ARG(bool, inplace);
};
struct HardtanhOptions {
  TORCH_ARG(double, min_val) = -1.0;
  TORCH_ARG(double, max_val) = 1.0;
  TORCH_ARG(bool, inplace) = false;
};
struct HardshrinkOptions {
  HardshrinkOptions(double lambda = 0.5) : lambda_(lambda) {}
  TORCH_ARG(double, lambda);
};
struct SoftshrinkOptions {
  SoftshrinkOptions(double lambda = 0.5) : lambda_(lambda) {}
  TORCH_ARG(double, lambda);
};
struct SoftminOptions {
  SoftminOptions(int64_t dim) : dim_(dim) {}
  TORCH_ARG(int64_t, dim);
};
struct ThresholdOptions {
  ThresholdOptions(double threshold, double value) : threshold_(threshold), value_(value) {}
  TORCH_ARG(double, threshold);
  TORCH_ARG(double, value);
  TORCH_ARG(bool, inplace) = false;
};
struct PReLUOptions {
  TORCH_ARG(int64_t, num_parameters) = 1;
  TORCH_ARG(double, init) = 0.25;
};
struct GumbelSoftmaxOptions {
  TORCH_ARG(double, tau) = 1.0;
  /// Ones and zeros instead of probabilities, with the gradient of these.
  TORCH_ARG(bool, hard) = false;
  TORCH_ARG(int, dim) = -1;
};
/// For modules without options.
struct NoOptions {};

namespace functional {

using GLUFuncOptions = GLUOptions;
using SELUFuncOptions = SELUOptions;
struct RReLUFuncOptions {
  TORCH_ARG(double, lower) = 1.0 / 8.0;
  TORCH_ARG(double, upper) = 1.0 / 3.0;
  TORCH_ARG(bool, training) = false;
  TORCH_ARG(bool, inplace) = false;
};
using CELUFuncOptions = CELUOptions;
using ReLU6FuncOptions = ReLU6Options;
using HardtanhFuncOptions = HardtanhOptions;
using GumbelSoftmaxFuncOptions = GumbelSoftmaxOptions;
using HardshrinkFuncOptions = HardshrinkOptions;
using SoftshrinkFuncOptions = SoftshrinkOptions;
using SoftminFuncOptions = SoftminOptions;
using ThresholdFuncOptions = ThresholdOptions;

using runtime::mish;
using runtime::prelu;

Tensor glu(const Tensor &input, const GLUFuncOptions &options = {});
Tensor selu(Tensor input, const SELUFuncOptions &options = {});
Tensor rrelu(Tensor input, const RReLUFuncOptions &options = {});
Tensor celu(Tensor input, const CELUFuncOptions &options = {});
Tensor relu6(Tensor input, const ReLU6FuncOptions &options = {});
Tensor hardtanh(Tensor input, const HardtanhFuncOptions &options = {});
Tensor hardshrink(const Tensor &input, const HardshrinkFuncOptions &options = {});
Tensor softshrink(const Tensor &input, const SoftshrinkFuncOptions &options = {});
Tensor softmin(const Tensor &input, const SoftminFuncOptions &options);
/// A sample of classes from their logarithmic probabilities that has a gradient (E. Jang et al.,
/// https://arxiv.org/abs/1611.01144).
Tensor gumbel_softmax(const Tensor &logits, const GumbelSoftmaxFuncOptions &options = {});
Tensor softsign(const Tensor &input);
Tensor tanhshrink(const Tensor &input);
Tensor threshold(Tensor input, const ThresholdFuncOptions &options);

} // namespace functional

#define GRADTIDY_ACTIVATION(Name, Options, result)                                                 \
  class Name##Impl : public Stateless<Name##Impl, Options> {                                       \
  public:                                                                                          \
    using Stateless::Stateless;                                                                    \
    void pretty_print(std::ostream &stream) const override;                                        \
    Tensor forward(Tensor input) { return functional::result; }                                    \
  };                                                                                               \
  TORCH_MODULE(Name);
GRADTIDY_ACTIVATION(GLU, GLUOptions, glu(input, options))
GRADTIDY_ACTIVATION(SELU, SELUOptions, selu(input, options))
GRADTIDY_ACTIVATION(CELU, CELUOptions, celu(input, options))
GRADTIDY_ACTIVATION(ReLU6, ReLU6Options, relu6(input, options))
GRADTIDY_ACTIVATION(Hardtanh, HardtanhOptions, hardtanh(input, options))
GRADTIDY_ACTIVATION(Hardshrink, HardshrinkOptions, hardshrink(input, options))
GRADTIDY_ACTIVATION(Softshrink, SoftshrinkOptions, softshrink(input, options))
GRADTIDY_ACTIVATION(Softmin, SoftminOptions, softmin(input, options))
GRADTIDY_ACTIVATION(Softsign, NoOptions, softsign(input))
GRADTIDY_ACTIVATION(Tanhshrink, NoOptions, tanhshrink(input))
GRADTIDY_ACTIVATION(Threshold, ThresholdOptions, threshold(input, options))
GRADTIDY_ACTIVATION(Mish, NoOptions, mish(input))
#undef GRADTIDY_ACTIVATION

/// Leaky ReLU with a random slope for each element in training.
class RReLUImpl : public Stateless<RReLUImpl, RReLUOptions> {
public:
  using Stateless::Stateless;
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(Tensor input);
};
TORCH_MODULE(RReLU);

/// Leaky ReLU with slopes that are learnt.
class PReLUImpl : public Cloneable<PReLUImpl> {
public:
  explicit PReLUImpl(const PReLUOptions &options = {}) : options(options) { reset(); }
  void reset() override;
  void pretty_print(std::ostream &stream) const override;
  Tensor forward(const Tensor &input) { return prelu(input, weight); }

  PReLUOptions options;
  Tensor weight;
};
TORCH_MODULE(PReLU);

} // namespace gradtidy::runtime::nn
