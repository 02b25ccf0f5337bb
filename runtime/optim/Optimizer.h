// Optimizer: groups of parameters, each with its options, and the state kept between steps.
//
// step() changes the parameters in place by their gradients and skips those that have none;
// zero_grad() frees the gradients. An optimizer holds handles: parameters moved in place
// (Module::to) stay its own, parameters made anew afterwards are unknown to it.
#pragma once

#include "../core/Tensor.h"
#include "../nn/Module.h"
#include "../serialize/Archive.h"

#include <functional>
#include <memory>
#include <unordered_map>

namespace gradtidy::runtime::optim {

/// Saves and loads the members that `values` refers to, in this order.
template <class... Ts>
void saveAll(serialize::OutputArchive &archive, const std::tuple<Ts &...> &values) {
  std::size_t index = 0;
  auto save = [&](const auto &value) {
    std::string key = std::to_string(index++);
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::tuple<double, double>>)
      archive.write(key, std::vector<double>{std::get<0>(value), std::get<1>(value)});
    else if constexpr (requires { value.has_value(); })
      archive.write(key, value ? IValue(*value) : IValue());
    else
      archive.write(key, IValue(value));
  };
  std::apply([&](auto &...value) { (save(value), ...); }, values);
}
template <class... Ts>
void loadAll(serialize::InputArchive &archive, const std::tuple<Ts &...> &values) {
  std::size_t index = 0;
  auto load = [&]<class T>(T &value) {
    IValue stored;
    archive.read(std::to_string(index++), stored);
    if constexpr (std::is_same_v<T, std::tuple<double, double>>)
      value = {stored.toDoubleVector().at(0), stored.toDoubleVector().at(1)};
    else if constexpr (requires { value.has_value(); })
      value = stored.isNone() ? T() : T(std::get<typename T::value_type>(stored.value()));
    else
      value = std::get<T>(stored.value());
  };
  std::apply([&](auto &...value) { (load(value), ...); }, values);
}

class OptimizerOptions {
public:
  virtual ~OptimizerOptions() = default;
  virtual std::unique_ptr<OptimizerOptions> clone() const = 0;
  virtual double get_lr() const = 0;
  virtual void set_lr(double lr) = 0;
  virtual void serialize(serialize::OutputArchive &archive) const = 0;
  virtual void serialize(serialize::InputArchive &archive) = 0;
};

/// Options with a member fields() that ties all of them together.
template <class Derived> class OptimizerCloneableOptions : public OptimizerOptions {
public:
  std::unique_ptr<OptimizerOptions> clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived &>(*this));
  }
  double get_lr() const override { return static_cast<const Derived &>(*this).lr(); }
  void set_lr(double lr) override { static_cast<Derived &>(*this).lr(lr); }
  void serialize(serialize::OutputArchive &archive) const override {
    saveAll(archive, const_cast<Derived &>(static_cast<const Derived &>(*this)).fields());
  }
  void serialize(serialize::InputArchive &archive) override {
    loadAll(archive, static_cast<Derived &>(*this).fields());
  }
};

/// What an optimizer remembers of one parameter.
class OptimizerParamState {
public:
  virtual ~OptimizerParamState() = default;
  virtual std::unique_ptr<OptimizerParamState> clone() const = 0;
  virtual void serialize(serialize::OutputArchive &archive) const = 0;
  virtual void serialize(serialize::InputArchive &archive) = 0;
};

template <class Derived> class OptimizerCloneableParamState : public OptimizerParamState {
public:
  std::unique_ptr<OptimizerParamState> clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived &>(*this));
  }
  void serialize(serialize::OutputArchive &archive) const override {
    saveAll(archive, const_cast<Derived &>(static_cast<const Derived &>(*this)).fields());
  }
  void serialize(serialize::InputArchive &archive) override {
    loadAll(archive, static_cast<Derived &>(*this).fields());
  }
};

