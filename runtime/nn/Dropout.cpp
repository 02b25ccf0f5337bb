#include "Dropout.h"
#include "../ops/Random.h"

#include <ostream>

namespace gradtidy::runtime::nn {
namespace functional {
namespace {

template <class Drop, class Options>
Tensor drop(Drop function, Tensor input, const Options &options) {
  Tensor result = function(input, options.p(), options.training());
  return options.inplace() ? input.copy_(result) : result;
}

} // namespace

Tensor dropout(Tensor input, const DropoutFuncOptions &options) {
  return drop(runtime::dropout, std::move(input), options);
}
Tensor dropout2d(Tensor input, const Dropout2dFuncOptions &options) {
  return drop(runtime::feature_dropout, std::move(input), options);
}
Tensor dropout3d(Tensor input, const Dropout3dFuncOptions &options) {
  return drop(runtime::feature_dropout, std::move(input), options);
}
Tensor alpha_dropout(Tensor input, const AlphaDropoutFuncOptions &options) {
  return drop(runtime::alpha_dropout, std::move(input), options);
}
Tensor feature_alpha_dropout(Tensor input, const FeatureAlphaDropoutFuncOptions &options) {
  return drop(runtime::feature_alpha_dropout, std::move(input), options);
}

} // namespace functional

#define GRADTIDY_DROPOUT(Name)                                                                     \
  void Name##Impl::pretty_print(std::ostream &stream) const {                                      \
    stream << "torch::nn::" #Name "(p=" << options.p()                                             \
           << ", inplace=" << (options.inplace() ? "true" : "false") << ")";                       \
  }
GRADTIDY_DROPOUT(Dropout)
GRADTIDY_DROPOUT(Dropout2d)
GRADTIDY_DROPOUT(Dropout3d)
GRADTIDY_DROPOUT(AlphaDropout)
GRADTIDY_DROPOUT(FeatureAlphaDropout)
#undef GRADTIDY_DROPOUT

} // namespace gradtidy::runtime::nn
