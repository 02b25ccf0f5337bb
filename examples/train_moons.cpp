// Trains a small classifier on two interleaved half-moons.
//
// This program compiles, runs, and prints a loss that falls at first, then jumps about and gets
// stuck high: in the end the classifier does no better than a tossed coin. It has a bug that no
// compiler warns of. Run gradtidy to find it.
#include <torch/torch.h>

#include <cmath>
#include <cstdio>
#include <utility>

struct NetImpl : torch::nn::Module {
  NetImpl() {
    hidden1 = register_module("hidden1", torch::nn::Linear(2, 32));
    hidden2 = register_module("hidden2", torch::nn::Linear(32, 32));
    output = register_module("output", torch::nn::Linear(32, 2));
  }

  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(hidden1(x));
    x = torch::relu(hidden2(x));
    return output(x);
  }

  torch::nn::Linear hidden1{nullptr}, hidden2{nullptr}, output{nullptr};
};
TORCH_MODULE(Net);

// Points on two half circles with some noise; the label says which one.
std::pair<torch::Tensor, torch::Tensor> makeMoons(int64_t count) {
  auto labels = torch::arange(count).remainder(2);
  auto angle = torch::rand({count}) * M_PI;
  auto side = 1 - 2 * labels.to(torch::kFloat); // +1: upper moon, -1: lower moon
  auto x = side * torch::cos(angle) + (1 - side) / 2;
  auto y = side * torch::sin(angle) + (1 - side) / 4;
  return {torch::stack({x, y}, 1) + 0.2 * torch::randn({count, 2}), labels};
}

int main() {
  torch::manual_seed(7);
  auto [points, labels] = makeMoons(512);
  Net model;
  torch::optim::SGD optimizer(model->parameters(), 0.3);

  for (int epoch = 1; epoch <= 30; ++epoch) {
    double total = 0;
    for (int64_t start = 0; start < points.size(0); start += 64) {
      auto batch = points.slice(0, start, start + 64);
      auto target = labels.slice(0, start, start + 64);
      auto loss = torch::nn::functional::cross_entropy(model(batch), target);
      loss.backward();
      optimizer.step();
      total += loss.item<double>();
    }
    auto correct = model(points).argmax(1).eq(labels).to(torch::kFloat).mean();
    std::printf("epoch %2d  loss %.4f  accuracy %.3f\n", epoch, total / 8, correct.item<double>());
  }
}
