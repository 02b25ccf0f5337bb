// Layers that are called as functions: eval() reaches those that are told the mode.
#include <torch/torch.h>

namespace F = torch::nn::functional;

struct AlwaysImpl : torch::nn::Module {
  AlwaysImpl() { output = register_module("output", torch::nn::Linear(4, 3)); }
  torch::Tensor forward(torch::Tensor x) {
    return output(F::dropout(x, F::DropoutFuncOptions().p(0.3)));
  }
  torch::nn::Linear output{nullptr};
};
TORCH_MODULE(Always);

struct ToldImpl : torch::nn::Module {
  ToldImpl() { output = register_module("output", torch::nn::Linear(4, 3)); }
  torch::Tensor forward(torch::Tensor x) {
    return output(F::dropout(x, F::DropoutFuncOptions().p(0.3).training(is_training())));
  }
  torch::nn::Linear output{nullptr};
};
TORCH_MODULE(Told);

struct BranchImpl : torch::nn::Module {
  BranchImpl() { output = register_module("output", torch::nn::Linear(4, 3)); }
  torch::Tensor forward(torch::Tensor x) {
    if (is_training())
      x = drop(x);
    return output(x);
  }
  torch::Tensor drop(torch::Tensor x) { return torch::dropout(x, 0.3, true); }
  torch::nn::Linear output{nullptr};
};
TORCH_MODULE(Branch);

torch::Tensor dropSome(torch::Tensor x) { return torch::dropout(x, 0.3, true); }

struct HelpedImpl : torch::nn::Module {
  HelpedImpl() { output = register_module("output", torch::nn::Linear(4, 3)); }
  torch::Tensor forward(torch::Tensor x) { return output(is_training() ? dropSome(x) : x); }
  torch::nn::Linear output{nullptr};
};
TORCH_MODULE(Helped);

struct OwnModeImpl : torch::nn::Module {
  OwnModeImpl() { output = register_module("output", torch::nn::Linear(4, 3)); }
  void train(bool on = true) override {
    torch::nn::Module::train(on);
    drops = on;
  }
  torch::Tensor forward(torch::Tensor x) {
    return output(drops ? torch::dropout(x, 0.3, true) : x);
  }
  torch::nn::Linear output{nullptr};
  bool drops = true;
};
TORCH_MODULE(OwnMode);

// eval() would not end this dropout: advice only.
void test_always_bad(torch::Tensor x) {
  Always net;
  torch::load(net, "net.pt");
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1); // expect: ml-missing-eval-mode (level 2)
}

void test_told_bad(torch::Tensor x) {
  Told net;
  torch::load(net, "net.pt");
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1); // expect: ml-missing-eval-mode (level 0)
}
void test_told_ok(torch::Tensor x) {
  Told net;
  torch::load(net, "net.pt");
  net->eval();
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1);
}

void test_branch_bad(torch::Tensor x) {
  Branch net;
  torch::load(net, "net.pt");
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1); // expect: ml-missing-eval-mode (level 0)
}

void test_helped_bad(torch::Tensor x) {
  Helped net;
  torch::load(net, "net.pt");
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1); // expect: ml-missing-eval-mode (level 0)
}

void test_own_mode_bad(torch::Tensor x) {
  OwnMode net;
  torch::load(net, "net.pt");
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1); // expect: ml-missing-eval-mode (level 0)
}
