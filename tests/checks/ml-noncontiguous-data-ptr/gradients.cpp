// Gradients that autograd passes to backward() lie in memory in any order: that of a sum has one
// element for all.
#include <torch/torch.h>

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

static void gather(const float *in, int64_t count, int64_t width, float *out) {
  for (int64_t i = 0; i < count; ++i)
    for (int64_t c = 0; c < width; ++c)
      out[i * width + c] += in[i * width + c];
}

struct Passed : torch::autograd::Function<Passed> {
  static torch::Tensor forward(AutogradContext *ctx, torch::Tensor x) { return x * 2; }
  static variable_list backward(AutogradContext *ctx, variable_list grads) {
    auto grad = grads[0];
    auto result = torch::zeros(grad.sizes(), grad.options());
    gather(grad.data_ptr<float>(), grad.size(0), grad.size(1), result.data_ptr<float>()); // expect: ml-noncontiguous-data-ptr (no fix): any strides
    return {result};
  }
};

struct Dense : torch::autograd::Function<Dense> {
  static torch::Tensor forward(AutogradContext *ctx, torch::Tensor x) { return x * 2; }
  static variable_list backward(AutogradContext *ctx, variable_list grads) {
    auto grad = grads[0].contiguous();
    auto result = torch::zeros(grad.sizes(), grad.options());
    gather(grad.data_ptr<float>(), grad.size(0), grad.size(1), result.data_ptr<float>());
    return {result};
  }
};

struct Checked : torch::autograd::Function<Checked> {
  static torch::Tensor forward(AutogradContext *ctx, torch::Tensor x) { return x * 2; }
  static variable_list backward(AutogradContext *ctx, variable_list grads) {
    auto grad = grads[0];
    if (!grad.is_contiguous())
      grad = grad.contiguous();
    auto result = torch::zeros(grad.sizes(), grad.options());
    gather(grad.data_ptr<float>(), grad.size(0), grad.size(1), result.data_ptr<float>());
    return {result};
  }
};

struct Computed : torch::autograd::Function<Computed> {
  static torch::Tensor forward(AutogradContext *ctx, torch::Tensor x) { return x * 2; }
  static variable_list backward(AutogradContext *ctx, variable_list grads) {
    return {grads[0] * 2};
  }
};

static void add(const float *in, int64_t count, float *out) {
  for (int64_t i = 0; i < count; ++i)
    out[i] += in[i];
}

struct Counted : torch::autograd::Function<Counted> {
  static torch::Tensor forward(AutogradContext *ctx, torch::Tensor x) { return x * 2; }
  static variable_list backward(AutogradContext *ctx, variable_list grads) {
    const int64_t count = 12;
    auto result = torch::zeros({count});
    add(grads[0].data_ptr<float>(), count, result.data_ptr<float>()); // expect: ml-noncontiguous-data-ptr (no fix): any strides
    return {result};
  }
};

struct Copied : torch::autograd::Function<Copied> {
  static torch::Tensor forward(AutogradContext *ctx, torch::Tensor x) { return x * 2; }
  static variable_list backward(AutogradContext *ctx, variable_list grads) {
    auto copy = grads[0].clone(); // A transposed gradient has a transposed copy.
    auto result = torch::zeros(copy.sizes());
    gather(copy.data_ptr<float>(), copy.size(0), copy.size(1), result.data_ptr<float>()); // expect: ml-noncontiguous-data-ptr (no fix) (level 1): any strides
    return {result};
  }
};
