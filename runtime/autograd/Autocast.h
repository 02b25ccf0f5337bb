// Autocast: while it is on, operations that gain by it (products, convolutions) compute in a type
// of 16 bits, and some that need more (losses, on CUDA devices exponentials and sums) in float32.
// Names and lists of operations are LibTorch's (ATen/autocast_mode.h). All of it is a thread's own.
//
//   at::autocast::set_autocast_enabled(torch::kCPU, true);
//   loss = criterion(model->forward(x), y);
//   at::autocast::set_autocast_enabled(torch::kCPU, false);
//   at::autocast::clear_cache();
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime::autocast {

bool is_autocast_enabled(DeviceType device);
void set_autocast_enabled(DeviceType device, bool enabled);
/// The type of 16 bits: bfloat16 on the CPU and float16 on CUDA devices, unless set.
ScalarType get_autocast_dtype(DeviceType device);
void set_autocast_dtype(DeviceType device, ScalarType type);

/// `x` in another type, if it is of floating point, no float64, and on such a device. What becomes
/// of float32 parameters is kept for the next time, until clear_cache().
Tensor cached_cast(ScalarType type, const Tensor &x, DeviceType device = kCUDA);
void clear_cache();
bool is_autocast_cache_enabled();
void set_autocast_cache_enabled(bool enabled);
/// How deep regions are nested, for those who count them.
int increment_nesting();
int decrement_nesting();

// Older names
inline bool is_enabled() { return is_autocast_enabled(kCUDA); }
inline void set_enabled(bool enabled) { set_autocast_enabled(kCUDA, enabled); }
inline bool is_cpu_enabled() { return is_autocast_enabled(kCPU); }
inline void set_cpu_enabled(bool enabled) { set_autocast_enabled(kCPU, enabled); }
inline ScalarType get_autocast_gpu_dtype() { return get_autocast_dtype(kCUDA); }
inline void set_autocast_gpu_dtype(ScalarType type) { set_autocast_dtype(kCUDA, type); }
inline ScalarType get_autocast_cpu_dtype() { return get_autocast_dtype(kCPU); }
inline void set_autocast_cpu_dtype(ScalarType type) { set_autocast_dtype(kCPU, type); }

} // namespace gradtidy::runtime::autocast
