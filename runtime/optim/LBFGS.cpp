#include "LBFGS.h"
#include "../autograd/GradMode.h"
#include "../ops/Arithmetic.h"
#include "../ops/Factories.h"
#include "../ops/Linear.h"
#include "../ops/Pointwise.h"
#include "../ops/Reductions.h"
#include "../ops/Views.h"

#include <algorithm>
#include <cmath>

namespace gradtidy::runtime::optim {
namespace {

double number(const Tensor &x) { return x.item<double>(); }
double largest(const Tensor &x) { return number(x.abs().max()); }

/// The minimum of the cubic through two points with their slopes, within the bounds.
double cubicMinimum(double x1, double f1, double g1, double x2, double f2, double g2, double low,
                    double high) {
  double d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2);
  double square = d1 * d1 - g1 * g2;
  if (square < 0)
    return (low + high) / 2;
  double d2 = std::sqrt(square);
  double at = x1 <= x2 ? x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
                       : x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2));
  return std::min(std::max(at, low), high);
}

} // namespace

LBFGS::LBFGS(const std::vector<OptimizerParamGroup> &groups, LBFGSOptions defaults)
    : Optimizer(groups, std::make_unique<LBFGSOptions>(defaults)) {
  TORCH_CHECK(param_groups().size() == 1,
              "LBFGS doesn't support per-parameter options (parameter groups)");
}

Tensor LBFGS::flatGradient() {
  std::vector<Tensor> parts;
  for (const Tensor &parameter : param_groups()[0].params())
    parts.push_back(parameter.grad().defined() ? parameter.grad().reshape({-1})
                                               : zeros_like(parameter).reshape({-1}));
  return cat(parts);
}

void LBFGS::move(double step, const Tensor &direction) {
  int64_t at = 0;
  for (Tensor &parameter : param_groups()[0].params()) {
    parameter.add_(direction.narrow(0, at, parameter.numel()).view(parameter.sizes()), step);
    at += parameter.numel();
  }
}

LBFGS::Point LBFGS::probe(const LossClosure &closure, const std::vector<Tensor> &start, double step,
                          const Tensor &direction) {
  move(step, direction);
  Tensor loss;
  {
    AutoGradMode mode(true);
    loss = closure();
  }
  Tensor gradient = flatGradient();
  std::vector<Tensor> &parameters = param_groups()[0].params();
  for (std::size_t i = 0; i < parameters.size(); ++i)
    parameters[i].copy_(start[i]);
  return {step, number(loss), gradient, number(gradient.dot(direction))};
}

LBFGS::Point LBFGS::strongWolfe(const LossClosure &closure, double step, const Tensor &direction,
                                Point start, double smallestChange, int64_t &evaluations) {
  constexpr double c1 = 1e-4, c2 = 0.9;
  constexpr int64_t maxIterations = 25;
  double scale = largest(direction);
  std::vector<Tensor> parameters;
  for (const Tensor &parameter : param_groups()[0].params())
    parameters.push_back(parameter.clone());
  auto evaluate = [&](double at) {
    ++evaluations;
    return probe(closure, parameters, at, direction);
  };
  auto tooHigh = [&](const Point &p) { return p.loss > start.loss + c1 * p.step * start.slope; };
  auto flatEnough = [&](const Point &p) { return std::abs(p.slope) <= -c2 * start.slope; };

  // A bracket that holds a good step.
  Point before = start, now = evaluate(step), low, high;
  bool done = false, found = false;
  int64_t iteration = 0;
  for (; iteration < maxIterations; ++iteration) {
    if (tooHigh(now) || (iteration > 0 && now.loss >= before.loss) || now.slope >= 0) {
      done = !tooHigh(now) && !(iteration > 0 && now.loss >= before.loss) && flatEnough(now);
      low = done ? now : before;
      high = now;
      found = true;
      break;
    }
    if (flatEnough(now)) {
      low = high = now;
      done = found = true;
      break;
    }
    double least = now.step + 0.01 * (now.step - before.step), most = now.step * 10;
    double next = cubicMinimum(before.step, before.loss, before.slope, now.step, now.loss,
                               now.slope, least, most);
    before = now;
    now = evaluate(next);
  }
  if (!found) {
    low = start;
    high = now;
  }
  if (low.loss > high.loss)
    std::swap(low, high);

  // Narrow it.
  bool slow = false;
  while (!done && iteration < maxIterations) {
    double left = std::min(low.step, high.step), right = std::max(low.step, high.step);
    if ((right - left) * scale < smallestChange)
      break;
    // In the order of the bracket, as the cubic is not symmetric in rounding.
    double next =
        cubicMinimum(low.step, low.loss, low.slope, high.step, high.loss, high.slope, left, right);
    double margin = 0.1 * (right - left);
    if (std::min(right - next, next - left) < margin) {
      if (slow || next >= right || next <= left) {
        next = std::abs(next - right) < std::abs(next - left) ? right - margin : left + margin;
        slow = false;
      } else {
        slow = true;
      }
    } else {
      slow = false;
    }
    Point point = evaluate(next);
    ++iteration;
    if (tooHigh(point) || point.loss >= low.loss) {
      high = point;
      if (low.loss > high.loss)
        std::swap(low, high);
      continue;
    }
    if (flatEnough(point))
      done = true;
    else if (point.slope * (high.step - low.step) >= 0)
      high = low;
    low = point;
  }
  return low;
}

