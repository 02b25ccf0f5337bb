// Losses that ask for a margin between right and wrong, and the distances they measure.
#pragma once

#include "Losses.h"

namespace gradtidy::runtime {

/// The p-norm of x1 - x2 + eps over the last dimension.
Tensor pairwise_distance(const Tensor &x1, const Tensor &x2, double p = 2, double eps = 1e-6,
                         bool keepdim = false);
/// The cosine of the angle between x1 and x2 along `dim`; norms count as at least `eps`.
Tensor cosine_similarity(const Tensor &x1, const Tensor &x2, int64_t dim = 1, double eps = 1e-8);

/// `target` is 1 where the distance `input` should be small, -1 where it should be large.
Tensor hinge_embedding_loss(const Tensor &input, const Tensor &target, double margin = 1,
                            int64_t reduction = Reduction::Mean);
/// `target` is 1 where input1 should be larger, else -1.
Tensor margin_ranking_loss(const Tensor &input1, const Tensor &input2, const Tensor &target,
                           double margin = 0, int64_t reduction = Reduction::Mean);
/// Inputs (N, D) with a target (N), or (D) with a number: 1 for alike, -1 for not.
Tensor cosine_embedding_loss(const Tensor &input1, const Tensor &input2, const Tensor &target,
                             double margin = 0, int64_t reduction = Reduction::Mean);
/// `swap` measures from `positive` to `negative`, too, and takes the smaller distance. (V. Balntas
/// et al., Learning shallow convolutional feature descriptors with triplet losses, 2016)
Tensor triplet_margin_loss(const Tensor &anchor, const Tensor &positive, const Tensor &negative,
                           double margin = 1, double p = 2, double eps = 1e-6, bool swap = false,
                           int64_t reduction = Reduction::Mean);
/// `input` (N, C) or (C), `target` classes (N) or one; p is 1 or 2.
Tensor multi_margin_loss(const Tensor &input, const Tensor &target, const Scalar &p = 1,
                         const Scalar &margin = 1, const Tensor &weight = {},
                         int64_t reduction = Reduction::Mean);
/// `target` has the shape of `input`, (N, C) or (C): in each row the right classes, then a -1.
Tensor multilabel_margin_loss(const Tensor &input, const Tensor &target,
                              int64_t reduction = Reduction::Mean);
/// log(1 + exp(-target input)), target 1 or -1.
Tensor soft_margin_loss(const Tensor &input, const Tensor &target,
                        int64_t reduction = Reduction::Mean);

} // namespace gradtidy::runtime
