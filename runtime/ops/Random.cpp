#include "Random.h"
#include "../autograd/Record.h"
#include "../core/CudaGraph.h"
#include "../core/DefaultDevice.h"
#include "../core/Philox.h"
#include "Arithmetic.h"
#include "Comparisons.h"
#include "Copies.h"
#include "Factories.h"
#include "Indexing.h"
#include "Pointwise.h"
#include "Reductions.h"
#include "Sorting.h"
#include "kernels/Elementwise.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

namespace gradtidy::runtime {
namespace {

/// fill(generator, data, count) for `count` elements, which are drawn as float where T is narrower.
template <class T, class Fill>
void drawAs(Generator &generator, T *data, int64_t count, const Fill &fill) {
  if constexpr (std::is_same_v<T, MathType<T>>) {
    fill(generator, data, count);
  } else {
    std::vector<MathType<T>> wide(static_cast<std::size_t>(count));
    fill(generator, wide.data(), count);
    std::copy(wide.begin(), wide.end(), data);
  }
}

/// Lets fill(generator, data, count) fill a contiguous tensor in the order of its indices. On the
/// host the default generator draws; a kernel on a device has one of its own, whose seed the
/// device's generator draws here.
template <class T, class Fill> void drawInto(const char *name, const Tensor &values, Fill fill) {
  Generator &generator = Generator::of(values.device());
  std::lock_guard lock(generator.mutex());
  T *data = kernelData<T>(values);
  int64_t count = values.numel();
  if (values.is_cpu())
    return drawAs(generator, data, count, fill);
  launch(name, values.device(), detail::workOf<T>(count), [=, seed = generator.random64()] {
    Generator own(seed);
    drawAs(own, data, count, fill);
  });
}

/// What draw(generator) gives for element i.
template <class Draw> struct DrawnAt {
  Draw draw;
  ReplayedSeed seed;
  GRADTIDY_HOST_DEVICE auto operator()(int64_t i) const {
    Philox generator = seed.sequence(i);
    return draw(generator);
  }
};

/// Fills a contiguous tensor where its device runs CUDA kernels, each element from a generator of
/// its own; says whether it does.
template <class T, class Draw> bool drawByCuda(const Tensor &values, const Draw &draw) {
  if (!cudaStreamOf(values.device()))
    return false;
  enumerate<T>(DrawnAt<Draw>{draw, drawSeed(values.device())}, values);
  return true;
}

/// Fills a contiguous tensor, each element with draw(generator).
template <class T, class Draw> void drawEach(const Tensor &values, const Draw &draw) {
  if (!drawByCuda<T>(values, draw))
    drawInto<T>("random_", values, [draw](Generator &generator, MathType<T> *data, int64_t count) {
      for (int64_t i = 0; i < count; ++i)
        data[i] = draw(generator);
    });
}

/// Gives `self` values that draw() writes into a tensor like it, in the order of its memory.
template <class Draw> Tensor &redraw(const Tensor &self, Draw draw) {
  return changeInPlace(self, {}, [&](const Tensor &before) {
    Tensor values = makeEmptyStrided(before.sizes(), keptStrides(before), before.scalar_type(),
                                     before.device());
    draw(values);
    return record(
        values, "RandomBackward0", {before}, {},
        [](const Tensor &g, const GradientContext &) -> Gradients { return {zeros_like(g)}; });
  });
}

template <class T, class Source> GRADTIDY_HOST_DEVICE T uniform(Source &generator) {
  if constexpr (std::is_same_v<T, double>)
    return generator.uniformDouble();
  else
    return generator.uniformFloat();
}

template <class T> struct Uniform {
  MathType<T> low, high;
  template <class Source> GRADTIDY_HOST_DEVICE MathType<T> operator()(Source &generator) const {
    T value = static_cast<T>(uniform<MathType<T>>(generator) * (high - low) + low);
    return MathType<T>(value) == high ? low : MathType<T>(value); // rounding may reach the open end
  }
};

template <class T> struct Normal {
  double mean, std;
  template <class Source> GRADTIDY_HOST_DEVICE MathType<T> operator()(Source &generator) const {
    return static_cast<MathType<T>>(generator.normal() * std + mean);
  }
};

template <class T> struct Exponential {
  double rate = 1;
  template <class Source> GRADTIDY_HOST_DEVICE MathType<T> operator()(Source &generator) const {
    return static_cast<MathType<T>>(-std::log1p(-generator.uniformDouble()) / rate);
  }
};

/// How many trials it takes until one succeeds.
template <class T> struct Geometric {
  double logOfFailure;
  template <class Source> GRADTIDY_HOST_DEVICE MathType<T> operator()(Source &generator) const {
    return static_cast<MathType<T>>(std::ceil(std::log(generator.uniformDouble()) / logOfFailure));
  }
};

template <class T> struct Cauchy {
  double median, sigma;
  template <class Source> GRADTIDY_HOST_DEVICE MathType<T> operator()(Source &generator) const {
    double angle = std::numbers::pi * (generator.uniformDouble() - 0.5);
    return static_cast<MathType<T>>(median + sigma * std::tan(angle));
  }
};

template <class T> struct LogNormal {
  double mean, std;
  template <class Source> GRADTIDY_HOST_DEVICE MathType<T> operator()(Source &generator) const {
    return static_cast<MathType<T>>(std::exp(generator.normal() * std + mean));
  }
};

template <class T> struct Bernoulli {
  double p;
  template <class Source> GRADTIDY_HOST_DEVICE MathType<T> operator()(Source &generator) const {
    return static_cast<MathType<T>>(generator.uniformDouble() < p);
  }
};

/// `range` integers from `from`.
template <class T> struct Integer {
  int64_t from;
  uint64_t range;
  template <class Source> GRADTIDY_HOST_DEVICE MathType<T> operator()(Source &generator) const {
    uint64_t bits = range >= 1ull << 28 ? generator.random64() : generator.random();
    return static_cast<MathType<T>>(static_cast<int64_t>(bits % range) + from);
  }
};

struct CheckProbability {
  GRADTIDY_HOST_DEVICE void operator()(double p) const {
    GRADTIDY_FORMULA_CHECK(
        p >= 0 && p <= 1,
        Error("Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error "
              "message be improved?  If so, please report an enhancement request to PyTorch.)"));
  }
};

/// Box-Muller over sixteen uniform numbers: eight radii, eight angles.
template <class T> void normalSixteen(T *data, T mean, T std) {
  for (int j = 0; j < 8; ++j) {
    T u1 = 1 - data[j], u2 = data[j + 8];
    T radius = std::sqrt(-2 * std::log(u1));
    T theta = static_cast<T>(2 * std::numbers::pi) * u2;
    data[j] = radius * std::cos(theta) * std + mean;
    data[j + 8] = radius * std::sin(theta) * std + mean;
  }
}

/// For a tensor of `count` elements (`one` by one, if it is not contiguous) in which `drawnAhead`
/// uniform numbers are drawn before the last sixteen values are made anew (where sixteen does not
/// divide the count).
template <class T>
void fillNormal(Generator &generator, T *data, int64_t count, bool one, int64_t drawnAhead,
                double mean, double std) {
  if (count < 16 || one) {
    for (int64_t i = 0; i < count; ++i)
      data[i] = static_cast<T>(generator.normal() * std + mean);
    return;
  }
  for (int64_t i = 0; i < drawnAhead; ++i)
    data[i] = uniform<T>(generator);
  for (int64_t i = 0; i + 16 <= count; i += 16)
    normalSixteen(data + i, static_cast<T>(mean), static_cast<T>(std));
  if (count % 16 != 0) {
    data += count - 16;
    for (int64_t i = 0; i < 16; ++i)
      data[i] = uniform<T>(generator);
    normalSixteen(data, static_cast<T>(mean), static_cast<T>(std));
  }
}

/// Gives a new tensor what the options ask for; filling it was no change.
Tensor finish(Tensor tensor, const TensorOptions &options) {
  if (const auto &version = implOf(tensor).version)
    *version = 0;
  return options.requires_grad() ? tensor.set_requires_grad(true) : tensor;
}

TensorOptions likeOptions(const Tensor &self, const TensorOptions &options) {
  TensorOptions result = options.has_dtype() ? options : options.dtype(self.scalar_type());
  return result.has_device() ? result : result.device(self.device());
}

} // namespace

Tensor &Tensor::uniform_(double from, double to) const {
  OperationScope scope("uniform_");
  dispatchFloating(scalar_type(), "check_uniform_bounds", [&]<class T>() {
    double largest = std::numeric_limits<MathType<T>>::max();
    for (auto [value, name] : {std::pair{from, "from"}, std::pair{to, "to"}})
      TORCH_CHECK(std::abs(value) <= largest, name, " is out of bounds for ",
                  cppName(scalar_type()));
  });
  TORCH_CHECK(from <= to, "uniform_ expects to return a [from, to) range, but found from=", from,
              " > to=", to);
  return redraw(*this, [&](const Tensor &values) {
    dispatchFloating(values.scalar_type(), "check_uniform_bounds", [&]<class T>() {
      using M = MathType<T>;
      drawEach<T>(values, Uniform<T>{static_cast<M>(from), static_cast<M>(to)});
    });
  });
}

Tensor &Tensor::normal_(double mean, double std) const {
  OperationScope scope("normal_");
  TORCH_CHECK(std >= 0, "normal expects std >= 0.0, but found std ", std);
  return redraw(*this, [&](const Tensor &values) {
    if (values.numel() == 0)
      return;
    dispatchFloating(values.scalar_type(), "normal_kernel_cpu",
                     [&, one = !is_contiguous()]<class T>() {
                       if (drawByCuda<T>(values, Normal<T>{mean, std}))
                         return;
                       drawInto<T>("normal_", values,
                                   [=](Generator &generator, MathType<T> *data, int64_t count) {
                                     // LibTorch draws numbers of 16 bits by sixteens.
                                     int64_t ahead = sizeof(T) == 2 ? count - count % 16 : count;
                                     fillNormal(generator, data, count, one, ahead, mean, std);
                                   });
                     });
  });
}

Tensor &Tensor::bernoulli_(double p) const {
  OperationScope scope("bernoulli_");
  TORCH_CHECK(p >= 0 && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p=", p);
  return redraw(*this, [&](const Tensor &values) {
    dispatchAll(values.scalar_type(), "bernoulli_scalar_cpu_",
                [&]<class T>() { drawEach<T>(values, Bernoulli<T>{p}); });
  });
}

Tensor &Tensor::random_(int64_t from, int64_t to) const {
  OperationScope scope("random_");
  TORCH_CHECK(from < to, "random_ expects 'from' to be less than 'to', but got from=", from,
              " >= to=", to);
  TORCH_CHECK(scalar_type() != ScalarType::Bool || to <= 2, "to - 1 is out of bounds for bool");
  return redraw(*this, [&](const Tensor &values) {
    auto range = static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
    dispatchAll(values.scalar_type(), "random_from_to_kernel_cpu",
                [&]<class T>() { drawEach<T>(values, Integer<T>{from, range}); });
  });
}
Tensor &Tensor::exponential_(double rate) const {
  OperationScope scope("exponential_");
  TORCH_CHECK(rate > 0, "exponential_ expects lambda > 0.0, but found lambda=", rate);
  return redraw(*this, [&](const Tensor &values) {
    if (values.numel() == 0)
      return;
    dispatchFloating(values.scalar_type(), "exponential_cpu",
                     [&]<class T>() { drawEach<T>(values, Exponential<T>{rate}); });
  });
}
Tensor &Tensor::random_(int64_t to) const { return random_(0, to); }
Tensor &Tensor::random_() const {
  // As far as the type holds every integer.
  switch (scalar_type()) {
  case ScalarType::Bool:
    return random_(0, 2);
  case ScalarType::Byte:
    return random_(0, 256);
  case ScalarType::BFloat16:
    return random_(0, (1 << 8) + 1);
  case ScalarType::Half:
    return random_(0, (1 << 11) + 1);
  case ScalarType::Float:
    return random_(0, (1 << 24) + 1);
  case ScalarType::Double:
    return random_(0, (int64_t{1} << 53) + 1);
  case ScalarType::Int:
    return random_(0, int64_t{1} << 31);
  default:
    return random_(0, std::numeric_limits<int64_t>::max());
  }
}
Tensor &Tensor::bernoulli_(const Tensor &p) const {
  return changeInPlace(*this, {}, [&](const Tensor &self) {
    return runtime::bernoulli(p.detach().to(kDouble).expand(self.sizes())).to(self.options());
  });
}
Tensor &Tensor::geometric_(double p) const {
  TORCH_CHECK(p > 0 && p < 1, "geometric_ expects p to be in (0, 1), but got p=", p);
  return redraw(*this, [&](const Tensor &values) {
    dispatchNumbers(values.scalar_type(), "geometric_cpu",
                    [&]<class T>() { drawEach<T>(values, Geometric<T>{std::log1p(-p)}); });
  });
}
Tensor &Tensor::cauchy_(double median, double sigma) const {
  TORCH_CHECK(sigma > 0, "cauchy_ expects sigma > 0.0, but found sigma=", sigma);
  return redraw(*this, [&](const Tensor &values) {
    dispatchFloating(values.scalar_type(), "cauchy_cpu",
                     [&]<class T>() { drawEach<T>(values, Cauchy<T>{median, sigma}); });
  });
}
Tensor &Tensor::log_normal_(double mean, double std) const {
  TORCH_CHECK(std > 0, "log_normal_ expects std > 0.0, but found std=", std);
  return redraw(*this, [&](const Tensor &values) {
    dispatchFloating(values.scalar_type(), "log_normal_cpu",
                     [&]<class T>() { drawEach<T>(values, LogNormal<T>{mean, std}); });
  });
}

Tensor rand(IntArrayRef size, TensorOptions options) {
  return finish(empty(size, options.requires_grad(false)).uniform_(), options);
}
Tensor randn(IntArrayRef size, TensorOptions options) {
  return finish(empty(size, options.requires_grad(false)).normal_(), options);
}
Tensor randint(int64_t low, int64_t high, IntArrayRef size, TensorOptions options) {
  if (!options.has_dtype())
    options = options.dtype(kLong);
  return finish(empty(size, options.requires_grad(false)).random_(low, high), options);
}
Tensor randint(int64_t high, IntArrayRef size, TensorOptions options) {
  return randint(0, high, size, options);
}

Tensor randperm(int64_t n, TensorOptions options) {
  OperationScope scope("randperm");
  Tensor result = makeEmpty({n}, kLong, kCPU);
  auto *data = result.data_ptr<int64_t>();
  std::iota(data, data + n, 0);
  Generator &generator = Generator::standard();
  std::lock_guard lock(generator.mutex());
  for (int64_t i = 0; i < n - 1; ++i) {
    auto z = static_cast<int64_t>(generator.random() % static_cast<uint64_t>(n - i));
    std::swap(data[i], data[i + z]);
  }
  options = options.device(placeOf(options));
  return result.to(options.has_dtype() ? options : options.dtype(kLong));
}

Tensor rand_like(const Tensor &self, TensorOptions options) {
  return finish(empty_like(self, likeOptions(self, options).requires_grad(false)).uniform_(),
                options);
}
Tensor randn_like(const Tensor &self, TensorOptions options) {
  return finish(empty_like(self, likeOptions(self, options).requires_grad(false)).normal_(),
                options);
}
Tensor randint_like(const Tensor &self, int64_t low, int64_t high, TensorOptions options) {
  return finish(
      empty_like(self, likeOptions(self, options).requires_grad(false)).random_(low, high),
      options);
}
Tensor randint_like(const Tensor &self, int64_t high, TensorOptions options) {
  return randint_like(self, 0, high, options);
}

namespace {

/// A tensor of random numbers, with no gradient for what they were drawn by.
Tensor drawnBy(std::initializer_list<Tensor> parameters, const std::function<Tensor()> &draw) {
  Tensor result;
  {
    NoGradGuard guard;
    result = draw();
  }
  return record(result, "NormalBackward", parameters, {},
                [count = parameters.size()](const Tensor &g, const GradientContext &) -> Gradients {
                  return Gradients(count, zeros_like(g));
                });
}

void checkDeviations(const Tensor &std) {
  TORCH_CHECK(std.numel() == 0 || std.detach().min().item<double>() >= 0,
              "normal expects all elements of std >= 0.0");
}

} // namespace

Tensor normal(double mean, double std, IntArrayRef size) { return empty(size).normal_(mean, std); }
Tensor normal(const Tensor &mean, double std) {
  return drawnBy({mean}, [&] {
    return empty(mean.sizes(), mean.options().requires_grad(false)).normal_(0, std).add_(mean);
  });
}
Tensor normal(double mean, const Tensor &std) {
  checkDeviations(std);
  return drawnBy({std}, [&] {
    return empty(std.sizes(), std.options().requires_grad(false)).normal_().mul_(std).add_(mean);
  });
}
Tensor normal(const Tensor &mean, const Tensor &std) {
  checkDeviations(std);
  DimVector shape = broadcastShapes(mean.sizes(), std.sizes());
  return drawnBy({mean, std}, [&] {
    return empty(shape, mean.options().requires_grad(false)).normal_().mul_(std).add_(mean);
  });
}

Tensor bernoulli(const Tensor &self) {
  dispatchFloating(self.scalar_type(), "bernoulli_tensor_cpu_p_", []<class T>() {});
  Tensor result;
  {
    NoGradGuard guard;
    Tensor p = self.to(kDouble);
    visitElements<double>(self.device(), CheckProbability(), p);
    ScalarType drawn = self.scalar_type() == kDouble ? kDouble : kFloat;
    result = lt(rand(self.sizes(), self.options().dtype(drawn)), p).to(self.scalar_type());
  }
  return record(
      result, "BernoulliBackward0", {self}, {},
      [](const Tensor &g, const GradientContext &) -> Gradients { return {zeros_like(g)}; });
}

Tensor multinomial(const Tensor &self, int64_t samples, bool replacement) {
  OperationScope scope("multinomial");
  NoGradGuard guard;
  TORCH_CHECK(self.dim() == 1 || self.dim() == 2, "prob_dist must be 1 or 2 dim");
  TORCH_CHECK(
      isFloatingType(self.scalar_type()),
      "multinomial only supports floating-point dtypes for input, got: ", self.scalar_type());
  TORCH_CHECK(samples > 0, "cannot sample n_sample <= 0 samples");
  TORCH_CHECK(replacement || samples <= self.size(-1),
              "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  TORCH_CHECK(self.numel() == 0 ||
                  (self.isfinite().all().item<bool>() && self.min().item<double>() >= 0),
              "probability tensor contains either `inf`, `nan` or element < 0");
  TORCH_CHECK(self.sum(-1).ne(0).all().item<bool>(),
              "invalid multinomial distribution (sum of probabilities <= 0)");
  if (!replacement || samples == 1) {
    // The one with the first of events that occur at these rates.
    Tensor waiting = empty_like(self);
    dispatchFloating(self.scalar_type(), "exponential",
                     [&]<class T>() { drawEach<T>(waiting, Exponential<T>()); });
    Tensor rates = self / waiting;
    return samples == 1 ? argmax(rates, -1, true) : std::get<1>(topk(rates, samples));
  }
  Tensor rows = (self.dim() == 1 ? self.unsqueeze(0) : self).to(kCPU, kDouble).contiguous();
  Tensor result = makeEmpty({rows.size(0), samples}, kLong, kCPU);
  auto weights = rows.accessor<double, 2>();
  auto out = result.accessor<int64_t, 2>();
  Generator &generator = Generator::of(self.device());
  std::lock_guard lock(generator.mutex());
  for (int64_t r = 0; r < rows.size(0); ++r) {
    double total = 0;
    for (int64_t i = 0; i < rows.size(1); ++i)
      total += weights[r][i];
    for (int64_t s = 0; s < samples; ++s) {
      double target = generator.uniformDouble() * total;
      for (int64_t i = 0; i < rows.size(1) && target >= 0; ++i)
        if (weights[r][i] > 0) {
          out[r][s] = i;
          target -= weights[r][i];
        }
    }
  }
  result = result.to(self.device());
  return self.dim() == 1 ? result.squeeze(0) : result;
}

namespace {

/// Whole channels share their fate where `byChannel`.
Tensor dropped(const Tensor &x, double p, bool train, bool byChannel, bool alpha) {
  OperationScope scope("dropout");
  TORCH_CHECK(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
  if (!train || p == 0 || x.numel() == 0)
    return x;
  if (p == 1)
    return x * zeros({}, x.options());
  Tensor noise = empty_like(x);
  if (byChannel) {
    TORCH_CHECK(x.dim() >= 2, "Feature dropout requires at least 2 dimensions in the input");
    DimVector shape(static_cast<std::size_t>(x.dim()), 1);
    shape[0] = x.size(0);
    shape[1] = x.size(1);
    noise = empty(shape, x.options().requires_grad(false));
  }
  noise.bernoulli_(1 - p);
  if (!alpha)
    return x * noise.div_(1 - p);
  constexpr double limit = 1.7580993408473766; // of SELU, without its sign
  double scale = 1 / std::sqrt((limit * limit * p + 1) * (1 - p));
  Tensor shift = noise.add(-1).mul_(limit * scale).add_(limit * scale * p);
  return x * noise.mul_(scale) + shift;
}

} // namespace

Tensor dropout(const Tensor &x, double p, bool train) { return dropped(x, p, train, false, false); }
Tensor feature_dropout(const Tensor &x, double p, bool train) {
  return dropped(x, p, train, true, false);
}
Tensor alpha_dropout(const Tensor &x, double p, bool train) {
  return dropped(x, p, train, false, true);
}
Tensor feature_alpha_dropout(const Tensor &x, double p, bool train) {
  return dropped(x, p, train, true, true);
}

Tensor rrelu(const Tensor &x, const Scalar &lower, const Scalar &upper, bool training) {
  double low = lower.toDouble(), high = upper.toDouble();
  TORCH_CHECK(low <= high, "Lower bound should be less than or equal to the upper bound");
  Tensor packed = x.contiguous(); // as LibTorch's results lie
  if (!training)
    return leaky_relu(packed, (low + high) / 2);
  OperationScope scope("rrelu");
  TORCH_CHECK_NOT_IMPLEMENTED(x.is_floating_point() && x.scalar_type() != kHalf,
                              "\"rrelu_with_noise_out_cpu\" not implemented for '", x.scalar_type(),
                              "'");
  Tensor slopes = packed.detach().to(x.scalar_type() == kDouble ? kDouble : kFloat, false, true);
  if (cudaStreamOf(x.device())) {
    NoGradGuard guard;
    slopes = where(slopes > 0, ones_like(slopes), empty_like(slopes).uniform_(low, high));
  } else {
    dispatchFloating(slopes.scalar_type(), "rrelu", [&]<class T>() {
      using M = MathType<T>;
      double from = static_cast<M>(low), range = static_cast<M>(high) - from;
      drawInto<T>("rrelu_with_noise", slopes, [=](Generator &generator, M *data, int64_t count) {
        for (int64_t i = 0; i < count; ++i)
          data[i] = data[i] > 0 ? 1 : static_cast<M>(generator.uniformDouble() * range + from);
      });
    });
  }
  return packed * slopes.to(x.scalar_type());
}

ReplayedSeed drawSeed(Device device) {
  Generator &generator = Generator::of(device);
  std::lock_guard lock(generator.mutex());
  return {generator.random64(), cuda::replayCounter()};
}

Tensor Tensor::bernoulli() const { return runtime::bernoulli(*this); }
Tensor Tensor::multinomial(int64_t samples, bool replacement) const {
  return runtime::multinomial(*this, samples, replacement);
}

} // namespace gradtidy::runtime
