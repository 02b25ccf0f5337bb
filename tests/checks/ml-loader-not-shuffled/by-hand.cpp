// Weights that are updated by hand: no optimizer takes a step.
#include <torch/torch.h>

using torch::Tensor;

template <typename Loader> void trainEpoch(Loader &loader, Tensor &weights) {
  for (auto &batch : loader) {
    (batch.data.matmul(weights) - batch.target).pow(2).mean().backward();
    torch::NoGradGuard guard;
    weights -= 0.1 * weights.grad();
    weights.mutable_grad().zero_();
  }
}

void train_bad(Tensor &weights) {
  auto loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>( // expect: ml-loader-not-shuffled: 'loader'
      torch::data::datasets::MNIST("data").map(torch::data::transforms::Stack<>()), 64);
  for (int epoch = 0; epoch < 10; ++epoch)
    trainEpoch(*loader, weights);
}

/// Gradients of all samples, once.
void importance_ok(torch::nn::Linear net) {
  auto loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      torch::data::datasets::MNIST("data").map(torch::data::transforms::Stack<>()), 64);
  for (auto &batch : *loader)
    net(batch.data).pow(2).sum().backward();
}
