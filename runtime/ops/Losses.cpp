#include "Losses.h"
#include "../autograd/Casting.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Comparisons.h"
#include "Copies.h"
#include "Factories.h"
#include "Indexing.h"
#include "Pointwise.h"
#include "Reductions.h"
#include "Softmax.h"
#include "Views.h"
#include "kernels/Reduce.h"

#include <array>
#include <numbers>

namespace gradtidy::runtime {
namespace {

// These throw on the host at once; on a device their kernel fails when it runs.

struct CheckProbability {
  template <class T> GRADTIDY_HOST_DEVICE void operator()(T p) const {
    GRADTIDY_FORMULA_CHECK(p >= 0 && p <= 1,
                           Error("all elements of input should be between 0 and 1"));
  }
};

struct CheckClass {
  int64_t classes, ignored;
  GRADTIDY_HOST_DEVICE void operator()(int64_t label) const {
    GRADTIDY_FORMULA_CHECK(label == ignored || (label >= 0 && label < classes),
                           IndexError(concat("Target ", label, " is out of bounds.")));
  }
};

/// What the elements of a class weigh; all the same where there are no weights.
template <class T> struct ClassWeights {
  const T *weights; ///< may be null
  int64_t ignored;
  GRADTIDY_HOST_DEVICE MathType<T> operator()(int64_t label) const {
    return label == ignored ? MathType<T>(0) : weights ? MathType<T>(weights[label]) : 1;
  }
};

/// The loss of each label, and the sum of all or their mean, which keeps what they weigh together.
template <class T> struct NllLoss {
  struct Acc {
    Accumulator<T> losses = 0, weights = 0;
  };
  CheckClass check;
  ClassWeights<T> weightOf;
  const T *input;
  std::array<int64_t, 3> strides; ///< of samples, classes and places
  int64_t places;                 ///< of a sample
  const int64_t *labels;
  Accumulator<T> *total; ///< null unless the mean is wanted

  GRADTIDY_HOST_DEVICE MathType<T> loss(int64_t label, int64_t i) const {
    check(label);
    if (label == check.ignored)
      return 0;
    const int64_t sample = i / places, place = i - sample * places;
    return -weightOf(label) *
           MathType<T>(input[sample * strides[0] + label * strides[1] + place * strides[2]]);
  }
  GRADTIDY_HOST_DEVICE MathType<T> operator()(int64_t i) const { return loss(labels[i], i); }

  GRADTIDY_HOST_DEVICE Acc start() const { return {}; }
  GRADTIDY_HOST_DEVICE void add(Acc &acc, int64_t label, int64_t i) const {
    acc.losses += loss(label, i);
    acc.weights += weightOf(label);
  }
  GRADTIDY_HOST_DEVICE void join(Acc &acc, const Acc &other) const {
    acc.losses += other.losses;
    acc.weights += other.weights;
  }
  GRADTIDY_HOST_DEVICE T result(const Acc &acc) const {
    if (!total)
      return static_cast<T>(acc.losses);
    *total = acc.weights;
    return static_cast<T>(acc.losses / acc.weights);
  }
};

/// The gradient by each element of a contiguous input.
template <class T> struct NllGradient {
  ClassWeights<T> weightOf;
  const int64_t *labels;
  const T *gradient;
  bool each; ///< gradients for each label, not one for all
  const Accumulator<T> *total;
  int64_t classes, places;

  GRADTIDY_HOST_DEVICE MathType<T> operator()(int64_t i) const {
    const int64_t row = i / places, sample = row / classes, label = row - sample * classes,
                  at = sample * places + i - row * places;
    if (labels[at] != label || label == weightOf.ignored)
      return 0;
    const MathType<T> g = gradient[each ? at : 0];
    return -weightOf(label) * (total ? g / static_cast<MathType<T>>(*total) : g);
  }
};

/// Extents of an input of nll_loss.
struct Samples {
  explicit Samples(IntArrayRef sizes)
      : count(sizes.size() == 1 ? 1 : sizes[0]), classes(sizes[sizes.size() == 1 ? 0 : 1]),
        places(sizes.size() == 1 ? 1 : elementCount(sizes.slice(2))) {}
  int64_t count, classes, places;
};

template <class T> T *dataOrNull(const Tensor &x) {
  return x.defined() ? kernelData<T>(x) : nullptr;
}

/// What the gradient of nll_loss depends on: the labels as int64, weights that may be undefined,
/// and what all labels weigh where the loss is a mean.
struct NllSaved {
  Tensor input, labels, weight, total;
};

/// The gradient by the input in one kernel, which has no gradient itself.
Tensor nllGradientByCuda(const Tensor &given, const NllSaved &saved, int64_t ignored) {
  const Tensor &input = saved.input;
  const Samples samples(input.sizes());
  const Tensor g = given.to(input.device(), input.scalar_type()).contiguous();
  Tensor out = makeEmpty(input.sizes(), input.scalar_type(), input.device());
  dispatchFloating(input.scalar_type(), "nll_loss_backward", [&]<class T>() {
    enumerate<T>(NllGradient<T>{{dataOrNull<T>(saved.weight), ignored},
                                kernelData<int64_t>(saved.labels),
                                kernelData<T>(g),
                                g.dim() > 0,
                                dataOrNull<Accumulator<T>>(saved.total),
                                samples.classes,
                                samples.places},
                 out);
  });
  return out;
}

/// The same in operations that have gradients.
Tensor nllGradient(const Tensor &g, const NllSaved &saved, int64_t ignoreIndex) {
  const Tensor &input = saved.input;
  const int64_t classDim = input.dim() == 1 ? 0 : 1;
  Tensor gradient = zeros(input.sizes(), g.options());
  if (gradient.numel() == 0) // of no classes, all labels are ignored
    return gradient;
  const Tensor ignored = saved.labels.eq(ignoreIndex),
               labels = saved.labels.masked_fill(ignored, 0);
  Tensor share = saved.total.defined() ? (g / saved.total).to(g.scalar_type()) : g;
  if (saved.weight.defined())
    share = share * saved.weight.index({labels});
  share = (-share).expand(labels.sizes()).masked_fill(ignored, 0);
  return gradient.scatter_add_(classDim, labels.unsqueeze(classDim), share.unsqueeze(classDim));
}

} // namespace

Tensor reduceLoss(const Tensor &losses, int64_t reduction) {
  switch (reduction) {
  case Reduction::Mean:
    return losses.mean();
  case Reduction::Sum:
    return losses.sum();
  default:
    return losses;
  }
}

Tensor mse_loss(const Tensor &input, const Tensor &target, int64_t reduction) {
  if (Casting cast = autocast::widen(input))
    return mse_loss(cast(input), cast(target), reduction);
  OperationScope scope("mse_loss");
  return reduceLoss((input - target).pow(2), reduction);
}

Tensor l1_loss(const Tensor &input, const Tensor &target, int64_t reduction) {
  if (Casting cast = autocast::widen(input))
    return l1_loss(cast(input), cast(target), reduction);
  OperationScope scope("l1_loss");
  return reduceLoss((input - target).abs(), reduction);
}

Tensor smooth_l1_loss(const Tensor &input, const Tensor &target, int64_t reduction, double beta) {
  if (Casting cast = autocast::widen(input))
    return smooth_l1_loss(cast(input), cast(target), reduction, beta);
  OperationScope scope("smooth_l1_loss");
  TORCH_CHECK(beta >= 0, "smooth_l1_loss does not support negative values for beta.");
  if (beta == 0)
    return l1_loss(input, target, reduction);
  Tensor distance = (input - target).abs();
  return reduceLoss(
      where(distance.detach().lt(beta), distance * distance * (0.5 / beta), distance - 0.5 * beta),
      reduction);
}

Tensor huber_loss(const Tensor &input, const Tensor &target, int64_t reduction, double delta) {
  if (Casting cast = autocast::widen(input))
    return huber_loss(cast(input), cast(target), reduction, delta);
  OperationScope scope("huber_loss");
  TORCH_CHECK(delta > 0, "huber_loss does not support non-positive values for delta.");
  Tensor distance = (input - target).abs(), square = 0.5 * distance * distance;
  if (std::isinf(delta)) // the other branch would make its gradient NaN
    return reduceLoss(square, reduction);
  return reduceLoss(where(distance.detach().lt(delta), square, delta * (distance - 0.5 * delta)),
                    reduction);
}

Tensor kl_div(const Tensor &input, const Tensor &target, int64_t reduction, bool logTarget) {
  if (Casting cast = autocast::widen(input))
    return kl_div(cast(input), cast(target), reduction, logTarget);
  OperationScope scope("kl_div");
  if (logTarget)
    return reduceLoss(target.exp() * (target - input), reduction);
  Tensor entropy = where(target.eq(0), 0, target * target.log()); // NaN where target is negative
  return reduceLoss(entropy - target * input, reduction);
}

Tensor poisson_nll_loss(const Tensor &input, const Tensor &target, bool logInput, bool full,
                        double eps, int64_t reduction) {
  if (Casting cast = autocast::widen(input))
    return poisson_nll_loss(cast(input), cast(target), logInput, full, eps, reduction);
  OperationScope scope("poisson_nll_loss");
  Tensor loss = logInput ? input.exp() - target * input : input - target * (input + eps).log();
  if (full) {
    Tensor stirling = target * target.log() - target + 0.5 * (2 * std::numbers::pi * target).log();
    loss = loss + stirling.masked_fill(target.le(1), 0);
  }
  return reduceLoss(loss, reduction);
}

Tensor binary_cross_entropy(const Tensor &input, const Tensor &target, const Tensor &weight,
                            int64_t reduction) {
  TORCH_CHECK(
      !autocast::concerns(input, autocast::onCuda),
      "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
      "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
      "In this case, combine the two layers using "
      "torch.nn.functional.binary_cross_entropy_with_logits\n"
      "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
      "safe to autocast.");
  if (Casting cast = autocast::widen(input, autocast::onHost))
    return binary_cross_entropy(cast(input), cast(target), cast(weight), reduction);
  OperationScope scope("binary_cross_entropy");
  refuseGradient("binary_cross_entropy", "weight", weight);
  TORCH_CHECK(target.scalar_type() == input.scalar_type(), "Found dtype ", target.scalar_type(),
              " but expected ", input.scalar_type());
  dispatchFloating(input.scalar_type(), "binary_cross_entropy",
                   [&]<class T>() { visitElements<T>(input.device(), CheckProbability(), input); });
  Tensor loss;
  {
    NoGradGuard guard;
    loss =
        -(input.log().clamp_min_(-100) * target + (-input).log1p().clamp_min_(-100) * (1 - target));
  }
  loss = record(loss, "BinaryCrossEntropyBackward0", {input, target}, {input, target},
                [](const Tensor &g, const GradientContext &c) -> Gradients {
                  Tensor p = c.saved(0), t = c.saved(1), forTarget;
                  if (c.needs(1))
                    forTarget = g * ((1 - p).log() - p.log());
                  return {g * (p - t) / ((1 - p) * p).clamp_min(1e-12), forTarget};
                });
  if (weight.defined())
    loss.mul_(weight);
  return reduceLoss(loss, reduction);
}

Tensor binary_cross_entropy_with_logits(const Tensor &input, const Tensor &target,
                                        const Tensor &weight, const Tensor &posWeight,
                                        int64_t reduction) {
  if (Casting cast = autocast::widen(input))
    return binary_cross_entropy_with_logits(cast(input), cast(target), cast(weight),
                                            cast(posWeight), reduction);
  OperationScope scope("binary_cross_entropy_with_logits");
  refuseGradient("binary_cross_entropy_with_logits", "weight", weight);
  refuseGradient("binary_cross_entropy_with_logits", "pos_weight", posWeight);
  Tensor positive = log_sigmoid(input);
  if (posWeight.defined())
    positive.mul_((posWeight - 1) * target + 1);
  Tensor loss = (1 - target).mul_(input).sub_(positive); // -log sigmoid(-x) = x - log sigmoid(x)
  if (weight.defined())
    loss.mul_(weight);
  return reduceLoss(loss, reduction);
}

Tensor nll_loss(const Tensor &input, const Tensor &target, const Tensor &weight, int64_t reduction,
                int64_t ignoreIndex) {
  if (Casting cast = autocast::widen(input))
    return nll_loss(cast(input), target, cast(weight), reduction, ignoreIndex);
  OperationScope scope("nll_loss");
  TORCH_CHECK(input.dim() > 0, "Expected 1 or more dimensions (got 0)");
  TORCH_CHECK_VALUE(
      input.dim() > 1 || target.dim() != 1 || target.size(0) == 1,
      "For 1D input, 1D target must have size 1, but got target size: ", target.numel());
  int64_t batch = target.dim() == 0 ? 0 : target.size(0);
  TORCH_CHECK_VALUE(input.dim() == 1 || input.size(0) == batch, "Expected input batch_size (",
                    input.size(0), ") to match target batch_size (", batch, ").");
  refuseGradient(input.dim() > 2 ? "nll_loss2d_forward" : "nll_loss_forward", "weight", weight);
  TORCH_CHECK(input.dim() > 2 || target.dim() <= 1,
              "0D or 1D target tensor expected, multi-target not supported");
  if (input.dim() > 2) {
    DimVector expected = input.sizes().vec();
    expected.erase(expected.begin() + 1);
    TORCH_CHECK(target.sizes() == IntArrayRef(expected), "Expected target size ", toText(expected),
                ", got ", toText(target.sizes()));
  }
  TORCH_CHECK(target.scalar_type() == kLong || target.scalar_type() == kByte,
              "expected target dtype to be Long or Byte, but got ", target.scalar_type());
  int64_t classes = input.size(input.dim() == 1 ? 0 : 1);
  TORCH_CHECK(!weight.defined() || (weight.dim() == 1 && weight.numel() == classes),
              "weight tensor should be defined either for all ", classes,
              " classes or no classes but got weight tensor of shape: ", toText(weight.sizes()));
  commonDevice(input.dim() > 2 ? "_nll_loss2d_forward" : "nll_loss_forward",
               {{"self", &input}, {"target", &target}, {"weight", &weight}});
  TORCH_CHECK(!weight.defined() || weight.scalar_type() == input.scalar_type(),
              "expected scalar type ", input.scalar_type(), " but found ", weight.scalar_type());
  NllSaved saved{input,
                 (input.dim() == 1 ? target.reshape({}) : target).to(kLong).contiguous(),
                 weight.defined() ? weight.contiguous() : weight,
                 {}};
  const bool each = reduction != Reduction::Mean && reduction != Reduction::Sum;
  Tensor loss =
      makeEmpty(each ? saved.labels.sizes() : IntArrayRef(), input.scalar_type(), input.device());
  if (reduction == Reduction::Mean)
    saved.total = makeEmpty({}, kDouble, input.device());
  dispatchFloating(
      input.scalar_type(), input.dim() > 2 ? "nll_loss2d_forward_out_frame" : "nll_loss_out_frame",
      [&]<class T>() {
        const Samples samples(input.sizes());
        NoGradGuard guard;
        const Tensor rows = input.detach().reshape({samples.count, classes, samples.places});
        const NllLoss<T> op{{classes, ignoreIndex},
                            {dataOrNull<T>(saved.weight), ignoreIndex},
                            kernelData<T>(rows),
                            {rows.stride(0), rows.stride(1), rows.stride(2)},
                            samples.places,
                            kernelData<int64_t>(saved.labels),
                            dataOrNull<Accumulator<T>>(saved.total)};
        if (each)
          return enumerate<T>(op, loss);
        const Tensor all = saved.labels.view({-1});
        reduce<T, int64_t>(op, loss, all, reducedDims(all.sizes(), {}));
      });
  return record(loss, input.dim() > 2 ? "NllLoss2DBackward0" : "NllLossBackward0", {input},
                {saved.input, saved.labels, saved.weight, saved.total},
                [ignoreIndex](const Tensor &g, const GradientContext &c) -> Gradients {
                  const NllSaved saved{c.saved(0).detach(), c.saved(1), c.saved(2), c.saved(3)};
                  const bool byCuda = !GradMode::is_enabled() && cudaStreamOf(saved.input.device());
                  return {byCuda ? nllGradientByCuda(g, saved, ignoreIndex)
                                 : nllGradient(g, saved, ignoreIndex)};
                });
}

Tensor cross_entropy_loss(const Tensor &input, const Tensor &target, const Tensor &weight,
                          int64_t reduction, int64_t ignoreIndex, double labelSmoothing) {
  if (Casting cast = autocast::widen(input))
    return cross_entropy_loss(cast(input), cast(target), cast(weight), reduction, ignoreIndex,
                              labelSmoothing);
  OperationScope scope("cross_entropy_loss");
  TORCH_CHECK(labelSmoothing >= 0 && labelSmoothing <= 1,
              "label_smoothing must be between 0.0 and 1.0. Got: ", labelSmoothing);
  int64_t classDim = input.dim() == 1 ? 0 : 1;
  bool probabilities = input.sizes() == target.sizes();
  if (probabilities)
    TORCH_CHECK(isFloatingType(target.scalar_type()),
                "Expected floating point type for target with class probabilities, got ",
                target.scalar_type());
  Tensor logProbabilities = log_softmax(input, classDim), hard;
  int64_t classes = input.size(classDim);
  if (probabilities)
    TORCH_CHECK(!weight.defined() || (weight.dim() == 1 && weight.numel() == classes),
                "cross_entropy: weight tensor should be defined either for all ", classes,
                " classes or no classes but got weight tensor of shape: ", toText(weight.sizes()));
  else
    hard = nll_loss(logProbabilities, target, weight, reduction, ignoreIndex);
  if (!probabilities && labelSmoothing == 0)
    return hard;
  Tensor scaled = logProbabilities;
  if (weight.defined()) {
    DimVector shape(static_cast<std::size_t>(input.dim()), 1);
    shape[classDim] = classes;
    scaled = scaled * weight.view(shape);
  }
  if (probabilities) {
    Tensor t = labelSmoothing > 0
                   ? target * (1 - labelSmoothing) + labelSmoothing / static_cast<double>(classes)
                   : target;
    Tensor loss = -(scaled * t).sum(classDim);
    if (reduction == Reduction::Mean)
      return loss.sum() / (static_cast<double>(input.numel()) / static_cast<double>(classes));
    return reduceLoss(loss, reduction);
  }
  // The even part over all classes, beside that of the hard labels.
  Tensor labels = target.to(kLong), ignored = labels.eq(ignoreIndex);
  Tensor even = -scaled.sum(classDim).masked_fill(ignored, 0);
  if (reduction == Reduction::Mean) {
    Tensor counted = ignored.logical_not().to(input.scalar_type());
    if (weight.defined() && classes > 0)
      counted = counted * weight.index({labels.masked_fill(ignored, 0)});
    even = even.sum() / counted.sum();
  } else {
    even = reduceLoss(even, reduction);
  }
  return (1 - labelSmoothing) * hard + labelSmoothing / static_cast<double>(classes) * even;
}

} // namespace gradtidy::runtime