class OptimizerParamGroup {
public:
  OptimizerParamGroup(std::vector<Tensor> params) : tensors(std::move(params)) {}
  OptimizerParamGroup(std::vector<Tensor> params, std::unique_ptr<OptimizerOptions> options)
      : tensors(std::move(params)), own(std::move(options)) {}
  OptimizerParamGroup(const OptimizerParamGroup &other)
      : tensors(other.tensors), own(other.own ? other.own->clone() : nullptr) {}
  OptimizerParamGroup &operator=(const OptimizerParamGroup &other) {
    tensors = other.tensors;
    own = other.own ? other.own->clone() : nullptr;
    return *this;
  }

  bool has_options() const { return own != nullptr; }
  OptimizerOptions &options();
  const OptimizerOptions &options() const {
    return const_cast<OptimizerParamGroup *>(this)->options();
  }
  void set_options(std::unique_ptr<OptimizerOptions> options) { own = std::move(options); }
  std::vector<Tensor> &params() { return tensors; }
  const std::vector<Tensor> &params() const { return tensors; }

private:
  std::vector<Tensor> tensors;
  std::unique_ptr<OptimizerOptions> own;
};

class Optimizer {
public:
  using LossClosure = std::function<Tensor()>;

  /// Groups without options take `defaults`.
  Optimizer(const std::vector<OptimizerParamGroup> &groups,
            std::unique_ptr<OptimizerOptions> defaults);
  virtual ~Optimizer() = default;
  Optimizer(Optimizer &&) = default;

  /// One update. A closure is called first, with gradients on; its loss is returned.
  virtual Tensor step(LossClosure closure = nullptr);
  void zero_grad(bool setToNone = true);
  void add_param_group(const OptimizerParamGroup &group);
  void add_parameters(const std::vector<Tensor> &parameters);
  /// The number of parameters in all groups.
  std::size_t size() const noexcept;

  OptimizerOptions &defaults() noexcept { return *fallback; }
  std::vector<OptimizerParamGroup> &param_groups() noexcept { return groups; }
  const std::vector<OptimizerParamGroup> &param_groups() const noexcept { return groups; }
  std::unordered_map<void *, std::unique_ptr<OptimizerParamState>> &state() noexcept {
    return states;
  }

  /// Groups with their options, and states, by the order of the parameters.
  void save(serialize::OutputArchive &archive) const;
  /// Into an optimizer with groups of the same sizes; throws otherwise.
  void load(serialize::InputArchive &archive);

protected:
  /// Makes the empty state that load() fills; null where an optimizer keeps none.
  virtual std::unique_ptr<OptimizerParamState> newState() const { return nullptr; }
  /// Changes parameters of one group, all of which have a gradient; one after the other by
  /// update(), unless an optimizer knows better.
  virtual void updateAll(const std::vector<Tensor> &parameters, OptimizerOptions &options);
  /// Changes `parameter` by `gradient`, which is defined.
  virtual void update(Tensor &parameter, const Tensor &gradient, OptimizerOptions &options);
  /// The state of `parameter`, made when first asked for.
  template <class State> State &stateOf(const Tensor &parameter) {
    auto &state = states[parameter.unsafeGetTensorImpl()];
    if (!state)
      state = std::make_unique<State>();
    return static_cast<State &>(*state);
  }

private:
  std::vector<OptimizerParamGroup> groups;
  std::unique_ptr<OptimizerOptions> fallback;
  std::unordered_map<void *, std::unique_ptr<OptimizerParamState>> states;
};

/// What every optimizer has: constructors from parameters or groups and options, an empty state.
#define GRADTIDY_OPTIMIZER(Name, ...)                                                              \
  explicit Name(const std::vector<OptimizerParamGroup> &groups,                                    \
                Name##Options defaults __VA_ARGS__)                                                \
      : Optimizer(groups, std::make_unique<Name##Options>(check(defaults))) {}                     \
  explicit Name(std::vector<Tensor> params, Name##Options defaults __VA_ARGS__)                    \
      : Name({OptimizerParamGroup(std::move(params))}, defaults) {}                                \
                                                                                                   \
protected:                                                                                         \
  std::unique_ptr<OptimizerParamState> newState() const override {                                 \
    return std::make_unique<Name##ParamState>();                                                   \
  }

} // namespace gradtidy::runtime::optim
