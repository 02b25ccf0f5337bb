// Tensors made in forward() land on the CPU, whatever device the inputs are on.
#include <torch/torch.h>

struct RecurrentBadImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    auto h = torch::zeros({1, x.size(1), 16}); // expect: ml-forward-tensor-device
    auto c = torch::zeros({1, x.size(1), 16}); // expect: ml-forward-tensor-device
    auto [output, state] = lstm->forward(x, std::make_tuple(h, c));
    return output;
  }
  torch::nn::LSTM lstm = register_module("lstm", torch::nn::LSTM(4, 16));
};
TORCH_MODULE(RecurrentBad);

struct RecurrentOkImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    auto h = torch::zeros({1, x.size(1), 16}, x.options());
    auto c = x.new_zeros({1, x.size(1), 16});
    auto [output, state] = lstm->forward(x, std::make_tuple(h, c));
    return output;
  }
  torch::nn::LSTM lstm = register_module("lstm", torch::nn::LSTM(4, 16));
};
TORCH_MODULE(RecurrentOk);

// A dtype is no device.
struct MaskBadImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    auto mask = torch::ones({x.size(0), 1}, torch::kBool); // expect: ml-forward-tensor-device
    return linear(x).masked_fill(mask, 0);
  }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 1));
};
TORCH_MODULE(MaskBad);

struct MaskOkImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    auto options = torch::TensorOptions().dtype(torch::kBool).device(x.device());
    auto mask = torch::ones({x.size(0), 1}, options);
    auto other = torch::ones({x.size(0), 1}, torch::device(x.device()).dtype(torch::kBool));
    return linear(x).masked_fill(mask, 0).masked_fill(other, 0);
  }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 1));
};
TORCH_MODULE(MaskOk);

struct NoiseBadImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    auto noise = torch::randn({x.size(0), 4}); // expect: ml-forward-tensor-device
    return linear(x + noise * 0.1);
  }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 1));
};
TORCH_MODULE(NoiseBad);

struct NoiseOkImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    auto noise = torch::randn_like(x);
    auto full = torch::full_like(x, 0.1), ones = torch::ones_like(x), zeros = torch::zeros_like(x);
    return linear(x + noise * full + ones - zeros);
  }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 1));
};
TORCH_MODULE(NoiseOk);

// Used in the expression in which they are made.
struct InlineBadImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    x = torch::cat({x, torch::ones({x.size(0), 1})}, 1); // expect: ml-forward-tensor-device
    x = torch::matmul(x, torch::eye(5));                 // expect: ml-forward-tensor-device
    return linear(x) + torch::tensor({0.1, 0.2});        // expect: ml-forward-tensor-device
  }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(5, 2));
};
TORCH_MODULE(InlineBad);

struct InlineOkImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    x = torch::cat({x, torch::ones({x.size(0), 1}, x.options())}, 1);
    x = torch::matmul(x, torch::eye(5, x.device()));
    return linear(x) + torch::tensor({0.1, 0.2}, linear->weight.options());
  }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(5, 2));
};
TORCH_MODULE(InlineOk);

// What is made here belongs to an embedding on the module's device.
struct PositionsBadImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor tokens) {
    auto positions = torch::arange(tokens.size(1)); // expect: ml-forward-tensor-device
    return words(tokens) + places(positions);
  }
  torch::nn::Embedding words = register_module("words", torch::nn::Embedding(100, 16));
  torch::nn::Embedding places = register_module("places", torch::nn::Embedding(50, 16));
};
TORCH_MODULE(PositionsBad);

struct PositionsOkImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor tokens) {
    auto positions = torch::arange(tokens.size(1), tokens.options());
    return words(tokens) + places(positions);
  }
  torch::nn::Embedding words = register_module("words", torch::nn::Embedding(100, 16));
  torch::nn::Embedding places = register_module("places", torch::nn::Embedding(50, 16));
};
TORCH_MODULE(PositionsOk);

// Without elements it stands for no mask.
struct NoMaskOkImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    auto mask = torch::empty({0});
    auto scores = linear(x);
    if (mask.numel() > 0)
      scores = scores * mask;
    return scores;
  }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 1));
};
TORCH_MODULE(NoMaskOk);
