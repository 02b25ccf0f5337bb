// Data parallelism within one process: a batch is cut into parts, each of which a copy of the
// module computes on a device of its own. Gradients go to the parameters of the module itself.
#pragma once

#include "../core/Cuda.h"
#include "../ops/Joins.h"
#include "../ops/Views.h"
#include "Module.h"

namespace gradtidy::runtime::nn::parallel {

/// A copy of the module on each device. A backward through its parameters reaches the module's.
template <class M>
std::vector<std::shared_ptr<M>> replicate(const std::shared_ptr<M> &module,
                                          const std::vector<Device> &devices) {
  const auto originals = module->named_parameters();
  std::vector<std::shared_ptr<M>> replicas;
  for (const Device &device : devices) {
    auto replica = std::dynamic_pointer_cast<M>(module->clone(device));
    for (auto &parameter : replica->named_parameters())
      parameter.value().requires_grad_(false).copy_(originals[parameter.key()]);
    replicas.push_back(std::move(replica));
  }
  return replicas;
}
template <class M>
std::vector<ModuleHolder<M>> replicate(const ModuleHolder<M> &module,
                                       const std::vector<Device> &devices) {
  std::vector<ModuleHolder<M>> replicas;
  for (auto &replica : replicate(module.ptr(), devices))
    replicas.emplace_back(std::move(replica));
  return replicas;
}

/// What each module makes of its input. Devices work side by side: none is waited for.
template <class M>
std::vector<Tensor> parallel_apply(std::vector<M> &modules, const std::vector<Tensor> &inputs,
                                   const optional<std::vector<Device>> &devices = nullopt) {
  TORCH_CHECK(modules.size() == inputs.size(), "Must have as many inputs as modules");
  TORCH_CHECK(!devices || devices->size() == modules.size(),
              "Must have as many devices as modules");
  std::vector<Tensor> outputs;
  for (std::size_t i = 0; i < modules.size(); ++i)
    outputs.push_back(
        modules[i]->forward(inputs[i]).to(devices ? (*devices)[i] : inputs[i].device()));
  return outputs;
}

/// The same as module(input), computed on several devices: all GPUs, unless told.
template <class M>
Tensor data_parallel(M module, Tensor input, optional<std::vector<Device>> devices = nullopt,
                     optional<Device> outputDevice = nullopt, int64_t dim = 0) {
  if (!devices) {
    const auto count = cuda::device_count();
    TORCH_CHECK(count > 0, "Expected at least one CUDA device to be available");
    devices.emplace();
    for (std::size_t i = 0; i < count; ++i)
      devices->emplace_back(DeviceType::CUDA, static_cast<DeviceIndex>(i));
  }
  const Device target = outputDevice.value_or(devices->front());
  if (devices->size() == 1) {
    module->to(devices->front());
    return module->forward(input.to(devices->front())).to(target);
  }
  std::vector<Tensor> parts = chunk(input, static_cast<int64_t>(devices->size()), dim);
  devices->resize(parts.size(), target);
  for (std::size_t i = 0; i < parts.size(); ++i)
    parts[i] = parts[i].to((*devices)[i]);
  auto replicas = replicate(module, *devices);
  auto outputs = parallel_apply(replicas, parts, *devices);
  for (Tensor &output : outputs)
    output = output.to(target);
  return cat(outputs, dim);
}

} // namespace gradtidy::runtime::nn::parallel
