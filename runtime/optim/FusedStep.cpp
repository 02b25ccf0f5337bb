#include "FusedStep.h"
#include "../core/RecordFunction.h"
#include "../core/TensorImpl.h"
#include "../ops/Copies.h"
#include "../ops/kernels/MultiTensor.h"

#include <cmath>
#include <map>
#include <utility>

namespace gradtidy::runtime::optim {
namespace {

// Results of each operation are rounded to T, as they would be in tensors.

template <class T> struct SgdStep {
  using Number = MathType<T>;
  Number rate, momentum, share, decay; ///< share: of the change in the momentum
  bool nesterov, first;

  SgdStep() = default;
  explicit SgdStep(const SgdFactors &f, bool first)
      : rate(static_cast<Number>(-f.rate)), momentum(static_cast<Number>(f.momentum)),
        share(static_cast<Number>(1 - f.dampening)), decay(static_cast<Number>(f.decay)),
        nesterov(f.nesterov), first(first) {}

  GRADTIDY_HOST_DEVICE T change(const T &parameter, const T &gradient) const {
    return decay != 0 ? static_cast<T>(gradient + decay * parameter) : gradient;
  }
  GRADTIDY_HOST_DEVICE void operator()(T &parameter, const T &gradient) const {
    parameter = static_cast<T>(parameter + rate * change(parameter, gradient));
  }
  GRADTIDY_HOST_DEVICE void operator()(T &parameter, const T &gradient, T &buffer) const {
    T now = change(parameter, gradient);
    buffer = first ? now : static_cast<T>(static_cast<T>(buffer * momentum) + share * now);
    T step = nesterov ? static_cast<T>(now + momentum * buffer) : buffer;
    parameter = static_cast<T>(parameter + rate * step);
  }
};

template <class T> struct AdamStep {
  using Number = MathType<T>;
  Number shrink, decay, beta1, rest1, beta2, rest2, root, eps, rate;

  AdamStep() = default;
  explicit AdamStep(const AdamFactors &f, int64_t step)
      : shrink(static_cast<Number>(f.decoupled ? 1 - f.rate * f.decay : 1)),
        decay(static_cast<Number>(f.decoupled ? 0 : f.decay)), beta1(static_cast<Number>(f.beta1)),
        rest1(static_cast<Number>(1 - f.beta1)), beta2(static_cast<Number>(f.beta2)),
        rest2(static_cast<Number>(1 - f.beta2)),
        root(static_cast<Number>(std::sqrt(1 - std::pow(f.beta2, static_cast<double>(step))))),
        eps(static_cast<Number>(f.eps)),
        rate(static_cast<Number>(-f.rate / (1 - std::pow(f.beta1, static_cast<double>(step))))) {}

  GRADTIDY_HOST_DEVICE void moments(T &parameter, T gradient, T &average, T &square) const {
    parameter = static_cast<T>(parameter * shrink);
    if (decay != 0)
      gradient = static_cast<T>(gradient + decay * parameter);
    average = static_cast<T>(static_cast<T>(average * beta1) + rest1 * gradient);
    square = static_cast<T>(static_cast<T>(square * beta2) + rest2 * gradient * gradient);
  }
  GRADTIDY_HOST_DEVICE void move(T &parameter, const T &average, const T &square) const {
    T deviation = static_cast<T>(std::sqrt(static_cast<Number>(square)));
    T scale = static_cast<T>(static_cast<T>(deviation / root) + eps);
    parameter = static_cast<T>(parameter + rate * average / scale);
  }
  GRADTIDY_HOST_DEVICE void operator()(T &parameter, const T &gradient, T &average,
                                       T &square) const {
    moments(parameter, gradient, average, square);
    move(parameter, average, square);
  }
  GRADTIDY_HOST_DEVICE void operator()(T &parameter, const T &gradient, T &average, T &square,
                                       T &largest) const {
    moments(parameter, gradient, average, square);
    if (largest == largest && !(square <= largest)) // NaN stays
      largest = square;
    move(parameter, average, largest);
  }
};

/// Shows tensors in the memory order of a parameter, which all mostly have, and writes what was
/// changed back into those that have another.
class Aligned {
public:
  /// The addresses by which kernels find the elements of `tensors`, all of the parameter's shape.
  template <class T, std::size_t N> std::array<T *, N> data(const std::array<Tensor, N> &tensors) {
    DimVector strides = keptStrides(tensors[0]);
    std::array<T *, N> addresses;
    for (std::size_t i = 0; i < N; ++i) {
      const Tensor &x = tensors[i];
      Tensor dense = x;
      if (x.strides() != IntArrayRef(strides)) {
        dense = makeEmptyStrided(x.sizes(), strides, x.scalar_type(), x.device());
        copyInto(dense, x);
        copies.emplace_back(x, dense);
      }
      addresses[i] = kernelData<T>(dense);
    }
    return addresses;
  }
  void writeBack() {
    for (const auto &[x, dense] : copies)
      copyInto(x, dense);
  }

private:
  std::vector<std::pair<Tensor, Tensor>> copies;
};

/// multiTensor of the operation and the N tensors that rowOf<T>(item) gives for each of `items`,
/// all of one type on one device.
template <std::size_t N, class Item, class RowOf>
void step(const char *name, const std::vector<Item> &items, const RowOf &rowOf) {
  const Tensor &first = items.front().parameter;
  dispatchFloating(first.scalar_type(), name, [&]<class T>() {
    using Op = decltype(rowOf.template operator()<T>(items.front()).first);
    std::vector<TensorRow<T, N, Op>> rows;
    Aligned aligned;
    for (const Item &item : items) {
      auto [op, tensors] = rowOf.template operator()<T>(item);
      rows.push_back({op, aligned.data<T>(tensors), item.parameter.numel()});
    }
    multiTensor(name, first.device(), rows);
    aligned.writeBack();
  });
}

/// Calls run(items) for those of each kind: of one device, one type and what `more` tells apart.
template <class Item, class More, class Run>
void forEachKind(const std::vector<Item> &all, const More &more, const Run &run) {
  std::map<std::tuple<DeviceType, DeviceIndex, ScalarType, bool>, std::vector<Item>> kinds;
  for (const Item &item : all) {
    const Tensor &x = item.parameter;
    TORCH_CHECK(item.gradient.sizes() == x.sizes() && item.gradient.device() == x.device(),
                "a parameter of size ", toText(x.sizes()), " on ", x.device().str(),
                " has a gradient of size ", toText(item.gradient.sizes()), " on ",
                item.gradient.device().str());
    if (x.numel() > 0)
      kinds[{x.device().type(), x.device().index(), x.scalar_type(), more(item)}].push_back(item);
  }
  for (const auto &[kind, items] : kinds)
    run(items);
}

} // namespace

void fusedSgd(const std::vector<SgdTensors> &all, const SgdFactors &f) {
  OperationScope scope("_fused_sgd_");
  forEachKind(
      all, [](const SgdTensors &x) { return x.momentum.defined(); },
      [&](const std::vector<SgdTensors> &items) {
        if (items.front().momentum.defined())
          step<3>("_fused_sgd_", items, [&]<class T>(const SgdTensors &x) {
            return std::pair(SgdStep<T>(f, x.first),
                             std::array{x.parameter, x.gradient, x.momentum});
          });
        else
          step<2>("_fused_sgd_", items, [&]<class T>(const SgdTensors &x) {
            return std::pair(SgdStep<T>(f, x.first), std::array{x.parameter, x.gradient});
          });
      });
}

void fusedAdam(const std::vector<AdamTensors> &all, const AdamFactors &f) {
  const char *name = f.decoupled ? "_fused_adamw_" : "_fused_adam_";
  OperationScope scope(name);
  forEachKind(
      all, [](const AdamTensors &x) { return x.largest.defined(); },
      [&](const std::vector<AdamTensors> &items) {
        if (items.front().largest.defined())
          step<5>(name, items, [&]<class T>(const AdamTensors &x) {
            return std::pair(AdamStep<T>(f, x.step),
                             std::array{x.parameter, x.gradient, x.average, x.square, x.largest});
          });
        else
          step<4>(name, items, [&]<class T>(const AdamTensors &x) {
            return std::pair(AdamStep<T>(f, x.step),
                             std::array{x.parameter, x.gradient, x.average, x.square});
          });
      });
  for (const AdamTensors &x : all)
    implOf(x.parameter).countChange();
}

} // namespace gradtidy::runtime::optim
