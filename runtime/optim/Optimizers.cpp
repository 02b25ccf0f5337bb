#include "Optimizers.h"
#include "../autograd/GradMode.h"
#include "../ops/Arithmetic.h"
#include "../ops/Factories.h"
#include "../ops/Pointwise.h"
#include "FusedStep.h"
#include "Schedulers.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace gradtidy::runtime::optim {

OptimizerOptions &OptimizerParamGroup::options() {
  TORCH_CHECK(own, "this parameter group has no options of its own");
  return *own;
}

void Serializable::serialize(serialize::OutputArchive &) const {
  fail("serialize() has not been implemented for these options or this state of an optimizer");
}
void Serializable::serialize(serialize::InputArchive &) {
  fail("serialize() has not been implemented for these options or this state of an optimizer");
}

Optimizer::Optimizer(const std::vector<OptimizerParamGroup> &groups,
                     std::unique_ptr<OptimizerOptions> defaults)
    : defaults_(std::move(defaults)) {
  for (const OptimizerParamGroup &group : groups)
    add_param_group(group);
}

void Optimizer::add_param_group(const OptimizerParamGroup &group) {
  for (const Tensor &parameter : group.params()) {
    TORCH_CHECK(parameter.is_leaf(), "can't optimize a non-leaf Tensor");
    TORCH_CHECK(!state_.contains(parameter.unsafeGetTensorImpl()),
                "some parameters appear in more than one parameter group");
  }
  OptimizerParamGroup added = group;
  if (!added.has_options())
    added.set_options(defaults_->clone());
  param_groups_.push_back(added);
}

void Optimizer::add_parameters(const std::vector<Tensor> &parameters) {
  auto &first = param_groups_.at(0).params();
  first.insert(first.end(), parameters.begin(), parameters.end());
}

std::size_t Optimizer::size() const noexcept {
  std::size_t count = 0;
  for (const OptimizerParamGroup &group : param_groups_)
    count += group.params().size();
  return count;
}

void Optimizer::save(serialize::OutputArchive &archive) const {
  archive.write("groups", static_cast<int64_t>(param_groups_.size()));
  for (std::size_t g = 0; g < param_groups_.size(); ++g) {
    serialize::OutputArchive group, options;
    const std::vector<Tensor> &parameters = param_groups_[g].params();
    group.write("size", static_cast<int64_t>(parameters.size()));
    param_groups_[g].options().serialize(options);
    group.write("options", options);
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (auto found = state_.find(parameters[i].unsafeGetTensorImpl()); found != state_.end()) {
        serialize::OutputArchive state;
        found->second->serialize(state);
        group.write(std::to_string(i), state);
      }
    archive.write(std::to_string(g), group);
  }
}

void Optimizer::load(serialize::InputArchive &archive) {
  loadWith(archive, [this] { return newState(); });
}

void Optimizer::loadWith(serialize::InputArchive &archive,
                         const std::function<std::unique_ptr<OptimizerParamState>()> &newState) {
  IValue count;
  archive.read("groups", count);
  TORCH_CHECK(count.toInt() == static_cast<int64_t>(param_groups_.size()),
              "loaded state dict has a different number of parameter groups");
  state_.clear();
  for (std::size_t g = 0; g < param_groups_.size(); ++g) {
    serialize::InputArchive group, options, state;
    const std::vector<Tensor> &parameters = param_groups_[g].params();
    archive.read(std::to_string(g), group);
    group.read("size", count);
    TORCH_CHECK(count.toInt() == static_cast<int64_t>(parameters.size()),
                "loaded state dict contains a parameter group that has a different size than the "
                "optimizer's parameter group");
    group.read("options", options);
    param_groups_[g].options().serialize(options);
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (group.try_read(std::to_string(i), state)) {
        std::unique_ptr<OptimizerParamState> loaded = newState();
        TORCH_CHECK(loaded, "this optimizer keeps no state, but the archive has some");
        loaded->serialize(state);
        state_[parameters[i].unsafeGetTensorImpl()] = std::move(loaded);
      }
  }
}

Tensor Optimizer::step(LossClosure closure) {
  Tensor loss;
  if (closure) {
    AutoGradMode mode(true);
    loss = closure();
  }
  NoGradGuard guard;
  for (OptimizerParamGroup &group : param_groups_) {
    std::vector<Tensor> changing;
    for (const Tensor &parameter : group.params())
      if (parameter.grad().defined())
        changing.push_back(parameter);
    updateAll(changing, group.options());
  }
  return loss;
}

void Optimizer::updateAll(const std::vector<Tensor> &parameters, OptimizerOptions &options) {
  for (Tensor parameter : parameters)
    update(parameter, parameter.grad(), options);
}

void Optimizer::update(Tensor &, const Tensor &, OptimizerOptions &) {
  fail("an optimizer must override step() or update()");
}

