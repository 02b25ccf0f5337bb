// Through helpers, members, lambdas, and by hand.
#include <torch/torch.h>

using Net = torch::nn::Linear;

void clear(torch::optim::Optimizer &optimizer) {
  optimizer.zero_grad(); // expect: ml-cleared-gradients (no fix)
}
void cleared_in_a_helper_bad(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    net(x).mean().backward();
    clear(optimizer);
    optimizer.step();
  }
}

void clearFirst(torch::optim::Optimizer &optimizer) { optimizer.zero_grad(); }
void cleared_in_a_helper_ok(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    clearFirst(optimizer);
    net(x).mean().backward();
    optimizer.step();
  }
}

void clearAndStep(torch::optim::Optimizer &optimizer) {
  optimizer.zero_grad(); // expect: ml-cleared-gradients
  optimizer.step();
}
void step_in_a_helper_bad(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    net(x).mean().backward();
    clearAndStep(optimizer);
  }
}

void stepAndClear(torch::optim::Optimizer &optimizer) {
  optimizer.step();
  optimizer.zero_grad();
}
void step_in_a_helper_ok(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    net(x).mean().backward();
    stepAndClear(optimizer);
  }
}

void by_hand_bad(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    net(x).mean().backward();
    for (auto &parameter : net->parameters())
      parameter.mutable_grad().reset(); // expect: ml-cleared-gradients (no fix)
    optimizer.step();
  }
}

void by_hand_ok(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    for (auto &parameter : net->parameters())
      if (parameter.grad().defined())
        parameter.mutable_grad().zero_();
    net(x).mean().backward();
    optimizer.step();
  }
}

// One parameter is kept as it is: the others learn.
void frozen_bias_ok(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(x).mean().backward();
    net->bias.mutable_grad().zero_();
    optimizer.step();
  }
}

void scaled_ok(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(x).mean().backward();
    for (auto &parameter : net->parameters())
      parameter.mutable_grad().div_(4);
    optimizer.step();
  }
}

class Trainer {
public:
  Trainer() : net(4, 1), optimizer(std::make_unique<torch::optim::SGD>(net->parameters(), 0.1)) {}

  void member_bad(torch::Tensor x) {
    for (int i = 0; i < 100; ++i) {
      net(x).mean().backward();
      this->optimizer->zero_grad(); // expect: ml-cleared-gradients
      optimizer->step();
    }
  }
  void member_ok(torch::Tensor x) {
    for (int i = 0; i < 100; ++i) {
      begin();
      net(x).mean().backward();
      optimizer->step();
    }
  }

private:
  void begin() { optimizer->zero_grad(); }
  Net net;
  std::unique_ptr<torch::optim::Optimizer> optimizer;
};

void lambda_ok(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  const auto learn = [&] {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
  };
  for (int i = 0; i < 100; ++i)
    learn();
}

void each_has_its_own_ok(std::vector<Net> &nets, torch::Tensor x) {
  for (auto &net : nets) {
    torch::optim::SGD optimizer(net->parameters(), 0.1);
    for (int i = 0; i < 100; ++i) {
      optimizer.zero_grad();
      net(x).mean().backward();
      optimizer.step();
    }
  }
}
