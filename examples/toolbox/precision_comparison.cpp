// precision_comparison [PLOT.svg]: a small regression in float32, bfloat16 and float16, and in
// float32 with autocast.
#include <gradtidy/Autocast.h>
#include <gradtidy/PrecisionComparison.h>
#include <torch/torch.h>

#include <iostream>
#include <memory>
#include <optional>

int main(int count, char **arguments) {
  const torch::Device device =
      torch::cuda::is_available() ? torch::Device(torch::kCUDA, 0) : torch::Device(torch::kCPU);
  torch::manual_seed(1);
  const auto x = torch::randn({512, 64}), y = x.slice(1, 0, 8).sin();
  auto in = [&](torch::Dtype type, std::optional<torch::Dtype> autocast = {}) {
    return [&, type, autocast]() -> std::function<torch::Tensor()> {
      torch::manual_seed(2);
      torch::nn::Sequential model(torch::nn::Linear(64, 256), torch::nn::ReLU(),
                                  torch::nn::Linear(256, 8));
      model->to(device, type);
      auto optimizer = std::make_shared<torch::optim::SGD>(
          model->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
      const auto input = x.to(device, type), target = y.to(device, type);
      return [=]() mutable {
        optimizer->zero_grad();
        std::optional<gradtidy::Autocast> scope;
        if (autocast)
          scope.emplace(device.type(), *autocast);
        auto loss = torch::mse_loss(model->forward(input), target);
        scope.reset();
        loss.backward();
        optimizer->step();
        return loss;
      };
    };
  };
  const auto results =
      gradtidy::comparePrecisions({{"float32", in(torch::kFloat)},
                                   {"bfloat16", in(torch::kBFloat16)},
                                   {"float16", in(torch::kHalf)},
                                   {"autocast", in(torch::kFloat, torch::kBFloat16)}},
                                  device);
  std::cout << gradtidy::precisionTable(results);
  if (count > 1)
    gradtidy::writeFile(arguments[1], gradtidy::precisionPlot(results));
}
