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
};

struct SGDParamState : OptimizerParamState {
  TORCH_ARG(Tensor, momentum_buffer);
};

class SGD : public Optimizer {
public:
  GRADTIDY_OPTIMIZER(SGD, )

protected:
  void update(Tensor &parameter, const Tensor &gradient, OptimizerOptions &options) override;

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
};

struct AdamParamState : OptimizerParamState {
  TORCH_ARG(int64_t, step) = 0;
  TORCH_ARG(Tensor, exp_avg);
  TORCH_ARG(Tensor, exp_avg_sq);
  TORCH_ARG(Tensor, max_exp_avg_sq);
};

class Adam : public Optimizer {
public:
  GRADTIDY_OPTIMIZER(Adam, = {})

protected:
  void update(Tensor &parameter, const Tensor &gradient, OptimizerOptions &options) override;

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
};

using AdamWParamState = AdamParamState;

/// Adam whose weight decay shrinks the parameters themselves.
class AdamW : public Optimizer {
public:
  GRADTIDY_OPTIMIZER(AdamW, = {})

protected:
  void update(Tensor &parameter, const Tensor &gradient, OptimizerOptions &options) override;

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
};

struct RMSpropParamState : OptimizerParamState {
  TORCH_ARG(int64_t, step) = 0;
  TORCH_ARG(Tensor, square_avg);
  TORCH_ARG(Tensor, momentum_buffer);
  TORCH_ARG(Tensor, grad_avg);
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
};

struct AdagradParamState : OptimizerParamState {
  TORCH_ARG(int64_t, step) = 0;
  TORCH_ARG(Tensor, sum);
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
