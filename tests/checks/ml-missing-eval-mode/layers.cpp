// With and without layers that know a mode; samples of a generator.
#include <torch/torch.h>

struct PlainImpl : torch::nn::Module {
  PlainImpl() { output = register_module("output", torch::nn::Linear(4, 3)); }
  torch::Tensor forward(torch::Tensor x) { return output(x); }
  torch::nn::Linear output{nullptr};
};
TORCH_MODULE(Plain);

// Advice only: no layer depends on the mode today.
void test_without_such_layers_bad(torch::Tensor x) {
  Plain net;
  torch::load(net, "net.pt");
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1); // expect: ml-missing-eval-mode
}

void test_without_such_layers_ok(torch::Tensor x) {
  Plain net;
  torch::load(net, "net.pt");
  net->eval();
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1);
}

void test_sequential_bad(torch::Tensor x) {
  torch::nn::Sequential net(torch::nn::Linear(4, 8), torch::nn::BatchNorm1d(8),
                            torch::nn::Linear(8, 3));
  torch::load(net, "net.pt");
  torch::NoGradGuard noGrad;
  auto prediction = net->forward(x).argmax(1); // expect: ml-missing-eval-mode
}

void test_sequential_ok(torch::Tensor x) {
  torch::nn::Sequential net(torch::nn::Linear(4, 8), torch::nn::BatchNorm1d(8),
                            torch::nn::Linear(8, 3));
  torch::load(net, "net.pt");
  net->eval();
  torch::NoGradGuard noGrad;
  auto prediction = net->forward(x).argmax(1);
}

struct DeepImpl : torch::nn::Module {
  DeepImpl() {
    trunk = register_module(
        "trunk", torch::nn::Sequential(torch::nn::Linear(4, 8), torch::nn::Dropout(0.1)));
    head = register_module("head", Plain());
  }
  torch::Tensor forward(torch::Tensor x) { return head(trunk->forward(x)); }
  torch::nn::Sequential trunk{nullptr};
  Plain head{nullptr};
};
TORCH_MODULE(Deep);

void test_nested_bad(torch::Tensor x) {
  Deep net;
  torch::load(net, "net.pt");
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1); // expect: ml-missing-eval-mode
}

void test_nested_ok(torch::Tensor x) {
  Deep net;
  torch::load(net, "net.pt");
  net->eval();
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1);
}

// Samples taken while the generator is trained use the statistics it is trained with.
void samples_while_training_ok(torch::nn::Sequential generator, torch::nn::Sequential critic) {
  torch::optim::Adam generatorOptimizer(generator->parameters());
  torch::optim::Adam criticOptimizer(critic->parameters());
  for (int i = 0; i < 1000; ++i) {
    criticOptimizer.zero_grad();
    torch::Tensor fake;
    {
      torch::NoGradGuard noGrad;
      fake = generator->forward(torch::randn({64, 100}));
    }
    auto criticLoss = critic->forward(fake).mean();
    criticLoss.backward();
    criticOptimizer.step();

    generatorOptimizer.zero_grad();
    auto generatorLoss = -critic->forward(generator->forward(torch::randn({64, 100}))).mean();
    generatorLoss.backward();
    generatorOptimizer.step();
  }
}

// A loss has no mode.
void test_loss_ok(torch::Tensor x, torch::Tensor y) {
  Deep net;
  net->eval();
  torch::nn::CrossEntropyLoss criterion;
  torch::NoGradGuard noGrad;
  auto loss = criterion(net(x), y).item<double>();
}

// Dropout that drops nothing.
struct NothingImpl : torch::nn::Module {
  NothingImpl() {
    first = register_module("first", torch::nn::Dropout(0));
    second = register_module("second", torch::nn::Dropout(torch::nn::DropoutOptions().p(0.0)));
    third = register_module("third", torch::nn::Dropout(torch::nn::DropoutOptions(0.0)));
    head = register_module("head", torch::nn::Linear(4, 3));
  }
  torch::Tensor forward(torch::Tensor x) { return head(third(second(first(x)))); }
  torch::nn::Dropout first{nullptr}, second{nullptr}, third{nullptr};
  torch::nn::Linear head{nullptr};
};
TORCH_MODULE(Nothing);

void test_nothing_bad(torch::Tensor x) {
  Nothing net;
  torch::load(net, "net.pt");
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1); // expect: ml-missing-eval-mode (level 2)
}

struct LittleImpl : torch::nn::Module {
  explicit LittleImpl(double p) {
    first = register_module("first", torch::nn::Dropout(0.0));
    second = register_module("second", torch::nn::Dropout(torch::nn::DropoutOptions().p(p)));
  }
  torch::Tensor forward(torch::Tensor x) { return second(first(x)); }
  torch::nn::Dropout first{nullptr}, second{nullptr};
};
TORCH_MODULE(Little);

void test_little_bad(torch::Tensor x) {
  Little net(0.1);
  torch::load(net, "net.pt");
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1); // expect: ml-missing-eval-mode (level 0)
}
