// What is wrong on a machine with a GPU is wrong, also where the program asks for one.
#include <torch/torch.h>

#include <string>
#include <vector>

using torch::nn::Linear;

void available_bad(Linear net) {
  if (torch::cuda::is_available())
    net->to(torch::kCUDA);
  auto y = net->forward(torch::ones({2, 2})); // expect: ml-device-mismatch
}

void chosen_bad(Linear net) {
  torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  if (device == torch::kCUDA)
    net->to(torch::kCUDA);
  auto y = net->forward(torch::ones({2, 2})); // expect: ml-device-mismatch
}

void option_bad(Linear net, bool gpu) {
  torch::Device device(gpu ? torch::kCUDA : torch::kCPU);
  if (device.is_cuda())
    net->to(device);
  auto y = net->forward(torch::ones({2, 2})); // expect: ml-device-mismatch
}

torch::Tensor classify(Linear net, const std::vector<int64_t> &ids) {
  auto x = torch::tensor(ids).unsqueeze(0);
  return net->forward(x); // expect: ml-device-mismatch
}
void classified_bad(const std::vector<int64_t> &ids, const std::string &name) {
  Linear net(4, 4);
  torch::Device device(torch::kCPU);
  if (name == "cuda")
    device = torch::Device(torch::kCUDA);
  if (device.type() == torch::kCUDA)
    net->to(torch::kCUDA);
  auto y = classify(net, ids);
}

// ---- both are moved, or neither

void both_ok(Linear net) {
  if (torch::cuda::is_available())
    net->to(torch::kCUDA);
  auto x = torch::ones({2, 2});
  if (torch::cuda::is_available())
    x = x.to(torch::kCUDA);
  auto y = net->forward(x);
}

void in_one_ok(Linear net) {
  auto x = torch::ones({2, 2});
  if (torch::cuda::is_available()) {
    net->to(torch::kCUDA);
    x = x.cuda();
  }
  auto y = net->forward(x);
}

void by_device_ok(Linear net, torch::Tensor x) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  if (device == torch::kCUDA)
    net->to(torch::kCUDA);
  auto y = net->forward(x.to(device)) + net->forward(torch::ones({2, 2}, device));
}

void flagged_ok(Linear net, bool gpu) {
  auto x = torch::ones({2, 2});
  torch::Device device(gpu ? torch::kCUDA : torch::kCPU);
  if (device.is_cuda())
    net->to(device);
  if (gpu)
    x = x.to(torch::kCUDA);
  auto y = net->forward(x);
}

void without_ok(Linear net) {
  auto x = torch::ones({2, 2});
  if (!torch::cuda::is_available()) {
    auto y = net->forward(x);
    return;
  }
  net->to(torch::kCUDA);
  auto y = net->forward(x.to(torch::kCUDA));
}
