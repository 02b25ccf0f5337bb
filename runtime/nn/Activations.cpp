#include "Activations.h"
#include "../ops/Arithmetic.h"
#include "../ops/Factories.h"
#include "../ops/Random.h"

#include <ostream>

namespace gradtidy::runtime::nn {
namespace functional {
namespace {

/// `result`, or the input with these values where it is to be changed in place.
Tensor placed(Tensor &input, const Tensor &result, bool inplace) {
  return inplace ? input.copy_(result) : result;
}

} // namespace

Tensor glu(const Tensor &input, const GLUFuncOptions &options) {
  return runtime::glu(input, options.dim());
}
Tensor selu(Tensor input, const SELUFuncOptions &options) {
  return placed(input, runtime::selu(input), options.inplace());
}
Tensor rrelu(Tensor input, const RReLUFuncOptions &options) {
  return placed(input, runtime::rrelu(input, options.lower(), options.upper(), options.training()),
                options.inplace());
}
Tensor celu(Tensor input, const CELUFuncOptions &options) {
  return placed(input, runtime::celu(input, options.alpha()), options.inplace());
}
Tensor relu6(Tensor input, const ReLU6FuncOptions &options) {
  return placed(input, runtime::relu6(input), options.inplace());
}
Tensor hardtanh(Tensor input, const HardtanhFuncOptions &options) {
  return placed(input, runtime::hardtanh(input, options.min_val(), options.max_val()),
                options.inplace());
}
Tensor hardshrink(const Tensor &input, const HardshrinkFuncOptions &options) {
  return runtime::hardshrink(input, options.lambda());
}
Tensor softshrink(const Tensor &input, const SoftshrinkFuncOptions &options) {
  return runtime::softshrink(input, options.lambda());
}
Tensor softmin(const Tensor &input, const SoftminFuncOptions &options) {
  return runtime::softmax(-input, options.dim());
}
Tensor gumbel_softmax(const Tensor &logits, const GumbelSoftmaxFuncOptions &options) {
  Tensor noise = -empty_like(logits).exponential_().log();
  Tensor soft = runtime::softmax((logits + noise) / options.tau(), options.dim());
  if (!options.hard())
    return soft;
  Tensor chosen = std::get<1>(soft.detach().max(options.dim(), true));
  return zeros_like(logits).scatter_(options.dim(), chosen, 1) - soft.detach() + soft;
}
Tensor softsign(const Tensor &input) { return input / (input.abs() + 1); }
Tensor tanhshrink(const Tensor &input) { return input - input.tanh(); }
Tensor threshold(Tensor input, const ThresholdFuncOptions &options) {
  return placed(input, runtime::threshold(input, options.threshold(), options.value()),
                options.inplace());
}

} // namespace functional

namespace {

const char *placeOf(bool inplace, const char *separator) {
  return !inplace ? "" : *separator ? ", inplace=true" : "inplace=true";
}

} // namespace

void GLUImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::GLU(dim=" << options.dim() << ")";
}
void SELUImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::SELU(" << placeOf(options.inplace(), "") << ")";
}
void CELUImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::CELU(alpha=" << options.alpha() << placeOf(options.inplace(), ", ") << ")";
}
void ReLU6Impl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::ReLU6(" << placeOf(options.inplace(), "") << ")";
}
void HardtanhImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::Hardtanh(min_val=" << options.min_val() << ", max_val=" << options.max_val()
         << placeOf(options.inplace(), ", ") << ")";
}
void HardshrinkImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::Hardshrink(" << options.lambda() << ")";
}
void SoftshrinkImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::Softshrink(" << options.lambda() << ")";
}
void SoftminImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::Softmin(dim=" << options.dim() << ")";
}
void SoftsignImpl::pretty_print(std::ostream &stream) const { stream << "torch::nn::Softsign()"; }
void TanhshrinkImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::Tanhshrink()";
}
void ThresholdImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::Threshold(threshold=" << options.threshold()
         << ", value=" << options.value() << placeOf(options.inplace(), ", ") << ")";
}
void MishImpl::pretty_print(std::ostream &stream) const { stream << "torch::nn::Mish()"; }

Tensor RReLUImpl::forward(Tensor input) {
  return functional::rrelu(std::move(input), functional::RReLUFuncOptions()
                                                 .lower(options.lower())
                                                 .upper(options.upper())
                                                 .training(is_training())
                                                 .inplace(options.inplace()));
}
void RReLUImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::RReLU(lower=" << options.lower() << ", upper=" << options.upper()
         << placeOf(options.inplace(), ", ") << ")";
}

void PReLUImpl::reset() {
  weight = register_parameter("weight", full({options.num_parameters()}, options.init()));
}
void PReLUImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::PReLU(num_parameters=" << options.num_parameters() << ")";
}

} // namespace gradtidy::runtime::nn
