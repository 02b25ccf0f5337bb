// Optimizers that are made in loops.
#include <torch/torch.h>

#include <memory>
#include <vector>

using Net = torch::nn::Linear;
using Batches = std::vector<torch::Tensor>;
using torch::optim::Adam;
using torch::optim::AdamOptions;
using torch::optim::SGD;
using torch::optim::SGDOptions;

template <typename Optimizer> void step(Net net, Optimizer &optimizer, const torch::Tensor &x) {
  optimizer.zero_grad();
  net->forward(x).mean().backward();
  optimizer.step(); // note: steps here
}

// --- right ---------------------------------------------------------------------------------------

void kept_ok(Net net, const Batches &batches) {
  Adam optimizer(net->parameters(), AdamOptions(1e-3));
  for (int epoch = 0; epoch < 10; ++epoch)
    for (const auto &x : batches)
      step(net, optimizer, x);
}

void stateless_ok(Net net, const Batches &batches) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    SGD optimizer(net->parameters(), 0.1);
    for (const auto &x : batches)
      step(net, optimizer, x);
  }
}

void new_module_ok(const Batches &batches) {
  for (int fold = 0; fold < 5; ++fold) {
    Net net(4, 4);
    Adam optimizer(net->parameters(), AdamOptions(1e-3));
    for (const auto &x : batches)
      step(net, optimizer, x);
  }
}

void replaced_module_ok(const Batches &batches) {
  Net net = nullptr;
  for (int fold = 0; fold < 5; ++fold) {
    net = Net(4, 4);
    Adam optimizer(net->parameters(), AdamOptions(1e-3));
    for (const auto &x : batches)
      step(net, optimizer, x);
  }
}

void several_modules_ok(std::vector<Net> nets, const Batches &batches) {
  for (auto &net : nets) {
    Adam optimizer(net->parameters(), AdamOptions(1e-3));
    for (const auto &x : batches)
      step(net, optimizer, x);
  }
  for (size_t i = 0; i < nets.size(); ++i) {
    Adam optimizer(nets[i]->parameters(), AdamOptions(1e-3));
    for (const auto &x : batches)
      step(nets[i], optimizer, x);
  }
}

void completed_ok(Net net, const std::vector<Batches> &sets) {
  for (const auto &batches : sets) {
    Adam optimizer(net->parameters(), AdamOptions(1e-3));
    for (int epoch = 0; epoch < 10; ++epoch)
      for (const auto &x : batches)
        step(net, optimizer, x);
  }
}

void reset_ok(Net net, const Batches &batches) {
  for (int fold = 0; fold < 5; ++fold) {
    torch::load(net, "start.pt");
    Adam optimizer(net->parameters(), AdamOptions(1e-3));
    for (const auto &x : batches)
      step(net, optimizer, x);
  }
}

void initialize(torch::nn::Module &module) {
  for (auto &parameter : module.parameters()) {
    torch::NoGradGuard guard;
    parameter.zero_();
  }
}

void initialized_ok(Net net, const Batches &batches) {
  for (int fold = 0; fold < 5; ++fold) {
    net->apply(initialize);
    Adam optimizer(net->parameters(), AdamOptions(1e-3));
    for (const auto &x : batches)
      step(net, optimizer, x);
  }
}

void restored_ok(Net net, const Batches &tasks) {
  std::vector<torch::Tensor> start;
  for (const auto &parameter : net->parameters())
    start.push_back(parameter.detach().clone());
  for (const auto &x : tasks) {
    torch::optim::Adam inner(net->parameters(), AdamOptions(1e-3));
    for (int i = 0; i < 5; ++i)
      step(net, inner, x);
    torch::NoGradGuard guard;
    auto parameters = net->parameters();
    for (size_t i = 0; i < parameters.size(); ++i)
      parameters[i].copy_(start[i]);
  }
}

void begin(Net &net) {
  torch::NoGradGuard guard;
  for (auto &parameter : net->parameters())
    parameter.uniform_(-1, 1);
}

void begun_anew_ok(Net net, const Batches &batches) {
  for (int fold = 0; fold < 5; ++fold) {
    begin(net);
    Adam optimizer(net->parameters(), AdamOptions(1e-3));
    for (const auto &x : batches)
      step(net, optimizer, x);
  }
}

