// precision_comparison [PLOT.svg]: a small regression in float32, bfloat16 and float16.
#include <gradtidy/PrecisionComparison.h>
#include <torch/torch.h>

#include <iostream>
#include <memory>

int main(int count, char **arguments) {
  const torch::Device device =
      torch::cuda::is_available() ? torch::Device(torch::kCUDA, 0) : torch::Device(torch::kCPU);
  torch::manual_seed(1);
  const auto x = torch::randn({512, 64}), y = x.slice(1, 0, 8).sin();
  auto in = [&](torch::Dtype type) {
    return [&, type]() -> std::function<torch::Tensor()> {
      torch::manual_seed(2);
      torch::nn::Sequential model(torch::nn::Linear(64, 256), torch::nn::ReLU(),
                                  torch::nn::Linear(256, 8));
      model->to(device, type);
      auto optimizer = std::make_shared<torch::optim::SGD>(
          model->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
      const auto input = x.to(device, type), target = y.to(device, type);
      return [=]() mutable {
        optimizer->zero_grad();
        auto loss = torch::mse_loss(model->forward(input), target);
        loss.backward();
        optimizer->step();
        return loss;
      };
    };
  };
  const auto results = gradtidy::comparePrecisions({{"float32", in(torch::kFloat)},
                                                    {"bfloat16", in(torch::kBFloat16)},
                                                    {"float16", in(torch::kHalf)}},
                                                   device);
  std::cout << gradtidy::precisionTable(results);
  if (count > 1)
    gradtidy::writeFile(arguments[1], gradtidy::precisionPlot(results));
}
