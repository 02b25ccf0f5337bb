// A namespace may have the guard from another one, which it uses.
#include <torch/torch.h>

#include <cuda_runtime.h>
#include <optional>

namespace library::cuda {
class OptionalCUDAGuard {
public:
  explicit OptionalCUDAGuard(std::optional<torch::Device> device);
};
} // namespace library::cuda
namespace c10 {
using namespace library;
}
namespace at {
std::optional<torch::Device> device_of(const torch::Tensor &tensor);
}

__global__ void square(const float *x, float *y) {}

void launch_bad(torch::Tensor x, torch::Tensor y) {
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-guard (level 2)
}

void launch_ok(torch::Tensor x, torch::Tensor y) {
  cudaSetDevice(x.get_device());
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
}
