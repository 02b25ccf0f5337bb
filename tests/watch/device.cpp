// A training with a device of its own, whose memory is that of the host: device HOW. Each way
// copies to the device or waits for it in other steps.
#include <torch/library.h>
#include <torch/torch.h>

#include <ATen/EmptyTensor.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <cstring>
#include <string>

namespace {

constexpr auto kind = c10::DeviceType::PrivateUse1;

struct Memory final : c10::Allocator {
  c10::DataPtr allocate(size_t size) override {
    void *data = std::malloc(size ? size : 1);
    return {data, data, &std::free, c10::Device(kind, 0)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &std::free; }
  void copy_data(void *to, const void *from, size_t size) const override {
    std::memcpy(to, from, size);
  }
};
Memory memory;

at::Tensor makeEmpty(c10::IntArrayRef size, std::optional<at::ScalarType> type,
                     std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>,
                     std::optional<at::MemoryFormat> format) {
  return at::detail::empty_generic(size, &memory,
                                   c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                   type.value_or(at::kFloat), format);
}

at::Tensor makeStrided(c10::IntArrayRef size, c10::IntArrayRef strides,
                       std::optional<at::ScalarType> type, std::optional<at::Layout>,
                       std::optional<at::Device>, std::optional<bool>) {
  return at::detail::empty_strided_generic(size, strides, &memory,
                                           c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                           type.value_or(at::kFloat));
}

at::Tensor copyFrom(const at::Tensor &from, const at::Tensor &to, bool) {
  std::memcpy(to.mutable_data_ptr(), from.const_data_ptr(), from.nbytes());
  return to;
}

at::Scalar read(const at::Tensor &tensor) {
  return *static_cast<const float *>(tensor.const_data_ptr());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("empty.memory_format", makeEmpty);
  library.impl("empty_strided", makeStrided);
  library.impl("_copy_from", copyFrom);
  library.impl("_local_scalar_dense", read);
}

using Guard = c10::impl::NoOpDeviceGuardImpl<kind>;
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

} // namespace

int main(int, char **arguments) {
  const std::string how = arguments[1];
  const c10::Device device(kind, 0);
  torch::nn::Linear model(4, 1);
  torch::optim::SGD optimizer(model->parameters(), 0.01);
  auto x = torch::ones({4}), kept = x.to(device);
  auto numbers = torch::ones({}).to(device);
  double sum = 0;
  for (int step = 0; step < 20; ++step) {
    optimizer.zero_grad();
    model(x).sum().backward();
    optimizer.step();
    if (how == "copies")
      sum += static_cast<double>(x.to(device).numel()); // ml-device-ping-pong in copies
    if (how == "fresh")
      sum += static_cast<double>((x + step).to(device).numel());
    if (how == "waits" || (how == "seldom" && step % 10 == 0))
      sum += numbers.item<float>(); // ml-sync-in-loop in waits
    if (how == "loops")
      for (int i = 0; i < 10; ++i)
        sum += numbers.item<float>(); // ml-sync-in-loop in loops
  }
  return sum < 0;
}
