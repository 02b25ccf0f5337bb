// Autocast, and what operations make of it, as in LibTorch.
#include "Expect.h"

#include <ATen/autocast_mode.h>

namespace {

using torch::Tensor;

torch::DeviceType tested() { return torch::get_default_device().type(); }

/// Autocast on the device that is tested, in a scope.
struct Region {
  explicit Region(torch::Dtype type = torch::kBFloat16) {
    at::autocast::set_autocast_dtype(tested(), type);
    at::autocast::set_autocast_enabled(tested(), true);
  }
  ~Region() {
    at::autocast::set_autocast_enabled(tested(), false);
    at::autocast::set_autocast_dtype(tested(), usual);
    at::autocast::clear_cache();
  }
  const torch::Dtype usual = at::autocast::get_autocast_dtype(tested());
};

Tensor floats(torch::IntArrayRef sizes) { return wave(sizes).detach().to(torch::kFloat); }

} // namespace

TEST_CASE("autocast is off, and its types are bfloat16 on the CPU and float16 on CUDA devices",
          "[host]") {
  CHECK_FALSE(at::autocast::is_autocast_enabled(torch::kCPU));
  CHECK_FALSE(at::autocast::is_autocast_enabled(torch::kCUDA));
  CHECK(at::autocast::get_autocast_dtype(torch::kCPU) == torch::kBFloat16);
  CHECK(at::autocast::get_autocast_dtype(torch::kCUDA) == torch::kHalf);
  {
    Region region;
    CHECK(at::autocast::is_autocast_enabled(torch::kCPU));
    CHECK_FALSE(at::autocast::is_autocast_enabled(torch::kCUDA));
  }
  CHECK(torch::mm(floats({2, 2}), floats({2, 2})).dtype() == torch::kFloat);
  CHECK(at::autocast::increment_nesting() == 1);
  CHECK(at::autocast::decrement_nesting() == 0);
}

TEST_CASE("products and convolutions compute in 16 bits, losses in 32, others as they are",
          "[host]") {
  Tensor x = floats({2, 3, 8, 8}), w = floats({4, 3, 3, 3}), m = floats({4, 4});
  Tensor low = m.to(torch::kBFloat16);
  Region region;
  CHECK(torch::conv2d(x, w).dtype() == torch::kBFloat16);
  CHECK(torch::matmul(m, m).dtype() == torch::kBFloat16);
  CHECK(torch::linear(m, m, floats({4})).dtype() == torch::kBFloat16);
  CHECK(torch::bmm(x[0], x[1].transpose(1, 2)).dtype() == torch::kBFloat16);
  CHECK(torch::baddbmm(x[0], x[0], x[1]).dtype() == torch::kBFloat16);
  CHECK(m.mm(m).dtype() == torch::kBFloat16);
  CHECK(torch::prelu(m, floats({1})).dtype() == torch::kBFloat16);
  CHECK(torch::mse_loss(low, low).dtype() == torch::kFloat);
  CHECK(torch::nll_loss(low, torch::tensor({0, 1, 2, 3})).dtype() == torch::kFloat);
  CHECK(torch::prod(low).dtype() == torch::kFloat);
  CHECK(torch::pad(low.unsqueeze(0), {1, 1}, "reflect").dtype() == torch::kFloat);
  CHECK(torch::softmax(low, 0).dtype() == torch::kBFloat16);
  CHECK((low + m).dtype() == torch::kFloat);
  CHECK(torch::mm(m.to(torch::kDouble), m.to(torch::kDouble)).dtype() == torch::kDouble);
  CHECK(torch::mm(m.to(torch::kDouble), m.to(torch::kDouble)).sum().item<double>() ==
        Approx(m.to(torch::kDouble).mm(m.to(torch::kDouble)).sum().item<double>()));
}

TEST_CASE("the type of 16 bits can be chosen") {
  Region region(torch::kHalf);
  CHECK(torch::mm(floats({2, 2}), floats({2, 2})).dtype() == torch::kHalf);
}

TEST_CASE("parameters keep float32 gradients, and are cast once until the cache is cleared") {
  torch::manual_seed(1);
  torch::nn::Linear layer(3, 2);
  Tensor x = floats({4, 3}), y;
  {
    Region region;
    y = layer->forward(x);
    CHECK(at::autocast::cached_cast(torch::kBFloat16, layer->weight, tested())
              .is_same(at::autocast::cached_cast(torch::kBFloat16, layer->weight, tested())));
    torch::mse_loss(y, torch::zeros({4, 2})).backward();
  }
  CHECK(y.dtype() == torch::kBFloat16);
  CHECK(layer->weight.grad().dtype() == torch::kFloat);
  Tensor rounded = layer->weight.grad().clone();
  layer->zero_grad();
  torch::mse_loss(layer->forward(x), torch::zeros({4, 2})).backward();
  CHECK(torch::allclose(rounded, layer->weight.grad(), 0.02, 0.01));
  CHECK_FALSE(torch::equal(rounded, layer->weight.grad()));
}

TEST_CASE("a linear layer multiplies by its weight as it is") {
  torch::nn::Linear layer(torch::nn::LinearOptions(2, 2).bias(false));
  Region region;
  CHECK(layer(torch::eye(2)).abs().sum().item<double>() > 0);
  torch::NoGradGuard guard;
  layer->weight.zero_();
  CHECK(layer(torch::eye(2)).abs().sum().item<double>() == 0);
}

TEST_CASE("a stale cast is used until the cache is cleared") {
  Tensor w = floats({2, 2}).set_requires_grad(true), x = torch::eye(2);
  Region region;
  Tensor before = torch::mm(x, w).detach().clone();
  {
    torch::NoGradGuard guard;
    w.zero_();
  }
  CHECK(torch::equal(torch::mm(x, w), before));
  at::autocast::clear_cache();
  CHECK(torch::mm(x, w).abs().sum().item<double>() == 0);
  at::autocast::set_autocast_cache_enabled(false);
  CHECK_FALSE(at::autocast::is_autocast_cache_enabled());
  {
    torch::NoGradGuard guard;
    w.fill_(1);
  }
  CHECK(torch::mm(x, w).sum().item<double>() == 4);
  at::autocast::set_autocast_cache_enabled(true);
}