void LBFGS::updateDirection(LBFGSParamState &state, const Tensor &gradient, int64_t historySize) {
  if (state.n_iter() == 1) {
    state.d(gradient.neg());
    state.H_diag(1);
    return;
  }
  Tensor change = gradient - state.prev_flat_grad(), step = state.d() * state.t();
  double curvature = number(change.dot(step));
  auto &changes = state.old_dirs(), &steps = state.old_stps();
  auto &weights = state.ro();
  if (curvature > 1e-10) {
    if (static_cast<int64_t>(changes.size()) == historySize) {
      changes.erase(changes.begin());
      steps.erase(steps.begin());
      weights.erase(weights.begin());
    }
    changes.push_back(change);
    steps.push_back(step);
    weights.push_back(1 / curvature);
    state.H_diag(curvature / number(change.dot(change)));
  }
  // The inverse Hessian times the gradient, by two loops over the history.
  std::vector<double> shares(changes.size());
  Tensor q = gradient.neg();
  for (std::size_t i = changes.size(); i-- > 0;) {
    shares[i] = number(steps[i].dot(q)) * weights[i];
    q.add_(changes[i], -shares[i]);
  }
  Tensor direction = q * state.H_diag();
  for (std::size_t i = 0; i < changes.size(); ++i)
    direction.add_(steps[i], shares[i] - number(changes[i].dot(direction)) * weights[i]);
  state.d(direction);
}

Tensor LBFGS::step(LossClosure closure) {
  NoGradGuard guard;
  TORCH_CHECK(closure != nullptr, "LBFGS requires a closure function");
  auto evaluate = [&] {
    AutoGradMode mode(true);
    return closure();
  };
  auto &options = static_cast<LBFGSOptions &>(param_groups()[0].options());
  int64_t maxEvaluations = options.max_eval().value_or(options.max_iter() * 5 / 4);
  auto &state = stateOf<LBFGSParamState>(param_groups()[0].params().at(0));

  Tensor first = evaluate();
  double loss = number(first);
  int64_t evaluations = 1;
  state.func_evals(state.func_evals() + 1);
  Tensor gradient = flatGradient();
  if (largest(gradient) <= options.tolerance_grad())
    return first;

  for (int64_t iteration = 1; iteration <= options.max_iter(); ++iteration) {
    state.n_iter(state.n_iter() + 1);
    updateDirection(state, gradient, options.history_size());
    const Tensor &direction = state.d();
    state.prev_flat_grad(gradient.clone());
    double previousLoss = loss;
    state.prev_loss(loss);
    double step = state.n_iter() == 1
                      ? std::min(1.0, 1 / number(gradient.abs().sum())) * options.lr()
                      : options.lr();
    double slope = number(gradient.dot(direction));
    if (slope > -options.tolerance_change())
      break;
    int64_t used = 0;
    if (options.line_search_fn()) {
      TORCH_CHECK(*options.line_search_fn() == "strong_wolfe", "only 'strong_wolfe' is supported");
      Point point = strongWolfe(closure, step, direction, {0, loss, gradient, slope},
                                options.tolerance_change(), used);
      step = point.step;
      loss = point.loss;
      gradient = point.gradient;
      move(step, direction);
    } else {
      move(step, direction);
      if (iteration != options.max_iter()) {
        loss = number(evaluate());
        gradient = flatGradient();
        used = 1;
      }
    }
    state.t(step);
    evaluations += used;
    state.func_evals(state.func_evals() + used);
    if (iteration == options.max_iter() || evaluations >= maxEvaluations ||
        largest(gradient) <= options.tolerance_grad() ||
        largest(direction * step) <= options.tolerance_change() ||
        std::abs(loss - previousLoss) < options.tolerance_change())
      break;
  }
  return first;
}

} // namespace gradtidy::runtime::optim
