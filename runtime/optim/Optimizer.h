// Optimizer: groups of parameters, each with its options, and the state kept between steps.
//
// step() changes the parameters in place by their gradients and skips those that have none;
// zero_grad() frees the gradients. An optimizer holds handles: parameters moved in place
// (Module::to) stay its own, parameters made anew afterwards are unknown to it.
#pragma once

#include "../core/Tensor.h"
#include "../nn/Module.h"

#include <functional>
#include <memory>
#include <unordered_map>

namespace gradtidy::runtime::optim {

class OptimizerOptions {
public:
  virtual ~OptimizerOptions() = default;
  virtual std::unique_ptr<OptimizerOptions> clone() const = 0;
  virtual double get_lr() const = 0;
  virtual void set_lr(double lr) = 0;
};

template <class Derived> class OptimizerCloneableOptions : public OptimizerOptions {
public:
  std::unique_ptr<OptimizerOptions> clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived &>(*this));
  }
  double get_lr() const override { return static_cast<const Derived &>(*this).lr(); }
  void set_lr(double lr) override { static_cast<Derived &>(*this).lr(lr); }
};

/// What an optimizer remembers of one parameter.
class OptimizerParamState {
public:
  virtual ~OptimizerParamState() = default;
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

protected:
  /// Changes `parameter` by `gradient`, which is defined.
  virtual void update(Tensor &parameter, const Tensor &gradient, OptimizerOptions &options) = 0;
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

/// The constructors every optimizer has: from parameters or groups, and options.
#define GRADTIDY_OPTIMIZER(Name, ...)                                                              \
  explicit Name(const std::vector<OptimizerParamGroup> &groups,                                    \
                Name##Options defaults __VA_ARGS__)                                                \
      : Optimizer(groups, std::make_unique<Name##Options>(check(defaults))) {}                     \
  explicit Name(std::vector<Tensor> params, Name##Options defaults __VA_ARGS__)                    \
      : Name({OptimizerParamGroup(std::move(params))}, defaults) {}

} // namespace gradtidy::runtime::optim
