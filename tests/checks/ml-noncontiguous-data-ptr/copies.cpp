// Rearranged tensors whose memory is copied as it lies.
#include <torch/torch.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <vector>

using torch::Tensor;

void permuted_bad(Tensor x, float *out) {
  auto image = x.permute({1, 2, 0}); // note: rearranged here
  std::memcpy(out, image.data_ptr<float>(), 48); // expect: ml-noncontiguous-data-ptr: 'image'
}

void transposed_bad(Tensor x, float *out) {
  auto y = x.transpose(0, 1); // note: rearranged here
  std::copy_n(y.data_ptr<float>(), 12, out); // expect: ml-noncontiguous-data-ptr: transpose()
}

void matrix_bad(Tensor x, void *out) {
  auto y = x.t(); // note: rearranged here
  std::memmove(out, y.data_ptr(), 48); // expect: ml-noncontiguous-data-ptr: before t()
}

void rebound_bad(Tensor x, float *out) {
  x = x.movedim(0, 2); // note: rearranged here
  std::memcpy(out, x.data_ptr<float>(), 48); // expect: ml-noncontiguous-data-ptr: before movedim()
}

void function_bad(const Tensor &x, float *out) {
  auto y = torch::transpose(x, 0, 1); // note: rearranged here
  std::memcpy(out, y.data_ptr<float>(), 48); // expect: ml-noncontiguous-data-ptr: transpose()
}

void swapped_bad(Tensor x, float *out) {
  auto y = x.swapaxes(1, 2); // note: rearranged here
  std::memcpy(out, y.data_ptr<float>(), 48); // expect: ml-noncontiguous-data-ptr: before swapaxes()
}

void without_a_name_bad(Tensor x, float *out) {
  std::memcpy(out, x.t().data_ptr(), 8); // note: here // expect: ml-noncontiguous-data-ptr: 'x.t()'
}

// Arithmetic keeps the order.
void arithmetic_bad(torch::nn::Linear net, Tensor x, float *out) {
  auto output = net(x);
  auto image = output.detach().permute({1, 2, 0}).mul(255).clamp(0, 255); // note: rearranged here
  std::memcpy(out, image.data_ptr<float>(), 48); // expect: ml-noncontiguous-data-ptr: 'image'
}

void operators_bad(Tensor x, float *out) {
  auto image = (x.permute({1, 2, 0}) + 1) * 127.5; // note: rearranged here
  std::memcpy(out, image.data_ptr<float>(), 48); // expect: ml-noncontiguous-data-ptr: permute()
}

void of_another_type_bad(Tensor x, double *out) {
  auto y = x.t().to(torch::kDouble); // note: rearranged here
  std::memcpy(out, y.data_ptr<double>(), 96); // expect: ml-noncontiguous-data-ptr: before t()
}

void on_the_host_bad(Tensor x, float *out) {
  auto y = x.cuda().transpose(0, 1).cpu(); // note: rearranged here
  std::memcpy(out, y.data_ptr<float>(), 48); // expect: ml-noncontiguous-data-ptr: transpose()
}

void cloned_bad(Tensor x, float *out) {
  auto y = x.t().clone(); // note: rearranged here
  std::memcpy(out, y.data_ptr<float>(), 48); // expect: ml-noncontiguous-data-ptr: before t()
}

void in_place_bad(Tensor x, float *out) {
  auto y = x.permute({2, 0, 1}); // note: rearranged here
  y.mul_(2);
  std::memcpy(out, y.data_ptr<float>(), 48); // expect: ml-noncontiguous-data-ptr: permute()
}

void result_thrown_away_bad(Tensor x, float *out) {
  auto y = x.t(); // note: rearranged here
  y.contiguous();
  std::memcpy(out, y.data_ptr<float>(), 48); // expect: ml-noncontiguous-data-ptr: before t()
}

void file_bad(Tensor x, std::ofstream &file) {
  auto y = x.permute({1, 0}); // note: rearranged here
  file.write(static_cast<char *>(y.data_ptr()), 48); // expect: ml-noncontiguous-data-ptr: 'y'
}

