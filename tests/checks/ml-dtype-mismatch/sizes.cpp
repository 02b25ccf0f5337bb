// How large elements are, and what lies in bytes.
#include <torch/torch.h>

#include <cstring>
#include <fstream>
#include <vector>

void constant_bad(const torch::Tensor &x, float *destination) {
  std::memcpy(destination, x.data_ptr<float>(), x.numel() * sizeof(torch::kFloat32)); // expect: ml-dtype-mismatch (level 0): this is the size of the constant
}

int64_t alone_bad(const torch::Tensor &x) {
  const auto size = sizeof(torch::kFloat64); // expect: ml-dtype-mismatch
  return x.numel() * static_cast<int64_t>(size);
}

int64_t variable_bad(const torch::Tensor &x, torch::ScalarType type) {
  return x.numel() * sizeof(type); // expect: ml-dtype-mismatch
}

int64_t asked_bad(const torch::Tensor &x) {
  return x.numel() * sizeof(x.scalar_type()); // expect: ml-dtype-mismatch
}

int64_t sizes_ok(const torch::Tensor &x, torch::ScalarType type, std::ofstream &file) {
  file.write(reinterpret_cast<const char *>(&type), sizeof(type));
  return x.numel() * x.element_size() + x.numel() * sizeof(float) + sizeof(torch::ScalarType);
}

torch::Tensor bytes_bad(int64_t height, int64_t width) {
  std::vector<uint8_t> pixels(height * width * 3);
  uint8_t digits[28 * 28] = {};
  auto x = torch::from_blob(pixels.data(), {height, width, 3}); // expect: ml-dtype-mismatch: the memory holds uint8
  auto y = torch::from_blob(digits, {28, 28}); // expect: ml-dtype-mismatch: the memory holds uint8
  auto z = torch::from_blob(digits, {1, 28, 28}, torch::kFloat); // expect: ml-dtype-mismatch (no fix)
  return x.sum() + y.sum() + z.sum();
}

torch::Tensor bytes_ok(int64_t height, int64_t width) {
  std::vector<uint8_t> pixels(height * width * 3);
  std::vector<char> floats(height * width * 4);
  std::vector<char> grown(height);
  grown.resize(height * 4);
  auto sum = torch::from_blob(pixels.data(), {height, width, 3}, torch::kUInt8).sum();
  sum += torch::from_blob(floats.data(), {height, width}).sum();
  sum += torch::from_blob(grown.data(), {height}).sum();
  return sum;
}

// Of a byte, as the constant is.
int64_t bytesOf_ok(const torch::Tensor &image) { return image.numel() * sizeof(torch::kUInt8); }
