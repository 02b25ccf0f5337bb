// Step time and memory of three training loops, for bench/training-step: one source for the runtime
// and for LibTorch.
//
//   training-step MODEL STEPS     (MODEL: mlp, cnn or transformer)
//
// Prints the median processor time of a step in milliseconds, which other programs disturb little,
// the largest amount of memory that tensors took during a step in MiB, and the loss at the end.
#include <gradtidy/MemoryTracker.h>
#include <torch/torch.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nn = torch::nn;
using torch::Tensor;

namespace {

/// A model's parameters and the loss of one batch.
struct Task {
  std::vector<Tensor> parameters;
  std::function<Tensor()> loss;
};

/// Three layers of 1024.
Task mlp() {
  nn::Sequential net(nn::Linear(1024, 1024), nn::ReLU(), nn::Linear(1024, 1024), nn::ReLU(),
                     nn::Linear(1024, 10));
  Tensor x = torch::rand({128, 1024}), y = torch::randint(10, {128}, torch::kLong);
  return {net->parameters(),
          [=]() mutable { return nn::functional::cross_entropy(net->forward(x), y); }};
}

/// LeNet-5 with rectifiers, on images of MNIST's shape.
Task cnn() {
  nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(1, 6, 5).padding(2)), nn::ReLU(),
                     nn::MaxPool2d(2), nn::Conv2d(nn::Conv2dOptions(6, 16, 5)), nn::ReLU(),
                     nn::MaxPool2d(2), nn::Flatten(), nn::Linear(400, 120), nn::ReLU(),
                     nn::Linear(120, 84), nn::ReLU(), nn::Linear(84, 10));
  Tensor x = torch::rand({64, 1, 28, 28}), y = torch::randint(10, {64}, torch::kLong);
  return {net->parameters(),
          [=]() mutable { return nn::functional::cross_entropy(net->forward(x), y); }};
}

/// Two encoder layers of width 128 with four heads, over 16 sequences of 64.
Task transformer() {
  nn::Embedding embedding(100, 128);
  nn::TransformerEncoder encoder(nn::TransformerEncoderOptions(
      nn::TransformerEncoderLayerOptions(128, 4).dim_feedforward(512).dropout(0), 2));
  nn::Linear head(128, 100);
  Tensor x = torch::randint(100, {64, 16}, torch::kLong);
  Tensor y = torch::randint(100, {64 * 16}, torch::kLong);
  Task task;
  for (const auto &part : {embedding->parameters(), encoder->parameters(), head->parameters()})
    task.parameters.insert(task.parameters.end(), part.begin(), part.end());
  task.loss = [=]() mutable {
    return nn::functional::cross_entropy(head(encoder(embedding(x))).view({-1, 100}), y);
  };
  return task;
}

} // namespace

int main(int argc, char **argv) {
  torch::manual_seed(1);
  const std::string model = argc > 1 ? argv[1] : "mlp";
  const int steps = argc > 2 ? std::atoi(argv[2]) : 20;
  Task task = model == "cnn" ? cnn() : model == "transformer" ? transformer() : mlp();
  torch::optim::Adam optimizer(task.parameters, torch::optim::AdamOptions(1e-4));
  double loss = 0;
  auto step = [&] {
    optimizer.zero_grad();
    Tensor value = task.loss();
    value.backward();
    optimizer.step();
    loss = value.item<double>();
  };
  for (int i = 0; i < 3; ++i)
    step();
  std::vector<double> times;
  for (int i = 0; i < steps; ++i) {
    const std::clock_t start = std::clock();
    step();
    times.push_back(1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  std::nth_element(times.begin(), times.begin() + steps / 2, times.end());
  optimizer.zero_grad(); // LibTorch does not report what was there before
  gradtidy::MemoryTracker memory;
  step();
  std::printf("%.3f %.2f %.4f\n", times[static_cast<std::size_t>(steps / 2)],
              static_cast<double>(memory.peak()) / (1 << 20), loss);
}
