// The same answer wherever it is asked for: in an `if`, in a `?:`, or by who makes an object.
#include <torch/torch.h>

float predict_ok(torch::nn::Sequential net, torch::Tensor x, torch::Tensor y) {
  const bool gpu = torch::cuda::is_available();
  if (gpu)
    net->to(torch::kCUDA);
  else
    net->to(torch::kCPU);
  auto target = y.to(gpu ? torch::kCUDA : torch::kCPU);
  auto input = x.to(gpu ? torch::kCUDA : torch::kCPU);
  return torch::mse_loss(net->forward(input), target).item<float>();
}

float chosen_ok(torch::nn::Sequential net, torch::Tensor x, bool wanted) {
  torch::Device device(wanted ? torch::kCUDA : torch::kCPU);
  if (!wanted)
    net->to(torch::kCPU);
  else
    net->to(torch::kCUDA);
  return net->forward(x.to(device)).sum().item<float>();
}

float forgotten_bad(torch::nn::Sequential net, torch::Tensor x, torch::Tensor y) {
  const bool gpu = torch::cuda::is_available();
  if (gpu)
    net->to(torch::kCUDA);
  else
    net->to(torch::kCPU);
  auto input = x.to(gpu ? torch::kCUDA : torch::kCPU);
  auto weight = torch::rand({2});
  auto loss = torch::mse_loss(net->forward(input) * weight, y); // expect: ml-device-mismatch
  return loss.item<float>();
}

// On the way with a GPU the device is a GPU, but it has a name.
float named_bad(torch::nn::Sequential net, torch::Tensor x) {
  const bool gpu = torch::cuda::is_available();
  torch::Device device(gpu ? torch::kCUDA : torch::kCPU);
  std::cout << (gpu ? "on a GPU" : "on the CPU");
  net->to(device);
  auto input = torch::rand({8, 4});
  return net->forward(input).sum().item<float>(); // expect: ml-device-mismatch: one on 'device'
}

float crossed_bad(torch::nn::Sequential net, torch::Tensor x) {
  const bool gpu = torch::cuda::is_available();
  if (gpu)
    net->to(torch::kCUDA);
  else
    net->to(torch::kCPU);
  auto input = torch::rand({8, 4}).to(gpu ? torch::kCPU : torch::kCUDA);
  return net->forward(input).sum().item<float>(); // expect: ml-device-mismatch
}

struct Network {
  Network(const char *path, bool use_cuda, bool quiet = true)
      : model(torch::nn::Linear(4, 2)), device(torch::kCPU) {
    if (use_cuda && torch::cuda::is_available())
      device = torch::Device(torch::kCUDA, 0);
    if (!quiet)
      device = torch::kCUDA;
    model->to(device);
  }
  torch::nn::Sequential model;
  torch::Device device;
};

torch::Tensor on_the_host_ok() {
  Network network(nullptr, false);
  return network.model->forward(torch::zeros({8, 4}));
}

torch::Tensor on_its_device_ok() {
  Network network(nullptr, true);
  return network.model->forward(torch::zeros({8, 4}, network.device));
}

torch::Tensor left_on_the_host_bad() {
  Network network(nullptr, true);
  return network.model->forward(torch::zeros({8, 4})); // expect: ml-device-mismatch (no fix)
}

torch::Tensor loud_bad() {
  Network network(nullptr, false, false);
  return network.model->forward(torch::zeros({8, 4})); // expect: ml-device-mismatch
}
