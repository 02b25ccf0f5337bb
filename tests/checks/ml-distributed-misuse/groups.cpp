// Groups of processes that train together.
#include <torch/torch.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace data = torch::data;
using Net = torch::nn::Linear;
using Tensors = std::vector<torch::Tensor>;
using StorePointer = c10::intrusive_ptr<c10d::Store>;

// LibTorch's own need the libraries that they are made with.
struct Group : c10d::ProcessGroup {
  Group(StorePointer store, int rank, int size);
  static std::shared_ptr<Group> create();
};

auto digits() { return data::datasets::MNIST("data").map(data::transforms::Stack<>()); }

template <typename Loader> void train(Net net, Loader &loader, torch::optim::Optimizer &optimizer) {
  for (auto &batch : loader) {
    optimizer.zero_grad();
    net(batch.data).mean().backward();
    optimizer.step(); // expect: ml-distributed-misuse (level 0): nobody averages them
  }
}

// --- gradients ----------------------------------------------------------------------------------

void in_a_helper_bad(StorePointer store, int rank, int size) {
  Group group(store, rank, size);
  data::samplers::DistributedRandomSampler sampler(60000, size, rank);
  auto loader = data::make_data_loader(digits(), sampler, 64);
  Net net(784, 10);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  train(net, *loader, optimizer);
  group.barrier();
}

void own_steps_bad() {
  auto group = Group::create();
  auto rank = group->getRank();
  data::samplers::DistributedRandomSampler sampler(60000, group->getSize(), rank);
  auto loader = data::make_data_loader(digits(), sampler, 64); // expect: ml-distributed-misuse: nobody sets the epoch
  Net net(784, 10);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 10; ++epoch) {
    for (auto &batch : *loader) {
      optimizer.zero_grad();
      net(batch.data).mean().backward();
      optimizer.step(); // expect: ml-distributed-misuse (level 0): models of the processes drift
    }
    if (rank == 0)
      std::cout << "epoch " << epoch << " of " << rank << "\n";
  }
}

// Equal at first, and then never again.
void broadcast_only_bad(StorePointer store, int rank, int size, Tensors inputs) {
  Group group(store, rank, size);
  Net net(784, 10);
  auto parameters = net->parameters();
  group.broadcast(parameters)->wait();
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step(); // expect: ml-distributed-misuse (level 1)
  }
}

// Each may be meant to train a model of its own.
void apart_bad(StorePointer store, int rank, int size, Tensors inputs) {
  Group group(store, rank, size);
  Net net(784, 10);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step(); // expect: ml-distributed-misuse (level 1)
  }
  group.barrier();
}

void averaged_ok(StorePointer store, int rank, int size) {
  Group group(store, rank, size);
  data::samplers::DistributedRandomSampler sampler(60000, size, rank);
  auto loader = data::make_data_loader(digits(), sampler, 64);
  Net net(784, 10);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &batch : *loader) {
    optimizer.zero_grad();
    net(batch.data).mean().backward();
    std::vector<c10::intrusive_ptr<c10d::Work>> works;
    for (auto &parameter : net->parameters()) {
      Tensors gradient{parameter.grad()};
      works.push_back(group.allreduce(gradient));
    }
    for (auto &work : works)
      work->wait();
    for (auto &parameter : net->parameters())
      parameter.mutable_grad() = parameter.grad() / group.getSize();
    optimizer.step();
  }
}

// Models are averaged after each epoch, and all is well.
void averaged_each_epoch_ok(StorePointer store, int rank, int size, Tensors inputs) {
  Group group(store, rank, size);
  Net net(784, 10);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 10; ++epoch) {
    for (auto &x : inputs) {
      optimizer.zero_grad();
      net(x).mean().backward();
      optimizer.step();
    }
    auto parameters = net->parameters();
    group.allreduce(parameters)->wait();
  }
}

void averaged_at_the_end_ok(StorePointer store, int rank, int size, Tensors inputs) {
  Group group(store, rank, size);
  Net net(784, 10);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
  }
  auto parameters = net->parameters();
  group.allreduce(parameters)->wait();
}

// A model of each process's own: what the rank decides on tells.
void own_model_ok(StorePointer store, int rank, int size, Tensors inputs) {
  Group group(store, rank, size);
  torch::manual_seed(rank);
  Net net(784, 10);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
  }
}

void addHooks(Net net);
void by_hooks_ok(StorePointer store, int rank, int size, Tensors inputs) {
  Group group(store, rank, size);
  Net net(784, 10);
  addHooks(net);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
  }
}

void average(Net net, c10d::ProcessGroup &group);
void by_a_helper_ok(StorePointer store, int rank, int size, Tensors inputs) {
  Group group(store, rank, size);
  Net net(784, 10);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    average(net, group);
    optimizer.step();
  }
}

// It has a group of its own, or MPI.
void averageAll(Net net);
void by_others_ok(StorePointer store, int rank, int size, Tensors inputs) {
  Group group(store, rank, size);
  Net net(784, 10);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    averageAll(net);
    optimizer.step();
  }
}

