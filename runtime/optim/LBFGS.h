// LBFGS (Liu and Nocedal 1989): steps along an approximation of Newton's direction made of the last
// changes of gradients.
//
// One step() evaluates its closure, which clears the gradients and calls backward(), many times.
#pragma once

#include "Optimizer.h"

#include <deque>

namespace gradtidy::runtime::optim {

struct LBFGSOptions : OptimizerCloneableOptions<LBFGSOptions> {
  LBFGSOptions(double lr = 1) : lr_(lr) {}
  TORCH_ARG(double, lr);
  TORCH_ARG(int64_t, max_iter) = 20;
  /// 5/4 of max_iter unless set.
  TORCH_ARG(optional<int64_t>, max_eval) = nullopt;
  TORCH_ARG(double, tolerance_grad) = 1e-7;
  TORCH_ARG(double, tolerance_change) = 1e-9;
  TORCH_ARG(int64_t, history_size) = 100;
  /// Nothing, or "strong_wolfe".
  TORCH_ARG(optional<std::string>, line_search_fn) = nullopt;

public:
  auto fields() {
    return std::tie(lr_, max_iter_, max_eval_, tolerance_grad_, tolerance_change_, history_size_,
                    line_search_fn_);
  }
};

struct LBFGSParamState : OptimizerCloneableParamState<LBFGSParamState> {
  TORCH_ARG(int64_t, func_evals) = 0;
  TORCH_ARG(int64_t, n_iter) = 0;
  TORCH_ARG(double, t) = 0;
  TORCH_ARG(double, prev_loss) = 0;
  TORCH_ARG(double, H_diag) = 1;
  TORCH_ARG(Tensor, d) = {};
  TORCH_ARG(Tensor, prev_flat_grad) = {};
  TORCH_ARG(std::vector<Tensor>, old_dirs);
  TORCH_ARG(std::vector<Tensor>, old_stps);
  TORCH_ARG(std::vector<double>, ro);

public:
  auto fields() {
    return std::tie(func_evals_, n_iter_, t_, prev_loss_, H_diag_, d_, prev_flat_grad_, old_dirs_,
                    old_stps_, ro_);
  }
};

class LBFGS : public Optimizer {
public:
  explicit LBFGS(const std::vector<OptimizerParamGroup> &groups, LBFGSOptions defaults = {});
  explicit LBFGS(std::vector<Tensor> params, LBFGSOptions defaults = {})
      : LBFGS({OptimizerParamGroup(std::move(params))}, defaults) {}

  Tensor step(LossClosure closure) override;

protected:
  std::unique_ptr<OptimizerParamState> newState() const override {
    return std::make_unique<LBFGSParamState>();
  }

private:
  struct Point {
    double step, loss;
    Tensor gradient;
    double slope;
  };

  Tensor flatGradient();
  void move(double step, const Tensor &direction);
  /// Loss and slope where a step of this length leads; the parameters end up where they were.
  Point probe(const LossClosure &closure, const std::vector<Tensor> &start, double step,
              const Tensor &direction);
  /// Nocedal and Wright, Numerical Optimization, algorithms 3.5 and 3.6. Returns the point and
  /// counts evaluations.
  Point strongWolfe(const LossClosure &closure, double step, const Tensor &direction, Point start,
                    double smallestChange, int64_t &evaluations);
  void updateDirection(LBFGSParamState &state, const Tensor &gradient, int64_t historySize);
};

} // namespace gradtidy::runtime::optim
