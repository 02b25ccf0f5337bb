#include "Normalization.h"
#include "../autograd/Casting.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Pointwise.h"
#include "Reductions.h"
#include "Views.h"
#include "kernels/Rows.h"

#include <cmath>
#include <utility>

namespace gradtidy::runtime {
namespace {

struct Statistics {
  Tensor mean, variance;
};

template <class T> struct SumOfSquares {
  using Acc = Accumulator<T>;
  GRADTIDY_HOST_DEVICE Acc start() const { return 0; }
  GRADTIDY_HOST_DEVICE void add(Acc &acc, T x, int64_t) const { acc += Acc(x) * Acc(x); }
  GRADTIDY_HOST_DEVICE void join(Acc &acc, Acc other) const { acc += other; }
  GRADTIDY_HOST_DEVICE T result(Acc acc) const { return static_cast<T>(acc); }
};

struct ScaleAndShift {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T x, T weight, T bias) const {
    return x * weight + bias;
  }
};

/// The gradient of standardised numbers y by what they were, from that by themselves, its mean, and
/// the mean of its product with y.
struct StandardisedGradient {
  template <class T>
  GRADTIDY_HOST_DEVICE T operator()(T g, T y, T mean, T meanProduct, T inverse) const {
    return inverse * (g - mean - y * meanProduct);
  }
};

/// Rows of CUDA devices: mean 0 and variance 1, and what they were before. By B. Welford's (1962)
/// and T. Chan's (1983) formulas, which lose no digits where the mean is large.
template <class T> struct StandardisedRow {
  struct Acc {
    T count = 0, mean = 0, squares = 0;
  };
  T eps;
  T *mean, *variance;

  GRADTIDY_HOST_DEVICE Acc start() const { return {}; }
  GRADTIDY_HOST_DEVICE void add(Acc &acc, T x) const {
    const T distance = x - acc.mean;
    acc.count += 1;
    acc.mean += distance / acc.count;
    acc.squares += distance * (x - acc.mean);
  }
  GRADTIDY_HOST_DEVICE void join(Acc &acc, const Acc &other) const {
    if (other.count == 0)
      return;
    const T count = acc.count + other.count, distance = other.mean - acc.mean,
            share = other.count / count;
    acc = {count, acc.mean + distance * share,
           acc.squares + other.squares + distance * distance * acc.count * share};
  }
  GRADTIDY_HOST_DEVICE void keep(const Acc &acc, int64_t row) const {
    mean[row] = acc.mean;
    variance[row] = acc.squares / acc.count;
  }
  GRADTIDY_HOST_DEVICE T map(const Acc &acc, T x, int64_t) const {
    return (x - acc.mean) / std::sqrt(acc.squares / acc.count + eps);
  }
};

/// The gradient of such rows by what they were, from that by themselves, and themselves.
template <class T> struct StandardisedGradientRow {
  struct Acc {
    Accumulator<T> gradients = 0, products = 0;
  };
  const T *inverse;
  T length;

  GRADTIDY_HOST_DEVICE Acc start() const { return {}; }
  GRADTIDY_HOST_DEVICE void add(Acc &acc, T g, T y) const {
    acc.gradients += g;
    acc.products += g * y;
  }
  GRADTIDY_HOST_DEVICE void join(Acc &acc, const Acc &other) const {
    acc.gradients += other.gradients;
    acc.products += other.products;
  }
  GRADTIDY_HOST_DEVICE T map(const Acc &acc, T g, T y, int64_t row) const {
    return StandardisedGradient()(g, y, static_cast<T>(acc.gradients) / length,
                                  static_cast<T>(acc.products) / length, inverse[row]);
  }
};

/// The length of rows where `dims` are the last ones of a contiguous tensor on a device that runs
/// CUDA kernels; 0 elsewhere.
int64_t rowsOfCuda(const Tensor &x, const DimVector &dims) {
  const bool last = dims.front() == x.dim() - static_cast<int64_t>(dims.size());
  if (!last || !x.is_contiguous() || isReducedFloatingType(x.scalar_type()) ||
      !cudaStreamOf(x.device()))
    return 0;
  return elementCount({x.sizes().end() - dims.size(), x.sizes().end()});
}

/// The mean of the squares along `dims`, which stay as ones.
Tensor meanSquare(const Tensor &x, const DimVector &dims) {
  ReducedDims folded = reducedDims(x.sizes(), dims);
  Tensor out = makeEmpty(folded.kept, x.scalar_type(), x.device());
  dispatchFloating(x.scalar_type(), "mean_square", [&]<class T>() {
    if constexpr (std::is_same_v<T, MathType<T>>) // those of 16 bits come as float
      reduce<T, T>(SumOfSquares<T>(), out, x, folded);
  });
  return out.div_(static_cast<double>(x.numel()) / static_cast<double>(out.numel()));
}

Tensor standardisedGradient(const Tensor &g, const Tensor &y, const Tensor &inverse,
                            const DimVector &dims) {
  const int64_t length = rowsOfCuda(y, dims);
  if (length != 0 && !GradMode::is_enabled() && g.scalar_type() == y.scalar_type()) {
    Tensor out = makeEmpty(y.sizes(), y.scalar_type(), y.device());
    dispatchFloating(y.scalar_type(), "standardised_gradient", [&]<class T>() {
      if constexpr (std::is_same_v<T, MathType<T>>)
        mapRowsByCuda<T, T, T>(
            StandardisedGradientRow<T>{kernelData<T>(inverse), static_cast<T>(length)}, out, length,
            g.contiguous(), y);
    });
    return out;
  }
  Tensor mean = g.mean(dims, true), meanProduct = (g * y).mean(dims, true);
  if (GradMode::is_enabled())
    return inverse * (g - mean - y * meanProduct);
  Tensor out = makeResult(y.sizes(), y.scalar_type(), {&y});
  dispatchFloating(y.scalar_type(), "standardised_gradient", [&]<class T>() {
    elementwise<T, T, T, T, T, T>(StandardisedGradient(), out, g, y, mean, meanProduct, inverse);
  });
  return out;
}

Tensor deviationInverse(const Tensor &centred, IntArrayRef dims, double eps) {
  return ((centred * centred).mean(dims, true) + eps).rsqrt();
}

/// Mean 0 and variance 1 over `dims`, and the statistics that were there before. `last` says that
/// the program gets this result itself: it may change it in place, so backward makes it anew.
Tensor standardise(const char *name, const Tensor &input, const DimVector &dims, double eps,
                   bool last, Statistics &statistics) {
  Tensor result, inverse;
  {
    NoGradGuard guard;
    if (const int64_t length = rowsOfCuda(input, dims)) {
      const DimVector kept = reducedDims(input.sizes(), dims).kept;
      statistics = {makeEmpty(kept, input.scalar_type(), input.device()),
                    makeEmpty(kept, input.scalar_type(), input.device())};
      result = makeEmpty(input.sizes(), input.scalar_type(), input.device());
      dispatchFloating(input.scalar_type(), "standardise", [&]<class T>() {
        if constexpr (std::is_same_v<T, MathType<T>>)
          mapRowsByCuda<T, T>(StandardisedRow<T>{static_cast<T>(eps),
                                                 kernelData<T>(statistics.mean),
                                                 kernelData<T>(statistics.variance)},
                              result, length, input);
      });
      inverse = (statistics.variance + eps).rsqrt();
    } else {
      statistics.mean = input.mean(dims, true);
      Tensor centred = input - statistics.mean;
      statistics.variance = meanSquare(centred, dims);
      inverse = (statistics.variance + eps).rsqrt();
      result = centred.mul_(inverse);
    }
  }
  return record(result, name, {input}, {input, last ? statistics.mean : result, inverse},
                [dims, eps, last](const Tensor &g, const GradientContext &c) -> Gradients {
                  Tensor input = c.saved(0), kept = c.saved(1), inverse = c.saved(2);
                  if (GradMode::is_enabled()) { // the saved statistics are constants
                    Tensor mean = input.mean(dims, true);
                    inverse = deviationInverse(input - mean, dims, eps);
                    kept = last ? mean : kept;
                  }
                  Tensor y = last ? (input - kept) * inverse : kept;
                  return {standardisedGradient(g, y, inverse, dims)};
                });
}

/// Whether scaled() has nothing to do.
bool isLast(const Tensor &weight, const Tensor &bias) {
  return !weight.defined() && !bias.defined();
}

/// `result` times `weight` plus `bias`, which are seen in `shape`.
Tensor scaled(Tensor result, const Tensor &weight, const Tensor &bias, IntArrayRef shape) {
  if (weight.defined() && bias.defined() && weight.scalar_type() == result.scalar_type() &&
      bias.scalar_type() == result.scalar_type() && isFloatingType(result.scalar_type())) {
    Tensor factor = weight.view(shape), summand = bias.view(shape);
    Tensor out = makeResult(result.sizes(), result.scalar_type(), {&result});
    dispatchFloating(out.scalar_type(), "scale_and_shift", [&]<class T>() {
      elementwise<T, T, T, T>(ScaleAndShift(), out, result, factor, summand);
    });
    return record(out, "ScaleAndShiftBackward0", {result, factor, summand}, {result, factor},
                  [](const Tensor &g, const GradientContext &c) -> Gradients {
                    return {c.needs(0) ? g * c.saved(1) : Tensor(),
                            c.needs(1) ? g * c.saved(0) : Tensor(), g};
                  });
  }
  if (weight.defined())
    result = result * weight.view(shape);
  return bias.defined() ? result + bias.view(shape) : result;
}

DimVector channelShape(const Tensor &input) {
  DimVector shape(static_cast<std::size_t>(input.dim()), 1);
  shape[1] = input.size(1);
  return shape;
}

void move(const Tensor &running, double momentum, const Tensor &value) {
  if (running.defined())
    running.mul_(1 - momentum).add_(value.reshape({-1}), momentum);
}

void checkChannels(const Tensor &value, const char *name, int64_t channels) {
  TORCH_CHECK(!value.defined() || value.numel() == channels, name, " should contain ", channels,
              " elements not ", value.numel());
}

/// With statistics that are constants: one factor and one summand for each channel.
Tensor byRunning(const Tensor &input, const Tensor &weight, const Tensor &bias, const Tensor &mean,
                 const Tensor &variance, double eps) {
  Tensor factor = (variance + eps).rsqrt();
  if (weight.defined())
    factor = factor * weight;
  Tensor summand = -mean * factor;
  if (bias.defined())
    summand = summand + bias;
  return scaled(input, factor, summand, channelShape(input));
}

/// Of numbers of 16 bits, by way of float32.
Tensor wideBatchNorm(const Tensor &input, const Tensor &weight, const Tensor &bias,
                     const Tensor &runningMean, const Tensor &runningVar, bool training,
                     double momentum, double eps) {
  auto wide = [](const Tensor &x) { return x.defined() ? x.to(kFloat) : x; };
  Tensor mean = wide(runningMean), variance = wide(runningVar);
  Tensor result = batch_norm(input.to(kFloat), wide(weight), wide(bias), mean, variance, training,
                             momentum, eps);
  {
    NoGradGuard guard;
    if (training && mean.defined())
      runningMean.copy_(mean);
    if (training && variance.defined())
      runningVar.copy_(variance);
  }
  return result.to(input.scalar_type());
}

} // namespace

