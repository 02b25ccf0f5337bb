// Loss functions, reduced to their mean unless told otherwise.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

namespace Reduction {
enum Reduction { None, Mean, Sum, END };
}

/// What `reduction` makes of the losses of single elements.
Tensor reduceLoss(const Tensor &losses, int64_t reduction);

Tensor mse_loss(const Tensor &input, const Tensor &target, int64_t reduction = Reduction::Mean);
Tensor l1_loss(const Tensor &input, const Tensor &target, int64_t reduction = Reduction::Mean);
Tensor smooth_l1_loss(const Tensor &input, const Tensor &target,
                      int64_t reduction = Reduction::Mean, double beta = 1);
Tensor huber_loss(const Tensor &input, const Tensor &target, int64_t reduction = Reduction::Mean,
                  double delta = 1);
Tensor kl_div(const Tensor &input, const Tensor &target, int64_t reduction = Reduction::Mean,
              bool logTarget = false);
/// `input` is the expectation of the counts `target`, or its logarithm. `full` adds Stirling's
/// approximation of log(target!).
Tensor poisson_nll_loss(const Tensor &input, const Tensor &target, bool logInput = true,
                        bool full = false, double eps = 1e-8, int64_t reduction = Reduction::Mean);
/// `input` are probabilities; their logarithms are bounded below by -100.
Tensor binary_cross_entropy(const Tensor &input, const Tensor &target, const Tensor &weight = {},
                            int64_t reduction = Reduction::Mean);
Tensor binary_cross_entropy_with_logits(const Tensor &input, const Tensor &target,
                                        const Tensor &weight = {}, const Tensor &posWeight = {},
                                        int64_t reduction = Reduction::Mean);
/// `input` are log-probabilities (N, C, ...), `target` classes (N, ...) as int64 or uint8.
Tensor nll_loss(const Tensor &input, const Tensor &target, const Tensor &weight = {},
                int64_t reduction = Reduction::Mean, int64_t ignoreIndex = -100);
/// The same of images (N, C, H, W).
inline Tensor nll_loss2d(const Tensor &input, const Tensor &target, const Tensor &weight = {},
                         int64_t reduction = Reduction::Mean, int64_t ignoreIndex = -100) {
  TORCH_CHECK(target.dim() == 3,
              "only batches of spatial targets supported (3D tensors) but got "
              "targets of dimension: ",
              target.dim());
  TORCH_CHECK(input.dim() == 4,
              "only batches of spatial inputs supported (4D tensors), but got "
              "input of dimension: ",
              input.dim());
  return nll_loss(input, target, weight, reduction, ignoreIndex);
}
/// `input` are logits; `target` classes, or probabilities in the shape of `input`.
Tensor cross_entropy_loss(const Tensor &input, const Tensor &target, const Tensor &weight = {},
                          int64_t reduction = Reduction::Mean, int64_t ignoreIndex = -100,
                          double labelSmoothing = 0);

} // namespace gradtidy::runtime
