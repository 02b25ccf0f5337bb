// Where the guard is put.
#include <torch/torch.h>

using Net = torch::nn::Linear;

int64_t predict_bad(Net net, torch::Tensor x) {
  net->eval();
  auto output = net(x); // expect: ml-missing-no-grad
  return output.argmax(1).item<int64_t>();
}

// In the scope of the evaluation, not over the training that follows.
void validate_in_epochs_bad(Net net, torch::optim::Optimizer &optimizer, torch::Tensor x,
                            torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    net->eval();
    for (int i = 0; i < 10; ++i) {
      auto output = net(x); // expect: ml-missing-no-grad
      auto loss = torch::mse_loss(output, y).item<double>();
    }
    net->train();
    optimizer.zero_grad();
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
  }
}
