// A classifier whose last layer is replaced after the optimizer was made: it trains, and does not
// learn. Eight samples tell why.
#include <gradtidy/OverfitTinyBatch.h>
#include <torch/torch.h>

#include <iostream>

namespace F = torch::nn::functional;

struct NetImpl : torch::nn::Module {
  NetImpl() {
    body = register_module("body", torch::nn::Linear(20, 64));
    head = register_module("head", torch::nn::Linear(64, 10));
  }
  torch::Tensor forward(torch::Tensor x) { return head(torch::relu(body(x))); }

  torch::nn::Linear body{nullptr}, head{nullptr};
};
TORCH_MODULE(Net);

gradtidy::OverfitReport trial(Net &model, torch::optim::Optimizer &optimizer) {
  torch::manual_seed(2);
  auto input = torch::randn({8, 20}), target = torch::randint(0, 3, {8}, torch::kLong);
  return gradtidy::overfitTinyBatch(
      *model, optimizer, input, target, [&](const auto &x) { return model(x); },
      [](const auto &output, const auto &target) { return F::cross_entropy(output, target); });
}

int main() {
  torch::manual_seed(1);
  Net model;
  for (auto &parameter : model->body->parameters())
    parameter.requires_grad_(false); // the head alone is to be tuned
  torch::optim::SGD early(model->head->parameters(), 0.1);
  model->head = model->replace_module("head", torch::nn::Linear(64, 3));
  std::cout << "optimizer made before the new head: " << trial(model, early).text();

  torch::optim::SGD late(model->head->parameters(), 0.5);
  std::cout << "optimizer made after it: " << trial(model, late).text();
}
