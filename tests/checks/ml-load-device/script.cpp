// Modules that were exported by another program.
#include <torch/torch.h>

#if __has_include(<torch/script.h>)
#include <torch/script.h>
#endif

void script_bad(const std::string &path, torch::Tensor x, torch::Device device) {
  auto net = torch::jit::load(path); // miss: ml-load-device: modules of TorchScript
  net.eval();
  torch::NoGradGuard guard;
  net.forward({x.to(device)}).toTensor().print();
}

void script_inputs_bad(torch::Tensor x, torch::Device device) {
  torch::jit::Module net = torch::jit::load("net.pt"); // miss: ml-load-device: modules of TorchScript
  torch::NoGradGuard guard;
  std::vector<torch::jit::IValue> inputs;
  inputs.push_back(x.to(device));
  net.forward(inputs).toTensor().print();
}

void script_device_ok(torch::Tensor x, torch::Device device) {
  auto net = torch::jit::load("net.pt", device);
  torch::NoGradGuard guard;
  net.forward({x.to(device)}).toTensor().print();
}

void script_moved_ok(torch::Tensor x, torch::Device device) {
  torch::jit::Module net;
  net = torch::jit::load("net.pt");
  net.to(device);
  net.eval();
  torch::NoGradGuard guard;
  net.forward({x.to(device)}).toTensor().print();
}

void script_on_the_host_ok() {
  auto net = torch::jit::load("net.pt");
  torch::NoGradGuard guard;
  net.forward({torch::ones({1, 4})}).toTensor().print();
}

void prepareScript(torch::jit::Module &net, torch::Device device) {
  net.to(device);
  net.eval();
}
void script_moved_in_a_helper_ok(torch::Tensor x, torch::Device device) {
  auto net = torch::jit::load("net.pt");
  prepareScript(net, device);
  torch::NoGradGuard guard;
  net.forward({x.to(device)}).toTensor().print();
}
