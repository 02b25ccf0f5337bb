// Trains a perceptron of several layers and prints the processor time of a step in milliseconds,
// after ten steps that count for nothing.
#include <torch/torch.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

int main(int, char **arguments) {
  const int64_t width = std::atoi(arguments[1]);
  const int steps = std::atoi(arguments[2]);
  torch::manual_seed(1);
  torch::set_num_threads(1);
  auto x = torch::randn({64, 64}), y = torch::randn({64, 1});
  torch::nn::Sequential model;
  for (int64_t in = 64, i = 0; i < 6; ++i, in = width) {
    model->push_back(torch::nn::Linear(in, width));
    model->push_back(torch::nn::ReLU());
    model->push_back(torch::nn::Dropout(0.1));
  }
  model->push_back(torch::nn::Linear(width, 1));
  torch::optim::Adam optimizer(model->parameters(), 1e-3);
  std::clock_t begin = 0;
  for (int step = -10; step < steps; ++step) {
    if (step == 0)
      begin = std::clock();
    optimizer.zero_grad();
    auto loss = torch::mse_loss(model->forward(x), y);
    loss.backward();
    optimizer.step();
  }
  std::printf("%.4f\n",
              1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / steps);
}
