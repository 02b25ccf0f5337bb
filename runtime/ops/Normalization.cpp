#include "Normalization.h"
#include "../autograd/Casting.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Factories.h"
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

/// Mean and variance by B. Welford's (1962) and T. Chan's (1983) formulas, which lose no digits
/// where the mean is large.
template <class T> struct Moments {
  struct Acc {
    T count = 0, mean = 0, squares = 0;
    GRADTIDY_HOST_DEVICE T variance() const { return squares / count; }
  };

  GRADTIDY_HOST_DEVICE Acc start() const { return {}; }
  GRADTIDY_HOST_DEVICE void add(Acc &acc, T x, int64_t = 0) const {
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
};

/// Rows of CUDA devices: mean 0 and variance 1, and what they were before.
template <class T> struct StandardisedRow : Moments<T> {
  using Acc = typename Moments<T>::Acc;
  T eps;
  T *mean, *variance, *inverse;

  StandardisedRow(double eps, const Tensor &mean, const Tensor &variance, const Tensor &inverse)
      : eps(static_cast<T>(eps)), mean(kernelData<T>(mean)), variance(kernelData<T>(variance)),
        inverse(kernelData<T>(inverse)) {}

  GRADTIDY_HOST_DEVICE void keep(const Acc &acc, int64_t row) const {
    mean[row] = acc.mean;
    variance[row] = acc.variance();
    inverse[row] = 1 / std::sqrt(acc.variance() + eps);
  }
  GRADTIDY_HOST_DEVICE T map(const Acc &acc, T x, int64_t) const {
    return (x - acc.mean) / std::sqrt(acc.variance() + eps);
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
      for (Tensor *x : {&statistics.mean, &statistics.variance, &inverse})
        *x = makeEmpty(kept, input.scalar_type(), input.device());
      result = makeEmpty(input.sizes(), input.scalar_type(), input.device());
      dispatchFloating(input.scalar_type(), "standardise", [&]<class T>() {
        if constexpr (std::is_same_v<T, MathType<T>>)
          mapRowsByCuda<T, T>(
              StandardisedRow<T>(eps, statistics.mean, statistics.variance, inverse), result,
              length, input);
      });
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

/// The sums of gradients, and of their products with what was scaled.
template <class T> struct ScaleAndShiftGradient {
  struct Acc {
    Accumulator<T> gradients = 0, products = 0;
  };
  T *byFactor, *bySummand;

  GRADTIDY_HOST_DEVICE Acc start() const { return {}; }
  GRADTIDY_HOST_DEVICE void add(Acc &acc, T g, T x, int64_t) const {
    acc.gradients += g;
    acc.products += Accumulator<T>(g) * x;
  }
  GRADTIDY_HOST_DEVICE void join(Acc &acc, const Acc &other) const {
    acc.gradients += other.gradients;
    acc.products += other.products;
  }
  GRADTIDY_HOST_DEVICE void keep(const Acc &acc, int64_t place) const {
    byFactor[place] = static_cast<T>(acc.products);
    bySummand[place] = static_cast<T>(acc.gradients);
  }
};

/// The dimensions along which `x` repeats the elements of `factor`.
ReducedDims repeatedDims(const Tensor &x, const Tensor &factor) {
  DimVector dims;
  for (int64_t d = 0, before = x.dim() - factor.dim(); d < x.dim(); ++d)
    if (d < before || factor.size(d - before) == 1)
      dims.push_back(d);
  return reducedDims(x.sizes(), dims);
}

/// The gradients by factor and summand of their shape, undefined where CUDA kernels do not make
/// them in one fold.
std::array<Tensor, 2> scaleAndShiftGradients(const Tensor &g, const Tensor &x,
                                             const Tensor &factor) {
  if (GradMode::is_enabled() || !cudaStreamOf(x.device()) || !x.is_contiguous() ||
      isReducedFloatingType(x.scalar_type()) || x.numel() == factor.numel())
    return {};
  const ReducedDims dims = repeatedDims(x, factor);
  std::array<Tensor, 2> made;
  for (Tensor &each : made)
    each = makeEmpty(dims.kept, x.scalar_type(), x.device());
  dispatchFloating(x.scalar_type(), "scale_and_shift_gradient", [&]<class T>() {
    if constexpr (std::is_same_v<T, MathType<T>>)
      foldByCuda<T, T>(ScaleAndShiftGradient<T>{kernelData<T>(made[0]), kernelData<T>(made[1])},
                       made[0], dims, g.contiguous(), x);
  });
  return {made[0].view(factor.sizes()), made[1].view(factor.sizes())};
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
                    const Tensor x = c.saved(0), factor = c.saved(1);
                    auto [byFactor, bySummand] = c.needs(1) || c.needs(2)
                                                     ? scaleAndShiftGradients(g, x, factor)
                                                     : std::array<Tensor, 2>();
                    return {c.needs(0) ? g * factor : Tensor(),
                            c.needs(1) && !byFactor.defined() ? g * x : byFactor,
                            bySummand.defined() ? bySummand : g};
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

// Batch normalisation on CUDA devices: a fold over each channel and a loop over all elements, and
// the same for the gradient. Numbers of 16 bits are computed with as float, as statistics and
// parameters are.

/// What one number for each channel is needed for: y = (x - mean) factor + shift.
enum ChannelNumber : int64_t { Mean, Inverse, Factor, Shift, channelNumbers };

/// Ends the fold that makes the moments of a channel.
template <class T> struct ChannelMoments : Moments<T> {
  using Acc = typename Moments<T>::Acc;
  T eps, momentum;
  const T *weight, *bias;      ///< may be null
  T *runningMean, *runningVar; ///< may be null
  T *numbers;
  int64_t channels;

  GRADTIDY_HOST_DEVICE void keep(const Acc &acc, int64_t channel) const {
    const T inverse = 1 / std::sqrt(acc.variance() + eps);
    numbers[Mean * channels + channel] = acc.mean;
    numbers[Inverse * channels + channel] = inverse;
    numbers[Factor * channels + channel] = weight ? inverse * weight[channel] : inverse;
    numbers[Shift * channels + channel] = bias ? bias[channel] : T(0);
    if (runningMean)
      runningMean[channel] += momentum * (acc.mean - runningMean[channel]);
    if (runningVar)
      runningVar[channel] += momentum * (acc.squares / (acc.count - 1) - runningVar[channel]);
  }
};

/// Ends the fold that makes the gradients of a channel's parameters. That of x follows from them: g
/// factor + (x - mean) slope + offset.
template <class T> struct ChannelGradient : ScaleAndShiftGradient<T> {
  using Acc = typename ScaleAndShiftGradient<T>::Acc;
  const T *numbers;
  T *slope, *offset;
  int64_t channels;
  double count;

  GRADTIDY_HOST_DEVICE void keep(const Acc &acc, int64_t channel) const {
    const double mean = numbers[Mean * channels + channel],
                 inverse = numbers[Inverse * channels + channel],
                 factor = numbers[Factor * channels + channel];
    const double byWeight = (acc.products - mean * acc.gradients) * inverse;
    this->byFactor[channel] = static_cast<T>(byWeight);
    this->bySummand[channel] = static_cast<T>(acc.gradients);
    slope[channel] = static_cast<T>(-factor * inverse * byWeight / count);
    offset[channel] = static_cast<T>(-factor * acc.gradients / count);
  }
};

struct ScaleDistance {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T x, T mean, T factor, T shift) const {
    return (x - mean) * factor + shift;
  }
};
struct AddScaledDistance {
  template <class T>
  GRADTIDY_HOST_DEVICE T operator()(T g, T factor, T x, T mean, T slope, T offset) const {
    return g * factor + ScaleDistance()(x, mean, slope, offset);
  }
};

/// `x` in the order in memory of `like`.
Tensor laidOutLike(const Tensor &x, const Tensor &like) {
  return x.strides() == like.strides()
             ? x
             : makeEmptyStrided(like.sizes(), like.strides(), x.scalar_type(), x.device()).copy_(x);
}

template <class T> T *dataOrNull(const Tensor &x) {
  return x.defined() ? kernelData<T>(x) : nullptr;
}

/// With the statistics of the batch; parameters are of the type that T is computed with.
template <class T>
Tensor channelsNormalised(const Tensor &input, const Tensor &weight, const Tensor &bias,
                          const Tensor &runningMean, const Tensor &runningVar, double momentum,
                          double eps, const Tensor &numbers, const ReducedDims &dims) {
  using Math = MathType<T>;
  ChannelMoments<Math> moments;
  moments.eps = static_cast<Math>(eps);
  moments.momentum = static_cast<Math>(momentum);
  moments.weight = dataOrNull<Math>(weight);
  moments.bias = dataOrNull<Math>(bias);
  moments.runningMean = dataOrNull<Math>(runningMean);
  moments.runningVar = dataOrNull<Math>(runningVar);
  moments.numbers = kernelData<Math>(numbers);
  moments.channels = input.size(1);
  foldByCuda<T>(moments, numbers[Mean].view(dims.kept), dims, input);
  Tensor out =
      makeEmptyStrided(input.sizes(), input.strides(), input.scalar_type(), input.device());
  elementwise<T, T, Math, Math, Math>(ScaleDistance(), out, input, numbers[Mean].view(dims.kept),
                                      numbers[Factor].view(dims.kept),
                                      numbers[Shift].view(dims.kept));
  return out;
}

/// The gradients by input, weight and bias.
template <class T>
Gradients channelGradients(const Tensor &g, const Tensor &input, const Tensor &numbers,
                           const ReducedDims &dims) {
  using Math = MathType<T>;
  const int64_t channels = input.size(1);
  auto made = [&](std::initializer_list<int64_t> sizes) {
    return makeEmpty(sizes, numbers.scalar_type(), input.device());
  };
  auto perChannel = [&](const Tensor &number) { return number.view(dims.kept); };
  // Those of parameters have memory of their own, in which others may be added.
  Tensor byWeight = made({channels}), byBias = made({channels}), line = made({2, channels});
  ChannelGradient<Math> gradient;
  gradient.byFactor = kernelData<Math>(byWeight);
  gradient.bySummand = kernelData<Math>(byBias);
  gradient.slope = kernelData<Math>(line[0]);
  gradient.offset = kernelData<Math>(line[1]);
  gradient.numbers = kernelData<Math>(numbers);
  gradient.channels = channels;
  gradient.count = static_cast<double>(input.numel()) / static_cast<double>(channels);
  const Tensor packed = laidOutLike(g, input);
  foldByCuda<T, T>(gradient, perChannel(byWeight), dims, packed, input);
  Tensor out =
      makeEmptyStrided(input.sizes(), input.strides(), input.scalar_type(), input.device());
  elementwise<T, T, Math, T, Math, Math, Math>(
      AddScaledDistance(), out, packed, perChannel(numbers[Factor]), input,
      perChannel(numbers[Mean]), perChannel(line[0]), perChannel(line[1]));
  return {out, byWeight, byBias};
}

/// In training on a CUDA device.
Tensor batchNormByCuda(const Tensor &input, const Tensor &weight, const Tensor &bias,
                       const Tensor &runningMean, const Tensor &runningVar, double momentum,
                       double eps) {
  const ScalarType type = input.scalar_type() == kDouble ? kDouble : kFloat;
  DimVector folded;
  for (int64_t d = 0; d < input.dim(); ++d)
    if (d != 1)
      folded.push_back(d);
  Tensor numbers, result;
  {
    NoGradGuard guard;
    auto wide = [&](const Tensor &x) { return x.defined() ? x.to(type).contiguous() : x; };
    const Tensor mean = wide(runningMean), variance = wide(runningVar);
    numbers = makeEmpty({channelNumbers, input.size(1)}, type, input.device());
    dispatchFloating(input.scalar_type(), "batch_norm", [&]<class T>() {
      result = channelsNormalised<T>(input, wide(weight), wide(bias), mean, variance, momentum, eps,
                                     numbers, reducedDims(input.sizes(), folded));
    });
    for (const auto &[running, moved] : {std::pair{&runningMean, &mean}, {&runningVar, &variance}})
      if (running->defined()) // a write, also where it was moved in place
        running->copy_(*moved);
  }
  return record(
      result, "NativeBatchNormBackward0", {input, weight, bias}, {input, weight, numbers},
      [folded, eps](const Tensor &g, const GradientContext &c) -> Gradients {
        const Tensor input = c.saved(0), weight = c.saved(1);
        if (!GradMode::is_enabled()) {
          Gradients made;
          dispatchFloating(input.scalar_type(), "batch_norm_backward", [&]<class T>() {
            made = channelGradients<T>(g, input, c.saved(2), reducedDims(input.sizes(), folded));
          });
          return made;
        }
        const Tensor x = isReducedFloatingType(input.scalar_type()) ? input.to(kFloat) : input;
        const Tensor centred = x - x.mean(folded, true),
                     inverse = deviationInverse(centred, folded, eps), y = centred * inverse;
        const Tensor byY = weight.defined() ? g * weight.view(channelShape(input)) : g;
        return {standardisedGradient(byY, y, inverse, folded), (g * y).sum(folded), g.sum(folded)};
      });
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

// Layer normalisation. Graphs keep what was normalised, and the mean and the inverse deviation of
// each row; backward makes normalised numbers anew. Those of 16 bits are computed with as float, as
// statistics and parameters are. A CUDA device folds each row once, where others take a fold for
// each number.

template <class T> struct MeanOfRow : Sum<T> {
  double length;
  explicit MeanOfRow(double length) : length(length) {}
  GRADTIDY_HOST_DEVICE MathType<T> result(Accumulator<T> acc) const {
    return static_cast<MathType<T>>(acc / length);
  }
};

/// Of distances from the mean.
template <class T> struct InverseDeviation : SumOfSquares<T> {
  double length, eps;
  InverseDeviation(double length, double eps) : length(length), eps(eps) {}
  GRADTIDY_HOST_DEVICE T result(typename SumOfSquares<T>::Acc acc) const {
    return static_cast<T>(1 / std::sqrt(acc / length + eps));
  }
};

struct Difference {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T x, T y) const { return x - y; }
};
struct Product {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T x, T y) const { return x * y; }
};
struct NormaliseAndScale {
  template <class T>
  GRADTIDY_HOST_DEVICE T operator()(T x, T mean, T inverse, T weight, T bias) const {
    return (x - mean) * inverse * weight + bias;
  }
};
struct TimesNormalised {
  template <class T> GRADTIDY_HOST_DEVICE T operator()(T g, T x, T mean, T inverse) const {
    return g * ((x - mean) * inverse);
  }
};
/// From the means of g weight and of its product with normalised numbers.
struct NormalisedGradient {
  template <class T>
  GRADTIDY_HOST_DEVICE T operator()(T g, T weight, T x, T mean, T inverse, T meanGradient,
                                    T meanProduct) const {
    return StandardisedGradient()(g * weight, (x - mean) * inverse, meanGradient, meanProduct,
                                  inverse);
  }
};

/// The fold of CUDA devices for each row.
template <class T> struct RowMoments : Moments<T> {
  using Acc = typename Moments<T>::Acc;
  T eps;
  T *mean, *inverse;
  RowMoments(double eps, T *mean, T *inverse)
      : eps(static_cast<T>(eps)), mean(mean), inverse(inverse) {}
  GRADTIDY_HOST_DEVICE void keep(const Acc &acc, int64_t row) const {
    mean[row] = acc.mean;
    inverse[row] = 1 / std::sqrt(acc.variance() + eps);
  }
};

/// That for the gradient of each row, where parameters are of type P.
template <class T, class P> struct RowGradientMeans {
  struct Acc {
    Accumulator<T> gradients = 0, products = 0;
  };
  const P *weight; ///< may be null
  const T *mean, *inverse;
  T *meanGradient, *meanProduct;
  double length;

  GRADTIDY_HOST_DEVICE Acc start() const { return {}; }
  GRADTIDY_HOST_DEVICE void add(Acc &acc, T g, T x, int64_t column) const {
    const Accumulator<T> scaled = weight ? Accumulator<T>(g) * T(weight[column]) : g;
    acc.gradients += scaled;
    acc.products += scaled * x;
  }
  GRADTIDY_HOST_DEVICE void join(Acc &acc, const Acc &other) const {
    acc.gradients += other.gradients;
    acc.products += other.products;
  }
  GRADTIDY_HOST_DEVICE void keep(const Acc &acc, int64_t row) const {
    meanGradient[row] = static_cast<T>(acc.gradients / length);
    meanProduct[row] =
        static_cast<T>((acc.products - mean[row] * acc.gradients) * inverse[row] / length);
  }
};

/// That for the gradients of the parameters.
template <class T, class P> struct ColumnGradient {
  struct Acc {
    Accumulator<T> gradients = 0, products = 0;
  };
  const T *mean, *inverse;
  P *byWeight, *byBias;

  GRADTIDY_HOST_DEVICE Acc start() const { return {}; }
  GRADTIDY_HOST_DEVICE void add(Acc &acc, T g, T x, int64_t row) const {
    acc.gradients += g;
    acc.products += Accumulator<T>(g) * ((x - mean[row]) * inverse[row]);
  }
  GRADTIDY_HOST_DEVICE void join(Acc &acc, const Acc &other) const {
    acc.gradients += other.gradients;
    acc.products += other.products;
  }
  GRADTIDY_HOST_DEVICE void keep(const Acc &acc, int64_t column) const {
    byWeight[column] = static_cast<P>(T(acc.products));
    byBias[column] = static_cast<P>(T(acc.gradients));
  }
};

/// The rows of a contiguous tensor: its last dimensions.
struct NormalisedRows {
  DimVector shape;     ///< of a row
  ReducedDims along;   ///< folds each row
  ReducedDims columns; ///< folds all rows into one
  double length;

  NormalisedRows(IntArrayRef sizes, IntArrayRef shape)
      : shape(shape.vec()), length(static_cast<double>(elementCount(shape))) {
    const std::size_t lead = sizes.size() - shape.size();
    DimVector dims;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (d >= lead)
        dims.push_back(static_cast<int64_t>(d));
      columns.folded.push_back(d < lead);
      columns.kept.push_back(d < lead ? 1 : sizes[d]);
    }
    along = reducedDims(sizes, dims);
  }
};

/// The parameters of a layer, undefined where there is none. They are of the type of its input or,
/// where that has 16 bits, may be of float.
struct RowParameters {
  Tensor weight, bias;
  ScalarType type;

  static ScalarType typeOf(const Tensor &weight, const Tensor &bias, ScalarType input) {
    for (const Tensor *x : {&weight, &bias})
      if (x->defined() && x->scalar_type() != input)
        return kFloat;
    return input;
  }
  /// What kernels read: a number of the host where there is no parameter.
  Tensor factor() const { return operand(weight, 1); }
  Tensor summand() const { return operand(bias, 0); }
  /// use<T, P>() with the types of input and parameters.
  template <class Use> void dispatch(ScalarType input, const char *name, const Use &use) const {
    dispatchFloating(input, name, [&]<class T>() {
      if (type == input)
        use.template operator()<T, T>();
      else
        use.template operator()<T, MathType<T>>();
    });
  }

private:
  Tensor operand(const Tensor &parameter, double usual) const {
    return parameter.defined() ? parameter.to(type).contiguous()
                               : full({}, usual, TensorOptions(kCPU).dtype(type));
  }
};

/// Writes `mean` and `inverse`.
template <class T, class P>
Tensor rowsNormalised(const Tensor &input, const RowParameters &parameters, double eps,
                      const NormalisedRows &rows, const Tensor &mean, const Tensor &inverse) {
  using Math = MathType<T>;
  Tensor out = makeEmpty(input.sizes(), input.scalar_type(), input.device());
  if (!foldByCuda<T>(RowMoments<Math>(eps, kernelData<Math>(mean), kernelData<Math>(inverse)), mean,
                     rows.along, input)) {
    reduce<Math, T>(MeanOfRow<T>(rows.length), mean, input, rows.along);
    const Tensor distances = std::is_same_v<T, Math>
                                 ? out
                                 : makeEmpty(input.sizes(), mean.scalar_type(), input.device());
    elementwise<Math, T, Math>(Difference(), distances, input, mean);
    reduce<Math, Math>(InverseDeviation<Math>(rows.length, eps), inverse, distances, rows.along);
  }
  elementwise<T, T, Math, Math, P, P>(NormaliseAndScale(), out, input, mean, inverse,
                                      parameters.factor(), parameters.summand());
  return out;
}

/// The gradients that `c` needs, by what layer_norm saves.
template <class T, class P>
Gradients rowGradients(const Tensor &gradient, const GradientContext &c,
                       const RowParameters &parameters, const NormalisedRows &rows) {
  using Math = MathType<T>;
  const Tensor g = gradient.contiguous(), input = c.saved(0), mean = c.saved(2),
               inverse = c.saved(3), weight = parameters.factor();
  auto likeMean = [&](IntArrayRef sizes) {
    return makeEmpty(sizes, mean.scalar_type(), input.device());
  };
  const Tensor meanGradient = likeMean(mean.sizes()), meanProduct = likeMean(mean.sizes());
  Tensor byWeight, byBias, kept, scratch;
  if (c.needs(1) || c.needs(2)) {
    byWeight = makeEmpty(rows.shape, parameters.type, input.device());
    kept = byWeight.view(rows.columns.kept);
  }
  if (cudaStreamOf(input.device())) {
    if (kept.defined()) {
      byBias = makeEmpty(rows.shape, parameters.type, input.device());
      foldByCuda<T, T>(ColumnGradient<Math, P>{kernelData<Math>(mean), kernelData<Math>(inverse),
                                               kernelData<P>(byWeight), kernelData<P>(byBias)},
                       kept, rows.columns, g, input);
    }
    if (c.needs(0))
      foldByCuda<T, T>(
          RowGradientMeans<Math, P>{weight.dim() == 0 ? nullptr : kernelData<P>(weight),
                                    kernelData<Math>(mean), kernelData<Math>(inverse),
                                    kernelData<Math>(meanGradient), kernelData<Math>(meanProduct),
                                    rows.length},
          mean, rows.along, g, input);
  } else {
    byBias = g; // autograd sums it
    scratch = likeMean(input.sizes());
    elementwise<Math, T, T, Math, Math>(TimesNormalised(), scratch, g, input, mean, inverse);
    if (kept.defined())
      reduce<P, Math>(Sum<Math>(), kept, scratch, rows.columns);
    if (c.needs(0)) {
      elementwise<Math, Math, P>(Product(), scratch, scratch, weight);
      reduce<Math, Math>(MeanOfRow<Math>(rows.length), meanProduct, scratch, rows.along);
      elementwise<Math, T, P>(Product(), scratch, g, weight);
      reduce<Math, Math>(MeanOfRow<Math>(rows.length), meanGradient, scratch, rows.along);
    }
  }
  if (!c.needs(0))
    return {{}, byWeight, byBias};
  const Tensor out = std::is_same_v<T, Math> && scratch.defined()
                         ? scratch
                         : makeEmpty(input.sizes(), input.scalar_type(), input.device());
  elementwise<T, T, P, T, Math, Math, Math, Math>(NormalisedGradient(), out, g, weight, input, mean,
                                                  inverse, meanGradient, meanProduct);
  return {out, byWeight, byBias};
}

/// Of a contiguous tensor.
Tensor normalisedRows(const Tensor &input, IntArrayRef shape, const Tensor &weight,
                      const Tensor &bias, double eps) {
  const ScalarType type = input.scalar_type(), wide = type == kDouble ? kDouble : kFloat,
                   ofParameters = RowParameters::typeOf(weight, bias, type);
  const NormalisedRows rows(input.sizes(), shape);
  const Tensor mean = makeEmpty(rows.along.kept, wide, input.device()),
               inverse = makeEmpty(rows.along.kept, wide, input.device());
  Tensor result;
  {
    NoGradGuard guard;
    const RowParameters parameters{weight, bias, ofParameters};
    parameters.dispatch(type, "layer_norm", [&]<class T, class P>() {
      result = rowsNormalised<T, P>(input, parameters, eps, rows, mean, inverse);
    });
  }
  return record(
      result, "NativeLayerNormBackward0", {input, weight, bias}, {input, weight, mean, inverse},
      [type, wide, ofParameters, shape = shape.vec(), eps](const Tensor &g,
                                                           const GradientContext &c) -> Gradients {
        const Tensor input = c.saved(0), weight = c.saved(1);
        if (!GradMode::is_enabled()) {
          const RowParameters parameters{weight, {}, ofParameters};
          const NormalisedRows rows(input.sizes(), shape);
          Gradients made;
          parameters.dispatch(type, "layer_norm_backward", [&]<class T, class P>() {
            made = rowGradients<T, P>(g, c, parameters, rows);
          });
          return made;
        }
        DimVector dims;
        for (auto d = input.dim() - static_cast<int64_t>(shape.size()); d < input.dim(); ++d)
          dims.push_back(d);
        const Tensor x = input.to(wide), gradient = g.to(wide), centred = x - x.mean(dims, true),
                     inverse = deviationInverse(centred, dims, eps), y = centred * inverse;
        const Tensor byY = weight.defined() ? gradient * weight : gradient;
        return {standardisedGradient(byY, y, inverse, dims), gradient * y, gradient};
      });
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
  if (training && cudaStreamOf(input.device()))
    return batchNormByCuda(input, weight, bias, runningMean, runningVar, momentum, eps);
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
  TORCH_CHECK_NOT_IMPLEMENTED(isFloatingType(input.scalar_type()),
                              "\"LayerNormKernelImpl\" not implemented for '", input.scalar_type(),
                              "'");
  if (input.numel() == 0)
    return scaled(input.clone(), weight, bias, shape);
  for (const Tensor *x : {&weight, &bias})
    if (x->defined() && x->scalar_type() != input.scalar_type() &&
        !isReducedFloatingType(input.scalar_type())) // types that do not go with each other
      return scaled(normalisedRows(input.contiguous(), shape, {}, {}, eps), weight, bias, shape);
  return normalisedRows(input.contiguous(), shape, weight, bias, eps);
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
