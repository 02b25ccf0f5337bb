// Distributed samplers of which nobody sets the epoch.
#include <torch/torch.h>

namespace data = torch::data;
using Net = torch::nn::Linear;
using Sampler = data::samplers::DistributedRandomSampler;

auto digits() {
  return data::datasets::MNIST("data").map(data::transforms::Stack<>());
}

void unset_bad(Net net, torch::optim::Optimizer &optimizer, size_t ranks, size_t rank) {
  Sampler sampler(60000, ranks, rank);
  auto loader = data::make_data_loader(digits(), sampler, 64); // expect: ml-distributed-misuse (level 1): the order of the first epoch in all of them
  for (size_t epoch = 0; epoch < 10; ++epoch)
    for (auto &batch : *loader) {
      optimizer.zero_grad();
      net(batch.data).mean().backward();
      optimizer.step();
    }
}

void once_ok(Net net, torch::optim::Optimizer &optimizer, size_t ranks, size_t rank) {
  Sampler sampler(60000, ranks, rank);
  auto loader = data::make_data_loader(digits(), sampler, 64);
  for (auto &batch : *loader) {
    optimizer.zero_grad();
    net(batch.data).mean().backward();
    optimizer.step();
  }
}

void evaluated_ok(Net net, size_t ranks, size_t rank) {
  Sampler sampler(60000, ranks, rank);
  auto loader = data::make_data_loader(digits(), sampler, 64);
  torch::NoGradGuard guard;
  net->eval();
  for (size_t round = 0; round < 10; ++round)
    for (auto &batch : *loader)
      net(batch.data);
}

// A sampler that counts the epochs itself.
class Counting : public data::samplers::DistributedRandomSampler {
public:
  Counting(size_t size, size_t ranks, size_t rank) : DistributedRandomSampler(size, ranks, rank) {}
  void next() { ++*current; }

private:
  std::shared_ptr<size_t> current = std::make_shared<size_t>(0);
};
void counting_ok(Net net, torch::optim::Optimizer &optimizer, size_t ranks, size_t rank) {
  Counting sampler(60000, ranks, rank);
  auto loader = data::make_data_loader(digits(), sampler, 64);
  for (size_t epoch = 0; epoch < 10; ++epoch) {
    for (auto &batch : *loader) {
      optimizer.zero_grad();
      net(batch.data).mean().backward();
      optimizer.step();
    }
    sampler.next();
  }
}
