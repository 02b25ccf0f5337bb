// Declarations of LibTorch's data parallelism within one process.
#pragma once

#include <torch/torch.h>

namespace torch::nn::parallel {
template <typename ModuleType>
std::vector<std::shared_ptr<ModuleType>> replicate(const std::shared_ptr<ModuleType> &module,
                                                   const std::vector<Device> &devices);
template <typename ModuleType>
std::vector<ModuleHolder<ModuleType>> replicate(const ModuleHolder<ModuleType> &module,
                                                const std::vector<Device> &devices);
template <typename ModuleType>
std::vector<Tensor> parallel_apply(std::vector<ModuleType> &modules,
                                   const std::vector<Tensor> &inputs,
                                   const std::optional<std::vector<Device>> &devices = {});
template <typename ModuleType>
Tensor data_parallel(ModuleType module, Tensor input,
                     std::optional<std::vector<Device>> devices = std::nullopt,
                     std::optional<Device> output_device = std::nullopt, int64_t dim = 0);
} // namespace torch::nn::parallel
