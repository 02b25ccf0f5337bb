// Dropout that is meant to stay, and calls that belong to no module.
#include <torch/torch.h>

namespace F = torch::nn::functional;

struct MCDropoutNetImpl : torch::nn::Module {
  torch::Tensor forward_ok(torch::Tensor x) { return F::dropout(x); }
};
TORCH_MODULE(MCDropoutNet);

struct BayesianLayerImpl : torch::nn::Module {
  torch::Tensor forward_ok(torch::Tensor x) { return torch::dropout(x, 0.1, true); }
};
TORCH_MODULE(BayesianLayer);

struct StochasticDepthImpl : torch::nn::Module {
  torch::Tensor forward_ok(torch::Tensor x) {
    return F::dropout(x, F::DropoutFuncOptions().p(0.1).training(true));
  }
};
TORCH_MODULE(StochasticDepth);

struct NetImpl : torch::nn::Module {
  torch::Tensor mc_forward_ok(torch::Tensor x) { return torch::dropout(x, 0.1, true); }
  torch::Tensor forwardMonteCarlo_ok(torch::Tensor x) { return F::dropout(x); }
  torch::Tensor predict_with_uncertainty_ok(torch::Tensor x) {
    return F::dropout(x, F::DropoutFuncOptions().p(0.1));
  }
  torch::Tensor bayes_sample_ok(torch::Tensor x) { return torch::dropout(x, 0.1, true); }
  torch::Tensor stochasticPass_ok(torch::Tensor x) { return torch::dropout(x, 0.1, true); }
  torch::Tensor forward_bad(torch::Tensor x) {
    return F::dropout(x, F::DropoutFuncOptions().p(0.1)); // expect: ml-functional-dropout
  }
};
TORCH_MODULE(Net);

// Augmentation of data, say, which has no mode.
torch::Tensor free_function_ok(torch::Tensor x) { return torch::dropout(x, 0.1, true); }
torch::Tensor free_function_with_options_ok(torch::Tensor x) {
  return F::dropout(x, F::DropoutFuncOptions().p(0.1));
}

struct Augmentation {
  torch::Tensor operator()(torch::Tensor x) const { return F::dropout(x); }
  torch::Tensor apply_ok(torch::Tensor x) const { return torch::dropout(x, 0.1, true); }
};

struct HolderImpl : torch::nn::Module {
  torch::Tensor forward_ok(torch::Tensor x) { return augmentation(x); }
  struct Noise {
    torch::Tensor nested_ok(torch::Tensor x) const { return torch::dropout(x, 0.1, true); }
  };
  Augmentation augmentation;
};
TORCH_MODULE(Holder);

void loop_ok(torch::nn::Linear net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    torch::mse_loss(net(torch::dropout(x, 0.1, true)), y).backward();
    optimizer.step();
  }
}

// Functions of that name that are somebody else's.
namespace own {
torch::Tensor dropout(torch::Tensor x, double p, bool train);
torch::Tensor alpha_dropout(torch::Tensor x);
} // namespace own

struct OwnFunctionsImpl : torch::nn::Module {
  torch::Tensor forward_ok(torch::Tensor x) {
    return own::alpha_dropout(own::dropout(x, 0.1, true)) + dropout3d(x);
  }
  torch::Tensor dropout3d(torch::Tensor x);
};
TORCH_MODULE(OwnFunctions);