void replaced_tensor_ok(Net net, const Batches &batches) {
  torch::Tensor noise;
  for (const auto &x : batches) {
    noise = torch::rand({4}, torch::requires_grad());
    Adam optimizer({noise}, AdamOptions(1e-2));
    for (int i = 0; i < 10; ++i) {
      optimizer.zero_grad();
      net->forward(x + noise).mean().backward();
      optimizer.step();
    }
  }
}

void once_in_a_while_ok(Net net, const Batches &batches) {
  auto optimizer = std::make_unique<Adam>(net->parameters(), AdamOptions(1e-3));
  for (int epoch = 0; epoch < 10; ++epoch) {
    if (epoch == 5)
      optimizer = std::make_unique<Adam>(net->parameters(), AdamOptions(1e-4));
    for (const auto &x : batches)
      step(net, *optimizer, x);
  }
}

void attack_ok(Net net, const Batches &batches) {
  for (const auto &x : batches) {
    auto noise = torch::zeros({4}, torch::requires_grad());
    Adam optimizer({noise}, AdamOptions(1e-2));
    for (int i = 0; i < 10; ++i) {
      optimizer.zero_grad();
      net->forward(x + noise).mean().backward();
      optimizer.step();
    }
  }
}

// --- wrong ---------------------------------------------------------------------------------------

void by_stage_bad(Net net, const Batches &batches) {
  for (double rate : {1e-2, 1e-3, 1e-4}) { // note: the loop is here
    Adam optimizer(net->parameters(), AdamOptions(rate)); // expect: ml-optimizer-recreated (level 2): to change its options
    for (const auto &x : batches)
      step(net, optimizer, x);
  }
}

void decayed_bad(Net net, const Batches &batches) {
  double rate = 1e-2;
  for (int epoch = 0; epoch < 10; ++epoch) { // note: the loop is here
    auto options = AdamOptions(rate).weight_decay(1e-4);
    Adam optimizer(net->parameters(), options); // expect: ml-optimizer-recreated (level 2)
    for (const auto &x : batches)
      step(net, optimizer, x);
    rate *= 0.9;
  }
}

void each_epoch_bad(const Batches &batches) {
  Net net(4, 4);
  for (int epoch = 0; epoch < 10; ++epoch) { // note: the loop is here
    Adam optimizer(net->parameters(), AdamOptions(1e-3)); // expect: ml-optimizer-recreated: makes a new optimizer for the same parameters
    for (const auto &x : batches) {
      optimizer.zero_grad();
      net->forward(x).mean().backward();
      optimizer.step(); // note: the optimizer steps here
    }
  }
}

void each_step_bad(const Batches &batches) {
  Net net(4, 4);
  for (const auto &x : batches) { // note: the loop is here
    torch::optim::RMSprop optimizer(net->parameters()); // expect: ml-optimizer-recreated
    optimizer.zero_grad();
    net->forward(x).mean().backward();
    optimizer.step(); // note: steps here
  }
}

void momentum_bad(const Batches &batches) {
  Net net(4, 4);
  for (int epoch = 0; epoch < 10; ++epoch) { // note: the loop is here
    SGD optimizer(net->parameters(), SGDOptions(0.1).momentum(0.9)); // expect: ml-optimizer-recreated
    for (const auto &x : batches)
      step(net, optimizer, x);
  }
}

void options_bad(const Batches &batches) {
  Net net(4, 4);
  SGDOptions options(0.1);
  options.momentum(0.9);
  for (int epoch = 0; epoch < 10; ++epoch) { // note: the loop is here
    SGD optimizer(net->parameters(), options); // expect: ml-optimizer-recreated
    for (const auto &x : batches)
      step(net, optimizer, x);
  }
}

std::unique_ptr<torch::optim::Optimizer> make(Net net, double rate) {
  return std::make_unique<Adam>(net->parameters(), rate); // expect: ml-optimizer-recreated
}

void by_factory_bad(const Batches &batches) {
  Net net(4, 4);
  for (int epoch = 0; epoch < 10; ++epoch) { // note: the loop is here
    auto optimizer = make(net, 1e-3);
    for (const auto &x : batches)
      step(net, *optimizer, x);
  }
}

void on_the_heap_bad(Net net, const Batches &batches) {
  std::unique_ptr<torch::optim::Optimizer> optimizer;
  for (int epoch = 0; epoch < 10; ++epoch) { // note: the loop is here
    optimizer = std::make_unique<Adam>(net->parameters(), AdamOptions(1e-3)); // expect: ml-optimizer-recreated
    for (const auto &x : batches)
      step(net, *optimizer, x);
  }
}

