// Modules that are new, handed in, or in training mode on purpose.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  torch::nn::Linear fc = register_module("fc", torch::nn::Linear(8, 8));
  torch::nn::Dropout drop = register_module("drop", torch::nn::Dropout());
  torch::Tensor forward(torch::Tensor x) { return drop(fc(x)); }
};
TORCH_MODULE(Net);

struct ClassifierImpl : torch::nn::Module {
  ClassifierImpl(Net base, int64_t classes)
      : base(register_module("base", base)),
        head(register_module("head", torch::nn::Linear(8, classes))) {}
  torch::Tensor forward(torch::Tensor x) { return head(base(x)); }
  Net base;
  torch::nn::Linear head;
};
TORCH_MODULE(Classifier);

NetImpl makeNet(int64_t classes);

// Nobody relies on what a new module computes.
void smoke_test(torch::Tensor x) {
  Net net;
  std::cout << net(x).argmax(1); // expect: ml-missing-eval-mode (level 2)
}
void smoke_test_before_training(torch::Tensor x) {
  Net net;
  std::cout << net(x).argmax(1); // expect: ml-missing-eval-mode (level 2)
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  optimizer.zero_grad();
  net(x).mean().backward();
  optimizer.step();
  net->eval();
}
// Who sets the mode of one wants to see what the other one computes.
void demonstration_bad(torch::Tensor x) {
  Net first, second;
  first->eval();
  std::cout << first(x).argmax(1);
  std::cout << second(x).argmax(1); // expect: ml-missing-eval-mode (level 0)
}
void accuracy_bad(torch::Tensor x) {
  Net net;
  torch::load(net, "net.pt");
  std::cout << net(x).argmax(1); // expect: ml-missing-eval-mode (level 0)
}

// A part that is handed in keeps the mode it has.
void wrapped_ok(torch::Tensor x) {
  Net net;
  torch::load(net, "net.pt");
  net->eval();
  Classifier classifier(net, 2);
  torch::NoGradGuard no_grad;
  std::cout << classifier(x).argmax(1);
}

void train(Net &net, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  optimizer.zero_grad();
  net(x).mean().backward();
  optimizer.step();
}

// Asked for in so many words, after the training.
void diverse_samples(Net &net, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  train(net, optimizer, x);
  net->train();
  torch::NoGradGuard no_grad;
  for (int i = 0; i < 9; ++i)
    std::cout << net(x).argmax(1); // expect: ml-missing-eval-mode (level 2)
}
void epochs_bad(Net &net, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  for (int epoch = 0; epoch < 9; ++epoch) {
    net->train();
    train(net, optimizer, x);
    torch::NoGradGuard no_grad;
    std::cout << net(x).argmax(1); // expect: ml-missing-eval-mode (level 0)
  }
}

// A module that a function returns is trained like any other.
void returned_bad(torch::optim::Optimizer &optimizer, torch::Tensor x) {
  NetImpl net = makeNet(10);
  for (int epoch = 0; epoch < 9; ++epoch) {
    net.train();
    optimizer.zero_grad();
    net.forward(x).mean().backward();
    optimizer.step();
    torch::NoGradGuard no_grad;
    std::cout << net.forward(x).argmax(1); // expect: ml-missing-eval-mode (level 0)
  }
}

// Samples of a generator between the steps of its training: a batch of noise like those before, and
// a single one, of which batch normalisation makes nothing.
void sampled_in_training(Net &generator, torch::optim::Optimizer &optimizer, int64_t count,
                         torch::Device device) {
  generator->train();
  for (int i = 0; i < 99; ++i) {
    train(generator, optimizer, torch::randn({64, 8}));
    auto samples =
        generator(torch::randn({count, 8}).to(device)); // expect: ml-missing-eval-mode (level 2)
    auto first = samples[0].item<double>();
  }
}
void sampled_once_bad(Net &generator, torch::optim::Optimizer &optimizer, torch::Device device) {
  generator->train();
  for (int i = 0; i < 99; ++i) {
    train(generator, optimizer, torch::randn({64, 8}));
    auto sample =
        generator(torch::randn({1, 8}).to(device)); // expect: ml-missing-eval-mode (level 0)
    auto first = sample[0].item<double>();
  }
}
