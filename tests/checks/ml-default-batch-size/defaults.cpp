// Loaders that nobody told a batch size.
#include <torch/torch.h>

namespace data = torch::data;
using Net = torch::nn::Linear;

auto digits() {
  return data::datasets::MNIST("data").map(data::transforms::Stack<>());
}

void learn(Net net, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  optimizer.zero_grad();
  net(x).mean().backward();
  optimizer.step();
}

using Size = decltype(std::declval<data::datasets::MNIST>().size()); // Of LibTorch's own optional.

void no_options_bad(Net net, torch::optim::Optimizer &optimizer) {
  auto loader = data::make_data_loader(digits()); // expect: ml-default-batch-size: one at a time
  for (int epoch = 0; epoch < 10; ++epoch)
    for (auto &batch : *loader)
      learn(net, optimizer, batch.data);
}

void other_options_bad(Net net, torch::optim::Optimizer &optimizer) {
  auto loader = data::make_data_loader<data::samplers::RandomSampler>( // expect: ml-default-batch-size
      digits(), data::DataLoaderOptions().workers(2).drop_last(true));
  for (auto &batch : *loader) {
    optimizer.zero_grad();
    net(batch.data).mean().backward();
    optimizer.step();
  }
}

void variable_bad(Net net, torch::optim::Optimizer &optimizer) {
  data::DataLoaderOptions options;
  options.workers(2);
  auto loader = data::make_data_loader(digits(), options); // expect: ml-default-batch-size
  for (auto &batch : *loader)
    learn(net, optimizer, batch.data);
}

template <typename Loader>
void train(Net net, Loader &loader, torch::optim::Optimizer &optimizer) {
  for (auto &batch : loader) {
    optimizer.zero_grad();
    net(batch.data).mean().backward();
    optimizer.step();
  }
}

void in_a_function_bad(Net net, torch::optim::Optimizer &optimizer) {
  auto loader = data::make_data_loader(digits()); // expect: ml-default-batch-size
  for (int epoch = 0; epoch < 10; ++epoch)
    train(net, *loader, optimizer);
}

void told_ok(Net net, torch::optim::Optimizer &optimizer, size_t size) {
  auto one = data::make_data_loader(digits(), data::DataLoaderOptions().batch_size(1));
  auto number = data::make_data_loader(digits(), 64);
  auto braces = data::make_data_loader(digits(), {size});
  data::DataLoaderOptions options;
  options = data::DataLoaderOptions(size);
  auto later = data::make_data_loader(digits(), options);
  data::DataLoaderOptions set;
  set.batch_size(size).workers(2);
  auto bySetter = data::make_data_loader(digits(), set);
  for (int epoch = 0; epoch < 10; ++epoch) {
    train(net, *one, optimizer);
    train(net, *number, optimizer);
    train(net, *braces, optimizer);
    train(net, *later, optimizer);
    train(net, *bySetter, optimizer);
  }
}

void given_ok(Net net, torch::optim::Optimizer &optimizer, data::DataLoaderOptions options) {
  auto loader = data::make_data_loader(digits(), options);
  train(net, *loader, optimizer);
}

void fill(data::DataLoaderOptions &options);
void filled_ok(Net net, torch::optim::Optimizer &optimizer) {
  data::DataLoaderOptions options;
  fill(options);
  auto loader = data::make_data_loader(digits(), options);
  train(net, *loader, optimizer);
}

void evaluation_ok(Net net) {
  auto loader = data::make_data_loader(digits());
  torch::NoGradGuard guard;
  for (auto &batch : *loader)
    net(batch.data);
}

// Gradients of several samples are added up.
void accumulation_ok(Net net, torch::optim::Optimizer &optimizer) {
  auto loader = data::make_data_loader(digits());
  int index = 0;
  for (auto &batch : *loader) {
    net(batch.data).mean().backward();
    if (++index % 32 == 0) {
      optimizer.step();
      optimizer.zero_grad();
    }
  }
}

// What it gives is a batch already.
struct Batches : data::datasets::BatchDataset<Batches> {
  std::vector<data::Example<>> get_batch(c10::ArrayRef<size_t> indices) override;
  Size size() const override { return 100; }
};
void batches_ok(Net net, torch::optim::Optimizer &optimizer) {
  auto loader = data::make_data_loader(Batches().map(data::transforms::Stack<>()));
  train(net, *loader, optimizer);
}
