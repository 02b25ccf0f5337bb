// Called for what they do: modules move in place, steps return a loss, functions of the user.
#include <torch/torch.h>

using Net = torch::nn::Linear;

void modules_ok(Net net, std::vector<Net> &nets, torch::Device device) {
  net->to(device);
  net->to(torch::kDouble);
  net->train();
  net->eval();
  net->zero_grad();
  auto &same = *net;
  same.to(device);
  for (auto &each : nets)
    each->to(device);
}

void pointers_ok(std::shared_ptr<torch::nn::Module> net, torch::jit::Module &scripted,
                 torch::Device device) {
  net->to(device);
  scripted.to(device);
}

// These hand back what they have registered as well.
struct NetImpl : torch::nn::Module {
  NetImpl() {
    register_module("linear", linear);
    register_parameter("weight", weight);
    register_buffer("mean", mean);
    to(torch::kCPU);
  }
  torch::nn::Linear linear{4, 1};
  torch::Tensor weight = torch::zeros({4}), mean = torch::zeros({4});
};

void optimizers_ok(Net net, torch::Tensor x, torch::Tensor y) {
  torch::optim::LBFGS optimizer(net->parameters());
  optimizer.step([&] {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(x), y);
    loss.backward();
    return loss;
  });
  torch::optim::SGD sgd(net->parameters(), 0.1);
  sgd.step();
}

// In place where the module was told so.
void activation_ok(torch::Tensor x) {
  torch::nn::ReLU relu(torch::nn::ReLUOptions().inplace(true));
  relu(x);
}

// A forward for its effects: warming up, counting statistics.
void warm_up_ok(Net net, torch::nn::BatchNorm1d norm, torch::Tensor x) {
  torch::NoGradGuard noGrad;
  net(x);
  net->forward(x);
  norm(x);
}

// Waits for the device.
void synchronising_ok(torch::Tensor x) {
  x.item<float>();
  x.sum().item();
}

// What the user's functions do is theirs.
torch::Tensor normalise(torch::Tensor x) { return x.sub_(x.mean()); }
torch::Tensor &halve(torch::Tensor &x);
void own_functions_ok(torch::Tensor x) {
  normalise(x);
  halve(x);
}

class Image {
public:
  Image &clamp(double low, double high);
  Image &to(int format);
  Image &view(int width);
};
void other_classes_ok(Image &image) {
  image.clamp(0, 1);
  image.to(3).view(10);
}

void initialisation_ok(Net net) {
  torch::NoGradGuard noGrad;
  net->weight.uniform_(-0.1, 0.1);
  net->weight.data().normal_(0, 0.1);
  net->weight.mutable_grad() = torch::Tensor();
  for (auto &parameter : net->parameters())
    parameter.set_requires_grad(false);
}

void containers_ok(std::vector<torch::Tensor> &tensors) {
  tensors.emplace_back(torch::zeros({4}));
  tensors[0] = torch::ones({4});
  tensors[0][1] = 5;
}
