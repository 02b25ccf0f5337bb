// train() is put at the top of the epoch.
#include <torch/torch.h>

void simple_bad(torch::nn::Sequential net, torch::optim::Optimizer &optimizer, torch::Tensor x,
                torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    optimizer.zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    optimizer.step();
    net->eval(); // expect: ml-train-mode-not-restored
    torch::NoGradGuard noGrad;
    torch::mse_loss(net->forward(x), y).item<double>();
  }
}
