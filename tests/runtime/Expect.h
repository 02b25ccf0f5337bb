// What tests of the runtime share: errors as text, gradients against finite differences, and marks,
// numbers that stand for all elements of a tensor.
//
// Tensors lie on the device that is tested (OnDevice.cpp), unless a test says where: those of the
// other devices are compared with the same numbers as those of the host.
#pragma once

#include <torch/torch.h>
#undef CHECK // LibTorch's own
#include <catch2/catch.hpp>

#include <functional>
#include <string>
#include <vector>

/// How the device that is tested calls the type of its tensors: "CPUFloatType".
inline std::string typeName(const std::string &elements) {
  return (torch::empty({0}).is_cuda() ? "CUDA" : "CPU") + elements + "Type";
}

/// What the exception thrown by `action` says.
inline std::string errorOf(const std::function<void()> &action) {
  try {
    action();
  } catch (const c10::Error &error) {
    return error.what_without_backtrace();
  }
  return "no error";
}

/// Whether two ways to the same numbers lead there: to the same bits on the host. On a device other
/// kernels round elsewhere, and some add in any order.
inline bool agree(const torch::Tensor &a, const torch::Tensor &b) {
  if (a.is_cpu() || a.dtype() != b.dtype() || a.sizes() != b.sizes())
    return torch::equal(a, b);
  const double tolerance = a.dtype() == torch::kBFloat16 ? 2e-2
                           : a.dtype() == torch::kHalf   ? 2e-3
                           : a.dtype() == torch::kFloat  ? 1e-5
                                                         : 1e-9;
  return torch::allclose(a.to(torch::kDouble), b.to(torch::kDouble), tolerance, tolerance);
}

using Function = std::function<torch::Tensor(const std::vector<torch::Tensor> &)>;

/// Compares the gradients of sum(w * f(inputs)), w fixed random weights, with central differences.
inline void checkGradients(const Function &f, std::vector<torch::Tensor> inputs) {
  using torch::Tensor;
  for (Tensor &input : inputs)
    input = input.to(torch::kDouble).clone().set_requires_grad(true);
  Tensor result = f(inputs);
  torch::manual_seed(3);
  Tensor weights = torch::rand(result.sizes(), torch::kDouble);
  auto gradients = torch::autograd::grad({(result * weights).sum()}, inputs);
  torch::NoGradGuard guard;
  const double h = 1e-6;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    Tensor numeric = torch::zeros_like(inputs[k]);
    for (int64_t i = 0; i < inputs[k].numel(); ++i) {
      auto moved = [&](double by) {
        std::vector<Tensor> shifted = inputs;
        shifted[k] = inputs[k].clone().contiguous();
        shifted[k].view({-1})[i] += by;
        return (f(shifted) * weights).sum().item<double>();
      };
      numeric.view({-1})[i] = (moved(h) - moved(-h)) / (2 * h);
    }
    INFO("input " << k << "\nautograd " << gradients[k] << "\nnumeric " << numeric);
    CHECK(torch::allclose(gradients[k], numeric, 1e-5, 1e-6));
  }
}

/// The sum of the elements, each with a weight of its own.
inline double mark(const torch::Tensor &x) {
  torch::Tensor flat = x.detach().to(torch::kCPU, torch::kDouble).reshape({-1});
  return (flat * torch::cos(torch::arange(flat.numel(), flat.options()) + 1)).sum().item<double>();
}

/// A tensor without pattern whose elements are those of LibTorch: sin(3 i) + shift.
inline torch::Tensor wave(torch::IntArrayRef sizes, double shift = 0) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  torch::Tensor x = torch::sin(torch::arange(count, torch::kDouble) * 3) + shift;
  return x.reshape(sizes).set_requires_grad(true);
}

/// An expression of a tensor x with the marks that LibTorch gives for its value and for the
/// gradient of x when that of the value is cos(1), cos(2), ...
struct Marked {
  const char *text;
  std::function<torch::Tensor(torch::Tensor)> function;
  double value, gradient;
};
#define MARKED(expression, value, gradient)                                                        \
  Marked {                                                                                         \
    #expression, [](torch::Tensor x) { return expression; }, value, gradient                       \
  }

inline void checkMarks(const Marked &expected, torch::IntArrayRef sizes, double shift = 0) {
  torch::Tensor x = wave(sizes, shift);
  torch::manual_seed(5);
  torch::Tensor y = expected.function(x);
  INFO(expected.text);
  CHECK(mark(y) == Approx(expected.value).epsilon(1e-9).margin(1e-9));
  torch::Tensor weights = torch::cos(torch::arange(y.numel(), torch::kDouble) + 1);
  y.backward(weights.view(y.sizes()).to(y.dtype()));
  CHECK(mark(x.grad()) == Approx(expected.gradient).epsilon(1e-9).margin(1e-9));
}
