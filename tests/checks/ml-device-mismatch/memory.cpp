// Tensors over memory of the host that are told to be elsewhere.
#include <torch/torch.h>

#include <memory>
#include <vector>

namespace {

torch::Tensor told_bad(std::vector<float> &values) {
  return torch::from_blob(values.data(), {10}, torch::TensorOptions().device(torch::kCUDA)); // expect: ml-device-mismatch (no fix): the memory is the host's, but the tensor is told to be on GPU 0: make it on the CPU and move it there
}

void array_bad() {
  float values[10] = {};
  auto tensor = torch::from_blob(values, {10}, torch::device(torch::kCUDA)); // expect: ml-device-mismatch (no fix)
  tensor.sum();
}

torch::Tensor chosen_bad(std::vector<float> &values) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  return torch::from_blob(values.data(), {10}, torch::TensorOptions().device(device)); // expect: ml-device-mismatch (no fix): told to be on 'device'
}

// Whoever calls it need not name a device.
torch::Tensor given_ok(std::vector<float> &values, torch::TensorOptions &options) {
  return torch::from_blob(values.data(), {10}, options).clone();
}

torch::Tensor moved_ok(std::vector<float> &values) {
  return torch::from_blob(values.data(), {10}, torch::kFloat32).to(torch::kCUDA);
}

torch::Tensor of_the_gpu_ok(float *values, const std::shared_ptr<float[]> &held) {
  auto options = torch::TensorOptions().device(torch::kCUDA);
  return torch::from_blob(values, {10}, options) + torch::from_blob(held.get(), {10}, options);
}

torch::Tensor on_the_cpu_ok(std::vector<float> &values) {
  return torch::from_blob(values.data(), {10}, torch::TensorOptions().device(torch::kCPU));
}

} // namespace
