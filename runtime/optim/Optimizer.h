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

/// A member of options or of a state as an archive keeps it.
template <class T> IValue toIValue(const T &value) {
  if constexpr (std::is_same_v<T, std::tuple<double, double>>)
    return std::vector<double>{std::get<0>(value), std::get<1>(value)};
  else if constexpr (requires { value.has_value(); })
    return value ? IValue(*value) : IValue();
  else
    return IValue(value);
}
template <class T> void fromIValue(const IValue &stored, T &value) {
  if constexpr (std::is_same_v<T, std::tuple<double, double>>)
    value = {stored.toDoubleVector().at(0), stored.toDoubleVector().at(1)};
  else if constexpr (requires { value.has_value(); })
    value = stored.isNone() ? T() : T(std::get<typename T::value_type>(stored.value()));
  else
    value = std::get<T>(stored.value());
}

/// Saves and loads the members that `values` refers to, in this order.
template <class... Ts>
void saveAll(serialize::OutputArchive &archive, const std::tuple<Ts &...> &values) {
  std::size_t index = 0;
  auto save = [&](const auto &value) { archive.write(std::to_string(index++), toIValue(value)); };
  std::apply([&](auto &...value) { (save(value), ...); }, values);
}
template <class... Ts>
void loadAll(serialize::InputArchive &archive, const std::tuple<Ts &...> &values) {
  std::size_t index = 0;
  auto load = [&](auto &value) {
    IValue stored;
    archive.read(std::to_string(index++), stored);
    fromIValue(stored, value);
  };
  std::apply([&](auto &...value) { (load(value), ...); }, values);
}

/// What can be saved and loaded: by a member fields() that ties all members of Derived together, or
/// by serialize() as Derived overrides it.
class Serializable {
public:
  virtual ~Serializable() = default;
  virtual void serialize(serialize::OutputArchive &archive) const;
  virtual void serialize(serialize::InputArchive &archive);
};
template <class Derived, class Base> class SerializableFields : public Base {
public:
  std::unique_ptr<Base> clone() const override { return std::make_unique<Derived>(self()); }
  void serialize(serialize::OutputArchive &archive) const override {
    if constexpr (requires(Derived & all) { all.fields(); })
      saveAll(archive, const_cast<Derived &>(self()).fields());
    else
      Base::serialize(archive);
  }
  void serialize(serialize::InputArchive &archive) override {
    if constexpr (requires(Derived & all) { all.fields(); })
      loadAll(archive, const_cast<Derived &>(self()).fields());
    else
      Base::serialize(archive);
  }

protected:
  const Derived &self() const { return static_cast<const Derived &>(*this); }
};

class OptimizerOptions : public Serializable {
public:
  virtual std::unique_ptr<OptimizerOptions> clone() const = 0;
  virtual double get_lr() const = 0;
  virtual void set_lr(double lr) = 0;
};

template <class Derived>
class OptimizerCloneableOptions : public SerializableFields<Derived, OptimizerOptions> {
public:
  double get_lr() const override { return this->self().lr(); }
  void set_lr(double lr) override { const_cast<Derived &>(this->self()).lr(lr); }
};

/// What an optimizer remembers of one parameter.
class OptimizerParamState : public Serializable {
public:
  virtual std::unique_ptr<OptimizerParamState> clone() const = 0;
};

template <class Derived>
class OptimizerCloneableParamState : public SerializableFields<Derived, OptimizerParamState> {};

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

  /// Those of the first group.
  const std::vector<Tensor> &parameters() const noexcept { return param_groups_.at(0).params(); }
  std::vector<Tensor> &parameters() noexcept { return param_groups_.at(0).params(); }

  OptimizerOptions &defaults() noexcept { return *defaults_; }
  const OptimizerOptions &defaults() const noexcept { return *defaults_; }
  std::vector<OptimizerParamGroup> &param_groups() noexcept { return param_groups_; }
  const std::vector<OptimizerParamGroup> &param_groups() const noexcept { return param_groups_; }
  std::unordered_map<void *, std::unique_ptr<OptimizerParamState>> &state() noexcept {
    return state_;
  }
  const std::unordered_map<void *, std::unique_ptr<OptimizerParamState>> &state() const noexcept {
    return state_;
  }

  /// Groups with their options, and states, by the order of the parameters.
  virtual void save(serialize::OutputArchive &archive) const;
  /// Into an optimizer with groups of the same sizes; throws otherwise.
  virtual void load(serialize::InputArchive &archive);
  /// The same, where states are made by `newState`.
  void loadWith(serialize::InputArchive &archive,
                const std::function<std::unique_ptr<OptimizerParamState>()> &newState);

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
    auto &state = state_[parameter.unsafeGetTensorImpl()];
    if (!state)
      state = std::make_unique<State>();
    return static_cast<State &>(*state);
  }

  // For optimizers that programs write.
  std::vector<OptimizerParamGroup> param_groups_;
  std::unordered_map<void *, std::unique_ptr<OptimizerParamState>> state_;
  std::unique_ptr<OptimizerOptions> defaults_;
};

/// What save() and load() of an optimizer that a program wrote may call.
template <class ParamState, class ParamOptions>
void serialize(serialize::OutputArchive &archive, const Optimizer &optimizer) {
  optimizer.Optimizer::save(archive);
}
template <class ParamState, class ParamOptions>
void serialize(serialize::InputArchive &archive, Optimizer &optimizer) {
  optimizer.loadWith(archive, [] { return std::make_unique<ParamState>(); });
}

// In serialize(archive) of options and states, and of optimizers.
#define _TORCH_OPTIM_SERIALIZE_TORCH_ARG(name)                                                     \
  archive.write(#name, ::gradtidy::runtime::optim::toIValue(name()))
#define _TORCH_OPTIM_DESERIALIZE_TORCH_ARG(T, name)                                                \
  do {                                                                                             \
    ::gradtidy::runtime::IValue stored;                                                            \
    if (archive.try_read(#name, stored))                                                           \
      ::gradtidy::runtime::optim::fromIValue<T>(stored, name());                                   \
  } while (false)
#define _TORCH_OPTIM_SERIALIZE_WITH_TEMPLATE_ARG(OptimizerName)                                    \
  ::gradtidy::runtime::optim::serialize<OptimizerName##ParamState, OptimizerName##Options>(        \
      archive, self)

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