Tensor batch_norm(const Tensor &given, const Tensor &weight, const Tensor &bias,
                  const Tensor &runningMean, const Tensor &runningVar, bool training,
                  double momentum, double eps, bool) {
  OperationScope scope("batch_norm");
  TORCH_CHECK(given.dim() >= 2, "expected at least 2D input (got ", given.dim(), "D input)");
  Tensor input = given.is_contiguous(MemoryFormat::ChannelsLast) ? given : given.contiguous();
  commonDevice("_native_batch_norm", {{"input", &input},
                                      {"weight", &weight},
                                      {"bias", &bias},
                                      {"running_mean", &runningMean},
                                      {"running_var", &runningVar}});
  int64_t channels = input.size(1), count = channels == 0 ? 0 : input.numel() / channels;
  checkChannels(runningMean, "running_mean", channels);
  checkChannels(runningVar, "running_var", channels);
  checkChannels(weight, "weight", channels);
  checkChannels(bias, "bias", channels);
  if (input.numel() == 0)
    return scaled(input.clone(), weight, bias, channelShape(input));
  refuseGradient("native_batch_norm", "running_mean", runningMean);
  refuseGradient("native_batch_norm", "running_var", runningVar);
  TORCH_CHECK(training || (runningMean.defined() && runningVar.defined()), "running_",
              runningMean.defined() ? "var" : "mean", " must be defined in evaluation mode");
  bool reduced = isReducedFloatingType(input.scalar_type()); // goes with parameters of float32, too
  for (const Tensor *x : {&weight, &bias, &runningMean, &runningVar})
    TORCH_CHECK(!x->defined() || x->scalar_type() == input.scalar_type() ||
                    (reduced && x->scalar_type() == kFloat),
                "expected scalar type ", input.scalar_type(), " but found ", x->scalar_type());
  if (reduced)
    return wideBatchNorm(input, weight, bias, runningMean, runningVar, training, momentum, eps);
  if (!training && runningMean.defined())
    return byRunning(input, weight, bias, runningMean, runningVar, eps);
  DimVector dims;
  for (int64_t d = 0; d < input.dim(); ++d)
    if (d != 1)
      dims.push_back(d);
  Statistics statistics;
  Tensor result =
      standardise("NativeBatchNormBackward0", input, dims, eps, isLast(weight, bias), statistics);
  if (training) {
    NoGradGuard guard;
    double unbiased = static_cast<double>(count) / static_cast<double>(count - 1);
    move(runningMean, momentum, statistics.mean);
    move(runningVar, momentum, statistics.variance * unbiased);
  }
  return scaled(result, weight, bias, channelShape(input));
}

