// Dropout in its variants: options, functional forms and modules.
//
// In training each element is 0 with probability p, and the others are scaled so that the mean
// stays; Dropout2d and Dropout3d zero whole channels (N, C, ...). AlphaDropout keeps mean and
// variance of SELU activations (Klambauer et al. 2017). Evaluation mode changes nothing.
#pragma once

#include "Module.h"

namespace gradtidy::runtime::nn {

struct DropoutOptions {
  DropoutOptions(double p = 0.5) : p_(p) {
    TORCH_CHECK(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
  }
  TORCH_ARG(double, p);
  TORCH_ARG(bool, inplace) = false;
};
using Dropout2dOptions = DropoutOptions;
using Dropout3dOptions = DropoutOptions;
using AlphaDropoutOptions = DropoutOptions;
using FeatureAlphaDropoutOptions = DropoutOptions;

namespace functional {

/// `training` is true unless set: eval() of the calling module does not reach it.
struct DropoutFuncOptions {
  TORCH_ARG(double, p) = 0.5;
  TORCH_ARG(bool, training) = true;
  TORCH_ARG(bool, inplace) = false;
};
using Dropout2dFuncOptions = DropoutFuncOptions;
using Dropout3dFuncOptions = DropoutFuncOptions;

/// Here `training` is false unless set.
struct AlphaDropoutFuncOptions {
  TORCH_ARG(double, p) = 0.5;
  TORCH_ARG(bool, training) = false;
  TORCH_ARG(bool, inplace) = false;
};
using FeatureAlphaDropoutFuncOptions = AlphaDropoutFuncOptions;

Tensor dropout(Tensor input, const DropoutFuncOptions &options = {});
Tensor dropout2d(Tensor input, const Dropout2dFuncOptions &options = {});
Tensor dropout3d(Tensor input, const Dropout3dFuncOptions &options = {});
Tensor alpha_dropout(Tensor input, const AlphaDropoutFuncOptions &options = {});
Tensor feature_alpha_dropout(Tensor input, const FeatureAlphaDropoutFuncOptions &options = {});

} // namespace functional

#define GRADTIDY_DROPOUT(Name, function, FuncOptions)                                              \
  class Name##Impl : public Stateless<Name##Impl, DropoutOptions> {                                \
  public:                                                                                          \
    using Stateless::Stateless;                                                                    \
    void pretty_print(std::ostream &stream) const override;                                        \
    Tensor forward(Tensor input) {                                                                 \
      return functional::function(std::move(input), functional::FuncOptions()                      \
                                                        .p(options.p())                            \
                                                        .training(is_training())                   \
                                                        .inplace(options.inplace()));              \
    }                                                                                              \
  };                                                                                               \
  TORCH_MODULE(Name);
GRADTIDY_DROPOUT(Dropout, dropout, DropoutFuncOptions)
GRADTIDY_DROPOUT(Dropout2d, dropout2d, DropoutFuncOptions)
GRADTIDY_DROPOUT(Dropout3d, dropout3d, DropoutFuncOptions)
GRADTIDY_DROPOUT(AlphaDropout, alpha_dropout, AlphaDropoutFuncOptions)
GRADTIDY_DROPOUT(FeatureAlphaDropout, feature_alpha_dropout, AlphaDropoutFuncOptions)
#undef GRADTIDY_DROPOUT

} // namespace gradtidy::runtime::nn
