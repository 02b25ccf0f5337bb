// GradientNormMonitor: looks at the gradients after each backward and says when they vanish,
// explode, or hold NaN.
//
//   gradtidy::GradientNormMonitor monitor(*model);
//   loss.backward();
//   if (auto reading = monitor.read(); reading.state != gradtidy::GradientState::Fine)
//     std::cout << reading.text() << '\n';
//   optimizer.step();
//
// Read is the Euclidean norm over all parameters, as clip_grad_norm_ takes it. Above 10 it is
// large: norms to which gradients are commonly clipped are 0.25 to 5. Ten times the median of the
// last twenty on top of that is an explosion, and less than 1e-7, the precision of float32, is
// nothing (Pascanu et al., "On the difficulty of training recurrent neural networks", 2013). The
// host waits once for each reading.
#pragma once

#include "detail/Tensors.h"
#include "detail/Text.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace gradtidy {

struct GradientNormOptions {
  double alert = 10;
  double growth = 10;      ///< over the median of the last `window` norms
  std::size_t window = 20; ///< readings
  double vanishing = 1e-7;
};

enum class GradientState {
  Fine,
  Missing,   ///< no parameter has a gradient
  NotFinite, ///< NaN or Inf
  Exploding, ///< above the alert, and ten times what it was
  Large,     ///< above the alert
  Vanishing
};

struct GradientReading {
  GradientState state = GradientState::Missing;
  double norm = 0;
  double median = 0;     ///< of the readings before, 0 where there were none
  std::string parameter; ///< with the largest gradient, or the first that is not finite
  double largest = 0;    ///< its norm

  std::string text() const {
    switch (state) {
    case GradientState::Missing:
      return "no parameter has a gradient: is read() called after backward()?";
    case GradientState::NotFinite:
      return "the gradient of " + parameter +
             " holds NaN or Inf: gradtidy::NanFinder tells which operation made it";
    case GradientState::Vanishing:
      return detail::formatted("gradient norm %.3g: the gradients vanish", norm);
    case GradientState::Exploding:
      return detail::formatted("gradient norm %.3g explodes, it was %.3g; most of it in %s (%.3g)",
                               norm, median, parameter.c_str(), largest);
    case GradientState::Large:
      return detail::formatted("gradient norm %.3g is large; most of it in %s (%.3g)", norm,
                               parameter.c_str(), largest);
    case GradientState::Fine:
      break;
    }
    return detail::formatted("gradient norm %.3g", norm);
  }
};

class GradientNormMonitor {
public:
  explicit GradientNormMonitor(const torch::nn::Module &module, GradientNormOptions options = {})
      : options(options), parameters(detail::namedParameters(module)) {}

  /// Looks at the gradients there are.
  GradientReading read() {
    GradientReading reading;
    const std::vector<double> norms = normsByParameter(reading);
    if (norms.empty())
      return reading;
    double squares = 0;
    for (double norm : norms)
      squares += norm * norm;
    reading.norm = std::sqrt(squares);
    reading.median = medianOfLast();
    reading.state = stateOf(reading);
    if (reading.state != GradientState::NotFinite)
      readings.push_back(reading.norm);
    return reading;
  }

  /// All finite norms so far.
  const std::vector<double> &history() const { return readings; }

private:
  std::vector<double> normsByParameter(GradientReading &reading) const {
    torch::NoGradGuard guard;
    std::vector<torch::Tensor> norms;
    std::vector<std::string> names;
    for (const detail::NamedTensor &item : parameters)
      if (item.tensor.grad().defined()) {
        norms.push_back(item.tensor.grad().norm());
        names.push_back(item.name);
      }
    const std::vector<double> numbers = detail::numbersOf(norms);
    const auto worst = std::max_element(numbers.begin(), numbers.end(), [](double a, double b) {
      return std::isfinite(a) && (!std::isfinite(b) || a < b);
    });
    if (worst != numbers.end()) {
      reading.parameter = names[static_cast<std::size_t>(worst - numbers.begin())];
      reading.largest = *worst;
    }
    return numbers;
  }

  double medianOfLast() const {
    const auto count = static_cast<std::ptrdiff_t>(std::min(options.window, readings.size()));
    return detail::medianOf({readings.end() - count, readings.end()});
  }

  GradientState stateOf(const GradientReading &reading) const {
    if (!std::isfinite(reading.norm))
      return GradientState::NotFinite;
    if (reading.norm < options.vanishing)
      return GradientState::Vanishing;
    if (reading.norm <= options.alert)
      return GradientState::Fine;
    return reading.median > 0 && reading.norm > options.growth * reading.median
               ? GradientState::Exploding
               : GradientState::Large;
  }

  GradientNormOptions options;
  std::vector<detail::NamedTensor> parameters;
  std::vector<double> readings;
};

} // namespace gradtidy