void Optimizer::zero_grad(bool setToNone) {
  for (OptimizerParamGroup &group : param_groups_)
    for (Tensor &parameter : group.params()) {
      Tensor &grad = parameter.mutable_grad();
      if (!grad.defined())
        continue;
      if (setToNone) {
        grad.reset();
      } else {
        grad.detach_();
        grad.zero_();
      }
    }
}

namespace {

void checkNotNegative(double value, const char *what) {
  TORCH_CHECK(value >= 0, "Invalid ", what, ": ", value);
}

void checkBetas(const std::tuple<double, double> &betas) {
  auto [first, second] = betas;
  TORCH_CHECK(first >= 0 && first < 1, "Invalid beta parameter at index 0: ", first);
  TORCH_CHECK(second >= 0 && second < 1, "Invalid beta parameter at index 1: ", second);
}

} // namespace

const SGDOptions &SGD::check(const SGDOptions &options) {
  checkNotNegative(options.lr(), "learning rate");
  checkNotNegative(options.momentum(), "momentum value");
  checkNotNegative(options.weight_decay(), "weight_decay value");
  TORCH_CHECK(!options.nesterov() || (options.momentum() > 0 && options.dampening() == 0),
              "Nesterov momentum requires a momentum and zero dampening");
  return options;
}

void SGD::updateAll(const std::vector<Tensor> &parameters, OptimizerOptions &given) {
  auto &options = static_cast<SGDOptions &>(given);
  std::vector<SgdTensors> all;
  for (const Tensor &parameter : parameters) {
    SgdTensors tensors{parameter, parameter.grad(), {}};
    if (options.momentum() != 0) {
      Tensor &buffer = stateOf<SGDParamState>(parameter).momentum_buffer();
      tensors.first = !buffer.defined();
      if (tensors.first)
        buffer = empty_like(parameter);
      tensors.momentum = buffer;
    }
    all.push_back(tensors);
  }
  fusedSgd(all, {options.lr(), options.momentum(), options.dampening(), options.weight_decay(),
                 options.nesterov()});
}

namespace {

template <class Options> const Options &checkAdam(const Options &options) {
  checkNotNegative(options.lr(), "learning rate");
  checkNotNegative(options.eps(), "epsilon value");
  checkBetas(options.betas());
  checkNotNegative(options.weight_decay(), "weight_decay value");
  return options;
}

/// What Adam works on for `parameter`, whose state becomes that of the next step.
AdamTensors nextStep(const Tensor &parameter, AdamParamState &state, bool amsgrad) {
  if (!state.exp_avg().defined()) {
    state.exp_avg(zeros_like(parameter));
    state.exp_avg_sq(zeros_like(parameter));
    if (amsgrad)
      state.max_exp_avg_sq(zeros_like(parameter));
  }
  state.step(state.step() + 1);
  return {parameter,
          parameter.grad(),
          state.exp_avg(),
          state.exp_avg_sq(),
          amsgrad ? state.max_exp_avg_sq() : Tensor(),
          state.step()};
}

template <class Options> AdamFactors adamFactors(const Options &options, bool decoupled) {
  auto [beta1, beta2] = options.betas();
  return {options.lr(), beta1, beta2, options.eps(), options.weight_decay(), decoupled};
}

} // namespace

const AdamOptions &Adam::check(const AdamOptions &options) { return checkAdam(options); }

void Adam::updateAll(const std::vector<Tensor> &parameters, OptimizerOptions &given) {
  auto &options = static_cast<AdamOptions &>(given);
  std::vector<AdamTensors> all;
  for (const Tensor &parameter : parameters)
    all.push_back(nextStep(parameter, stateOf<AdamParamState>(parameter), options.amsgrad()));
  fusedAdam(all, adamFactors(options, false));
}

const AdamWOptions &AdamW::check(const AdamWOptions &options) { return checkAdam(options); }

void AdamW::updateAll(const std::vector<Tensor> &parameters, OptimizerOptions &given) {
  auto &options = static_cast<AdamWOptions &>(given);
  std::vector<AdamTensors> all;
  for (const Tensor &parameter : parameters)
    all.push_back(nextStep(parameter, stateOf<AdamWParamState>(parameter), options.amsgrad()));
  fusedAdam(all, adamFactors(options, true));
}

const RMSpropOptions &RMSprop::check(const RMSpropOptions &options) {
  checkNotNegative(options.lr(), "learning rate");
  checkNotNegative(options.eps(), "epsilon value");
  checkNotNegative(options.momentum(), "momentum value");
  checkNotNegative(options.weight_decay(), "weight_decay value");
  checkNotNegative(options.alpha(), "alpha value");
  return options;
}

