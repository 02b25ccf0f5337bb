// gradcheck: compares the gradients of a function with finite differences, as
// torch.autograd.gradcheck of Python does, which LibTorch does not have. Works with LibTorch and
// with the bundled runtime.
//
//   auto x = torch::rand({3, 4}, torch::TensorOptions(torch::kDouble).requires_grad(true));
//   gradtidy::gradcheck([](const std::vector<torch::Tensor> &in) { return f(in[0]); }, {x});
//
// Inputs should be of double precision; float32 is too coarse for the default step.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <sstream>
#include <type_traits>
#include <vector>

namespace gradtidy {

struct GradCheckOptions {
  double eps = 1e-6;           ///< how far an element is moved to either side
  double atol = 1e-5;          ///< how far a derivative may be off, plus
  double rtol = 1e-3;          ///< this share of it
  bool raise_exception = true; ///< otherwise a mismatch is returned as false
};

namespace detail {

using TensorFunction =
    std::function<std::vector<torch::Tensor>(const std::vector<torch::Tensor> &)>;

/// `function`, which may also return a single tensor, without results that have no gradient.
template <class F> TensorFunction differentiableResults(F function) {
  return [function](const std::vector<torch::Tensor> &inputs) {
    std::vector<torch::Tensor> results;
    for (const torch::Tensor &result : std::vector<torch::Tensor>{function(inputs)})
      if (result.is_floating_point())
        results.push_back(result);
    return results;
  };
}

/// Element number `i` as a view that may be written.
inline torch::Tensor elementOf(const torch::Tensor &x, int64_t i) {
  torch::Tensor element = x.data();
  for (int64_t d = x.dim(); d-- > 0; i /= x.size(d))
    element = element.select(d, i % x.size(d));
  return element;
}

/// For each result a matrix (elements of `input`, elements of the result).
inline std::vector<torch::Tensor> numericalJacobians(const TensorFunction &function,
                                                     const std::vector<torch::Tensor> &inputs,
                                                     const torch::Tensor &input, double eps) {
  torch::NoGradGuard guard;
  std::vector<std::vector<torch::Tensor>> rows;
  for (int64_t i = 0; i < input.numel(); ++i) {
    torch::Tensor element = elementOf(input, i);
    const torch::Tensor value = element.clone();
    auto at = [&](double shift) {
      element.copy_(value + shift);
      std::vector<torch::Tensor> results = function(inputs);
      for (torch::Tensor &result : results) // it may be the input itself
        result = result.to(torch::kDouble).reshape({-1}).clone();
      element.copy_(value);
      return results;
    };
    const std::vector<torch::Tensor> above = at(eps), below = at(-eps);
    rows.resize(above.size());
    for (std::size_t k = 0; k < above.size(); ++k)
      rows[k].push_back((above[k] - below[k]) / (2 * eps));
  }
  std::vector<torch::Tensor> jacobians;
  for (const auto &ofResult : rows)
    jacobians.push_back(torch::stack(ofResult));
  return jacobians;
}

/// For each input a matrix (elements of the input, elements of `result`).
inline std::vector<torch::Tensor> analyticalJacobians(const torch::Tensor &result,
                                                      const std::vector<torch::Tensor> &inputs) {
  std::vector<std::vector<torch::Tensor>> columns(inputs.size());
  for (int64_t i = 0; i < result.numel(); ++i) {
    torch::Tensor direction = torch::zeros_like(result);
    elementOf(direction, i).fill_(1);
    std::vector<torch::Tensor> gradients(inputs.size());
    if (result.requires_grad())
      gradients = torch::autograd::grad({result}, inputs, {direction}, /*retain_graph=*/true,
                                        /*create_graph=*/false, /*allow_unused=*/true);
    for (std::size_t k = 0; k < inputs.size(); ++k)
      columns[k].push_back(gradients[k].defined()
                               ? gradients[k].detach().to(torch::kDouble).reshape({-1})
                               : torch::zeros({inputs[k].numel()}, torch::kDouble));
  }
  std::vector<torch::Tensor> jacobians;
  for (const auto &ofInput : columns)
    jacobians.push_back(torch::stack(ofInput, 1));
  return jacobians;
}

/// What is wrong with the gradients of `function`, empty where nothing is.
inline std::string gradientMismatch(const TensorFunction &function,
                                    const std::vector<torch::Tensor> &inputs,
                                    const GradCheckOptions &options) {
  std::vector<torch::Tensor> wanted;
  for (const torch::Tensor &input : inputs)
    if (input.defined() && input.requires_grad()) {
      TORCH_CHECK(input.scalar_type() == torch::kDouble, "gradcheck: input #", wanted.size(),
                  " requires a gradient and is not of double precision; finite differences of "
                  "other types are too coarse.");
      wanted.push_back(input);
    }
  TORCH_CHECK(!wanted.empty(), "gradcheck expects at least one input tensor to require gradient, "
                               "but none of the them have requires_grad=True.");
  const std::vector<torch::Tensor> results = function(inputs);
  std::vector<std::vector<torch::Tensor>> numerical;
  for (const torch::Tensor &input : wanted)
    numerical.push_back(numericalJacobians(function, inputs, input, options.eps));
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (results[k].numel() == 0)
      continue;
    const std::vector<torch::Tensor> analytical = analyticalJacobians(results[k], wanted);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i].numel() == 0 ||
          torch::allclose(analytical[i], numerical[i][k], options.rtol, options.atol))
        continue;
      std::ostringstream text;
      text << "Jacobian mismatch for output " << k << " with respect to input " << i
           << ",\nnumerical:" << numerical[i][k] << "\nanalytical:" << analytical[i] << "\n";
      return text.str();
    }
  }
  return "";
}

} // namespace detail

/// Whether the gradients of `function` (from a list of tensors to a tensor or a list of them) with
/// respect to all `inputs` that require one agree with central differences. Throws where they do
/// not, unless told otherwise. Elements of the inputs are moved in place and restored, so that
/// parameters of a module may be inputs, too.
template <class F>
bool gradcheck(F function, const std::vector<torch::Tensor> &inputs,
               const GradCheckOptions &options = {}) {
  const std::string mismatch =
      detail::gradientMismatch(detail::differentiableResults(function), inputs, options);
  TORCH_CHECK(mismatch.empty() || !options.raise_exception, mismatch);
  return mismatch.empty();
}

/// The same for the gradients of the gradients: those of the sum of all results, each element with
/// a weight of its own.
template <class F>
bool gradgradcheck(F function, const std::vector<torch::Tensor> &inputs,
                   const GradCheckOptions &options = {}) {
  auto results = detail::differentiableResults(function);
  return gradcheck(
      [results](const std::vector<torch::Tensor> &in) {
        // Differences are taken without a graph, but they are differences of gradients.
        torch::AutoGradMode mode(true);
        torch::Tensor sum = torch::zeros({}, torch::kDouble);
        for (const torch::Tensor &result : results(in))
          sum = sum +
                (result *
                 (torch::arange(result.numel(), torch::kDouble) + 1).cos().reshape(result.sizes()))
                    .sum();
        std::vector<torch::Tensor> wanted, gradients;
        for (const torch::Tensor &input : in)
          if (input.defined() && input.requires_grad())
            wanted.push_back(input);
        for (const torch::Tensor &gradient :
             torch::autograd::grad({sum}, wanted, {}, /*retain_graph=*/true,
                                   /*create_graph=*/true, /*allow_unused=*/true))
          if (gradient.defined())
            gradients.push_back(gradient);
        return gradients;
      },
      inputs, options);
}

} // namespace gradtidy
