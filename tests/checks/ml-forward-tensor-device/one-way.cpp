// Tensors that are made on one way through forward(), and are where the module is on the others.
#include <torch/torch.h>

namespace nn = torch::nn;

struct RecurrentImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    if (!state.defined())
      state = torch::zeros({x.size(0), 4}); // expect: ml-forward-tensor-device
    state = torch::sigmoid(linear(x) + state.detach());
    return state;
  }
  nn::Linear linear = register_module("linear", nn::Linear(4, 4));
  torch::Tensor state;
};
TORCH_MODULE(Recurrent);

struct ListImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    std::vector<torch::Tensor> parts;
    parts.push_back(linear(x));
    parts.push_back(torch::zeros({x.size(0), 1})); // expect: ml-forward-tensor-device
    return torch::cat(parts, 1);
  }
  nn::Linear linear = register_module("linear", nn::Linear(4, 4));
};
TORCH_MODULE(List);

struct ChoiceImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x, torch::Tensor state = {}) {
    state =
        state.defined() ? state : torch::zeros({x.size(0), 4}); // expect: ml-forward-tensor-device
    return linear(x) + state;
  }
  nn::Linear linear = register_module("linear", nn::Linear(4, 4));
};
TORCH_MODULE(Choice);

struct MovedImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x, torch::Tensor state = {}, torch::Tensor mask = {}) {
    if (!state.defined())
      state = torch::zeros({x.size(0), 4});
    state = state.to(x.device());
    if (!mask.defined())
      mask = torch::ones({x.size(0)}, torch::kBool);
    std::vector<torch::Tensor> parts{linear(x) + state};
    parts.push_back(torch::zeros({x.size(0), 1}, x.options()));
    return torch::cat(parts, 1).index({mask});
  }
  nn::Linear linear = register_module("linear", nn::Linear(4, 4));
};
TORCH_MODULE(Moved);

// The tensor is made for the machine that the program runs on.
struct AsksImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    torch::Tensor noise;
    if (x.is_cuda())
      noise = torch::randn({x.size(0), 4}, torch::kCUDA);
    else
      noise = torch::randn({x.size(0), 4});
    return linear(x) + noise;
  }
  nn::Linear linear = register_module("linear", nn::Linear(4, 4));
};
TORCH_MODULE(Asks);

// What is kept on the host is only copied from there.
struct LogsImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    x = linear(x);
    history.push_back(x.detach().cpu());
    history.push_back(torch::zeros({1}));
    lengths = lengths.defined() ? lengths : torch::ones({4}, torch::kLong);
    return x;
  }
  nn::Linear linear = register_module("linear", nn::Linear(4, 4));
  std::vector<torch::Tensor> history;
  torch::Tensor lengths;
};
TORCH_MODULE(Logs);

int main() {
  torch::Device device(torch::kCUDA);
  Recurrent recurrent;
  recurrent->to(device);
  recurrent(torch::rand({2, 4}, device)).sum().backward();
}

// Other ways to ask where the module is.
struct AsksToo : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    auto noise = torch::randn({x.size(0), 4});
    if (x.is_cuda())
      noise = noise.to(x.device());
    auto more =
        !x.is_cuda() ? torch::randn({x.size(0), 4}) : torch::randn({x.size(0), 4}, x.device());
    return linear(x) + noise + more;
  }
  nn::Linear linear = register_module("linear", nn::Linear(4, 4));
};

struct Compares : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    auto noise = torch::randn({x.size(0), 4});
    if (x.device() != noise.device())
      noise = noise.to(x.device());
    return linear(x) + noise;
  }
  nn::Linear linear = register_module("linear", nn::Linear(4, 4));
};
