// Convolutions on an emulated device: there is no library for them, only what it would see.
#include "runtime/backends/cuda/Cudnn.h"
#include "runtime/core/Error.h"

#include <cstdint>

namespace gradtidy::runtime {

struct Cudnn::Known {};

Cudnn::Cudnn() = default;
Cudnn::~Cudnn() = default;

bool Cudnn::convolve(const BatchConvolution &c, Backend &, void *) {
  for (const void *operand : {c.input, c.weight, c.output})
    TORCH_CHECK(reinterpret_cast<uintptr_t>(operand) % 16 == 0,
                "emulated cuDNN: an operand begins in the middle of 16 bytes");
  return false;
}

} // namespace gradtidy::runtime
