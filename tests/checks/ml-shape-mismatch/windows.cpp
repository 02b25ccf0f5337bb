// Sizes behind convolutions, pooling and containers of layers, and numbers that constructors hand
// on.
#include <torch/torch.h>

namespace nn = torch::nn;

struct ConfigOf {
  int64_t hidden = 64;
  int64_t classes = 10;
};

// --- windows --------------------------------------------------------------------------------------

struct LeNetImpl : nn::Module {
  LeNetImpl(int64_t channels, int64_t classes)
      : conv1(nn::Conv2dOptions(channels, 6, 5)), conv2(nn::Conv2dOptions(6, 16, 5).stride(1)),
        fc1(16 * 5 * 5, 120), fc2(120, classes) {
    register_module("conv1", conv1);
    register_module("conv2", conv2);
    register_module("fc1", fc1);
    register_module("fc2", fc2);
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::max_pool2d(torch::relu(conv1(x)), 2);
    x = torch::max_pool2d(torch::relu(conv2(x)), {2, 2});
    x = x.flatten(1);
    x = torch::relu(fc1(x)); // expect: ml-shape-mismatch: the layer takes 400 features, and 'x' of shape (8, 256) has 256
    return fc2(x);
  }
  nn::Conv2d conv1, conv2;
  nn::Linear fc1, fc2;
};
TORCH_MODULE(LeNet);

void small_bad() {
  LeNet net(3, 10);
  net(torch::randn({8, 3, 28, 28}));
}
void right_ok() {
  LeNet net(3, 10);
  net(torch::randn({8, 3, 32, 32}));
}

void window_bad() {
  nn::Sequential deep(nn::Conv2d(1, 8, 7), nn::MaxPool2d(4), nn::Conv2d(8, 8, 7));
  deep->forward(torch::randn({4, 1, 28, 28})); // expect: ml-shape-mismatch: a window of 7 does not fit
}

void flat_bad() {
  nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(1, 8, 3).padding(1)), nn::ReLU(), nn::MaxPool2d(2),
                     nn::Flatten(), nn::Linear(8 * 14 * 14, 10));
  net->forward(torch::randn({4, 1, 32, 32})); // expect: ml-shape-mismatch: one of the layers takes 1568 features
}
void flat_ok() {
  nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(1, 8, 3).padding(1)), nn::ReLU(), nn::MaxPool2d(2),
                     nn::Flatten(), nn::Linear(8 * 14 * 14, 10));
  net->forward(torch::randn({4, 1, 28, 28}));
}

void adaptive_ok() {
  nn::Sequential net(nn::Conv2d(3, 8, 3), nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions({2, 2})),
                     nn::Flatten(), nn::Linear(32, 10));
  net->forward(torch::randn({4, 3, 50, 71}));
}

void ceiled_ok() {
  nn::Sequential net(nn::MaxPool2d(nn::MaxPool2dOptions(2).ceil_mode(true)), nn::Flatten(),
                     nn::Linear(3 * 4 * 4, 10));
  net->forward(torch::randn({4, 3, 7, 7}));
}

void transposed_ok() {
  nn::Sequential net(nn::ConvTranspose2d(nn::ConvTranspose2dOptions(8, 4, 4).stride(2).padding(1)),
                     nn::Flatten(), nn::Linear(4 * 14 * 14, 10));
  net->forward(torch::randn({2, 8, 7, 7}));
}

// --- features -------------------------------------------------------------------------------------

struct NormalizedImpl : nn::Module {
  NormalizedImpl() {
    register_module("conv", conv);
    register_module("norm", norm);
    register_module("other", other);
  }
  torch::Tensor forward(torch::Tensor x) {
    x = conv(x);
    return other(x) + norm(x); // expect: ml-shape-mismatch: the layer takes 12 features, and 'x' of shape (…, 10, N, N) has 10
  }
  nn::Conv2d conv{nn::Conv2dOptions(1, 10, 5)};
  nn::BatchNorm2d norm{12}, other{10};
};

struct PerceptronImpl : nn::Module {
  explicit PerceptronImpl(const ConfigOf &config)
      : net(nn::Linear(784, config.hidden), nn::ReLU(), nn::Linear(128, config.classes)) {
    register_module("net", net);
  }
  torch::Tensor forward(torch::Tensor x) {
    return net->forward(x.view({-1, 784})); // expect: ml-shape-mismatch: one of the layers takes 128 features
  }
  nn::Sequential net;
};
TORCH_MODULE(Perceptron);
void configured() { Perceptron net{ConfigOf{}}; }

// What several callers say differently is not known.
struct WideImpl : nn::Module {
  explicit WideImpl(int64_t width) : first(8, width), second(16, 4) {
    register_module("first", first);
    register_module("second", second);
  }
  torch::Tensor forward(torch::Tensor x) { return second(first(x)); }
  nn::Linear first, second;
};
TORCH_MODULE(Wide);
void widths_ok() {
  Wide one(16), other(32);
}

// What is read from elsewhere is not known, nor what is changed.
struct Sizes {
  int64_t width = 32;
};
int64_t widthOf(const std::string &file);
struct ReadImpl : nn::Module {
  explicit ReadImpl(Sizes sizes) : first(8, sizes.width), second(16, 4) {
    register_module("first", first);
    register_module("second", second);
  }
  torch::Tensor forward(torch::Tensor x) { return second(first(x)); }
  nn::Linear first, second;
};
TORCH_MODULE(Read);
void read_ok(const std::string &file) {
  Sizes sizes;
  sizes.width = widthOf(file);
  Read net(sizes);
}

// --- rows -----------------------------------------------------------------------------------------

torch::Tensor rows_bad(int64_t samples) {
  auto images = torch::rand({samples, 20, 6, 6});
  return images.view({-1, 320}); // expect: ml-shape-mismatch: has 720 elements for each sample, which do not fill rows of 320
}
torch::Tensor rows_ok(int64_t samples) {
  auto images = torch::rand({samples, 20, 6, 6});
  return images.view({-1, 720}) + images.view({-1, 360}).sum();
}