// A wrapper that averages when a backward is done.
struct Wrapped {
  Wrapped(Net net, c10d::ProcessGroup &group);
  torch::Tensor forward(torch::Tensor x);
};
void by_a_wrapper_ok(StorePointer store, int rank, int size, Tensors inputs) {
  Group group(store, rank, size);
  Net net(784, 10);
  Wrapped wrapped(net, group);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &x : inputs) {
    optimizer.zero_grad();
    wrapped.forward(x).mean().backward();
    optimizer.step();
  }
}

void by_a_closure_ok(StorePointer store, int rank, int size, Tensors inputs) {
  Group group(store, rank, size);
  Net net(784, 10);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto average = [&] {
    for (auto &parameter : net->parameters()) {
      Tensors gradient{parameter.grad()};
      group.allreduce(gradient)->wait();
    }
  };
  for (auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    average();
    optimizer.step();
  }
}

void one_process_ok(StorePointer store, Tensors inputs) {
  Group group(store, 0, 1);
  Net net(784, 10);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
  }
}

void of_the_caller_ok(c10d::ProcessGroup &group, Net net, Tensors inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
  }
  std::cout << group.getRank() << "\n";
}

// --- devices ------------------------------------------------------------------------------------

template <typename Team> void trainWith(Team &group, Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int step = 0; step < 10; ++step) {
    optimizer.zero_grad();
    net(x).mean().backward();
    Tensors gradient{net->parameters()[0].grad()};
    group.allreduce(gradient)->wait();
    optimizer.step();
  }
}

void one_device_bad(int rank) {
  auto store = c10::make_intrusive<c10d::HashStore>();
  Group group(store, rank, 2);
  Net net(784, 10);
  net->to(torch::kCUDA); // expect: ml-distributed-misuse (level 1): the same GPU
  auto x = torch::randn({64, 784}, torch::kCUDA);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int step = 0; step < 10; ++step) {
    optimizer.zero_grad();
    net(x).mean().backward();
    Tensors gradient{net->parameters()[0].grad()};
    group.allreduce(gradient)->wait();
    optimizer.step();
  }
}

// There may be a machine for each, but also more.
void on_each_machine_bad(StorePointer store, int rank, int size) {
  Group group(store, rank, size);
  torch::Device device(torch::kCUDA, 0);
  Net net(784, 10);
  net->to(device); // expect: ml-distributed-misuse (level 2)
  auto x = torch::randn({64, 784}, device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int step = 0; step < 10; ++step) {
    optimizer.zero_grad();
    net(x).mean().backward();
    Tensors gradient{net->parameters()[0].grad()};
    group.allreduce(gradient)->wait();
    optimizer.step();
  }
}

void own_device_ok(int rank) {
  auto store = c10::make_intrusive<c10d::HashStore>();
  Group group(store, rank, 2);
  torch::Device device(torch::kCUDA, rank);
  Net net(784, 10);
  net->to(device);
  auto x = torch::randn({64, 784}, device);
  trainWith(group, net, x);
}

void own_visible_device_ok(int rank) {
  auto store = c10::make_intrusive<c10d::HashStore>();
  Group group(store, rank, 2);
  setenv("CUDA_VISIBLE_DEVICES", std::to_string(rank).c_str(), 1);
  Net net(784, 10);
  net->to(torch::kCUDA);
}

// --- samples ------------------------------------------------------------------------------------

void all_samples_bad(StorePointer store, int rank, int size) {
  Group group(store, rank, size);
  auto loader =
      data::make_data_loader(digits(), 64); // expect: ml-distributed-misuse (level 2): all samples
  Net net(784, 10);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &batch : *loader) {
    optimizer.zero_grad();
    net(batch.data).mean().backward();
    Tensors gradient{net->parameters()[0].grad()};
    group.allreduce(gradient)->wait();
    optimizer.step();
  }
}

// Each draws others.
void own_seed_ok(StorePointer store, int rank, int size) {
  Group group(store, rank, size);
  torch::manual_seed(rank);
  auto loader = data::make_data_loader(digits(), 64);
  Net net(784, 10);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &batch : *loader) {
    optimizer.zero_grad();
    net(batch.data).mean().backward();
    Tensors gradient{net->parameters()[0].grad()};
    group.allreduce(gradient)->wait();
    optimizer.step();
  }
}

auto part(int number) {
  return data::datasets::MNIST("data/" + std::to_string(number)).map(data::transforms::Stack<>());
}
void own_files_ok(StorePointer store, int rank, int size) {
  Group group(store, rank, size);
  auto loader = data::make_data_loader(part(rank), 64);
  Net net(784, 10);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &batch : *loader) {
    optimizer.zero_grad();
    net(batch.data).mean().backward();
    Tensors gradient{net->parameters()[0].grad()};
    group.allreduce(gradient)->wait();
    optimizer.step();
  }
}

// The first alone evaluates.
void evaluation_ok(StorePointer store, int rank, int size, Net net) {
  Group group(store, rank, size);
  if (rank == 0) {
    torch::NoGradGuard guard;
    net->eval();
    auto loader = data::make_data_loader(digits(), 64);
    for (auto &batch : *loader)
      net(batch.data).mean().item<float>();
  }
}
