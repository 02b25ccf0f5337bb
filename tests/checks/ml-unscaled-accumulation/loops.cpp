// Steps in every Nth round.
#include <torch/torch.h>

using Net = torch::nn::Linear;
using Optimizer = torch::optim::Optimizer;
using Tensors = std::vector<torch::Tensor>;

void sgd_bad(Net net, const Tensors &inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  const int rounds = 4;
  optimizer.zero_grad();
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto loss = net(inputs[i]).pow(2).mean();
    loss.backward(); // expect: ml-unscaled-accumulation (level 1): the gradients of rounds backwards add up
    if ((i + 1) % rounds == 0) {
      optimizer.step(); // note: the step that uses their sum
      optimizer.zero_grad();
    }
  }
}

void adam_bad(Net net, const Tensors &inputs) {
  torch::optim::Adam optimizer(net->parameters(), 1e-3);
  size_t i = 0;
  for (const auto &x : inputs) {
    net(x).pow(2).mean().backward(); // expect: ml-unscaled-accumulation (level 2)
    if (++i % 8 == 0) {
      optimizer.step(); // note: the step that uses their sum
      optimizer.zero_grad();
    }
  }
}

void negated_bad(Net net, const Tensors &inputs, int rounds) {
  torch::optim::SGD optimizer(net->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
  for (size_t i = 1; i <= inputs.size(); ++i) {
    auto loss = net(inputs[i - 1]).pow(2).mean();
    loss.backward(); // expect: ml-unscaled-accumulation (level 1)
    if (!(i % rounds) || i == inputs.size()) {
      optimizer.step(); // note: the step that uses their sum
      optimizer.zero_grad();
    }
  }
}

struct Options {
  int rounds = 4;
  int other = 2;
};
void option_bad(Net net, const Tensors &inputs, const Options &options) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto loss = net(inputs[i]).pow(2).mean();
    loss.backward(); // expect: ml-unscaled-accumulation
    if ((i + 1) % options.rounds == 0) {
      optimizer.step(); // note: the step that uses their sum
      optimizer.zero_grad();
    }
  }
}

void option_ok(Net net, const Tensors &inputs, const Options &options) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto loss = net(inputs[i]).pow(2).mean() / options.other;
    loss.backward();
    if ((i + 1) % options.other == 0) {
      optimizer.step();
      optimizer.zero_grad();
    }
  }
}

void divided_ok(Net net, const Tensors &inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  const int rounds = 4;
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto loss = net(inputs[i]).pow(2).mean() / rounds;
    loss.backward();
    if ((i + 1) % rounds == 0) {
      optimizer.step();
      optimizer.zero_grad();
    }
  }
}

void divided_in_place_ok(Net net, const Tensors &inputs, int rounds) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto loss = net(inputs[i]).pow(2).mean();
    loss /= rounds;
    loss.backward();
    if ((i + 1) % rounds == 0) {
      optimizer.step();
      optimizer.zero_grad();
    }
  }
}

void by_factor_ok(Net net, const Tensors &inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (size_t i = 0; i < inputs.size(); ++i) {
    (net(inputs[i]).pow(2).mean() * 0.25).backward();
    if ((i + 1) % 4 == 0) {
      optimizer.step();
      optimizer.zero_grad();
    }
  }
}

void smaller_rate_ok(Net net, const Tensors &inputs, int rounds) {
  torch::optim::SGD optimizer(net->parameters(), 0.1 / rounds);
  for (size_t i = 0; i < inputs.size(); ++i) {
    net(inputs[i]).pow(2).mean().backward();
    if ((i + 1) % rounds == 0) {
      optimizer.step();
      optimizer.zero_grad();
    }
  }
}

void gradients_divided_ok(Net net, const Tensors &inputs, int rounds) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (size_t i = 0; i < inputs.size(); ++i) {
    net(inputs[i]).pow(2).mean().backward();
    if ((i + 1) % rounds == 0) {
      for (auto &parameter : net->parameters())
        parameter.mutable_grad().div_(rounds);
      optimizer.step();
      optimizer.zero_grad();
    }
  }
}

void gradient_given_ok(Net net, const Tensors &inputs, torch::Tensor share) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (size_t i = 0; i < inputs.size(); ++i) {
    net(inputs[i]).pow(2).mean().backward(share);
    if ((i + 1) % 16 == 0) {
      optimizer.step();
      optimizer.zero_grad();
    }
  }
}

// Not accumulated: each round begins with no gradients.
void cleared_each_time_ok(Net net, const Tensors &inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (size_t i = 0; i < inputs.size(); ++i) {
    optimizer.zero_grad();
    net(inputs[i]).pow(2).mean().backward();
    if (i % 16 == 0)
      optimizer.step();
  }
}

void every_few_rounds_ok(Net net, const Tensors &inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (i % 16 == 0) {
      optimizer.zero_grad();
      net(inputs[i]).pow(2).mean().backward();
      optimizer.step();
    }
}

// The generator learns in every fifth round.
void critic_first_ok(Net generator, Net critic, const Tensors &inputs) {
  torch::optim::SGD ofGenerator(generator->parameters(), 0.1), ofCritic(critic->parameters(), 0.1);
  for (size_t i = 0; i < inputs.size(); ++i) {
    ofCritic.zero_grad();
    (critic(generator(inputs[i]).detach()).mean() - critic(inputs[i]).mean()).backward();
    ofCritic.step();
    if (i % 5 == 0) {
      ofGenerator.zero_grad();
      (-critic(generator(inputs[i])).mean()).backward();
      ofGenerator.step();
    }
  }
}

void sum_of_losses_ok(Net net, const Tensors &inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto sum = torch::zeros({});
  for (size_t i = 0; i < inputs.size(); ++i) {
    sum = sum + net(inputs[i]).pow(2).mean();
    if ((i + 1) % 16 == 0) {
      optimizer.zero_grad();
      sum.backward();
      optimizer.step();
      sum = torch::zeros({});
    }
  }
}

void logged_ok(Net net, const Tensors &inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (size_t i = 0; i < inputs.size(); ++i) {
    optimizer.zero_grad();
    auto loss = net(inputs[i]).pow(2).mean();
    loss.backward();
    optimizer.step();
    if (i % 16 == 0)
      std::printf("%f\n", loss.item<double>());
  }
}
