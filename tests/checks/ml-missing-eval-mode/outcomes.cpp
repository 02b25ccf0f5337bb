// Helpers whose result tells whether they have come to eval().
#include <torch/torch.h>

#include <exception>
#include <string>

struct NetImpl : torch::nn::Module {
  torch::nn::Dropout drop = register_module("drop", torch::nn::Dropout());
  torch::Tensor forward(torch::Tensor x) { return drop(x); }
};
TORCH_MODULE(Net);

bool load(Net &net, const std::string &path) {
  try {
    torch::load(net, path);
    net->eval();
    return true;
  } catch (const std::exception &) {
    return false;
  }
}

double test_ok(torch::Tensor x) {
  Net net;
  if (!load(net, "net.pt"))
    return 0;
  torch::NoGradGuard no_grad;
  return net->forward(x).sum().item<double>();
}

bool loadOnly(Net &net, const std::string &path) {
  try {
    torch::load(net, path);
    return true;
  } catch (const std::exception &) {
    return false;
  }
}

double test_bad(torch::Tensor x) {
  Net net;
  if (!loadOnly(net, "net.pt"))
    return 0;
  torch::NoGradGuard no_grad;
  return net->forward(x).sum().item<double>(); // expect: ml-missing-eval-mode
}
