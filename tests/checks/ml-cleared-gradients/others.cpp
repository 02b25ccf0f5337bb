// Clearing the gradients of other parameters is right; so is clearing what was looked at.
#include <torch/torch.h>

using Net = torch::nn::Linear;

void adversarial_ok(Net generator, Net discriminator, torch::Tensor real) {
  torch::optim::Adam generatorOptimizer(generator->parameters());
  torch::optim::Adam discriminatorOptimizer(discriminator->parameters());
  for (int i = 0; i < 100; ++i) {
    auto fake = generator(torch::randn({8, 4}));
    (-discriminator(fake).mean()).backward();
    discriminatorOptimizer.zero_grad();
    generatorOptimizer.step();
    generatorOptimizer.zero_grad();

    (discriminator(fake.detach()).mean() - discriminator(real).mean()).backward();
    discriminatorOptimizer.step();
    discriminatorOptimizer.zero_grad();
  }
}

void adversarial_bad(Net generator, Net discriminator, torch::Tensor real) {
  torch::optim::Adam generatorOptimizer(generator->parameters());
  torch::optim::Adam discriminatorOptimizer(discriminator->parameters());
  for (int i = 0; i < 100; ++i) {
    auto fake = generator(torch::randn({8, 4}));
    discriminatorOptimizer.zero_grad();
    (discriminator(fake.detach()).mean() - discriminator(real).mean()).backward();
    discriminatorOptimizer.step();

    (-discriminator(fake).mean()).backward();
    generatorOptimizer.zero_grad(); // expect: ml-cleared-gradients
    generatorOptimizer.step();
  }
}

void actor_and_critic_ok(Net actor, Net critic, torch::Tensor state, torch::Tensor wanted) {
  torch::optim::Adam actorOptimizer(actor->parameters());
  torch::optim::Adam criticOptimizer(critic->parameters());
  for (int i = 0; i < 100; ++i) {
    criticOptimizer.zero_grad();
    torch::mse_loss(critic(state), wanted).backward();
    actorOptimizer.zero_grad();
    criticOptimizer.step();
    (-critic(actor(state)).mean()).backward();
    actorOptimizer.step();
  }
}

// The other module has no part in the step.
void other_module_ok(Net net, Net teacher, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    torch::mse_loss(net(x), teacher(x)).backward();
    teacher->zero_grad();
    optimizer.step();
  }
}

// Sharpness-aware: the first gradients move the weights, the second are stepped.
void two_passes_ok(Net net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    torch::mse_loss(net(x), y).backward();
    {
      torch::NoGradGuard noGrad;
      for (auto &parameter : net->parameters())
        parameter.add_(parameter.grad(), 0.05);
    }
    optimizer.zero_grad();
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
    optimizer.zero_grad();
  }
}

// Only looked at.
double sensitivity_ok(Net net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  torch::mse_loss(net(x), y).backward();
  const double norm = net->weight.grad().norm().item<double>();
  optimizer.zero_grad();
  for (int i = 0; i < 100; ++i) {
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
    optimizer.zero_grad();
  }
  return norm;
}

class Scheduler {
public:
  void zero_grad();
  void step();
};
void lookalike_ok(Scheduler &scheduler, torch::optim::Optimizer &optimizer, Net net,
                  torch::Tensor x) {
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(x).mean().backward();
    scheduler.zero_grad();
    scheduler.step();
    optimizer.step();
  }
}
