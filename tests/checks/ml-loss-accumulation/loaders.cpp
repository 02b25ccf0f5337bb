// Batches from a loader, and epochs around them.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() { output = register_module("output", torch::nn::Linear(784, 10)); }
  torch::Tensor forward(torch::Tensor x) {
    return torch::log_softmax(output(x.view({-1, 784})), 1);
  }
  torch::nn::Linear output{nullptr};
};
TORCH_MODULE(Net);

void running_loss_bad() {
  auto loader = torch::data::make_data_loader(
      torch::data::datasets::MNIST("data").map(torch::data::transforms::Stack<>()), 64);
  Net net;
  torch::optim::Adam optimizer(net->parameters());
  for (int epoch = 0; epoch < 10; ++epoch) {
    torch::Tensor running = torch::zeros({1});
    for (auto &batch : *loader) {
      optimizer.zero_grad();
      auto loss = torch::nll_loss(net(batch.data), batch.target);
      loss.backward();
      optimizer.step();
      running += loss; // expect: ml-loss-accumulation
    }
  }
}

void running_loss_ok() {
  auto loader = torch::data::make_data_loader(
      torch::data::datasets::MNIST("data").map(torch::data::transforms::Stack<>()), 64);
  auto net = std::make_shared<NetImpl>();
  torch::optim::Adam optimizer(net->parameters());
  for (int epoch = 0; epoch < 10; ++epoch) {
    double running = 0, correct = 0;
    for (auto &batch : *loader) {
      auto output = net->forward(batch.data);
      auto loss = torch::nll_loss(output, batch.target);
      running += loss.item<double>() * batch.data.size(0);
      correct += output.argmax(1).eq(batch.target).sum().item<int64_t>();
      optimizer.zero_grad();
      loss.backward();
      optimizer.step();
    }
  }
}

// A frozen network makes no graph.
void frozen_features_ok() {
  auto loader = torch::data::make_data_loader(
      torch::data::datasets::MNIST("data").map(torch::data::transforms::Stack<>()), 64);
  Net net;
  for (auto &parameter : net->parameters())
    parameter.set_requires_grad(false);
  std::vector<torch::Tensor> features;
  for (auto &batch : *loader)
    features.push_back(net(batch.data));
}

// Slices of one tensor, several micro-batches to a step.
void micro_batches_bad(Net net, torch::Tensor data, torch::Tensor target) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto total = torch::zeros({1});
  for (int64_t i = 0; i + 32 <= data.size(0); i += 32) {
    auto output = net(data.slice(0, i, i + 32));
    auto loss = torch::nll_loss(output, target.slice(0, i, i + 32)) / 4;
    loss.backward();
    if (i % 128 == 96) {
      optimizer.step();
      optimizer.zero_grad();
    }
    total += loss; // expect: ml-loss-accumulation
  }
}
