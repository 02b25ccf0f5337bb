// Classes that keep a flag of their own where is_training() is meant: eval() does not reach it.
#include <torch/torch.h>

struct StuckImpl : torch::nn::Module {
  StuckImpl(int64_t width, bool isTraining) {
    training = isTraining;
    output = register_module("output", torch::nn::Linear(width, 3));
  }
  torch::Tensor forward(torch::Tensor x) {
    if (training) // expect: ml-missing-eval-mode
      x = x * (torch::rand({3}) > 0.5);
    return output(x);
  }

private:
  bool training = false;
  torch::nn::Linear output{nullptr};
};
TORCH_MODULE(Stuck);

void test_stuck_bad(torch::Tensor x) {
  Stuck net(4, true);
  torch::load(net, "net.pt");
  net->eval();
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1);
}

// The class asks the framework.
struct AskingImpl : torch::nn::Module {
  AskingImpl() { output = register_module("output", torch::nn::Linear(4, 3)); }
  torch::Tensor forward(torch::Tensor x) {
    if (training && is_training())
      x = x * (torch::rand({3}) > 0.5);
    return output(x);
  }
  bool training = true;
  torch::nn::Linear output{nullptr};
};
TORCH_MODULE(Asking);

void test_asking_ok(torch::Tensor x) {
  Asking net;
  net->eval();
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1);
}

// The flag is told.
struct ToldImpl : torch::nn::Module {
  ToldImpl() { output = register_module("output", torch::nn::Linear(4, 3)); }
  torch::Tensor forward(torch::Tensor x) {
    if (training)
      x = x * (torch::rand({3}) > 0.5);
    return output(x);
  }
  bool training = true;
  torch::nn::Linear output{nullptr};
};
TORCH_MODULE(Told);

void test_told_ok(torch::Tensor x) {
  Told net;
  net->eval();
  net->training = false;
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1);
}

// The class tells it.
struct OverridingImpl : torch::nn::Module {
  OverridingImpl() { output = register_module("output", torch::nn::Linear(4, 3)); }
  void train(bool on = true) override {
    torch::nn::Module::train(on);
    trains = on;
    is_train_ = on;
  }
  torch::Tensor forward(torch::Tensor x) {
    if (is_train_)
      x = x * (torch::rand({3}) > 0.5);
    return output(x);
  }
  bool trains = true, is_train_ = true;
  torch::nn::Linear output{nullptr};
};
TORCH_MODULE(Overriding);

void test_overriding_ok(torch::Tensor x) {
  Overriding net;
  net->eval();
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1);
}

// One object to train, another for service.
struct TwofoldImpl : torch::nn::Module {
  explicit TwofoldImpl(bool training) : training_(training) {
    output = register_module("output", torch::nn::Linear(4, 3));
  }
  torch::Tensor forward(torch::Tensor x) {
    if (training_)
      x = x * (torch::rand({3}) > 0.5);
    return output(x);
  }
  const bool training_;
  torch::nn::Linear output{nullptr};
};
TORCH_MODULE(Twofold);

void test_twofold_ok(torch::Tensor x) {
  Twofold student(true), server(false);
  torch::save(student, "net.pt");
  torch::load(server, "net.pt");
  server->eval();
  torch::NoGradGuard noGrad;
  auto prediction = server(x).argmax(1);
}

// Set on one way only.
struct SometimesImpl : torch::nn::Module {
  explicit SometimesImpl(double rate) {
    if (rate > 0)
      training = true;
    output = register_module("output", torch::nn::Linear(4, 3));
  }
  torch::Tensor forward(torch::Tensor x) {
    if (training)
      x = x * (torch::rand({3}) > 0.5);
    return output(x);
  }
  bool training = false;
  torch::nn::Linear output{nullptr};
};
TORCH_MODULE(Sometimes);

void test_sometimes_ok(torch::Tensor x) {
  Sometimes net(0.5);
  net->eval();
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1);
}

// Nobody asks for evaluation.
struct TrainedImpl : torch::nn::Module {
  TrainedImpl() { output = register_module("output", torch::nn::Linear(4, 3)); }
  torch::Tensor forward(torch::Tensor x) {
    if (this->training)
      x = x * (torch::rand({3}) > 0.5);
    return output(x);
  }
  bool training{true};
  torch::nn::Linear output{nullptr};
};
TORCH_MODULE(Trained);

void test_trained_ok(torch::Tensor x, torch::Tensor y) {
  Trained net;
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  optimizer.zero_grad();
  torch::nn::functional::cross_entropy(net(x), y).backward();
  optimizer.step();
}
