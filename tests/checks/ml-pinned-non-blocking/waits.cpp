// Copies to the host that are waited for, or that nobody reads yet.
#include <torch/torch.h>

#include <iostream>

using torch::Tensor;

void synchronizeAll();

float synchronized_ok(Tensor x) {
  auto host = x.to(torch::kCUDA).mean().to(torch::kCPU, /*non_blocking=*/true);
  torch::cuda::synchronize();
  return host.item<float>();
}

float synchronized_elsewhere_ok(Tensor x) {
  auto host = x.to(torch::kCUDA).mean().to(torch::kCPU, /*non_blocking=*/true);
  synchronizeAll();
  return host.item<float>();
}

float blocking_ok(Tensor x) {
  auto host = x.to(torch::kCUDA).mean().to(torch::kCPU);
  auto other = x.to(torch::kCUDA).mean().to(torch::kCPU, /*non_blocking=*/false);
  return host.item<float>() + other.item<float>();
}

// What is read of the GPU is there when all before it is done.
float later_read_ok(Tensor x) {
  auto y = x.to(torch::kCUDA);
  auto first = y.mean().to(torch::kCPU, /*non_blocking=*/true);
  auto second = y.sum().item<float>();
  return first.item<float>() + second;
}

float later_copy_ok(Tensor x) {
  auto y = x.to(torch::kCUDA);
  auto first = y.mean().to(torch::kCPU, /*non_blocking=*/true);
  auto second = y.to(torch::kCPU);
  return first.item<float>();
}

// Never on a GPU.
float host_ok(Tensor input) {
  auto x = torch::ones({4, 4});
  auto host = x.to(torch::kCPU, /*non_blocking=*/true);
  return host.sum().item<float>();
}

Tensor handed_on_ok(Tensor x) {
  auto host = x.to(torch::kCUDA).to(torch::kCPU, true);
  std::cout << host.size(0);
  return host.view({-1});
}

std::vector<Tensor> collected_ok(std::vector<Tensor> outputs) {
  std::vector<Tensor> hosts;
  for (auto &output : outputs)
    hosts.push_back(output.to(torch::kCPU, /*non_blocking=*/true));
  torch::cuda::synchronize();
  for (auto &host : hosts)
    std::cout << host.item<float>();
  return hosts;
}

float there_and_back_ok(Tensor x) {
  auto host = x.to(torch::kCUDA).to(torch::kCPU, true);
  return host.to(torch::kCUDA).sum().item<float>();
}
