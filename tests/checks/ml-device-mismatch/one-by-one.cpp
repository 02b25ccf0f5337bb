// What is moved piece by piece, by other names.
#include <torch/torch.h>
#include <utility>
#include <vector>

struct NetImpl : torch::nn::Module {
  NetImpl() {
    first = register_module("first", torch::nn::Linear(4, 4));
    second = register_module("second", torch::nn::Linear(4, 2));
  }
  torch::Tensor forward(torch::Tensor x) { return second(first(x)); }
  torch::nn::Linear first{nullptr}, second{nullptr};
};
TORCH_MODULE(Net);
torch::Tensor x() { return torch::randn({8, 4}); }
torch::Tensor y() { return torch::randn({8, 2}); }

float elements_ok(Net net, torch::Device device) {
  net->to(device);
  net->eval();
  torch::NoGradGuard noGrad;
  std::vector<torch::Tensor> batch{x(), y()};
  for (auto &tensor : batch)
    tensor = tensor.to(device);
  return torch::mse_loss(net(batch[0]), batch[1]).item<float>();
}
float indices_ok(Net net, torch::Device device) {
  net->to(device);
  net->eval();
  torch::NoGradGuard noGrad;
  std::vector<torch::Tensor> batch{x(), y()};
  for (size_t i = 0; i < batch.size(); ++i)
    batch[i] = batch[i].to(device);
  return torch::mse_loss(net(batch[0]), batch[1]).item<float>();
}
float pairs_ok(Net net, torch::Device device) {
  net->to(device);
  net->eval();
  torch::NoGradGuard noGrad;
  std::vector<std::pair<torch::Tensor, torch::Tensor>> batches{{x(), y()}};
  for (auto &[data, target] : batches) {
    data = data.to(device);
    target = target.to(device);
  }
  return torch::mse_loss(net(batches[0].first), batches[0].second).item<float>();
}
float never_moved_bad(Net net, torch::Device device) {
  net->to(torch::kCUDA);
  net->eval();
  torch::NoGradGuard noGrad;
  std::vector<torch::Tensor> batch{x(), y()};
  auto output = net(batch[0]); // expect: ml-device-mismatch
  return output.sum().item<float>();
}

float layers_ok(torch::Device device) {
  Net net;
  net->first->to(device);
  net->second->to(device);
  net->eval();
  torch::NoGradGuard noGrad;
  return net(x().to(device)).sum().item<float>();
}
float children_ok(torch::Device device) {
  Net net;
  for (auto &child : net->children())
    child->to(device);
  net->eval();
  torch::NoGradGuard noGrad;
  return net(x().to(device)).sum().item<float>();
}
float apply_ok(torch::Device device) {
  Net net;
  net->apply([&](torch::nn::Module &module) { module.to(device); });
  net->eval();
  torch::NoGradGuard noGrad;
  return net(x().to(device)).sum().item<float>();
}

// A layer that a function makes, and that is registered after that.
torch::nn::Linear layer(int in, int out) { return torch::nn::Linear(in, out); }
struct ActorImpl : torch::nn::Module {
  explicit ActorImpl(int states) : net(layer(states, 2)) { register_module("net", net); }
  torch::Tensor mean(torch::Tensor state) { return net(state); }
  torch::nn::Linear net{nullptr};
};
TORCH_MODULE(Actor);
float registered_later_ok() {
  Actor actor(3);
  actor->to(torch::kCUDA);
  actor->eval();
  torch::NoGradGuard noGrad;
  return actor->mean(torch::randn({1, 3}, torch::kCUDA)).sum().item<float>();
}
