// How the tools walk the tensors of a module and read their numbers.
#pragma once

#include <torch/torch.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace gradtidy::detail {

struct NamedTensor {
  std::string name;
  torch::Tensor tensor;
  const char *kind; ///< "parameter" or "buffer"
};

inline std::vector<NamedTensor> namedParameters(const torch::nn::Module &module) {
  std::vector<NamedTensor> tensors;
  for (const auto &item : module.named_parameters())
    if (item.value().defined())
      tensors.push_back({item.key(), item.value(), "parameter"});
  return tensors;
}

/// Parameters, then buffers.
inline std::vector<NamedTensor> namedTensors(const torch::nn::Module &module) {
  std::vector<NamedTensor> tensors = namedParameters(module);
  for (const auto &item : module.named_buffers())
    if (item.value().defined())
      tensors.push_back({item.key(), item.value(), "buffer"});
  return tensors;
}

/// The numbers that `tensors` of one element hold, for which the host waits once.
inline std::vector<double> numbersOf(const std::vector<torch::Tensor> &tensors) {
  if (tensors.empty())
    return {};
  std::vector<torch::Tensor> together;
  for (const torch::Tensor &tensor : tensors)
    together.push_back(tensor.detach().reshape({}).to(tensors[0].device(), torch::kDouble));
  const torch::Tensor host = torch::stack(together).to(torch::kCPU);
  const double *first = host.data_ptr<double>();
  return {first, first + host.numel()};
}

/// 0 of no numbers.
inline double medianOf(std::vector<double> numbers) {
  if (numbers.empty())
    return 0;
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

} // namespace gradtidy::detail
