// A program that trains nothing.
#include <torch/torch.h>

#if __has_include(<torch/script.h>)
#include <torch/script.h>
#endif

#include <iostream>

struct NetImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) { return fc(x); }
  torch::nn::Linear fc = register_module("fc", torch::nn::Linear(4, 2));
};
TORCH_MODULE(Net);

void serve_bad(Net &net, torch::Tensor x) {
  torch::NoGradGuard guard; // expect: ml-prefer-inference-mode: nothing in this program is trained
  std::cout << net(x).argmax(1); // note: the first forward pass under the guard
}

void serveScript_bad(torch::jit::Module &net, torch::Tensor x) {
  torch::NoGradGuard guard;                           // expect: ml-prefer-inference-mode
  std::cout << net.forward({x}).toTensor().argmax(1); // note: the first forward pass
}

// One of several, which one note is enough for.
void serveMany_bad(Net &net, const std::vector<torch::Tensor> &inputs) {
  torch::NoGradGuard guard; // expect: ml-prefer-inference-mode
  for (const auto &x : inputs)
    std::cout << net(x).argmax(1); // note: the first forward pass
}

// What it gives is not changed.
torch::Tensor predict_bad(Net &net, torch::Tensor x) {
  torch::NoGradGuard guard; // expect: ml-prefer-inference-mode
  return net(x).argmax(1);  // note: the first forward pass
}

void serve_ok(Net &net, torch::Tensor x) {
  torch::InferenceMode guard;
  std::cout << net(x).argmax(1);
}

// Nothing of a guard is written that could be replaced.
void serveDeduced_ok(Net &net, torch::Tensor x) {
  auto guard = torch::AutoGradMode(false);
  std::cout << net(x).argmax(1);
}

// No forward pass.
void count_ok(torch::Tensor x) {
  torch::NoGradGuard guard;
  std::cout << x.sum().item<double>();
}

int main() {
  Net net;
  net->eval();
  torch::jit::Module script = torch::jit::load("net.pt");
  auto x = torch::ones({1, 4});
  serve_bad(net, x);
  serveScript_bad(script, x);
  serveMany_bad(net, {x, x});
  std::cout << predict_bad(net, x);
  serve_ok(net, x);
  serveDeduced_ok(net, x);
  count_ok(x);
}
