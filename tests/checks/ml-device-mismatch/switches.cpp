// A flag that nothing sets: what it switches off says nothing of the devices of the program.
#include <torch/torch.h>

float only_cpu_ok(torch::nn::Sequential net) {
  bool cpuOnly = true;
  torch::Device device(torch::kCPU);
  if (!cpuOnly)
    device = torch::cuda::is_available() ? torch::Device(torch::kCUDA) : torch::Device(torch::kCPU);
  return net->forward(torch::ones({2, 2}).to(device)).sum().item<float>();
}

float chosen_ok(torch::nn::Sequential net) {
  bool useGpu = false;
  torch::Device device(useGpu ? torch::kCUDA : torch::kCPU);
  return net->forward(torch::ones({2, 2}).to(device)).sum().item<float>();
}

float set_bad(torch::nn::Sequential net, int count) {
  bool useGpu = false;
  if (count > 1)
    useGpu = true;
  torch::Device device(useGpu ? torch::kCUDA : torch::kCPU);
  net->to(torch::kCPU);
  auto x = torch::ones({2, 2}).to(device);
  return net->forward(x).sum().item<float>(); // expect: ml-device-mismatch
}

struct Options {
  torch::DeviceType device = torch::kCPU;
  int rows = 2;
};
static Options options;

float unset_ok(torch::nn::Sequential net) {
  auto x = torch::ones({options.rows, 2}).to(options.device);
  return net->forward(x).sum().item<float>();
}

struct Settings {
  torch::DeviceType device = torch::kCPU;
};
static Settings settings;
void choose(bool gpu) { settings.device = gpu ? torch::kCUDA : torch::kCPU; }

float set_elsewhere_bad(torch::nn::Sequential net) {
  net->to(torch::kCPU);
  auto x = torch::ones({2, 2}).to(settings.device);
  return net->forward(x).sum().item<float>(); // expect: ml-device-mismatch
}
