// Training steps of models and batches whose sizes are written.
#include <torch/torch.h>

// The hidden layer: 131072 x 65536 numbers.
void activations_bad() {
  torch::nn::Sequential net(torch::nn::Linear(16, 65536), torch::nn::ReLU(),
                            torch::nn::Linear(65536, 1));
  net->to(torch::kCUDA);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    auto x = torch::randn({131072, 16}, torch::kCUDA); // note: for the batch (131072, 16)
    // clang-format off
    auto y = net->forward(x); // expect: ml-batch-size-oom: at least 32 GiB of device memory, more than the 24 GiB // note: for parameters and gradients // note: 32 GiB for what layers keep of their inputs
    // clang-format on
    auto loss = y.pow(2).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

void small_ok() {
  torch::nn::Sequential net(torch::nn::Linear(16, 65536), torch::nn::ReLU(),
                            torch::nn::Linear(65536, 1));
  net->to(torch::kCUDA);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    auto x = torch::randn({1024, 16}, torch::kCUDA);
    auto loss = net->forward(x).pow(2).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

// Nobody keeps them for a backward.
void evaluation_ok() {
  torch::nn::Sequential net(torch::nn::Linear(16, 65536), torch::nn::ReLU(),
                            torch::nn::Linear(65536, 1));
  net->to(torch::kCUDA);
  torch::NoGradGuard guard;
  auto x = torch::randn({131072, 16}, torch::kCUDA);
  auto result = net->forward(x).mean();
}

// Parameters alone: 2 G of them, each with its gradient and two moments.
struct WideImpl : torch::nn::Module {
  WideImpl() {
    first = register_module("first", torch::nn::Linear(16, 32768));
    second = register_module("second", torch::nn::Linear(32768, 65536));
  }
  torch::Tensor forward(torch::Tensor x) { return second(torch::relu(first(x))); }
  torch::nn::Linear first{nullptr}, second{nullptr};
};
TORCH_MODULE(Wide);

void parameters_bad(const std::vector<torch::Tensor> &inputs) {
  Wide net;
  net->to(torch::kCUDA);
  torch::optim::Adam optimizer(net->parameters());
  for (const auto &x : inputs) {
    // clang-format off
    auto y = net(x); // expect: ml-batch-size-oom: at least 32 GiB // note: 32 GiB for parameters, gradients and the two moments of Adam
    // clang-format on
    auto loss = y.pow(2).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

// Images through convolutions: 512 x 64 x 224 x 224 numbers before each of two layers.
struct ImagesImpl : torch::nn::Module {
  ImagesImpl() {
    first =
        register_module("first", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 64, 3).padding(1)));
    second = register_module("second",
                             torch::nn::Conv2d(torch::nn::Conv2dOptions(64, 64, 3).padding(1)));
    third = register_module(
        "third", torch::nn::Conv2d(torch::nn::Conv2dOptions(64, 64, 3).stride(2).padding(1)));
    head = register_module("head", torch::nn::Linear(64 * 112 * 112, 10));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(first(x));
    x = torch::relu(second(x));
    x = torch::relu(third(x));
    return head(x.view({x.size(0), -1}));
  }
  torch::nn::Conv2d first{nullptr}, second{nullptr}, third{nullptr};
  torch::nn::Linear head{nullptr};
};
TORCH_MODULE(Images);

void images_bad() {
  Images net;
  net->to(torch::kCUDA);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto x = torch::randn({1024, 3, 224, 224}, torch::kCUDA); // note: for the batch
  for (int i = 0; i < 100; ++i) {
    // clang-format off
    auto y = net(x); // expect: ml-batch-size-oom: at least 25.1 GiB // note: for parameters and gradients // note: 24.5 GiB for what layers keep
    // clang-format on
    auto loss = y.pow(2).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

// A branch may leave the large layers out.
struct BranchImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x, bool wide) {
    x = first(x);
    if (wide)
      x = second(torch::relu(third(x)));
    return x;
  }
  torch::nn::Linear first = register_module("first", torch::nn::Linear(16, 16));
  torch::nn::Linear third = register_module("third", torch::nn::Linear(16, 65536));
  torch::nn::Linear second = register_module("second", torch::nn::Linear(65536, 16));
};
TORCH_MODULE(Branch);

void branch_ok(bool wide) {
  Branch net;
  net->to(torch::kCUDA);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto x = torch::randn({131072, 16}, torch::kCUDA);
  for (int i = 0; i < 100; ++i) {
    auto loss = net(x, wide).pow(2).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

// Pooling makes the maps small before they are many.
void pooled_ok() {
  torch::nn::Sequential net(torch::nn::MaxPool2d(torch::nn::MaxPool2dOptions(16)),
                            torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 64, 3)),
                            torch::nn::ReLU(),
                            torch::nn::Conv2d(torch::nn::Conv2dOptions(64, 64, 3)));
  net->to(torch::kCUDA);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto x = torch::randn({1024, 3, 512, 512}, torch::kCUDA);
  for (int i = 0; i < 100; ++i) {
    auto loss = net->forward(x).pow(2).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}