Tensor instance_norm(const Tensor &input, const Tensor &weight, const Tensor &bias,
                     const Tensor &runningMean, const Tensor &runningVar, bool useInputStats,
                     double momentum, double eps, bool) {
  OperationScope scope("instance_norm");
  TORCH_CHECK(useInputStats || (runningMean.defined() && runningVar.defined()),
              "Expected running_mean and running_var to be defined when use_input_stats is false");
  if (isReducedFloatingType(input.scalar_type()))
    return instance_norm(input.to(kFloat), weight, bias, runningMean, runningVar, useInputStats,
                         momentum, eps)
        .to(input.scalar_type());
  if (!useInputStats)
    return byRunning(input, weight, bias, runningMean, runningVar, eps);
  TORCH_CHECK(input.dim() >= 2, "Expected at least 2 input dimensions, but got ", input.dim());
  int64_t channels = input.size(0) * input.size(1);
  int64_t count = channels == 0 ? 0 : input.numel() / channels;
  Statistics statistics;
  Tensor rows = input.contiguous().view({input.size(0), input.size(1), count});
  Tensor result =
      standardise("NativeBatchNormBackward0", rows, {2}, eps, isLast(weight, bias), statistics)
          .reshape(input.sizes());
  if (runningMean.defined()) {
    NoGradGuard guard;
    double unbiased = static_cast<double>(count) / static_cast<double>(count - 1);
    move(runningMean, momentum, statistics.mean.mean(0));
    move(runningVar, momentum, (statistics.variance * unbiased).mean(0));
  }
  return scaled(result, weight, bias, channelShape(input));
}

