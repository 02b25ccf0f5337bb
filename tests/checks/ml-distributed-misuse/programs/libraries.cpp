// Processes that libraries beside LibTorch bring together.
#include <torch/torch.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

using Net = torch::nn::Linear;
using Tensors = std::vector<torch::Tensor>;
using StorePointer = c10::intrusive_ptr<c10d::Store>;

struct Group : c10d::ProcessGroup {
  Group(StorePointer store, int rank, int size);
};

extern "C" int MPI_Allreduce(const void *from, void *to, int count, int type, int operation,
                             int communicator);
void sum(torch::Tensor gradient, torch::Tensor all) {
  MPI_Allreduce(gradient.data_ptr(), all.data_ptr(), 4, 0, 0, 0);
}
void by_mpi_ok(StorePointer store, int rank, int size, Tensors inputs, Tensors sums) {
  Group group(store, rank, size);
  Net net(784, 10);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    sum(net->parameters()[0].grad(), sums[0]);
    optimizer.step();
  }
}

namespace c10::cuda {
void set_device(int device);
}

void current_device_ok(int rank) {
  auto store = c10::make_intrusive<c10d::HashStore>();
  Group group(store, rank, 2);
  c10::cuda::set_device(rank);
  Net net(784, 10);
  net->to(torch::kCUDA);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto x = torch::randn({64, 784}, torch::kCUDA);
  for (int step = 0; step < 10; ++step) {
    optimizer.zero_grad();
    net(x).mean().backward();
    Tensors gradient{net->parameters()[0].grad()};
    group.allreduce(gradient)->wait();
    optimizer.step();
  }
}
