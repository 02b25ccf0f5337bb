// Loops over loaders with workers that are left early.
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

void short_epochs_bad(Net net, torch::optim::Optimizer &optimizer) {
  auto loader = data::make_data_loader(
      digits(), data::DataLoaderOptions().batch_size(64).workers(2));
  for (int epoch = 0; epoch < 10; ++epoch) {
    int steps = 0;
    for (auto &batch : *loader) { // expect: ml-loader-abandoned: throws here
      learn(net, optimizer, batch.data);
      if (++steps == 100)
        break;
    }
  }
}

void first_batch_bad(Net net, torch::optim::Optimizer &optimizer) {
  auto loader = data::make_data_loader(
      digits(), data::DataLoaderOptions().batch_size(64).workers(2)); 
  auto size = (*loader->begin()).data.size(0);
  for (auto &batch : *loader) // expect: ml-loader-abandoned
    learn(net, optimizer, batch.data);
}

void first_batch_by_arrow_bad(Net net, torch::optim::Optimizer &optimizer) {
  data::DataLoaderOptions options(64);
  options.workers(4);
  auto loader = data::make_data_loader(digits(), options);
  auto x = loader->begin()->data;
  for (auto batch = loader->begin(); batch != loader->end(); ++batch) // expect: ml-loader-abandoned
    learn(net, optimizer, batch->data);
}

// One batch to look at the shapes, in a loop.
void one_round_bad(Net net, torch::optim::Optimizer &optimizer) {
  constexpr int workers = 2;
  auto loader = data::make_data_loader(
      digits(), data::DataLoaderOptions().batch_size(64).workers(workers));
  for (auto &batch : *loader) {
    net(batch.data);
    break;
  }
  for (auto &batch : *loader) // expect: ml-loader-abandoned
    learn(net, optimizer, batch.data);
}

template <typename Loader> torch::Tensor sample(Loader &loader) {
  for (auto &batch : loader)
    return batch.data;
  return {};
}

void in_a_function_bad(Net net, torch::optim::Optimizer &optimizer) {
  auto loader = data::make_data_loader(
      digits(), data::DataLoaderOptions().batch_size(64).workers(2));
  net(sample(*loader));
  for (auto &batch : *loader) // expect: ml-loader-abandoned
    learn(net, optimizer, batch.data);
}

template <typename Loader>
void train_a_bit(Net net, torch::optim::Optimizer &optimizer, Loader &loader, int most) {
  int steps = 0;
  for (auto &batch : loader) { // expect: ml-loader-abandoned
    if (steps++ >= most)
      break;
    learn(net, optimizer, batch.data);
  }
}

void epochs_in_a_function_bad(Net net, torch::optim::Optimizer &optimizer) {
  auto loader = data::make_data_loader(
      digits(), data::DataLoaderOptions().batch_size(64).workers(2));
  for (int epoch = 0; epoch < 10; ++epoch)
    train_a_bit(net, optimizer, *loader, 100);
}

using Digits = decltype(digits());
using Loader = data::StatelessDataLoader<Digits, data::samplers::RandomSampler>;

class Trainer {
public:
  Trainer(Net net) : net(net) {
    loader = data::make_data_loader(digits(), data::DataLoaderOptions(64).workers(2));
  }
  void train(torch::optim::Optimizer &optimizer) {
    for (int epoch = 0; epoch < 10; ++epoch) {
      int steps = 0;
      for (auto &batch : *loader) { // expect: ml-loader-abandoned
        learn(net, optimizer, batch.data);
        if (++steps == 100)
          break;
      }
    }
  }

private:
  Net net;
  std::unique_ptr<Loader> loader;
};
