// Tensors made like others, whose strides they have.
#include <torch/torch.h>

using torch::Tensor;

static void scale(const float *in, int64_t count, float *out) {
  for (int64_t i = 0; i < count; ++i)
    out[i] = 2 * in[i];
}

// --- right ---------------------------------------------------------------------------------------

Tensor like_the_copy_ok(const Tensor &x) {
  auto dense = x.contiguous();
  auto result = torch::empty_like(dense);
  scale(dense.data_ptr<float>(), dense.numel(), result.data_ptr<float>());
  return result;
}

Tensor contiguous_from_here_ok(Tensor x) {
  x = x.contiguous();
  auto result = torch::empty_like(x);
  scale(x.data_ptr<float>(), x.numel(), result.data_ptr<float>());
  return result;
}

Tensor nobody_knows_ok(const Tensor &x) {
  auto result = torch::zeros_like(x);
  scale(x.data_ptr<float>(), x.numel(), result.data_ptr<float>());
  return result;
}

Tensor operations_ok(const Tensor &x) {
  auto dense = x.contiguous();
  auto result = torch::zeros_like(x);
  result += dense;
  return result;
}

// --- wrong ---------------------------------------------------------------------------------------

Tensor like_bad(const Tensor &x) {
  auto dense = x.contiguous();
  auto result = torch::empty_like(x);
  scale(dense.data_ptr<float>(), dense.numel(), result.data_ptr<float>()); // expect: ml-noncontiguous-data-ptr (no fix) (level 1): in the order of 'x'
  return result;
}

Tensor rows_bad(const Tensor &x) {
  const auto dense = x.contiguous();
  const int64_t rows = x.size(0), columns = x.size(1);
  const float *in = dense.data_ptr<float>();
  auto result = torch::zeros_like(x);
  float *out = result.data_ptr<float>(); // expect: ml-noncontiguous-data-ptr (no fix) (level 1)
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      out[row * columns + column] = in[row * columns + column] * 2;
  return result;
}
