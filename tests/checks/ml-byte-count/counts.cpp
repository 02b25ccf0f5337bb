// Copies of the memory of tensors.
#include <torch/torch.h>

#include <cstring>
#include <vector>

namespace {

void numel_bad(torch::Tensor weight, const float *source) {
  std::memcpy(weight.data_ptr<float>(), source, weight.numel()); // expect: ml-byte-count: this is how many elements there are, and bytes are counted here: each has 4
}

void of_source_bad(torch::Tensor tensor, double *target) {
  memcpy(target, tensor.data_ptr<double>(), tensor.numel()); // expect: ml-byte-count: each has 8
}

void named_bad(torch::nn::Linear layer, std::vector<float> &values) {
  float *target = layer->weight.data_ptr<float>();
  int count = layer->weight.numel();
  std::memcpy(target, values.data(), count); // expect: ml-byte-count
}

void sizes_bad(torch::Tensor image, const float *source) {
  std::memmove(image.data_ptr<float>(), source, image.size(0) * image.size(1)); // expect: ml-byte-count
}

void of_known_elements_bad(const float *source) {
  auto table = torch::empty({16, 4});
  std::memcpy(table.data_ptr(), source, table.numel()); // expect: ml-byte-count
}

// ---- as many as there are

void multiplied_ok(torch::Tensor weight, const float *source) {
  std::memcpy(weight.data_ptr<float>(), source, weight.numel() * sizeof(float));
  std::memcpy(weight.data_ptr<float>(), source, weight.numel() * weight.element_size());
  std::memcpy(weight.data_ptr<float>(), source, weight.nbytes());
  std::memcpy(weight.data_ptr<float>(), source, weight.numel() * 4);
}

void bytes_ok(torch::Tensor image, const unsigned char *source) {
  std::memcpy(image.data_ptr<uint8_t>(), source, image.numel());
}

void reinterpreted_ok(torch::Tensor image, torch::Tensor packed) {
  std::memcpy(packed.data_ptr<float>(), image.data_ptr<uint8_t>(), image.numel());
}

void unknown_ok(torch::Tensor image, const void *source) {
  std::memcpy(image.data_ptr(), source, image.numel());
}

void grown_ok(torch::Tensor weight, const float *source) {
  size_t count = weight.numel();
  count *= sizeof(float);
  std::memcpy(weight.data_ptr<float>(), source, count);
}

void given_ok(torch::Tensor weight, const float *source, size_t count) {
  std::memcpy(weight.data_ptr<float>(), source, count);
}

} // namespace
