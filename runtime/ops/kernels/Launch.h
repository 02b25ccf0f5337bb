// Launch: how a kernel, written once as host code, comes to run where its tensors are.
//
// A kernel is a function object without arguments that holds all it needs by value: geometry,
// numbers, and the addresses of elements given by kernelData or operandOf. On the host it runs at
// once; a device runs it later, so it must not hold references or tensors.
#pragma once

#include "../../core/Platform.h"
#include "../../core/TensorImpl.h"

#include <utility>

namespace gradtidy::runtime {

/// Where kernels of its device find the elements of `x`.
void *kernelAddress(const Tensor &x);
template <class T> T *kernelData(const Tensor &x) { return static_cast<T *>(kernelAddress(x)); }

/// What a kernel reads: elements in the memory of its device, or a number it was given.
template <class T> class Operand {
public:
  Operand(const T *data) : data(data) {}
  Operand(T number) : data(nullptr), number(number) {}
  const T *get() const { return data ? data : &number; }
  /// The same for the threads of a device, which would copy what they need the address of.
  GRADTIDY_HOST_DEVICE T operator[](int64_t i) const { return data ? data[i] : number; }
  /// Null for a number.
  GRADTIDY_HOST_DEVICE const T *elements() const { return data; }

private:
  const T *data;
  T number{};
};

/// `x` for a kernel on `device`: it lies there, or is a 0-dim tensor of the host.
template <class T> Operand<T> operandOf(const Tensor &x, Device device) {
  if (x.device() == device)
    return kernelData<T>(x);
  if (!x.is_cpu() || x.dim() != 0)
    failForDevices(device, x.device());
  return *implOf(x).elements<T>();
}

/// The stream for a CUDA kernel of `device`, if it runs such.
inline std::optional<void *> cudaStreamOf(Device device) {
  return device.is_cpu() ? std::nullopt : acceleratorOf(device).cudaStream();
}

/// Runs `kernel` on the host now, or lets `device` run it in its own time. `name` is that of the
/// operation, for devices that run CUDA kernels alone.
template <class Kernel> void launch(const char *name, Device device, Work work, Kernel kernel) {
  if (device.is_cpu())
    kernel();
  else
    acceleratorOf(device).launch(name, work, std::move(kernel));
}

} // namespace gradtidy::runtime
