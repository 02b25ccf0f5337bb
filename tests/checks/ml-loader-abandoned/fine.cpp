// Loops over loaders that end well, or are never begun again.
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

// Without workers, batches are made when they are asked for.
void without_workers_ok(Net net, torch::optim::Optimizer &optimizer) {
  auto loader = data::make_data_loader(digits(), 64);
  for (int epoch = 0; epoch < 10; ++epoch) {
    int steps = 0;
    for (auto &batch : *loader) {
      learn(net, optimizer, batch.data);
      if (++steps == 100)
        break;
    }
  }
}

void workers_by_choice_ok(Net net, torch::optim::Optimizer &optimizer, size_t workers) {
  auto loader = data::make_data_loader(
      digits(), data::DataLoaderOptions().batch_size(64).workers(workers));
  net((*loader->begin()).data);
  for (auto &batch : *loader)
    learn(net, optimizer, batch.data);
}

void new_loader_ok(Net net, torch::optim::Optimizer &optimizer) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    auto loader = data::make_data_loader(
        digits(), data::DataLoaderOptions().batch_size(64).workers(2));
    int steps = 0;
    for (auto &batch : *loader) {
      learn(net, optimizer, batch.data);
      if (++steps == 100)
        break;
    }
  }
}

void replaced_loader_ok(Net net, torch::optim::Optimizer &optimizer) {
  auto loader = data::make_data_loader(
      digits(), data::DataLoaderOptions().batch_size(64).workers(2));
  net((*loader->begin()).data);
  loader = data::make_data_loader(
      digits(), data::DataLoaderOptions().batch_size(64).workers(2));
  for (auto &batch : *loader)
    learn(net, optimizer, batch.data);
}

void last_loop_ok(Net net, torch::optim::Optimizer &optimizer) {
  auto loader = data::make_data_loader(
      digits(), data::DataLoaderOptions().batch_size(64).workers(2));
  for (int epoch = 0; epoch < 10; ++epoch)
    for (auto &batch : *loader)
      learn(net, optimizer, batch.data);
  for (auto &batch : *loader) {
    net(batch.data);
    break;
  }
}

// What is counted ends both loops.
void steps_ok(Net net, torch::optim::Optimizer &optimizer, int most) {
  auto loader = data::make_data_loader(
      digits(), data::DataLoaderOptions().batch_size(64).workers(2));
  int steps = 0;
  while (steps < most)
    for (auto &batch : *loader) {
      learn(net, optimizer, batch.data);
      if (++steps >= most)
        break;
    }
}

void steps_again_ok(Net net, torch::optim::Optimizer &optimizer, int most) {
  auto loader = data::make_data_loader(
      digits(), data::DataLoaderOptions().batch_size(64).workers(2));
  int steps = 0;
  for (int epoch = 0; epoch < 10; ++epoch) {
    for (auto &batch : *loader) {
      learn(net, optimizer, batch.data);
      if (++steps >= most)
        break;
    }
    if (steps >= most)
      break;
  }
}

void flag_ok(Net net, torch::optim::Optimizer &optimizer) {
  auto loader = data::make_data_loader(
      digits(), data::DataLoaderOptions().batch_size(64).workers(2));
  bool isDone = false;
  for (int epoch = 0; epoch < 10 && !isDone; ++epoch)
    for (auto &batch : *loader) {
      auto loss = net(batch.data).mean();
      loss.backward();
      optimizer.step();
      optimizer.zero_grad();
      if (loss.item<float>() < 0.1) {
        isDone = true;
        break;
      }
    }
}

void returns_ok(Net net, torch::optim::Optimizer &optimizer) {
  auto loader = data::make_data_loader(
      digits(), data::DataLoaderOptions().batch_size(64).workers(2));
  int steps = 0;
  for (int epoch = 0; epoch < 10; ++epoch)
    for (auto &batch : *loader) {
      learn(net, optimizer, batch.data);
      if (++steps == 1000)
        return;
    }
}

// Where the last batch is not full, that is the end.
void partial_batch_ok(Net net, torch::optim::Optimizer &optimizer) {
  auto loader = data::make_data_loader(
      digits(), data::DataLoaderOptions().batch_size(64).workers(2));
  for (int epoch = 0; epoch < 10; ++epoch)
    for (auto &batch : *loader) {
      if (batch.data.size(0) < 64)
        break;
      learn(net, optimizer, batch.data);
    }
}

void continues_ok(Net net, torch::optim::Optimizer &optimizer) {
  auto loader = data::make_data_loader(
      digits(), data::DataLoaderOptions().batch_size(64).workers(2));
  for (int epoch = 0; epoch < 10; ++epoch)
    for (auto &batch : *loader) {
      if (batch.data.size(0) < 64)
        continue;
      for (int repeat = 0; repeat < 3; ++repeat) {
        learn(net, optimizer, batch.data);
        if (epoch > 3)
          break;
      }
    }
}

void two_loaders_ok(Net net, torch::optim::Optimizer &optimizer) {
  auto loader = data::make_data_loader(
      digits(), data::DataLoaderOptions().batch_size(64).workers(2));
  auto other = data::make_data_loader(
      digits(), data::DataLoaderOptions().batch_size(64).workers(2));
  net((*other->begin()).data);
  for (auto &batch : *loader)
    learn(net, optimizer, batch.data);
}

// An iterator that begins again when it has come to the end.
void endless_ok(Net net, torch::optim::Optimizer &optimizer) {
  auto loader = data::make_data_loader(
      digits(), data::DataLoaderOptions().batch_size(64).workers(2));
  auto batch = loader->begin();
  for (int step = 0; step < 1000; ++step) {
    learn(net, optimizer, batch->data);
    if (++batch == loader->end())
      batch = loader->begin();
  }
}

// Who calls it goes on for as long as there are iterations left.
template <typename Loader> struct Trainer {
  void run() {
    while (iteration < last)
      epoch();
  }
  void epoch() {
    for (auto &batch : *loader) {
      learn(net, optimizer, batch.data);
      if (++iteration >= last)
        break;
    }
  }
  Net net;
  torch::optim::SGD optimizer;
  Loader loader;
  int iteration = 0, last = 1000;
};

void iterations_ok(Net net) {
  auto loader = data::make_data_loader(
      digits(), data::DataLoaderOptions().batch_size(64).workers(2));
  Trainer<decltype(loader)> trainer{net, torch::optim::SGD(net->parameters(), 0.1),
                                    std::move(loader)};
  trainer.run();
}
