// Moved before use, given a device, or not in need of one.
#include <torch/torch.h>

struct MovedImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    auto chained = torch::zeros({x.size(0), 4}).to(x.device());
    auto later = torch::rand({x.size(0), 4});
    later = later.to(x.device());
    auto like = torch::rand({x.size(0), 4}).to(x);
    auto typed = torch::rand({x.size(0), 4}).type_as(x);
    return linear(x + chained + later + like + typed);
  }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 1));
};
TORCH_MODULE(Moved);

struct MovedIfImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    auto noise = torch::rand({x.size(0), 4});
    if (x.is_cuda())
      noise = noise.cuda();
    return linear(x + noise);
  }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 1));
};
TORCH_MODULE(MovedIf);

struct DeviceMemberImpl : torch::nn::Module {
  explicit DeviceMemberImpl(torch::Device device) : device(device) { to(device); }
  torch::Tensor forward(torch::Tensor x) {
    auto options = torch::TensorOptions().device(device);
    return linear(x + torch::rand({4}, device) + torch::rand({4}, options));
  }
  torch::Device device;
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 1));
};
TORCH_MODULE(DeviceMember);

struct DeviceArgumentImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x, torch::Device device) {
    return linear(x + torch::rand({4}, device));
  }
  torch::Tensor forward(torch::Tensor x, const torch::TensorOptions &options) {
    return linear(x + torch::rand({4}, options));
  }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 1));
};

// The device of a parameter is the device of the inputs.
struct DeviceOfParameterImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    auto device = parameters()[0].device();
    auto state = torch::zeros({x.size(0), 4}, device);
    return linear(x + state + torch::zeros({4}, linear->weight.device()));
  }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 1));
};
TORCH_MODULE(DeviceOfParameter);

// Scalars mix with everything, and CPU indices index everything.
struct ScalarsImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    auto scale = torch::tensor(0.5);
    auto rows = torch::randperm(x.size(0));
    x = x.index({rows});
    return linear(x * scale + torch::tensor(1.0));
  }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 1));
};
TORCH_MODULE(Scalars);

// Buffers move with the module.
struct BufferImpl : torch::nn::Module {
  BufferImpl() {
    mask = register_buffer("mask", torch::ones({4}));
    weight = register_parameter("weight", torch::randn({4}));
  }
  torch::Tensor forward(torch::Tensor x) { return x * mask * weight; }
  torch::Tensor mask, weight;
};
TORCH_MODULE(Buffer);

// Never combined with anything from a device.
struct HostImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    auto counts = torch::zeros({3});
    counts[0] = static_cast<double>(x.size(0));
    calls += counts.sum().item<double>();
    return linear(x);
  }
  double calls = 0;
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 1));
};
TORCH_MODULE(Host);

// Not called in forward.
struct SetUpImpl : torch::nn::Module {
  SetUpImpl() { example(); }
  torch::Tensor forward(torch::Tensor x) { return linear(x); }
  torch::Tensor example() { return linear(torch::zeros({1, 4})); }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 1));
};
TORCH_MODULE(SetUp);
