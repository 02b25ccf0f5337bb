// The device of tensors that are made without one: the CPU, unless a program says another, as
// Python's torch.set_default_device does. LibTorch has nothing like it.
//
// Factories ask for it, and so do the parameters of modules. Memory that is given (from_blob) or
// page-locked, and what operations need on the host, stays there.
#pragma once

#include "TensorOptions.h"

namespace gradtidy::runtime {

/// For all threads.
void set_default_device(Device device);
Device get_default_device();

/// Where a factory makes what these options describe.
inline Device placeOf(const TensorOptions &options) {
  return options.has_device() ? options.device() : get_default_device();
}

} // namespace gradtidy::runtime
