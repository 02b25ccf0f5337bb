// GradScaler: keeps small gradients of float16 from vanishing, as torch.amp.GradScaler of Python
// does, which LibTorch does not have. It uses LibTorch's API alone, so it works with LibTorch as
// well as with the bundled runtime.
//
//   gradtidy::GradScaler scaler;
//   for (...) {
//     optimizer.zero_grad();
//     scaler.scale(loss).backward();
//     scaler.unscale_(optimizer);    // only where gradients are looked at, as clipping does
//     scaler.step(optimizer);        // skipped where a gradient is infinite or NaN
//     scaler.update();               // halves the scale after that, else doubles it now and then
//   }
//
// Several losses may be scaled, and several optimizers stepped, before one update().
#pragma once

#include <torch/torch.h>

#include <map>

namespace gradtidy {

struct GradScalerOptions {
  double scale = 65536;
  double growth = 2;    ///< factor after `interval` steps without an infinite gradient; > 1
  double backoff = 0.5; ///< factor after an infinite gradient; < 1
  int64_t interval = 2000;
  bool enabled = true; ///< otherwise losses and gradients are left alone and no step is skipped
};

class GradScaler {
public:
  explicit GradScaler(GradScalerOptions options = {}) : options(options), factor(options.scale) {
    TORCH_CHECK(options.growth > 1, "The growth factor must be > 1.0.");
    TORCH_CHECK(options.backoff < 1, "The backoff factor must be < 1.0.");
  }

  /// The loss times the scale; backward() through it gives scaled gradients.
  torch::Tensor scale(const torch::Tensor &loss) const {
    return options.enabled ? loss * factor : loss;
  }

  /// Divides the gradients of an optimizer by the scale. At most once before step(), which does it
  /// where it was not done.
  void unscale_(torch::optim::Optimizer &optimizer) {
    if (!options.enabled)
      return;
    const Stage stage = stageOf(optimizer);
    TORCH_CHECK(stage != Stage::Unscaled,
                "unscale_() has already been called on this optimizer since the last update().");
    TORCH_CHECK(stage != Stage::Stepped, "unscale_() is being called after step().");
    const bool overflowed = unscaleGradients(optimizer);
    states[&optimizer] = {Stage::Unscaled, overflowed};
  }

  /// Lets the optimizer step, unless one of its gradients is infinite or NaN. Returns whether it
  /// did.
  bool step(torch::optim::Optimizer &optimizer) {
    if (!options.enabled) {
      optimizer.step();
      return true;
    }
    const Stage stage = stageOf(optimizer);
    TORCH_CHECK(stage != Stage::Stepped, "step() has already been called since the last update().");
    if (stage == Stage::Ready)
      unscale_(optimizer);
    State &state = states.at(&optimizer);
    state.stage = Stage::Stepped;
    if (!state.overflowed)
      optimizer.step();
    return !state.overflowed;
  }

  /// Sets the scale for the next iteration by what the steps since the last call have met.
  void update() {
    if (!options.enabled)
      return;
    TORCH_CHECK(!states.empty(), "No inf checks were recorded prior to update.");
    bool overflowed = false;
    for (const auto &entry : states)
      overflowed = overflowed || entry.second.overflowed;
    states.clear();
    if (overflowed)
      factor *= options.backoff;
    else if (++steps == options.interval)
      factor *= options.growth;
    if (overflowed || steps == options.interval)
      steps = 0;
  }

  double get_scale() const { return options.enabled ? factor : 1; }

private:
  enum class Stage { Ready, Unscaled, Stepped };
  struct State {
    Stage stage;
    bool overflowed;
  };

  Stage stageOf(torch::optim::Optimizer &optimizer) const {
    auto known = states.find(&optimizer);
    return known == states.end() ? Stage::Ready : known->second.stage;
  }

  /// Whether a gradient is not finite. The host waits once for each device.
  bool unscaleGradients(torch::optim::Optimizer &optimizer) const {
    torch::NoGradGuard guard;
    std::map<c10::DeviceIndex, torch::Tensor> finite;
    for (const auto &group : optimizer.param_groups())
      for (const torch::Tensor &parameter : group.params()) {
        torch::Tensor gradient = parameter.grad();
        if (!gradient.defined())
          continue;
        TORCH_CHECK(gradient.scalar_type() != torch::kHalf,
                    "Attempting to unscale FP16 gradients.");
        gradient.mul_(1 / factor);
        torch::Tensor all = torch::isfinite(gradient).all();
        torch::Tensor &known = finite[gradient.device().index()];
        known = known.defined() ? known.logical_and(all) : all;
      }
    TORCH_CHECK(!finite.empty(), "No inf checks were recorded for this optimizer.");
    for (const auto &entry : finite)
      if (!entry.second.item<bool>())
        return true;
    return false;
  }

  GradScalerOptions options;
  double factor;
  int64_t steps = 0;
  std::map<torch::optim::Optimizer *, State> states;
};

} // namespace gradtidy
