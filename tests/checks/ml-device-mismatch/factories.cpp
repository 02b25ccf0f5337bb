// Where factories and options put new tensors.
#include <torch/torch.h>

static auto integers = torch::TensorOptions{}.dtype(torch::kLong);
static torch::Device place = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;

// Options that name no device are for the CPU.
torch::Tensor counts_ok(torch::Tensor x) {
  static const auto floats = torch::TensorOptions().dtype(torch::kFloat);
  auto counts = torch::zeros({4}, integers) + torch::arange(4);
  return torch::ones({4}, floats) * torch::rand({4}) + counts;
}

torch::Tensor placed_bad(torch::Tensor x) {
  return torch::zeros({4}, place) + torch::rand({4}); // expect: ml-device-mismatch
}

// What others set has a device of its own.
static torch::TensorOptions options;
void choose(torch::Device device) { options = options.device(device); }
torch::Tensor set_later_bad() {
  return torch::zeros({4}, options) + torch::rand({4}); // expect: ml-device-mismatch
}

// Samples are where their means are.
torch::Tensor sample_ok(torch::Tensor mean, torch::Device device) {
  auto placed = mean.to(device);
  auto sample = at::normal(placed, torch::ones_like(placed));
  return sample - placed;
}
torch::Tensor sample_bad(torch::Tensor mean, torch::Device device) {
  auto placed = mean.to(device);
  auto sample = at::normal(placed, torch::ones_like(placed));
  auto noise = torch::normal(0.0, 1.0, {8});
  return sample - placed + noise; // expect: ml-device-mismatch
}
torch::Tensor spread_bad(torch::Tensor mean, torch::Device device) {
  auto placed = mean.to(device);
  return at::normal(placed, torch::ones({8})); // expect: ml-device-mismatch
}
