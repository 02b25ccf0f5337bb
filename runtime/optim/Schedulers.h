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

/// Multiplies the rates by `factor` when a metric has not improved for more than `patience` steps.
class ReduceLROnPlateauScheduler {
public:
  /// Whether less or more is better.
  enum SchedulerMode { min, max };
  /// Whether the metric must be better by a share of the best one or by an amount.
  enum ThresholdMode { rel, abs };

  ReduceLROnPlateauScheduler(Optimizer &optimizer, SchedulerMode mode = min, float factor = 0.1,
                             int patience = 10, double threshold = 1e-4,
                             ThresholdMode thresholdMode = rel, int cooldown = 0,
                             const std::vector<float> &minRates = {}, double eps = 1e-8,
                             bool verbose = false);
  virtual ~ReduceLROnPlateauScheduler() = default;
  void step(float metric);

private:
  bool isBetter(double metric) const;
  void reduce();

  Optimizer &optimizer;
  SchedulerMode mode;
  float factor;
  int patience;
  double threshold;
  ThresholdMode thresholdMode;
  int cooldown, coolingLeft = 0, epoch = 0, badEpochs = 0;
  std::vector<float> minRates;
  double eps, best;
  bool verbose;
};

} // namespace gradtidy::runtime::optim
