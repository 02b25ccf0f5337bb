// Autocast: a scope in which the operations that gain by it compute in a type of 16 bits.
//
//   torch::Tensor loss;
//   {
//     gradtidy::Autocast autocast(device.type(), torch::kBFloat16);
//     loss = torch::mse_loss(model->forward(x), y);
//   }
//   loss.backward(); // in the types that the forward has chosen
//
// Parameters stay float32. LibTorch's C++ API has calls that switch autocast on and off, and none
// that ends it when an exception does, or that forgets the weights in 16 bits, which are those
// before the optimizer's step. float16 wants a GradScaler; bfloat16 does not.
#pragma once

#include <torch/torch.h>

#include <ATen/autocast_mode.h>

namespace gradtidy {

class Autocast {
public:
  Autocast(c10::DeviceType device, torch::Dtype type)
      : device(device), enabledBefore(at::autocast::is_autocast_enabled(device)),
        typeBefore(at::autocast::get_autocast_dtype(device)) {
    at::autocast::increment_nesting();
    at::autocast::set_autocast_enabled(device, true);
    at::autocast::set_autocast_dtype(device, type);
  }
  ~Autocast() {
    if (at::autocast::decrement_nesting() == 0)
      at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(device, enabledBefore);
    at::autocast::set_autocast_dtype(device, typeBefore);
  }
  Autocast(const Autocast &) = delete;
  Autocast &operator=(const Autocast &) = delete;

private:
  c10::DeviceType device;
  bool enabledBefore;
  torch::Dtype typeBefore;
};

} // namespace gradtidy
