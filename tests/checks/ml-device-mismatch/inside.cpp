// Modules that move what they are given, and weights that options hand to losses.
#include <torch/torch.h>

#include <algorithm>

namespace nn = torch::nn;
namespace F = torch::nn::functional;

struct SplitImpl : nn::Module {
  SplitImpl(torch::Device device) {
    tail = register_module("tail", nn::Linear(8, 2));
    tail->to(device);
  }
  torch::Tensor forward(torch::Tensor x) {
    auto size = x.size(0);
    return tail(x.to(tail->weight.device())).view({size, 2});
  }
  nn::Linear tail{nullptr};
};
TORCH_MODULE(Split);

struct PlainImpl : nn::Module {
  PlainImpl() { tail = register_module("tail", nn::Linear(8, 2)); }
  torch::Tensor forward(torch::Tensor x) { return tail(x.to(torch::kFloat)); }
  nn::Linear tail{nullptr};
};
TORCH_MODULE(Plain);

void moves_ok() {
  torch::Device device(torch::kCUDA);
  Split net(device);
  auto y = torch::zeros({8, 2}, device);
  F::mse_loss(net(torch::randn({8, 8})), y).backward();
}

void converts_bad() {
  Plain net;
  net->to(torch::kCUDA);
  net(torch::randn({8, 8})).sum().backward(); // expect: ml-device-mismatch
}

void weights_bad(nn::Linear net, torch::Tensor x, torch::Tensor y) {
  torch::Device device(torch::kCUDA);
  net->to(device);
  x = x.to(device), y = y.to(device);
  auto weights = torch::ones({3});
  auto options = nn::CrossEntropyLossOptions().weight(weights);
  nn::CrossEntropyLoss criterion(options);
  criterion(net(x), y).backward(); // expect: ml-device-mismatch
}

void weights_ok(nn::Linear net, torch::Tensor x, torch::Tensor y) {
  torch::Device device(torch::kCUDA);
  net->to(device);
  x = x.to(device), y = y.to(device);
  auto weights = torch::ones({3});
  nn::CrossEntropyLoss criterion(nn::CrossEntropyLossOptions().weight(weights));
  criterion->to(device);
  criterion(net(x), y).backward();
  nn::CrossEntropyLoss moved(nn::CrossEntropyLossOptions().weight(weights.to(device)));
  moved(net(x), y).backward();
  nn::CrossEntropyLoss plain;
  plain(net(x), y).backward();
}

// Every element is moved, in a loop or by an algorithm.
void elements_ok(torch::Device device) {
  std::vector<torch::Tensor> parts{torch::rand({4}), torch::rand({4})};
  for (auto &part : parts)
    part = part.to(device);
  auto x = torch::rand({4}, device);
  x = x + parts[0];
  std::vector<torch::Tensor> others{torch::rand({4}), torch::rand({4})};
  std::transform(others.begin(), others.end(), others.begin(),
                 [&](const torch::Tensor &each) { return each.to(device); });
  x = x + others[1];
}

void choice_ok(torch::Tensor x, bool isFirst) {
  auto mean = torch::zeros({4}, torch::kCUDA), host = torch::zeros({4});
  auto either = isFirst ? mean : host;
  x = either + 1;
}

// Other ways to move the input first.
struct WaysImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x, torch::Tensor y, torch::Tensor z) {
    x = x.to(tail->weight.device());
    if (y.device() != x.device())
      y = y.to(x.device());
    z = prepared(z);
    return tail(x + y + z);
  }
  torch::Tensor prepared(torch::Tensor z) { return z.to(tail->weight.options()); }
  nn::Linear tail = register_module("tail", nn::Linear(8, 2));
};
TORCH_MODULE(Ways);

void other_ways_ok() {
  Ways net;
  net->to(torch::kCUDA);
  net(torch::randn({8, 8}), torch::randn({8, 8}), torch::randn({8, 8})).sum().backward();
}

// Its result is where the last layer is.
struct ShardedImpl : nn::Module {
  ShardedImpl(torch::Device a, torch::Device b) : a(a), b(b) {
    first->to(a);
    second->to(b);
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(first(x.to(a)));
    return second(x.to(b));
  }
  torch::Device a, b;
  nn::Linear first = register_module("first", nn::Linear(8, 8));
  nn::Linear second = register_module("second", nn::Linear(8, 3));
};
TORCH_MODULE(Sharded);

void sharded_ok(torch::Tensor x, torch::Tensor y) {
  torch::Device a(torch::kCUDA, 0), b(torch::kCUDA, 1);
  Sharded net(a, b);
  torch::mse_loss(net(x.cpu()), y.to(b)).backward();
}

// Who asks where a tensor is moves it where it is not yet there.
void asked_ok(torch::Tensor x) {
  torch::Device device(torch::kCUDA);
  auto background = torch::zeros({4});
  if (!background.is_cuda())
    background = background.to(device);
  x = x.to(device) + background;
  auto other = torch::zeros({4});
  if (other.device() != x.device())
    other = other.to(x.device());
  x = x + other;
}

void layer_of_tensors_ok(torch::Tensor x, torch::Tensor weights) {
  torch::Device device(torch::kCUDA);
  nn::Linear layer(8, 2);
  layer->weight = weights.to(device);
  layer(x.to(device));
}
