#include "MarginLosses.h"
#include "../autograd/Casting.h"
#include "../core/RecordFunction.h"
#include "Arithmetic.h"
#include "Comparisons.h"
#include "Factories.h"
#include "Indexing.h"
#include "Pointwise.h"
#include "Reductions.h"
#include "Views.h"
#include "kernels/Elementwise.h"

#include <algorithm>

namespace gradtidy::runtime {
namespace {

/// Throws on the host at once; on a device the kernel fails when it runs.
struct CheckRange {
  int64_t first, classes;
  const char *message;
  GRADTIDY_HOST_DEVICE void operator()(int64_t label) const {
    GRADTIDY_FORMULA_CHECK(label >= first && label < classes, Error(message));
  }
};

/// `input` as (N, C).
Tensor rowsOf(const Tensor &input) {
  TORCH_CHECK((input.dim() == 1 || input.dim() == 2) && input.size(-1) != 0,
              "Expected non-empty vector or matrix with optional 0-dim batch size, but got: ",
              toText(input.sizes()));
  return input.dim() == 1 ? input.unsqueeze(0) : input;
}

void checkLabels(const Tensor &target, int64_t first, int64_t classes, const char *message) {
  TORCH_CHECK(target.scalar_type() == kLong, "expected scalar type Long but found ",
              target.scalar_type());
  visitElements<int64_t>(target.device(), CheckRange{first, classes, message}, target);
}

/// The losses of all rows, of one alone as a number.
Tensor reducedRows(const Tensor &losses, const Tensor &input, int64_t reduction) {
  return reduceLoss(input.dim() == 1 ? losses.squeeze(0) : losses, reduction);
}

} // namespace

Tensor pairwise_distance(const Tensor &x1, const Tensor &x2, double p, double eps, bool keepdim) {
  return norm(x1 - x2 + eps, p, -1, keepdim);
}

Tensor cosine_similarity(const Tensor &x1, const Tensor &x2, int64_t dim, double eps) {
  if (Casting cast = autocast::widen(x1, autocast::onCuda))
    return cosine_similarity(cast(x1), cast(x2), dim, eps);
  OperationScope scope("cosine_similarity");
  ScalarType type = resultType({&x1, &x2});
  TORCH_CHECK(isFloatingType(type),
              "expected common dtype to be floating point, yet common dtype is ", type);
  DimVector shape = broadcastShapes(x1.sizes(), x2.sizes());
  auto direction = [&](const Tensor &x) {
    Tensor wide = x.to(type).expand(shape), length = norm(wide, 2, dim, true).clone();
    NoGradGuard guard; // the gradient is that of the norm, although small ones are raised
    length.clamp_min_(eps);
    return std::pair(wide, length);
  };
  auto [a, lengthA] = direction(x1);
  auto [b, lengthB] = direction(x2);
  return ((a / lengthA) * (b / lengthB)).sum(dim);
}

Tensor hinge_embedding_loss(const Tensor &input, const Tensor &target, double margin,
                            int64_t reduction) {
  if (Casting cast = autocast::widen(input))
    return hinge_embedding_loss(cast(input), cast(target), margin, reduction);
  Tensor far = (margin - input).clamp_min(0).masked_fill(target.eq(1), 0);
  return reduceLoss(far + input.masked_fill(target.eq(-1), 0), reduction);
}

Tensor margin_ranking_loss(const Tensor &input1, const Tensor &input2, const Tensor &target,
                           double margin, int64_t reduction) {
  if (Casting cast = autocast::widen(input1))
    return margin_ranking_loss(cast(input1), cast(input2), cast(target), margin, reduction);
  return reduceLoss((-target * (input1 - input2) + margin).clamp_min(0), reduction);
}

Tensor cosine_embedding_loss(const Tensor &input1, const Tensor &input2, const Tensor &target,
                             double margin, int64_t reduction) {
  if (Casting cast = autocast::widen(input1))
    return cosine_embedding_loss(cast(input1), cast(input2), cast(target), margin, reduction);
  TORCH_CHECK(target.dim() <= 1, "0D or 1D target tensor expected, multi-target not supported");
  TORCH_CHECK(input1.dim() == target.dim() + 1, target.dim(), "D target tensor expects ",
              target.dim() + 1, "D input tensors, but found inputs with sizes ",
              toText(input1.sizes()), " and ", toText(input2.sizes()), ".");
  Tensor squares = ((input1 * input1).sum(-1) + 1e-12) * ((input2 * input2).sum(-1) + 1e-12);
  Tensor cosine = (input1 * input2).sum(-1) / squares.sqrt();
  Tensor alike = (1 - cosine).masked_fill(target.ne(1), 0);
  return reduceLoss(alike + (cosine - margin).clamp_min(0).masked_fill(target.ne(-1), 0),
                    reduction);
}

Tensor triplet_margin_loss(const Tensor &anchor, const Tensor &positive, const Tensor &negative,
                           double margin, double p, double eps, bool swap, int64_t reduction) {
  if (Casting cast = autocast::widen(anchor))
    return triplet_margin_loss(cast(anchor), cast(positive), cast(negative), margin, p, eps, swap,
                               reduction);
  TORCH_CHECK(anchor.dim() == positive.dim() && positive.dim() == negative.dim(),
              "The anchor, positive, and negative tensors are expected to have the same number of "
              "dimensions, but got: anchor ",
              anchor.dim(), "D, positive ", positive.dim(), "D, and negative ", negative.dim(),
              "D inputs");
  Tensor near = pairwise_distance(anchor, positive, p, eps);
  Tensor far = pairwise_distance(anchor, negative, p, eps);
  if (swap)
    far = minimum(far, pairwise_distance(positive, negative, p, eps));
  return reduceLoss((margin + near - far).clamp_min(0), reduction);
}

Tensor multi_margin_loss(const Tensor &input, const Tensor &target, const Scalar &p,
                         const Scalar &margin, const Tensor &weight, int64_t reduction) {
  if (Casting cast = autocast::widen(input))
    return multi_margin_loss(cast(input), target, p, margin, cast(weight), reduction);
  double power = p.toDouble();
  TORCH_CHECK(power == 1 || power == 2, "only p == 1 and p == 2 supported");
  Tensor x = rowsOf(input);
  TORCH_CHECK(target.dim() <= 1 && target.numel() == x.size(0),
              "multi_margin_loss: target tensor should be 1-D with size equal to the number of "
              "input samples (batch size). Expected target size [",
              x.size(0), "], but got ", toText(target.sizes()), ". Input has shape ",
              toText(input.sizes()), ".");
  TORCH_CHECK(!weight.defined() || (weight.dim() <= 1 && weight.numel() == x.size(1)),
              "inconsistent weight size, expected ", x.size(1), " but got ",
              toText(weight.sizes()));
  checkLabels(target, 0, x.size(1), "target out of range");
  Tensor labels = target.reshape({-1, 1});
  Tensor excess = (margin - gather(x, 1, labels) + x).clamp_min(0);
  if (power == 2)
    excess = excess * excess;
  if (weight.defined())
    excess = excess * weight.index({labels});
  return reducedRows(excess.scatter(1, labels, 0).mean(1), input, reduction);
}

Tensor multilabel_margin_loss(const Tensor &input, const Tensor &target, int64_t reduction) {
  if (Casting cast = autocast::widen(input))
    return multilabel_margin_loss(cast(input), target, reduction);
  Tensor x = rowsOf(input);
  TORCH_CHECK(target.sizes() == input.sizes(), "inconsistent target size: ", toText(target.sizes()),
              " for input of size: ", toText(input.sizes()));
  checkLabels(target, -1, x.size(1), "argument #2 'target' is out of range");
  Tensor labels = target.view(x.sizes());
  Tensor listed = labels.lt(0).to(kLong).cumsum(1).eq(0); // before the first -1
  labels = labels.masked_fill(listed.logical_not(), 0);
  Tensor right = zeros_like(labels).scatter_add_(1, labels, listed.to(kLong)).gt(0);
  // (N, right class, other class)
  Tensor excess = (1 - gather(x, 1, labels).unsqueeze(2) + x.unsqueeze(1)).clamp_min(0);
  Tensor counts = listed.unsqueeze(2).logical_and(right.logical_not().unsqueeze(1));
  Tensor sum = excess.masked_fill(counts.logical_not(), 0).sum({1, 2});
  return reducedRows(sum / x.size(1), input, reduction);
}

Tensor soft_margin_loss(const Tensor &input, const Tensor &target, int64_t reduction) {
  if (Casting cast = autocast::widen(input))
    return soft_margin_loss(cast(input), cast(target), reduction);
  return reduceLoss((-input * target).exp().log1p(), reduction);
}

} // namespace gradtidy::runtime
