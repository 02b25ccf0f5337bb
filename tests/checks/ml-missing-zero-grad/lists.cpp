// Optimizers in lists.
#include <torch/torch.h>

using Optimizers = std::vector<torch::optim::SGD>;

// Each layer has its own, and each is stepped once a batch.
void split_ok(std::vector<torch::Tensor> outputs, std::vector<torch::Tensor> gradients,
              Optimizers &optimizers) {
  for (size_t i = 0; i < optimizers.size(); ++i)
    optimizers[i].zero_grad();
  for (size_t i = 0; i < optimizers.size(); ++i) {
    outputs[i].backward(gradients[i]);
    optimizers[i].step(); // expect: ml-missing-zero-grad (no fix) (level 2)
  }
}

// The inner loop goes over the batches of one.
void agents_bad(torch::nn::Sequential &net, Optimizers &optimizers,
                const std::vector<torch::Tensor> &batches) {
  for (size_t i = 0; i < optimizers.size(); ++i)
    for (const torch::Tensor &batch : batches) {
      net->forward(batch).sum().backward();
      optimizers[i].step(); // expect: ml-missing-zero-grad (no fix) (level 0)
    }
}

// Optimizers in a list by their addresses.
void clearAll(const std::vector<torch::optim::Optimizer *> &optimizers) {
  for (auto *each : optimizers)
    each->zero_grad();
}

void by_address_ok(torch::nn::Linear first, torch::nn::Linear second, torch::Tensor x) {
  torch::optim::SGD a(first->parameters(), 0.1), b(second->parameters(), 0.1);
  std::vector<torch::optim::Optimizer *> all{&a, &b};
  for (int i = 0; i < 9; ++i) {
    for (auto *each : all)
      each->zero_grad();
    second(first(x)).sum().backward();
    a.step();
    b.step();
  }
  for (int i = 0; i < 9; ++i) {
    clearAll({&a, &b});
    second(first(x)).sum().backward();
    a.step();
    b.step();
  }
}

void by_address_bad(torch::nn::Linear first, torch::nn::Linear second, torch::Tensor x) {
  torch::optim::SGD a(first->parameters(), 0.1), b(second->parameters(), 0.1);
  std::vector<torch::optim::Optimizer *> all{&a};
  for (int i = 0; i < 9; ++i) {
    for (auto *each : all)
      each->zero_grad();
    second(first(x)).sum().backward();
    a.step();
    b.step(); // expect: ml-missing-zero-grad
  }
}
