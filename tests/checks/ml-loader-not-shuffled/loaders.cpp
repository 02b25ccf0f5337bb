// Loaders for training, and others.
#include <torch/torch.h>

namespace data = torch::data;
using Net = torch::nn::Linear;

template <typename Loader> void train(Net net, Loader &loader, torch::optim::Optimizer &optimizer) {
  for (auto &batch : loader) {
    optimizer.zero_grad();
    net(batch.data).mean().backward();
    optimizer.step();
  }
}

template <typename Loader> void test(Net net, Loader &loader) {
  for (auto &batch : loader)
    net(batch.data);
}

auto digits(bool isTest = false) {
  using Mode = data::datasets::MNIST::Mode;
  return data::datasets::MNIST("data", isTest ? Mode::kTest : Mode::kTrain)
      .map(data::transforms::Stack<>());
}

void in_order_bad(Net net, torch::optim::Optimizer &optimizer) {
  auto loader = data::make_data_loader<data::samplers::SequentialSampler>(digits(), 64); // expect: ml-loader-not-shuffled: 'loader'
  for (int epoch = 0; epoch < 10; ++epoch)
    for (auto &batch : *loader) {
      optimizer.zero_grad();
      net(batch.data).mean().backward();
      optimizer.step();
    }
}

void in_a_helper_bad(Net net, torch::optim::Optimizer &optimizer) {
  auto loader = data::make_data_loader<data::samplers::SequentialSampler>(digits(), 64); // expect: ml-loader-not-shuffled
  for (int epoch = 0; epoch < 10; ++epoch)
    train(net, *loader, optimizer);
}

void at_random_ok(Net net, torch::optim::Optimizer &optimizer) {
  auto loader = data::make_data_loader<data::samplers::RandomSampler>(digits(), 64);
  auto another = data::make_data_loader(digits(), 64);
  auto tests = data::make_data_loader<data::samplers::SequentialSampler>(digits(true), 64);
  for (int epoch = 0; epoch < 10; ++epoch) {
    train(net, *loader, optimizer);
    train(net, *another, optimizer);
    test(net, *tests);
  }
}

// The gradients are of the samples, the parameters stay as they are.
void attack_ok(Net net) {
  auto loader = data::make_data_loader<data::samplers::SequentialSampler>(digits(true), 1);
  for (auto &batch : *loader) {
    auto x = batch.data.requires_grad_();
    net(x).mean().backward();
  }
}

using Size = decltype(std::declval<data::datasets::MNIST>().size()); // Of LibTorch's own optional.

struct Shuffled : data::datasets::Dataset<Shuffled> {
  Shuffled() { order = torch::randperm(100); }
  data::Example<> get(size_t index) override;
  Size size() const override;
  torch::Tensor order;
};

void own_order_ok(Net net, torch::optim::Optimizer &optimizer) {
  auto loader = data::make_data_loader<data::samplers::SequentialSampler>(
      Shuffled().map(data::transforms::Stack<>()), 64);
  for (int epoch = 0; epoch < 10; ++epoch)
    train(net, *loader, optimizer);
}

/// Its samples are three columns, which only their positions tell apart.
void columns_ok(Net net, torch::optim::Optimizer &optimizer, torch::Tensor a, torch::Tensor b,
                torch::Tensor c) {
  auto columns = data::datasets::TensorDataset({a, b, c});
  auto loader =
      data::make_data_loader<data::samplers::SequentialSampler>(std::move(columns), 64);
  for (int epoch = 0; epoch < 10; ++epoch)
    for (auto &batch : *loader) {
      optimizer.zero_grad();
      net(batch.data()[0].data).mean().backward();
      optimizer.step();
    }
}

void rows_bad(Net net, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  auto loader = data::make_data_loader<data::samplers::SequentialSampler>( // expect: ml-loader-not-shuffled: 'loader'
      data::datasets::TensorDataset(x), 64);
  for (int epoch = 0; epoch < 10; ++epoch)
    for (auto &batch : *loader) {
      optimizer.zero_grad();
      net(batch[0].data).mean().backward();
      optimizer.step();
    }
}
