// comparePrecisions: the same training in several precisions, side by side: time, memory, loss.
//
//   auto in = [&](torch::Dtype type) {
//     return [&, type] { // sets a training up and returns its step
//       torch::manual_seed(1);
//       auto model = std::make_shared<NetImpl>();
//       model->to(type);
//       auto optimizer = std::make_shared<torch::optim::SGD>(model->parameters(), 0.1);
//       return [=] {
//         optimizer->zero_grad();
//         auto loss = torch::mse_loss(model->forward(x.to(type)), y.to(type));
//         loss.backward();
//         optimizer->step();
//         return loss;
//       };
//     };
//   };
//   auto results = gradtidy::comparePrecisions(
//       {{"float32", in(torch::kFloat)}, {"bfloat16", in(torch::kBFloat16)}}, device);
//   std::cout << gradtidy::precisionTable(results);
//
// What a variant does is its own affair: another type for the model, autocast (Autocast.h) around
// the forward, a GradScaler. A hundred steps show whether the loss goes another way; the first ten
// are not in the time, since libraries choose their kernels in them. Time is the device's
// (detail/Moment.h), memory the peak over all of setting up and training. Losses are read when all
// steps are done, so nobody waits meanwhile.
#pragma once

#include "MemoryTracker.h"
#include "detail/Moment.h"
#include "detail/Plot.h"
#include "detail/Tensors.h"

#include <torch/torch.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace gradtidy {

struct PrecisionVariant {
  std::string name;
  std::function<std::function<torch::Tensor()>()> start; ///< returns a step, which returns its loss
};

struct PrecisionOptions {
  int64_t steps = 100;
  int64_t warmup = 10; ///< steps that are not in the time
};

struct PrecisionResult {
  std::string name;
  double milliseconds; ///< a step
  int64_t peak;        ///< bytes on the device
  std::vector<double> losses;
};

inline std::vector<PrecisionResult> comparePrecisions(const std::vector<PrecisionVariant> &variants,
                                                      c10::Device device,
                                                      const PrecisionOptions &options = {}) {
  TORCH_CHECK(options.steps > options.warmup && options.warmup >= 0,
              "comparePrecisions needs more steps than those to warm up");
  std::vector<PrecisionResult> results;
  for (const PrecisionVariant &variant : variants) {
    MemoryTracker memory;
    const std::function<torch::Tensor()> step = variant.start();
    std::vector<torch::Tensor> losses;
    auto train = [&](int64_t steps) {
      for (int64_t i = 0; i < steps; ++i)
        losses.push_back(step().detach());
    };
    train(options.warmup);
    const detail::Moment begin(device);
    train(options.steps - options.warmup);
    const detail::Moment end(device);
    results.push_back({variant.name,
                       begin.to(end) / static_cast<double>(options.steps - options.warmup),
                       memory.peak(device), detail::numbersOf(losses)});
  }
  return results;
}

/// Compared with the first result.
inline std::string precisionTable(const std::vector<PrecisionResult> &results) {
  detail::Table table(
      {"precision", "ms/step", "speed", "peak", "memory", "first loss", "last loss"});
  for (const PrecisionResult &result : results) {
    const PrecisionResult &first = results.front();
    table.add({result.name, detail::formatted("%.3f", result.milliseconds),
               detail::formatted("%.2f x", first.milliseconds / result.milliseconds),
               bytesText(result.peak),
               detail::formatted("%.2f x", static_cast<double>(result.peak) /
                                               static_cast<double>(first.peak)),
               detail::formatted("%.4g", result.losses.front()),
               detail::formatted("%.4g", result.losses.back())});
  }
  return table.text();
}

/// Loss over steps, a line for each result, as SVG.
inline std::string precisionPlot(const std::vector<PrecisionResult> &results) {
  std::vector<PlotLine> lines;
  for (const PrecisionResult &result : results) {
    lines.push_back({result.name, {}});
    for (std::size_t i = 0; i < result.losses.size(); ++i)
      lines.back().points.emplace_back(static_cast<double>(i + 1), result.losses[i]);
  }
  PlotOptions options;
  options.title = "Loss by precision";
  options.x = "step";
  options.y = "loss";
  options.logarithmicY = true;
  return linePlot(options, lines);
}

} // namespace gradtidy
