// However the device is chosen; two devices of one kind.
#include <torch/torch.h>

using Net = torch::nn::Linear;

void ternary_bad() {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  Net net(4, 1);
  net->to(device);
  auto output = net(torch::rand({8, 4})); // expect: ml-device-mismatch
}

void ternary_ok() {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  Net net(4, 1);
  net->to(device);
  auto output = net(torch::rand({8, 4}).to(device));
}

void assigned_in_if_bad() {
  torch::Device device = torch::kCPU;
  if (torch::cuda::is_available())
    device = torch::kCUDA;
  Net net(4, 1);
  net->to(device);
  auto output = net(torch::rand({8, 4})); // expect: ml-device-mismatch
}

void assigned_in_if_ok() {
  torch::DeviceType type;
  if (torch::cuda::is_available())
    type = torch::kCUDA;
  else
    type = torch::kCPU;
  torch::Device device(type);
  Net net(4, 1);
  net->to(device);
  auto output = net(torch::rand({8, 4}, device));
}

void literal_bad() {
  Net net(4, 1);
  net->to(torch::kCUDA);
  auto output = net(torch::rand({8, 4})); // expect: ml-device-mismatch
}

void literal_ok() {
  Net net(4, 1);
  net->to(torch::kCUDA);
  auto first = net(torch::rand({8, 4}).cuda());
  auto second = net(torch::rand({8, 4}, torch::kCUDA));
  auto third = net(torch::rand({8, 4}, torch::device(torch::kCUDA).dtype(torch::kFloat)));
}

void name_bad() {
  Net net(4, 1);
  net->to(torch::Device("cuda:0"));
  auto output = net(torch::rand({8, 4})); // expect: ml-device-mismatch
}

void two_devices_bad() {
  torch::Device first(torch::kCUDA, 0), second(torch::kCUDA, 1);
  auto a = torch::rand({4}, first);
  auto b = torch::rand({4}, second);
  auto c = a + b; // expect: ml-device-mismatch
}

void two_devices_ok() {
  torch::Device first(torch::kCUDA, 0), second(torch::kCUDA, 1);
  Net lower(4, 4), upper(4, 1);
  lower->to(first);
  upper->to(second);
  auto hidden = lower(torch::rand({8, 4}, first));
  auto output = upper(hidden.to(second));
}

void pipeline_bad() {
  torch::Device first(torch::kCUDA, 0), second(torch::kCUDA, 1);
  Net lower(4, 4), upper(4, 1);
  lower->to(first);
  upper->to(second);
  auto hidden = lower(torch::rand({8, 4}, first));
  auto output = upper(hidden); // expect: ml-device-mismatch
}

// Two names of one device.
void copied_device_ok(torch::Device device) {
  const torch::Device &same = device;
  auto copy = same;
  Net net(4, 1);
  net->to(device);
  auto output = net(torch::rand({8, 4}).to(copy));
}

void options_ok(torch::Device device) {
  auto options = torch::TensorOptions().dtype(torch::kFloat32).device(device);
  Net net(4, 1);
  net->to(device);
  auto x = torch::rand({8, 4}, options);
  auto y = torch::zeros({8, 1}, options);
  torch::mse_loss(net(x), y).backward();
}

void options_without_a_device_bad(torch::Device device) {
  auto options = torch::TensorOptions().dtype(torch::kFloat32);
  Net net(4, 1);
  net->to(device);
  auto output = net(torch::rand({8, 4}, options)); // expect: ml-device-mismatch
}

// Both are moved under the same condition.
void same_condition_ok() {
  Net net(4, 1);
  auto x = torch::rand({8, 4});
  if (torch::cuda::is_available()) {
    net->to(torch::kCUDA);
    x = x.to(torch::kCUDA);
  }
  auto output = net(x);
}

void same_condition_twice_ok(bool useGpu) {
  Net net(4, 1);
  if (useGpu)
    net->to(torch::kCUDA);
  for (int i = 0; i < 100; ++i) {
    auto x = torch::rand({8, 4});
    if (useGpu)
      x = x.to(torch::kCUDA);
    auto output = net(x);
  }
}

void moved_back_ok(torch::Device device) {
  Net net(4, 1);
  net->to(device);
  auto trained = net(torch::rand({8, 4}, device));
  net->to(torch::kCPU);
  auto exported = net(torch::rand({8, 4}));
}

void moved_back_bad(torch::Device device) {
  Net net(4, 1);
  net->to(device);
  auto trained = net(torch::rand({8, 4}, device));
  net->to(torch::kCPU);
  auto exported = net(torch::rand({8, 4}, torch::kCUDA)); // expect: ml-device-mismatch
}
