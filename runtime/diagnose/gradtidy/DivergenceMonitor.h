// DivergenceMonitor: says when the validation loss has risen for so long that training on is of no
// use, and which epoch to go back to.
//
//   gradtidy::DivergenceMonitor monitor;
//   for (int epoch = 0; epoch < epochs; ++epoch) {
//     const double training = train(), validation = validate();
//     if (monitor.update(validation, training))
//       break; // std::cout << monitor.text()
//   }
//
// The loss has diverged when it lay above the lowest one so far for five epochs in a row: single
// epochs are noisy, five in a row seldom are (Prechelt, "Early stopping - but when?", 1998, finds
// the like for five strips). A loss that is not finite has diverged at once.
#pragma once

#include "detail/Text.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace gradtidy {

struct DivergenceOptions {
  int64_t patience = 5; ///< epochs in a row above the minimum
  double margin = 0;    ///< a loss counts as above from (1 + margin) times the minimum
};

class DivergenceMonitor {
public:
  explicit DivergenceMonitor(DivergenceOptions options = {}) : options(options) {}

  /// Takes the losses of one more epoch, that of training if it is at hand. Returns diverged().
  bool update(double validation, double training = std::numeric_limits<double>::quiet_NaN()) {
    if (!std::isfinite(validation)) {
      notFinite = true;
    } else if (losses.empty() || validation < minimum) {
      minimum = validation;
      best = static_cast<int64_t>(losses.size());
      above = 0;
      trainingAtBest = training;
    } else {
      above = validation > minimum * (1 + options.margin) ? above + 1 : 0;
    }
    losses.push_back(validation);
    lastTraining = training;
    return diverged();
  }

  bool diverged() const { return notFinite || above >= options.patience; }
  /// The epoch of the lowest validation loss, from 0; -1 before the first.
  int64_t bestEpoch() const { return best; }
  double bestLoss() const { return minimum; }

  std::string text() const {
    if (notFinite)
      return detail::formatted("epoch %zu: the validation loss is not finite", losses.size() - 1);
    if (losses.empty())
      return "no epoch so far";
    std::string text =
        detail::formatted("epoch %zu: validation loss %.4g, lowest %.4g in epoch %lld",
                          losses.size() - 1, losses.back(), minimum, static_cast<long long>(best));
    if (above > 0)
      text += detail::formatted(", above it for %lld epochs", static_cast<long long>(above));
    if (!diverged())
      return text;
    if (lastTraining < trainingAtBest)
      return text + "\ndiverged: the training loss still falls, so the model overfits";
    if (lastTraining >= trainingAtBest)
      return text + "\ndiverged: the training loss rises, too, so the learning rate is too large";
    return text + "\ndiverged";
  }

private:
  DivergenceOptions options;
  std::vector<double> losses;
  double minimum = std::numeric_limits<double>::infinity();
  double trainingAtBest = std::numeric_limits<double>::quiet_NaN(), lastTraining = trainingAtBest;
  int64_t best = -1, above = 0;
  bool notFinite = false;
};

} // namespace gradtidy
