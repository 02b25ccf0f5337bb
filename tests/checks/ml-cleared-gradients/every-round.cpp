// Gradients that several rounds are to add up, cleared in each of them.
#include <torch/torch.h>

using Net = torch::nn::Linear;

void cleared_in_each_bad(Net net, torch::Tensor x, int rounds) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad(); // expect: ml-cleared-gradients (no fix): used only in some
    auto loss = net(x).mean() / rounds;
    loss.backward();
    if ((i + 1) % rounds == 0)
      optimizer.step(); // note: those of the last round
  }
}

class Trainer {
public:
  explicit Trainer(Net module) : net(module), optimizer(net->parameters(), 0.1) {}
  void train_bad(torch::Tensor x) {
    for (int i = 0; i < 100; ++i) {
      optimizer.zero_grad(); // expect: ml-cleared-gradients (no fix)
      net(x).mean().backward();
      ++done;
      if (done % 8 == 0) {
        torch::nn::utils::clip_grad_norm_(net->parameters(), 1.0);
        optimizer.step(); // note: those of the last round
      }
    }
  }

private:
  Net net;
  torch::optim::SGD optimizer;
  int done = 0;
};
void train(Net net, torch::Tensor x) { Trainer(net).train_bad(x); }

void cleared_behind_the_step_ok(Net net, torch::Tensor x, int rounds) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    net(x).mean().backward();
    if ((i + 1) % rounds == 0) {
      optimizer.step();
      optimizer.zero_grad();
    }
  }
}

void rounds_within_ok(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    for (int k = 0; k < 4; ++k) {
      net(x).mean().backward();
      if (k % 4 == 3)
        optimizer.step();
    }
  }
}

// The generator learns now and then, by a backward of its own.
void now_and_then_ok(Net generator, Net critic, torch::Tensor x) {
  torch::optim::SGD first(generator->parameters(), 0.1), second(critic->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    first.zero_grad();
    second.zero_grad();
    critic(generator(x)).mean().backward();
    second.step();
    if (i % 5 == 0) {
      critic(generator(x)).mean().backward();
      first.step();
    }
  }
}

void in_turns_ok(Net one, Net other, torch::Tensor x) {
  torch::optim::SGD first(one->parameters(), 0.1), second(other->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    first.zero_grad();
    second.zero_grad();
    other(one(x)).mean().backward();
    if (i % 2 == 0)
      first.step();
    else
      second.step();
  }
}

// Who takes them before they are cleared adds them up elsewhere.
void added_by_hand_ok(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto sum = torch::zeros_like(net->weight);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(x).mean().backward();
    sum += net->weight.grad();
    if (i % 4 == 3) {
      net->weight.mutable_grad() = sum / 4;
      optimizer.step();
    }
  }
}

void cleared_at_first_ok(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    if (i == 0)
      optimizer.zero_grad();
    net(x).mean().backward();
    if (i % 4 == 3)
      optimizer.step();
  }
}
