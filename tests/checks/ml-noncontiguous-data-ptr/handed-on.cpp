// Functions that get a pointer and the sizes of the tensor.
#include <torch/torch.h>

using torch::Tensor;

void show(const float *pixels, int64_t width, int64_t height);
void show_strided(const float *pixels, int64_t width, int64_t height, int64_t stride);
void keep(const float *pixels);

void permuted_bad(Tensor image) {
  image = image.permute({1, 2, 0}).to(torch::kCPU); // note: rearranged here
  float *pixels = image.data_ptr<float>(); // expect: ml-noncontiguous-data-ptr (no fix): memory of 'image'
  show(pixels, image.size(1), image.size(0));
}

void permuted_on_the_spot_bad(Tensor image) {
  image = image.permute({1, 2, 0}); // note: rearranged here
  show(image.data_ptr<float>(), image.size(1), image.size(0)); // expect: ml-noncontiguous-data-ptr
}

void contiguous_ok(Tensor image) {
  image = image.permute({1, 2, 0}).contiguous();
  show(image.data_ptr<float>(), image.size(1), image.size(0));
}

void tells_strides_ok(Tensor image) {
  image = image.permute({1, 2, 0});
  show_strided(image.data_ptr<float>(), image.size(1), image.size(0), image.stride(0));
}

void kept_ok(Tensor image) {
  image = image.permute({1, 2, 0});
  keep(image.data_ptr<float>());
}
