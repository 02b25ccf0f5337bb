// The steps of SGD, Adam and AdamW for many parameters at once: one pass over their memory, and on
// a device one kernel for some dozens of them. Their arithmetic follows LibTorch's, operation by
// operation.
#pragma once

#include "../core/Tensor.h"

#include <vector>

namespace gradtidy::runtime::optim {

/// What SGD works on for one parameter; `momentum` is undefined without momentum.
struct SgdTensors {
  Tensor parameter, gradient, momentum;
  bool first = false; ///< the momentum becomes what it is otherwise moved towards
};

struct SgdFactors {
  double rate, momentum, dampening, decay;
  bool nesterov;
};

void fusedSgd(const std::vector<SgdTensors> &all, const SgdFactors &factors);

/// What Adam works on for one parameter; `largest` is undefined without amsgrad.
struct AdamTensors {
  Tensor parameter, gradient, average, square, largest;
  int64_t step; ///< counted from one
};

struct AdamFactors {
  double rate, beta1, beta2, eps, decay;
  bool decoupled; ///< whether the decay shrinks the parameter, as AdamW does, not the gradient
};

void fusedAdam(const std::vector<AdamTensors> &all, const AdamFactors &factors);

} // namespace gradtidy::runtime::optim
