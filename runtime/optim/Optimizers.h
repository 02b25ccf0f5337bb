// The optimizers. Their arithmetic follows LibTorch's step by step.
#pragma once

#include "Optimizer.h"

namespace gradtidy::runtime::optim {

struct SGDOptions : OptimizerCloneableOptions<SGDOptions> {
  SGDOptions(double lr) : lr_(lr) {}
  TORCH_ARG(double, lr);
  TORCH_ARG(double, momentum) = 0;
  TORCH_ARG(double, dampening) = 0;
  TORCH_ARG(double, weight_decay) = 0;
  TORCH_ARG(bool, nesterov) = false;

public:
  auto fields() { return std::tie(lr_, momentum_, dampening_, weight_decay_, nesterov_); }
};

struct SGDParamState : OptimizerCloneableParamState<SGDParamState> {
  TORCH_ARG(Tensor, momentum_buffer);

public:
  auto fields() { return std::tie(momentum_buffer_); }
};

class SGD : public Optimizer {
public:
  GRADTIDY_OPTIMIZER(SGD, )

protected:
  void updateAll(const std::vector<Tensor> &parameters, OptimizerOptions &options) override;

private:
  static const SGDOptions &check(const SGDOptions &options);
};

struct AdamOptions : OptimizerCloneableOptions<AdamOptions> {
  using Betas = std::tuple<double, double>;
  AdamOptions(double lr = 1e-3) : lr_(lr) {}
  TORCH_ARG(double, lr);
  TORCH_ARG(Betas, betas) = Betas(0.9, 0.999);
  TORCH_ARG(double, eps) = 1e-8;
  TORCH_ARG(double, weight_decay) = 0;
  TORCH_ARG(bool, amsgrad) = false;

public:
  auto fields() { return std::tie(lr_, betas_, eps_, weight_decay_, amsgrad_); }
};

struct AdamParamState : OptimizerCloneableParamState<AdamParamState> {
  TORCH_ARG(int64_t, step) = 0;
  TORCH_ARG(Tensor, exp_avg);
  TORCH_ARG(Tensor, exp_avg_sq);
  TORCH_ARG(Tensor, max_exp_avg_sq);

public:
  auto fields() { return std::tie(step_, exp_avg_, exp_avg_sq_, max_exp_avg_sq_); }
};

class Adam : public Optimizer {
public:
  GRADTIDY_OPTIMIZER(Adam, = {})

protected:
  void updateAll(const std::vector<Tensor> &parameters, OptimizerOptions &options) override;

private:
  static const AdamOptions &check(const AdamOptions &options);
};

struct AdamWOptions : OptimizerCloneableOptions<AdamWOptions> {
  using Betas = std::tuple<double, double>;
  AdamWOptions(double lr = 1e-3) : lr_(lr) {}
  TORCH_ARG(double, lr);
  TORCH_ARG(Betas, betas) = Betas(0.9, 0.999);
  TORCH_ARG(double, eps) = 1e-8;
  TORCH_ARG(double, weight_decay) = 1e-2;
  TORCH_ARG(bool, amsgrad) = false;

public:
  auto fields() { return std::tie(lr_, betas_, eps_, weight_decay_, amsgrad_); }
};

using AdamWParamState = AdamParamState;

/// Adam whose weight decay shrinks the parameters themselves.
class AdamW : public Optimizer {
public:
  GRADTIDY_OPTIMIZER(AdamW, = {})

protected:
  void updateAll(const std::vector<Tensor> &parameters, OptimizerOptions &options) override;

private:
  static const AdamWOptions &check(const AdamWOptions &options);
};

struct RMSpropOptions : OptimizerCloneableOptions<RMSpropOptions> {
  RMSpropOptions(double lr = 1e-2) : lr_(lr) {}
  TORCH_ARG(double, lr);
  TORCH_ARG(double, alpha) = 0.99;
  TORCH_ARG(double, eps) = 1e-8;
  TORCH_ARG(double, weight_decay) = 0;
  TORCH_ARG(double, momentum) = 0;
  TORCH_ARG(bool, centered) = false;

public:
  auto fields() { return std::tie(lr_, alpha_, eps_, weight_decay_, momentum_, centered_); }
};

struct RMSpropParamState : OptimizerCloneableParamState<RMSpropParamState> {
  TORCH_ARG(int64_t, step) = 0;
  TORCH_ARG(Tensor, square_avg);
  TORCH_ARG(Tensor, momentum_buffer);
  TORCH_ARG(Tensor, grad_avg);

public:
  auto fields() { return std::tie(step_, square_avg_, momentum_buffer_, grad_avg_); }
};

class RMSprop : public Optimizer {
public:
  GRADTIDY_OPTIMIZER(RMSprop, = {})

protected:
  void update(Tensor &parameter, const Tensor &gradient, OptimizerOptions &options) override;

private:
  static const RMSpropOptions &check(const RMSpropOptions &options);
};

struct AdagradOptions : OptimizerCloneableOptions<AdagradOptions> {
  AdagradOptions(double lr = 1e-2) : lr_(lr) {}
  TORCH_ARG(double, lr);
  TORCH_ARG(double, lr_decay) = 0;
  TORCH_ARG(double, weight_decay) = 0;
  TORCH_ARG(double, initial_accumulator_value) = 0;
  TORCH_ARG(double, eps) = 1e-10;

public:
  auto fields() {
    return std::tie(lr_, lr_decay_, weight_decay_, initial_accumulator_value_, eps_);
  }
};

struct AdagradParamState : OptimizerCloneableParamState<AdagradParamState> {
  TORCH_ARG(int64_t, step) = 0;
  TORCH_ARG(Tensor, sum);

public:
  auto fields() { return std::tie(step_, sum_); }
};

class Adagrad : public Optimizer {
public:
  GRADTIDY_OPTIMIZER(Adagrad, = {})

protected:
  void update(Tensor &parameter, const Tensor &gradient, OptimizerOptions &options) override;

private:
  static const AdagradOptions &check(const AdagradOptions &options);
};

#undef GRADTIDY_OPTIMIZER

} // namespace gradtidy::runtime::optim
