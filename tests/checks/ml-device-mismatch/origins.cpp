// A device that a variable or member names, and what its value comes from: is a GPU among that?
#include <torch/torch.h>

// Only ever the CPU.
class HostSource {
public:
  HostSource(int64_t size, torch::Device device) : size(size), device(device) {}
  torch::Tensor draw() { return torch::randn({size, 4}, torch::TensorOptions().device(device)); }

private:
  int64_t size;
  torch::Device device = torch::kCPU;
};
struct HostSystem {
  HostSystem() { source = std::make_unique<HostSource>(8, torch::kCPU); }
  std::unique_ptr<HostSource> source;
};
torch::Tensor measure_ok(HostSystem *system) {
  auto total = torch::zeros({4});
  for (int i = 0; i < 9; ++i)
    total += system->source->draw().sum(0);
  return total;
}
torch::Tensor on_host_ok(torch::Tensor x) {
  torch::Device device(torch::kCPU);
  torch::Device other = x.size(0) > 4 ? device : torch::Device("cpu");
  return x.to(other) + torch::zeros({4});
}

class Source {
public:
  Source(int64_t size, torch::Device device) : size(size), device(device) {}
  torch::Tensor draw() { return torch::randn({size, 4}, torch::TensorOptions().device(device)); }

private:
  int64_t size;
  torch::Device device = torch::kCPU;
};
struct System {
  System() { source = std::make_unique<Source>(8, torch::kCPU); }
  explicit System(const std::string &name) {
    source = std::make_unique<Source>(8, torch::Device(name));
  }
  std::unique_ptr<Source> source;
};
torch::Tensor measure_bad(System *system) {
  auto total = torch::zeros({4});
  for (int i = 0; i < 9; ++i)
    total += system->source->draw().sum(0); // expect: ml-device-mismatch (no fix)
  return total;
}
torch::Tensor chosen_bad(torch::Tensor x) {
  torch::Device device(torch::kCPU);
  if (torch::cuda::is_available())
    device = torch::Device(torch::kCUDA);
  return x.to(device) + torch::zeros({4}); // expect: ml-device-mismatch
}
