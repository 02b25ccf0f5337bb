// Samplers of which a loader has a copy.
#include <torch/torch.h>

namespace data = torch::data;
using Net = torch::nn::Linear;
using Sampler = data::samplers::DistributedRandomSampler;

auto digits() {
  return data::datasets::MNIST("data").map(data::transforms::Stack<>());
}
using Digits = decltype(digits());
using Loader = data::StatelessDataLoader<Digits, Sampler>;

template <typename Loader>
void train(Net net, Loader &loader, torch::optim::Optimizer &optimizer) {
  for (auto &batch : loader) {
    optimizer.zero_grad();
    net(batch.data).mean().backward();
    optimizer.step();
  }
}

void copied_bad(Net net, torch::optim::Optimizer &optimizer, size_t ranks, size_t rank) {
  Sampler sampler(60000, ranks, rank);
  auto loader = data::make_data_loader(digits(), sampler, 64);
  for (size_t epoch = 0; epoch < 10; ++epoch) {
    sampler.set_epoch(epoch); // expect: ml-distributed-misuse: a sampler of its own
    train(net, *loader, optimizer);
  }
}

void moved_bad(Net net, torch::optim::Optimizer &optimizer, size_t ranks, size_t rank) {
  auto sampler = data::samplers::DistributedSequentialSampler(60000, ranks, rank, false);
  auto loader = data::make_data_loader(digits(), std::move(sampler), 64);
  for (size_t epoch = 0; epoch < 10; ++epoch) {
    sampler.set_epoch(epoch); // expect: ml-distributed-misuse
    train(net, *loader, optimizer);
  }
}

class Trainer {
public:
  Trainer(size_t ranks, size_t rank) : sampler(60000, ranks, rank) {
    loader = data::make_data_loader(digits(), sampler, 64);
  }
  void run(Net net, torch::optim::Optimizer &optimizer) {
    for (size_t epoch = 0; epoch < 10; ++epoch) {
      sampler.set_epoch(epoch); // expect: ml-distributed-misuse
      train(net, *loader, optimizer);
    }
  }

private:
  Sampler sampler;
  std::unique_ptr<Loader> loader;
};

void new_loader_ok(Net net, torch::optim::Optimizer &optimizer, size_t ranks, size_t rank) {
  Sampler sampler(60000, ranks, rank);
  for (size_t epoch = 0; epoch < 10; ++epoch) {
    sampler.set_epoch(epoch);
    auto loader = data::make_data_loader(digits(), sampler, 64);
    train(net, *loader, optimizer);
  }
}

// The next loader gets it.
void for_the_next_ok(Net net, torch::optim::Optimizer &optimizer, size_t ranks, size_t rank) {
  Sampler sampler(60000, ranks, rank);
  for (size_t epoch = 0; epoch < 10; ++epoch) {
    auto loader = data::make_data_loader(digits(), sampler, 64);
    train(net, *loader, optimizer);
    sampler.set_epoch(epoch + 1);
  }
}

void before_ok(Net net, torch::optim::Optimizer &optimizer, size_t ranks, size_t rank) {
  Sampler sampler(60000, ranks, rank);
  sampler.set_epoch(3);
  auto loader = data::make_data_loader(digits(), sampler, 64);
  train(net, *loader, optimizer);
}

// A sampler that keeps the epoch where its copies look for it.
class Shared : public data::samplers::DistributedRandomSampler {
public:
  Shared(size_t size, size_t ranks, size_t rank) : DistributedRandomSampler(size, ranks, rank) {}
  void set_epoch(size_t epoch) { *current = epoch; }

private:
  std::shared_ptr<size_t> current = std::make_shared<size_t>(0);
};
void shared_ok(Net net, torch::optim::Optimizer &optimizer, size_t ranks, size_t rank) {
  Shared sampler(60000, ranks, rank);
  auto loader = data::make_data_loader(digits(), sampler, 64);
  for (size_t epoch = 0; epoch < 10; ++epoch) {
    sampler.set_epoch(epoch);
    train(net, *loader, optimizer);
  }
}

void by_hand_ok(size_t ranks, size_t rank) {
  Sampler sampler(60000, ranks, rank);
  for (size_t epoch = 0; epoch < 10; ++epoch)
    sampler.set_epoch(epoch);
}

class Renewed {
public:
  Renewed(size_t ranks, size_t rank) : sampler(60000, ranks, rank) { renew(); }
  void run(Net net, torch::optim::Optimizer &optimizer) {
    for (size_t epoch = 0; epoch < 10; ++epoch) {
      sampler.set_epoch(epoch);
      renew();
      train(net, *loader, optimizer);
    }
  }

private:
  void renew() { loader = data::make_data_loader(digits(), sampler, 64); }

  Sampler sampler;
  std::unique_ptr<Loader> loader;
};
