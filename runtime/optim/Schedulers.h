// Learning-rate schedules.
#pragma once

#include "Optimizer.h"

namespace gradtidy::runtime::optim {

/// Sets the learning rates of an optimizer, which must outlive it, at every step().
class LRScheduler {
public:
  explicit LRScheduler(Optimizer &optimizer) : optimizer(optimizer) {}
  virtual ~LRScheduler() = default;
  void step();

protected:
  /// The learning rate of each group for the current step.
  virtual std::vector<double> get_lrs() = 0;
  std::vector<double> get_current_lrs() const;

  unsigned step_count_ = 0;

private:
  Optimizer &optimizer;
};

/// Multiplies the rate by `gamma` every `stepSize` steps.
class StepLR : public LRScheduler {
public:
  StepLR(Optimizer &optimizer, unsigned stepSize, double gamma = 0.1)
      : LRScheduler(optimizer), stepSize(stepSize), gamma(gamma) {}

private:
  std::vector<double> get_lrs() override;

  unsigned stepSize;
  double gamma;
};

} // namespace gradtidy::runtime::optim
