// Options of tensors are values: what sets one of them gives others.
#include <torch/torch.h>

torch::Tensor chained_bad(torch::Device device) {
  torch::TensorOptions options;
  options.device(device).dtype(torch::kDouble); // expect: ml-discarded-result (no fix): the result of dtype() is thrown away: the object itself does not change
  return torch::rand({3}, options);
}

torch::Tensor single_bad(torch::TensorOptions options) {
  options.dtype(torch::kDouble); // expect: ml-discarded-result: the result of dtype() is thrown away: 'options' itself does not change
  return torch::rand({3}, options);
}

torch::Tensor gradient_bad(torch::TensorOptions options) {
  options.requires_grad(true); // expect: ml-discarded-result: the result of requires_grad() is thrown away
  return torch::rand({3}, options);
}

torch::Tensor assigned_ok(torch::Device device) {
  torch::TensorOptions options;
  options = options.device(device);
  const auto wide = options.dtype(torch::kDouble);
  return torch::rand({3}, wide) + torch::rand({3}, torch::TensorOptions().dtype(torch::kDouble));
}