void train_epoch(Net net, const Batches &batches, double rate) {
  Adam optimizer(net->parameters(), AdamOptions(rate)); // expect: ml-optimizer-recreated
  for (const auto &x : batches)
    step(net, optimizer, x);
}

void by_function_bad(const Batches &batches) {
  Net net(4, 4);
  const double rate = 1e-3;
  for (int epoch = 0; epoch < 10; ++epoch) // note: the loop is here
    train_epoch(net, batches, rate);
}

class Trainer {
public:
  void train(const Batches &batches, int epochs) {
    for (int epoch = 0; epoch < epochs; ++epoch) // note: the loop is here
      pass(batches);
  }

private:
  void pass(const Batches &batches) {
    torch::optim::AdamW optimizer(net->parameters(), rate); // expect: ml-optimizer-recreated
    for (const auto &x : batches) {
      auto loss = net->forward(x).mean();
      optimizer.zero_grad();
      loss.backward();
      optimizer.step(); // note: steps here
    }
  }
  Net net{4, 4};
  double rate = 1e-3;
};

// --- options and parameters of members -----------------------------------------------------------

struct Settings {
  double rate = 0.1, momentum = 0.9;
};

class Session {
public:
  explicit Session(const Settings &settings) : settings(settings) {}
  void run_bad(const Batches &batches) {
    for (int epoch = 0; epoch < 10; ++epoch) // note: the loop is here
      pass(batches);
  }

private:
  SGDOptions options() const { return SGDOptions(settings.rate).momentum(settings.momentum); }
  void pass(const Batches &batches) {
    SGD optimizer(net->parameters(), options()); // expect: ml-optimizer-recreated
    for (const auto &x : batches)
      step(net, optimizer, x);
  }
  Settings settings;
  Net net{4, 1};
};

void member_bad(const Batches &batches) {
  Session session(Settings{});
  session.run_bad(batches);
}

class Stateless {
public:
  void run_ok(const Batches &batches) {
    for (int epoch = 0; epoch < 10; ++epoch) {
      SGD optimizer(net->parameters(), options());
      for (const auto &x : batches)
        step(net, optimizer, x);
    }
  }

private:
  SGDOptions options() const { return SGDOptions(0.1); }
  Net net{4, 1};
};

// --- a step in each call -------------------------------------------------------------------------

float anew_bad(Net net, const torch::Tensor &x) {
  auto loss = net->forward(x).mean();
  Adam optimizer(net->parameters(), AdamOptions(1e-3)); // expect: ml-optimizer-recreated (level 1): each call makes a new optimizer for a single step
  net->zero_grad();
  loss.backward();
  optimizer.step(); // note: steps here
  return loss.item<float>();
}

struct Learner_bad {
  Net net{4, 4};
  void learn(const torch::Tensor &x) {
    Adam optimizer(net->parameters(), AdamOptions(1e-3)); // expect: ml-optimizer-recreated: for a single step
    optimizer.zero_grad();
    net->forward(x).mean().backward();
    optimizer.step(); // note: steps here
  }
};

struct Learner_ok {
  Net net{4, 4};
  Adam optimizer{net->parameters(), AdamOptions(1e-3)};
  void learn(const torch::Tensor &x) {
    optimizer.zero_grad();
    net->forward(x).mean().backward();
    optimizer.step();
  }
};

void stateless_step_ok(Net net, const torch::Tensor &x) {
  SGD optimizer(net->parameters(), 0.1);
  optimizer.zero_grad();
  net->forward(x).mean().backward();
  optimizer.step();
}

void whole_training_ok(Net net, const Batches &batches) {
  Adam optimizer(net->parameters(), AdamOptions(1e-3));
  for (const auto &x : batches) {
    optimizer.zero_grad();
    net->forward(x).mean().backward();
    optimizer.step();
  }
}

void own_module_ok(const torch::Tensor &x) {
  Net net(4, 4);
  Adam optimizer(net->parameters(), AdamOptions(1e-3));
  optimizer.zero_grad();
  net->forward(x).mean().backward();
  optimizer.step();
}

static void called_once_ok(Net net, const torch::Tensor &x) {
  Adam optimizer(net->parameters(), AdamOptions(1e-3));
  optimizer.zero_grad();
  net->forward(x).mean().backward();
  optimizer.step();
}

void demonstration(const torch::Tensor &x) { called_once_ok(Net(4, 4), x); }
