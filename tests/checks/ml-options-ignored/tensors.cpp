// Options for tensors.
#include <torch/torch.h>

torch::Tensor unused_bad() {
  auto options = torch::TensorOptions().dtype(torch::kDouble); // expect: ml-options-ignored (no fix) (level 2): 'options' is passed to no tensor
  return torch::zeros({3});
}

torch::Tensor unused_device_bad(torch::Device device) {
  torch::TensorOptions options = torch::dtype(torch::kFloat).device(device); // expect: ml-options-ignored (no fix) (level 2)
  auto x = torch::rand({3});
  return x + torch::ones({3});
}

torch::Tensor used_ok() {
  auto options = torch::TensorOptions().dtype(torch::kDouble);
  return torch::zeros({3}, options);
}

torch::Tensor others_ok(torch::Device device) {
  auto options = torch::TensorOptions().dtype(torch::kDouble);
  return torch::zeros({3}, torch::TensorOptions().device(device));
}

torch::Tensor before_ok() {
  auto x = torch::zeros({3});
  auto options = torch::TensorOptions().dtype(torch::kDouble);
  return x;
}

torch::Tensor device_ok(torch::Tensor x) {
  torch::Device device(torch::kCUDA);
  return x + torch::zeros({3});
}
