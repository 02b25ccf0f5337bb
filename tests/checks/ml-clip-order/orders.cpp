// Where the clip stands in the step.
#include <torch/torch.h>

using Net = torch::nn::Linear;
using torch::nn::utils::clip_grad_norm_;

void after_the_step_bad(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step(); // note: uses them here
    clip_grad_norm_(net->parameters(), 1.0); // expect: ml-clip-order: after the optimizer
  }
}

void clear_at_the_end_bad(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    net(x).mean().backward();
    optimizer.step(); // note: uses them here
    torch::nn::utils::clip_grad_value_(net->parameters(), 1.0); // expect: ml-clip-order
    optimizer.zero_grad();
  }
}

void before_the_backward_bad(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    auto loss = net(x).mean();
    optimizer.zero_grad();
    clip_grad_norm_(net->parameters(), 1.0); // expect: ml-clip-order (no fix): before a backward
    loss.backward();
    optimizer.step();
  }
}

void clear_last_bad(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    auto loss = net(x).mean();
    clip_grad_norm_(net->parameters(), 1.0); // expect: ml-clip-order (no fix)
    loss.backward();
    optimizer.step();
    optimizer.zero_grad();
  }
}

// The norm that it returns may be what is wanted.
void norm_after_the_step(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step(); // note: uses them here
    double norm = clip_grad_norm_(net->parameters(), 1e9); // expect: ml-clip-order (no fix) (level 2)
    (void)norm;
  }
}

void between_ok(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(x).mean().backward();
    clip_grad_norm_(net->parameters(), 1.0);
    optimizer.step();
  }
}

void now_and_then_ok(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    net(x).mean().backward();
    if (i % 4 == 3) {
      clip_grad_norm_(net->parameters(), 1.0);
      optimizer.step();
      optimizer.zero_grad();
    }
  }
}

// What the function finds, the caller's backward may have computed.
void first_thing_ok(Net net, torch::optim::Optimizer &optimizer) {
  clip_grad_norm_(net->parameters(), 1.0);
  optimizer.step();
  optimizer.zero_grad();
}

void of_two_models_ok(Net generator, Net critic, torch::Tensor x) {
  torch::optim::SGD first(generator->parameters(), 0.1), second(critic->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    first.zero_grad();
    generator(x).mean().backward();
    clip_grad_norm_(generator->parameters(), 1.0);
    first.step();
    second.zero_grad();
    critic(x).mean().backward();
    clip_grad_norm_(critic->parameters(), 1.0);
    second.step();
  }
}

void backwardElsewhere(torch::Tensor loss);
void unseen_backward_ok(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    backwardElsewhere(net(x).mean());
    clip_grad_norm_(net->parameters(), 1.0);
    optimizer.step();
  }
}

// What is clipped comes from the groups of the optimizer that steps.
struct Stepper {
  torch::optim::Optimizer &optimizer;
  std::vector<torch::Tensor> parameters;
  explicit Stepper(torch::optim::Optimizer &given) : optimizer(given) {
    for (auto &group : given.param_groups())
      parameters.insert(parameters.end(), group.params().begin(), group.params().end());
  }
  void step(const torch::Tensor &loss) {
    optimizer.zero_grad();
    loss.backward();
    torch::nn::utils::clip_grad_norm_(parameters, 1.0);
    optimizer.step();
  }
};

void groups_ok(torch::nn::Linear &net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  Stepper stepper(optimizer);
  for (int i = 0; i < 10; ++i)
    stepper.step(net(x).sum());
}