void batch_bad(Tensor batch, std::vector<float> &pixels) {
  for (int64_t i = 0; i < batch.size(0); ++i) {
    auto image = batch[i].permute({1, 2, 0}); // note: rearranged here
    float *out = &pixels[12 * i];
    std::memcpy(out, image.data_ptr<float>(), 48); // expect: ml-noncontiguous-data-ptr: 'image'
  }
}

Tensor wrapped_bad(Tensor x) {
  auto y = x.t();
  auto *source = y.data_ptr<float>(); // miss: ml-noncontiguous-data-ptr: single elements by hand
  return torch::from_blob(source, {3, 4}).clone();
}

Tensor wrapped_at_once_bad(Tensor x) {
  auto y = x.t();
  return torch::from_blob(y.data_ptr(), {3, 4}).clone(); // miss: ml-noncontiguous-data-ptr: single elements by hand
}

// The tensor would be in memory of a copy that is gone.
float dangling_bad(Tensor x) {
  auto y = x.t();
  auto z = torch::from_blob(y.data_ptr(), {3, 4}); // miss: ml-noncontiguous-data-ptr: single elements by hand
  return z.sum().item<float>();
}

// Two copies would have two places, and a pointer that is kept outlives the copy.
std::vector<float> vector_bad(Tensor x) {
  auto y = x.t(); // note: rearranged here
  std::vector<float> values(
      y.data_ptr<float>(), // expect: ml-noncontiguous-data-ptr (no fix): 'y'
      y.data_ptr<float>() + 12); // expect: ml-noncontiguous-data-ptr (no fix): 'y'
  return values;
}

void variable_bad(Tensor x, std::vector<float> &values) {
  auto y = x.permute({1, 0}); // note: rearranged here
  const float *source = y.data_ptr<float>(); // expect: ml-noncontiguous-data-ptr (no fix): 'y'
  std::copy(source, source + 12, values.begin());
}

// A copy would be what is written to.
void filled_bad(Tensor x, const std::vector<float> &values) {
  auto y = x.t(); // note: rearranged here
  std::memcpy(y.data_ptr<float>(), values.data(), 48); // expect: ml-noncontiguous-data-ptr (no fix)
}

namespace sizes {

void ofAnySize(torch::Tensor sample, float *out) {
  const auto moved = sample.permute({1, 2, 0}); // note: rearranged
  std::memcpy(out, moved.data_ptr<float>(), 48); // expect: ml-noncontiguous-data-ptr (level 1)
}

void ofKnownSize(float *out) {
  const auto moved = torch::rand({3, 8, 8}).permute({1, 2, 0}); // note: rearranged
  std::memcpy(out, moved.data_ptr<float>(), 48); // expect: ml-noncontiguous-data-ptr (level 0)
}

} // namespace sizes

void moved_twice_bad(Tensor x, float *out) {
  x = x.transpose(0, 1);
  x = x.transpose(1, 2); // note: rearranged here
  std::copy_n(x.data_ptr<float>(), 12, out); // expect: ml-noncontiguous-data-ptr: transpose()
}

void rolled_twice_bad(Tensor x, float *out) {
  auto y = x.permute({1, 2, 0}).permute({1, 2, 0}); // note: rearranged here
  std::copy_n(y.data_ptr<float>(), 12, out); // expect: ml-noncontiguous-data-ptr: permute()
}

void there_and_back_ok(Tensor x, float *out) {
  auto y = x.permute({1, 2, 0}).permute({2, 0, 1});
  std::copy_n(y.data_ptr<float>(), 12, out);
  auto z = x.transpose(0, 1).transpose(1, 0);
  std::copy_n(z.data_ptr<float>(), 12, out);
}

void rolled_round_ok(Tensor x, float *out) {
  auto y = x.permute({1, 2, 0}).permute({1, 2, 0}).permute({1, 2, 0});
  std::copy_n(y.data_ptr<float>(), 12, out);
}
