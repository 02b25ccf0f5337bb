// Evaluation mode, and gradients nevertheless; forwards without a graph.
#include <torch/torch.h>

using Net = torch::nn::Linear;

torch::Tensor saliency_ok(Net net, torch::Tensor image) {
  net->eval();
  image.requires_grad_();
  net(image).max().backward();
  return image.grad().abs();
}

torch::Tensor adversarial_ok(Net net, torch::Tensor image, torch::Tensor target) {
  net->eval();
  auto input = image.clone().requires_grad_();
  auto loss = torch::mse_loss(net(input), target);
  auto gradient = torch::autograd::grad({loss}, {input})[0];
  return image + gradient * 0.01;
}

// Fine-tuning with frozen statistics.
void training_in_eval_mode_ok(Net net, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  net->eval();
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
  }
}

void frozen_ok(Net net, torch::Tensor x) {
  net->eval();
  for (auto &parameter : net->parameters())
    parameter.requires_grad_(false);
  auto prediction = net(x).argmax(1).sum().item<int64_t>();
}

// A frozen encoder under a guard, a head that learns.
void encoder_and_head_ok(Net encoder, Net head, torch::optim::Optimizer &optimizer, torch::Tensor x,
                         torch::Tensor y) {
  encoder->eval();
  for (int i = 0; i < 100; ++i) {
    torch::Tensor features;
    {
      torch::NoGradGuard noGrad;
      features = encoder(x);
    }
    optimizer.zero_grad();
    torch::mse_loss(head(features), y).backward();
    optimizer.step();
  }
}

void gradient_penalty_ok(Net critic, torch::optim::Optimizer &optimizer, torch::Tensor real,
                         torch::Tensor fake) {
  for (int i = 0; i < 100; ++i) {
    auto mixed = (real * 0.5 + fake * 0.5).requires_grad_();
    auto score = critic(mixed);
    auto gradient =
        torch::autograd::grad({score}, {mixed}, {torch::ones_like(score)}, true, true)[0];
    auto penalty = (gradient.norm(2, {1}) - 1).pow(2).mean();
    optimizer.zero_grad();
    (critic(fake).mean() - critic(real).mean() + penalty * 10).backward();
    optimizer.step();
  }
}

class Environment {
public:
  torch::Tensor reset();
  std::pair<torch::Tensor, double> act(int64_t action);
};

void reinforce_ok(Net policy, torch::optim::Optimizer &optimizer, Environment &environment) {
  for (int episode = 0; episode < 100; ++episode) {
    std::vector<torch::Tensor> terms;
    auto state = environment.reset();
    for (int t = 0; t < 200; ++t) {
      auto probabilities = torch::softmax(policy(state), -1);
      auto action = probabilities.multinomial(1).item<int64_t>();
      auto [next, reward] = environment.act(action);
      terms.push_back(-probabilities[action].log() * reward);
      state = next;
    }
    optimizer.zero_grad();
    torch::stack(terms).sum().backward();
    optimizer.step();
  }
}

void target_network_ok(Net online, Net target, torch::optim::Optimizer &optimizer,
                       torch::Tensor state, torch::Tensor next) {
  for (int i = 0; i < 100; ++i) {
    torch::Tensor wanted;
    {
      torch::NoGradGuard noGrad;
      wanted = std::get<0>(target(next).max(1));
    }
    auto value = std::get<0>(online(state).max(1));
    optimizer.zero_grad();
    torch::smooth_l1_loss(value, wanted).backward();
    optimizer.step();
  }
}

void adversarial_training_ok(Net generator, Net discriminator,
                             torch::optim::Optimizer &generatorOptimizer,
                             torch::optim::Optimizer &discriminatorOptimizer, torch::Tensor real) {
  for (int i = 0; i < 100; ++i) {
    auto fake = generator(torch::randn({8, 4}));
    discriminatorOptimizer.zero_grad();
    (discriminator(fake.detach()).mean() - discriminator(real).mean()).backward();
    discriminatorOptimizer.step();
    generatorOptimizer.zero_grad();
    (-discriminator(fake).mean()).backward();
    generatorOptimizer.step();
  }
}

// Pictures for the log.
void samples_bad(Net generator, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    generator(torch::randn({8, 4})).mean().backward();
    optimizer.step();
    if (i % 10 == 0) {
      auto samples = generator(torch::randn({8, 4})); // expect: ml-missing-no-grad
      torch::save(samples, "samples.pt");
    }
  }
}
