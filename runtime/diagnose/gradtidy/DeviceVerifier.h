// verifyDevice: says which parameters and buffers of a module are not on the device they should be
// on, by name, before the first forward fails on one of them.
//
//   model->to(device);
//   gradtidy::verifyDevice(*model, device);
//
// Seen is what is registered; a tensor or module kept as a plain member is not, which gradtidy
// reports statically (ml-unregistered-tensor, ml-unregistered-module).
#pragma once

#include "detail/Tensors.h"
#include "detail/Text.h"

#include <torch/torch.h>

#include <string>
#include <vector>

namespace gradtidy {

struct StrayTensor {
  std::string name;
  std::string kind; ///< "parameter" or "buffer"
  c10::Device device;
};

/// The parameters and buffers of `module` that are not on `device`; on any device of that kind
/// where it has no index.
inline std::vector<StrayTensor> strayTensors(const torch::nn::Module &module, c10::Device device) {
  std::vector<StrayTensor> strays;
  for (const detail::NamedTensor &item : detail::namedTensors(module)) {
    const c10::Device where = item.tensor.device();
    if (where.type() != device.type() ||
        (device.has_index() && !device.is_cpu() && where != device))
      strays.push_back({item.name, item.kind, where});
  }
  return strays;
}

/// Throws and names every stray tensor, if there is one.
inline void verifyDevice(const torch::nn::Module &module, c10::Device device) {
  const std::vector<StrayTensor> strays = strayTensors(module, device);
  std::string text;
  for (const StrayTensor &stray : strays)
    text += "\n  " + stray.kind + ' ' + stray.name + " is on " + stray.device.str();
  TORCH_CHECK(strays.empty(), strays.size(), " of ", detail::namedTensors(module).size(),
              " parameters and buffers are not on ", device.str(), ":", text);
}

} // namespace gradtidy
