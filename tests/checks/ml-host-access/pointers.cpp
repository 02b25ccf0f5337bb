// What the host does with a pointer to memory of the GPU.
#include <torch/torch.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <vector>

using torch::Tensor;

float dereferenced_bad() {
  auto x = torch::randn({4}, torch::kCUDA);
  return *x.data_ptr<float>(); // expect: ml-host-access: the host reads memory of 'x'
}

float element_bad(Tensor x, torch::Device device) {
  x = x.to(device);
  return x.data_ptr<float>()[2]; // expect: ml-host-access: which is on 'device'
}

float moved_bad(Tensor x) {
  auto y = x.cuda();
  return y.data_ptr<float>()[0]; // expect: ml-host-access: memory of 'y'
}

void chosen_bad(torch::nn::Linear net) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  net->to(device);
  auto loss = net(torch::randn({64, 10}, device)).mean();
  std::printf("%f\n", *loss.data_ptr<float>()); // expect: ml-host-access: memory of 'loss'
}

void training_bad(torch::nn::Linear net, torch::Device device) {
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto loss = net(torch::randn({64, 10}, device)).mean();
    loss.backward();
    optimizer.step();
    std::cout << *loss.data_ptr<float>() << "\n"; // expect: ml-host-access: memory of 'loss'
  }
}

void copied_bad(torch::nn::Linear net, Tensor x, std::vector<float> &values) {
  net->to(torch::kCUDA);
  auto y = net(x.to(torch::kCUDA));
  std::memcpy(values.data(), y.data_ptr<float>(), 40); // expect: ml-host-access: memory of 'y'
}

void counted_copy_bad(Tensor x, torch::Device device, std::vector<float> &values) {
  auto y = x.to(device).mul(2);
  std::copy_n(y.data_ptr<float>(), 10, values.begin()); // expect: ml-host-access: memory of 'y'
}

void untyped_bad(Tensor x, void *memory) {
  auto y = x.to(torch::kCUDA);
  std::memmove(memory, y.data_ptr(), 40); // expect: ml-host-access: memory of 'y'
}

float cast_bad(Tensor x) {
  x = x.cuda();
  return static_cast<float *>(x.data_ptr())[1]; // expect: ml-host-access: memory of 'x'
}

// Two copies on the host would have two places.
void range_bad(Tensor x, torch::Device device, std::vector<float> &values) {
  x = x.to(device);
  std::copy(
      x.data_ptr<float>(), // expect: ml-host-access (no fix): 'x'
      x.data_ptr<float>() + 10, // expect: ml-host-access (no fix): 'x'
      values.begin());
}

std::vector<float> vector_bad(Tensor x) {
  auto y = x.cuda();
  std::vector<float> values(
      y.data_ptr<float>(), // expect: ml-host-access (no fix): 'y'
      y.data_ptr<float>() + 10); // expect: ml-host-access (no fix): 'y'
  return values;
}

float variable_bad(Tensor x, torch::Device device) {
  x = x.to(device);
  const float *values = x.data_ptr<float>(); // expect: ml-host-access (no fix): 'x'
  float sum = 0;
  for (int64_t i = 0; i < x.numel(); ++i)
    sum += values[i];
  return sum;
}

float walking_bad(Tensor x) {
  auto y = x.cuda();
  auto *value = y.data_ptr<float>(); // expect: ml-host-access (no fix): 'y'
  float sum = 0;
  for (int i = 0; i < 10; ++i)
    sum += *value++;
  return sum;
}

void pointer_copied_bad(Tensor x, std::vector<float> &values) {
  x = x.cuda();
  float *source = x.data_ptr<float>(); // expect: ml-host-access (no fix): 'x'
  std::copy(source, source + 10, values.begin());
}

// The copy is not what is read.
float other_bad(Tensor x) {
  auto y = x.cuda();
  auto z = y.cpu();
  float right = *z.data_ptr<float>();
  right += *y.data_ptr<float>(); // expect: ml-host-access: memory of 'y'
  return right;
}

// A copy would be what is written to.
void written_bad(Tensor x) {
  x = x.cuda();
  x.data_ptr<float>()[0] = 1; // expect: ml-host-access (no fix): 'x'
}

void filled_bad(Tensor x, const std::vector<float> &values) {
  auto y = x.to(torch::kCUDA);
  std::memcpy(y.data_ptr<float>(), values.data(), 40); // expect: ml-host-access (no fix)
}

float copy_ok(Tensor x) {
  x = x.cuda();
  return *x.cpu().data_ptr<float>();
}

float moved_back_ok(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  auto y = net(x.to(device)).detach().to(torch::kCPU);
  return y.data_ptr<float>()[0];
}

float rebound_ok(Tensor x, torch::Device device) {
  x = x.to(device).mul(2);
  x = x.cpu();
  const float *values = x.data_ptr<float>();
  return values[0] + values[1];
}

float arithmetic_of_copies_ok(Tensor x) {
  auto y = (x.cuda() * 2).cpu() + 1;
  return *y.data_ptr<float>();
}

// The values come to the host in its own tensor.
float received_ok(Tensor x, torch::Device device) {
  auto y = x.to(device);
  auto host = torch::empty({10});
  host.copy_(y);
  return host.data_ptr<float>()[0];
}

float made_like_ok(torch::Device device) {
  auto x = torch::randn({10}, device);
  auto host = torch::zeros_like(x, torch::kCPU);
  return host.data_ptr<float>()[0];
}

float options_of_the_host_ok(Tensor x) {
  auto y = x.cuda();
  auto host = torch::ones({10}, y.options().device(torch::kCPU));
  return host.data_ptr<float>()[0];
}

float unknown_ok(const Tensor &x) { return *x.data_ptr<float>(); }

float without_gpu_ok(torch::nn::Linear net) {
  auto y = net(torch::randn({64, 10}));
  return *y.data_ptr<float>();
}

float only_the_cpu_ok(Tensor x) {
  torch::Device device(torch::kCPU);
  x = x.to(device);
  return *x.data_ptr<float>();
}

float data_ok(std::vector<float> &values, torch::Device device) {
  auto x = torch::from_blob(values.data(), {10});
  auto y = x.to(device);
  return x.data_ptr<float>()[0] + y.mean().item<float>();
}

float first_the_host_ok(torch::Device device) {
  auto x = torch::randn({10});
  x.data_ptr<float>()[0] = 1;
  x = x.to(device);
  return x.mean().item<float>();
}