void RMSprop::update(Tensor &parameter, const Tensor &gradient, OptimizerOptions &given) {
  auto &options = static_cast<RMSpropOptions &>(given);
  auto &state = stateOf<RMSpropParamState>(parameter);
  if (!state.square_avg().defined()) {
    state.square_avg(zeros_like(parameter));
    if (options.momentum() > 0)
      state.momentum_buffer(zeros_like(parameter));
    if (options.centered())
      state.grad_avg(zeros_like(parameter));
  }
  state.step(state.step() + 1);
  Tensor change =
      options.weight_decay() != 0 ? gradient.add(parameter, options.weight_decay()) : gradient;
  double alpha = options.alpha();
  state.square_avg().mul_(alpha).addcmul_(change, change, 1 - alpha);
  Tensor average = state.square_avg();
  if (options.centered()) {
    state.grad_avg().mul_(alpha).add_(change, 1 - alpha);
    average = average.addcmul(state.grad_avg(), state.grad_avg(), -1);
  }
  Tensor scale = average.sqrt().add_(options.eps());
  if (options.momentum() > 0) {
    state.momentum_buffer().mul_(options.momentum()).addcdiv_(change, scale);
    parameter.add_(state.momentum_buffer(), -options.lr());
  } else {
    parameter.addcdiv_(change, scale, -options.lr());
  }
}

const AdagradOptions &Adagrad::check(const AdagradOptions &options) {
  checkNotNegative(options.lr(), "learning rate");
  checkNotNegative(options.lr_decay(), "lr_decay value");
  checkNotNegative(options.weight_decay(), "weight_decay value");
  checkNotNegative(options.initial_accumulator_value(), "initial_accumulator_value value");
  checkNotNegative(options.eps(), "epsilon value");
  return options;
}

void Adagrad::update(Tensor &parameter, const Tensor &gradient, OptimizerOptions &given) {
  auto &options = static_cast<AdagradOptions &>(given);
  auto &state = stateOf<AdagradParamState>(parameter);
  if (!state.sum().defined())
    state.sum(full_like(parameter, options.initial_accumulator_value()));
  state.step(state.step() + 1);
  Tensor change =
      options.weight_decay() != 0 ? gradient.add(parameter, options.weight_decay()) : gradient;
  double lr = options.lr() / (1 + static_cast<double>(state.step() - 1) * options.lr_decay());
  state.sum().addcmul_(change, change, 1.0);
  parameter.addcdiv_(change, state.sum().sqrt().add_(options.eps()), -lr);
}

void LRScheduler::step() {
  std::vector<double> rates = get_lrs();
  for (std::size_t i = 0; i < rates.size(); ++i)
    optimizer.param_groups()[i].options().set_lr(rates[i]);
  ++step_count_;
}

std::vector<double> LRScheduler::get_current_lrs() const {
  std::vector<double> rates;
  for (OptimizerParamGroup &group : optimizer.param_groups())
    rates.push_back(group.options().get_lr());
  return rates;
}

std::vector<double> StepLR::get_lrs() {
  std::vector<double> rates = get_current_lrs();
  if (step_count_ != 0 && step_count_ % stepSize == 0)
    for (double &rate : rates)
      rate *= gamma;
  return rates;
}

ReduceLROnPlateauScheduler::ReduceLROnPlateauScheduler(Optimizer &optimizer, SchedulerMode mode,
                                                       float factor, int patience, double threshold,
                                                       ThresholdMode thresholdMode, int cooldown,
                                                       const std::vector<float> &minRates,
                                                       double eps, bool verbose)
    : optimizer(optimizer), mode(mode), factor(factor), patience(patience), threshold(threshold),
      thresholdMode(thresholdMode), cooldown(cooldown), minRates(minRates), eps(eps),
      best(mode == min ? std::numeric_limits<double>::infinity()
                       : -std::numeric_limits<double>::infinity()),
      verbose(verbose) {
  TORCH_CHECK(factor < 1.0, "Factor should be < 1.0.");
  std::size_t groups = optimizer.param_groups().size();
  if (minRates.empty())
    this->minRates.assign(groups, 0);
  TORCH_CHECK(this->minRates.size() == groups,
              "Number of learning rates not equal to the number of param groups");
}

bool ReduceLROnPlateauScheduler::isBetter(double metric) const {
  double margin = thresholdMode == abs ? threshold : best * threshold;
  if (std::isinf(best))
    margin = 0;
  return mode == min ? metric < best - margin : metric > best + margin;
}

void ReduceLROnPlateauScheduler::step(float metric) {
  ++epoch;
  if (isBetter(metric)) {
    best = metric;
    badEpochs = 0;
  } else {
    ++badEpochs;
  }
  if (coolingLeft > 0) {
    --coolingLeft;
    badEpochs = 0;
  }
  if (badEpochs > patience) {
    reduce();
    coolingLeft = cooldown;
    badEpochs = 0;
  }
}

void ReduceLROnPlateauScheduler::reduce() {
  for (std::size_t i = 0; i < minRates.size(); ++i) {
    OptimizerOptions &options = optimizer.param_groups()[i].options();
    double before = options.get_lr();
    double rate = std::max(before * factor, static_cast<double>(minRates[i]));
    if (before - rate <= eps)
      continue;
    options.set_lr(rate);
    if (verbose)
      std::printf("Epoch %d: reducing learning rate of group %zu to %.4e\n", epoch, i, rate);
  }
}

} // namespace gradtidy::runtime::optim
