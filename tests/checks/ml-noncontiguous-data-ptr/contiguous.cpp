// Memory that is in the order in which it is read, or that somebody reads who knows better.
#include <torch/torch.h>

#include <algorithm>
#include <cstring>
#include <vector>

using torch::Tensor;

void contiguous_ok(Tensor x, float *values) {
  auto y = x.permute({1, 2, 0}).contiguous();
  std::memcpy(values, y.data_ptr<float>(), 48);
}

// A dimension of size 1 may stand anywhere.
void one_sample_ok(Tensor x, float *values) {
  auto image = x.view({1, 4, 12}).permute({1, 2, 0});
  std::memcpy(values, image.data_ptr<float>(), 48 * sizeof(float));
}

void contiguous_there_ok(Tensor x, float *values) {
  auto y = x.t();
  std::memcpy(values, y.contiguous().data_ptr<float>(), 48);
}

void contiguous_later_ok(Tensor x, float *pixels) {
  auto image = x.permute({1, 2, 0}).mul(255);
  image = image.clamp(0, 255).contiguous();
  std::memcpy(pixels, image.data_ptr<float>(), 48);
}

void clone_in_order_ok(Tensor x, float *values) {
  auto y = x.t().clone(torch::MemoryFormat::Contiguous);
  std::memcpy(values, y.data_ptr<float>(), 48);
}

void reshaped_ok(Tensor x, float *values) {
  auto y = x.permute({1, 2, 0}).reshape({-1});
  std::memcpy(values, y.data_ptr<float>(), 48);
}

void flattened_ok(Tensor x, float *values) {
  auto y = x.transpose(0, 1).flatten();
  std::copy_n(y.data_ptr<float>(), y.numel(), values);
}

// What was rearranged is another tensor.
void original_ok(torch::nn::Linear net, Tensor x, float *values) {
  auto y = net(x.t());
  std::memcpy(values, x.data_ptr<float>(), 48);
  std::memcpy(values, y.data_ptr<float>(), 48);
}

void product_ok(Tensor x, Tensor w, float *values) {
  auto y = torch::matmul(x.t(), w);
  std::memcpy(values, y.data_ptr<float>(), 48);
}

void joined_ok(Tensor x, Tensor y, float *values) {
  auto z = torch::cat({x.t(), y.t()});
  std::memcpy(values, z.data_ptr<float>(), 96);
}

void stacked_ok(const std::vector<Tensor> &images, float *values) {
  std::vector<Tensor> turned;
  for (const auto &image : images)
    turned.push_back(image.permute({1, 2, 0}));
  auto batch = torch::stack(turned);
  std::memcpy(values, batch.data_ptr<float>(), 96);
}

void summed_ok(Tensor x, float *values) {
  auto y = x.permute({1, 2, 0}).sum({2});
  std::memcpy(values, y.data_ptr<float>(), 16);
}

void selected_ok(Tensor x, Tensor indices, float *values) {
  auto y = x.t().index_select(0, indices);
  std::memcpy(values, y.data_ptr<float>(), 16);
}

void received_ok(Tensor x, float *values) {
  auto y = torch::empty({4, 3});
  y.copy_(x.t());
  std::memcpy(values, y.data_ptr<float>(), 48);
}

void there_and_back_ok(Tensor x, float *values) {
  auto y = x.t().mul(2).t();
  std::memcpy(values, y.data_ptr<float>(), 48);
}

void same_order_ok(Tensor x, float *values) {
  auto y = x.permute({0, 1, 2});
  std::memcpy(values, y.data_ptr<float>(), 48);
}

// In this format the channels are last in memory, and the permutation makes it so in the shape.
void channels_last_ok(Tensor x, float *pixels) {
  auto y = x.contiguous(torch::MemoryFormat::ChannelsLast).permute({0, 2, 3, 1});
  std::memcpy(pixels, y.data_ptr<float>(), 48);
}

void perhaps_ok(Tensor x, bool turn, float *values) {
  auto y = x;
  if (turn)
    y = x.t();
  std::memcpy(values, y.data_ptr<float>(), 48);
}

void unknown_ok(const Tensor &x, float *values) {
  std::memcpy(values, x.data_ptr<float>(), 48);
}

void asked_ok(Tensor x, float *values) {
  auto y = x.t();
  if (!y.is_contiguous())
    y = y.contiguous();
  std::memcpy(values, y.data_ptr<float>(), 48);
}

void strides_ok(Tensor x, float *values) {
  auto y = x.t();
  const float *source = y.data_ptr<float>();
  for (int64_t i = 0; i < y.size(0); ++i)
    for (int64_t j = 0; j < y.size(1); ++j)
      values[i * y.size(1) + j] = source[i * y.stride(0) + j * y.stride(1)];
}

void columns_ok(Tensor x, float *values) {
  auto y = x.t();
  auto strides = y.strides();
  std::memcpy(values, y.data_ptr<float>(), 4 * strides[1]);
}

float accessor_ok(Tensor x) {
  auto y = x.permute({1, 0});
  auto values = y.accessor<float, 2>();
  return values[0][1];
}

// The first element is the first in either order.
float first_ok(Tensor x) {
  auto y = x.t();
  return *y.data_ptr<float>();
}

// Who multiplies by the number of rows knows the order.
float by_hand_ok(Tensor x, int64_t rows, int64_t i, int64_t j) {
  auto y = x.t();
  return y.data_ptr<float>()[j * rows + i];
}

void gemm(const float *matrix, bool isTransposed, int64_t size);
void given_away_ok(Tensor x) {
  auto y = x.t();
  gemm(y.data_ptr<float>(), true, y.size(0));
}

void launch(float *values);
void kernel_ok(Tensor x) {
  auto y = x.cuda().permute({1, 0});
  float *values = y.data_ptr<float>();
  launch(values);
}

bool same_memory_ok(Tensor x) {
  auto y = x.t();
  return y.data_ptr() == x.data_ptr();
}

// Images whose channels were brought to the front, and keep the order of their memory.
class Images {
public:
  Tensor read(unsigned char *pixels) {
    return torch::from_blob(pixels, {4, 4, 3}, torch::kByte).permute({2, 0, 1}).clone();
  }
  void add(unsigned char *pixels) { images.push_back(read(pixels)); }
  Tensor get(size_t index) { return images.at(index).clone(); }
  void show_ok(size_t index, unsigned char *out) {
    auto image = get(index).squeeze().permute({1, 2, 0});
    image = image.clamp(0, 255);
    std::memcpy(out, image.data_ptr(), 48);
  }
  void show_stored_ok(size_t index, unsigned char *out) {
    auto image = images[index].permute({1, 2, 0});
    std::memcpy(out, image.data_ptr(), 48);
  }

private:
  std::vector<Tensor> images;
};

// A copy that is made contiguous is there to be read.
void clamp_all(const float *from, float *to, int64_t count);

Tensor passed_over_bad(const Tensor &x) {
  const Tensor dense = x.contiguous();
  Tensor y = torch::empty(dense.sizes());
  clamp_all(x.data_ptr<float>(), // expect: ml-noncontiguous-data-ptr (no fix) (level 1): not that of 'dense'
            y.data_ptr<float>(), dense.numel());
  return y;
}

Tensor taken_ok(const Tensor &x) {
  const Tensor dense = x.contiguous();
  Tensor y = torch::empty(dense.sizes());
  clamp_all(dense.data_ptr<float>(), y.data_ptr<float>(), dense.numel());
  return x.data_ptr() == dense.data_ptr() ? y : y.clone();
}
