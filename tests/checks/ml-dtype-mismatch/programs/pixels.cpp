// Pixels are bytes.
#include <torch/torch.h>

extern "C" unsigned char *stbi_load(const char *file, int *x, int *y, int *channels, int wanted);
extern "C" float *stbi_loadf(const char *file, int *x, int *y, int *channels, int wanted);

torch::Tensor pixels_bad(const char *file) {
  int width, height, channels;
  auto *pixels = stbi_load(file, &width, &height, &channels, 3);
  auto x = torch::from_blob(pixels, {height, width, 3}); // expect: ml-dtype-mismatch: holds uint8
  return x.clone();
}

torch::Tensor pixels(const char *file) {
  int width, height, channels;
  auto *pixels = stbi_load(file, &width, &height, &channels, 3);
  auto *floats = stbi_loadf(file, &width, &height, &channels, 3);
  auto x = torch::from_blob(pixels, {height, width, 3}, torch::kUInt8);
  return x.clone() + torch::from_blob(floats, {height, width, 3});
}