Tensor layer_norm(const Tensor &input, IntArrayRef shape, const Tensor &weight, const Tensor &bias,
                  double eps) {
  if (Casting cast = autocast::widen(input, autocast::onCuda))
    return layer_norm(cast(input), shape, cast(weight), cast(bias), eps);
  OperationScope scope("layer_norm");
  auto normalised = static_cast<int64_t>(shape.size());
  TORCH_CHECK(normalised > 0 && input.dim() >= normalised &&
                  input.sizes().slice(static_cast<std::size_t>(input.dim() - normalised)) == shape,
              "Given normalized_shape=", toText(shape), ", expected input with shape [*, ",
              toText(shape).substr(1), ", but got input of size", toText(input.sizes()));
  for (auto [x, name] : {std::pair{&weight, "weight"}, std::pair{&bias, "bias"}})
    TORCH_CHECK(!x->defined() || x->sizes() == shape, "Expected ", name,
                " to be of same shape as normalized_shape, but got ", name, " of shape ",
                toText(x->sizes()), " and normalized_shape = ", toText(shape));
  commonDevice("_native_layer_norm", {{"input", &input}, {"weight", &weight}, {"bias", &bias}});
  if (isReducedFloatingType(input.scalar_type()))
    return layer_norm(input.to(kFloat), shape, weight, bias, eps).to(input.scalar_type());
  TORCH_CHECK_NOT_IMPLEMENTED(isFloatingType(input.scalar_type()),
                              "\"LayerNormKernelImpl\" not implemented for '", input.scalar_type(),
                              "'");
  DimVector dims;
  for (int64_t d = input.dim() - normalised; d < input.dim(); ++d)
    dims.push_back(d);
  Statistics statistics;
  return scaled(standardise("NativeLayerNormBackward0", input.contiguous(), dims, eps,
                            isLast(weight, bias), statistics),
                weight, bias, shape);
}

Tensor group_norm(const Tensor &input, int64_t groups, const Tensor &weight, const Tensor &bias,
                  double eps) {
  if (Casting cast = autocast::widen(input, autocast::onCuda))
    return group_norm(cast(input), groups, cast(weight), cast(bias), eps);
  OperationScope scope("group_norm");
  TORCH_CHECK(input.dim() >= 2, "Expected at least 2 dimensions for input tensor but received ",
              input.dim());
  TORCH_CHECK(input.size(1) > 0, "Expected number of channels to be greater than 0, got ",
              input.size(1));
  TORCH_CHECK(groups > 0, "Expected num groups to be greater than 0, got ", groups);
  TORCH_CHECK(
      input.size(1) % groups == 0,
      "Expected number of channels in input to be divisible by num_groups, but got input of "
      "shape ",
      toText(input.sizes()), " and num_groups=", groups);
  if (isReducedFloatingType(input.scalar_type()))
    return group_norm(input.to(kFloat), groups, weight, bias, eps).to(input.scalar_type());
  Statistics statistics;
  int64_t length = input.numel() == 0 ? 0 : input.numel() / (input.size(0) * groups);
  Tensor grouped = input.contiguous().view({input.size(0), groups, length});
  Tensor result =
      standardise("NativeGroupNormBackward0", grouped, {2}, eps, isLast(weight, bias), statistics);
  return scaled(result.view(input.sizes()), weight, bias, channelShape(input));
}

} // namespace gradtidy::runtime
