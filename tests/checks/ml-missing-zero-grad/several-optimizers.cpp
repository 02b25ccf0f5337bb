// What matters is which parameters a backward reaches, and whose optimizer has been cleared.
#include <torch/torch.h>

using Net = torch::nn::Linear;

void only_one_is_cleared_bad(Net actor, Net critic, torch::Tensor x, torch::Tensor y) {
  torch::optim::Adam actorOptimizer(actor->parameters());
  torch::optim::Adam criticOptimizer(critic->parameters());
  for (int i = 0; i < 100; ++i) {
    criticOptimizer.zero_grad();
    torch::mse_loss(critic(x), y).backward();
    criticOptimizer.step();

    torch::mse_loss(actor(x), y).backward();
    actorOptimizer.step(); // expect: ml-missing-zero-grad
  }
}

void the_wrong_one_is_cleared_bad(Net first, Net second, torch::Tensor x, torch::Tensor y) {
  torch::optim::Adam firstOptimizer(first->parameters());
  torch::optim::Adam secondOptimizer(second->parameters());
  for (int i = 0; i < 100; ++i) {
    secondOptimizer.zero_grad();
    torch::mse_loss(first(x), y).backward();
    firstOptimizer.step(); // expect: ml-missing-zero-grad

    secondOptimizer.zero_grad();
    torch::mse_loss(second(x), y).backward();
    secondOptimizer.step();
  }
}

void neither_is_cleared_bad(Net first, Net second, torch::Tensor x, torch::Tensor y) {
  torch::optim::Adam firstOptimizer(first->parameters());
  torch::optim::Adam secondOptimizer(second->parameters());
  for (int i = 0; i < 100; ++i) {
    auto loss = torch::mse_loss(second(first(x)), y);
    loss.backward();
    firstOptimizer.step();  // expect: ml-missing-zero-grad
    secondOptimizer.step(); // expect: ml-missing-zero-grad
  }
}

void actor_and_critic_ok(Net actor, Net critic, torch::Tensor x, torch::Tensor y) {
  torch::optim::Adam actorOptimizer(actor->parameters());
  torch::optim::Adam criticOptimizer(critic->parameters());
  for (int i = 0; i < 100; ++i) {
    auto value = critic(x);
    auto criticLoss = torch::mse_loss(value, y);
    auto actorLoss = -(actor(x) * (y - value.detach())).mean();

    actorOptimizer.zero_grad();
    actorLoss.backward();
    actorOptimizer.step();

    criticOptimizer.zero_grad();
    criticLoss.backward();
    criticOptimizer.step();
  }
}

void cleared_in_turn_ok(Net first, Net second, torch::Tensor x, torch::Tensor y) {
  torch::optim::Adam firstOptimizer(first->parameters());
  torch::optim::Adam secondOptimizer(second->parameters());
  for (int i = 0; i < 100; ++i) {
    firstOptimizer.zero_grad();
    secondOptimizer.zero_grad();
    torch::mse_loss(second(first(x)), y).backward();
    firstOptimizer.step();
    secondOptimizer.step();
  }
}

// The generator's backward adds to the gradients of the discriminator, which are cleared before the
// discriminator's next step.
void gan_ok(Net generator, Net discriminator, const std::vector<torch::Tensor> &batches) {
  torch::optim::Adam generatorOptimizer(generator->parameters());
  torch::optim::Adam discriminatorOptimizer(discriminator->parameters());
  for (const auto &real : batches) {
    discriminator->zero_grad();
    auto realLoss = torch::binary_cross_entropy(discriminator(real), torch::ones({64}));
    realLoss.backward();
    auto fake = generator(torch::randn({64, 4}));
    auto fakeLoss = torch::binary_cross_entropy(discriminator(fake.detach()), torch::zeros({64}));
    fakeLoss.backward();
    discriminatorOptimizer.step();

    generator->zero_grad();
    auto generatorLoss = torch::binary_cross_entropy(discriminator(fake), torch::ones({64}));
    generatorLoss.backward();
    generatorOptimizer.step();
  }
}

// Here nobody clears what the generator's backward leaves in the discriminator.
void gan_bad(Net generator, Net discriminator, const std::vector<torch::Tensor> &batches) {
  torch::optim::Adam generatorOptimizer(generator->parameters());
  torch::optim::Adam discriminatorOptimizer(discriminator->parameters());
  for (const auto &real : batches) {
    auto fake = generator(torch::randn({64, 4}));
    auto loss = torch::binary_cross_entropy(discriminator(real), torch::ones({64})) +
                torch::binary_cross_entropy(discriminator(fake.detach()), torch::zeros({64}));
    loss.backward();
    discriminatorOptimizer.step(); // expect: ml-missing-zero-grad

    generatorOptimizer.zero_grad();
    torch::binary_cross_entropy(discriminator(fake), torch::ones({64})).backward();
    generatorOptimizer.step();
  }
}

// The generator's gradients are cleared too early: the discriminator's loss reaches them again.
void not_detached_ok(Net generator, Net discriminator, const std::vector<torch::Tensor> &batches) {
  torch::optim::Adam generatorOptimizer(generator->parameters());
  torch::optim::Adam discriminatorOptimizer(discriminator->parameters());
  for (const auto &real : batches) {
    generatorOptimizer.zero_grad();
    discriminatorOptimizer.zero_grad();
    auto fake = generator(torch::randn({64, 4}));
    auto loss = discriminator(real).mean() - discriminator(fake).mean();
    loss.backward();
    discriminatorOptimizer.step();
    generatorOptimizer.step();
  }
}

void two_optimizers_of_one_module_ok(Net net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD warmUp(net->parameters(), 0.1);
  torch::optim::Adam main(net->parameters());
  for (int i = 0; i < 10; ++i) {
    warmUp.zero_grad();
    torch::mse_loss(net(x), y).backward();
    warmUp.step();
  }
  for (int i = 0; i < 100; ++i) {
    main.zero_grad();
    torch::mse_loss(net(x), y).backward();
    main.step();
  }
}

// Clearing through one optimizer clears the parameters, which both share.
void cleared_through_the_other_ok(Net net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD first(net->parameters(), 0.1);
  torch::optim::SGD second(net->parameters(), 0.01);
  for (int i = 0; i < 100; ++i) {
    first.zero_grad();
    torch::mse_loss(net(x), y).backward();
    second.step();
  }
}

void frozen_teacher_ok(Net student, Net teacher, torch::Tensor x) {
  torch::optim::Adam optimizer(student->parameters());
  for (int i = 0; i < 100; ++i) {
    auto target = teacher(x).detach();
    optimizer.zero_grad();
    torch::mse_loss(student(x), target).backward();
    optimizer.step();
  }
}

void vectors_ok(std::vector<Net> &nets, torch::Tensor x, torch::Tensor y) {
  std::vector<std::unique_ptr<torch::optim::Optimizer>> optimizers;
  for (auto &net : nets)
    optimizers.push_back(std::make_unique<torch::optim::SGD>(net->parameters(), 0.1));
  for (int i = 0; i < 100; ++i) {
    for (auto &optimizer : optimizers)
      optimizer->zero_grad();
    auto loss = torch::zeros({1});
    for (auto &net : nets)
      loss += torch::mse_loss(net(x), y);
    loss.backward();
    for (auto &optimizer : optimizers)
      optimizer->step();
  }
}

void vectors_bad(std::vector<Net> &nets, torch::Tensor x, torch::Tensor y) {
  std::vector<std::unique_ptr<torch::optim::Optimizer>> optimizers;
  for (auto &net : nets)
    optimizers.push_back(std::make_unique<torch::optim::SGD>(net->parameters(), 0.1));
  for (int i = 0; i < 100; ++i) {
    auto loss = torch::zeros({1});
    for (auto &net : nets)
      loss += torch::mse_loss(net(x), y);
    loss.backward();
    for (auto &optimizer : optimizers)
      optimizer->step(); // expect: ml-missing-zero-grad
  }
}

void each_element_by_itself_ok(std::vector<Net> &nets, torch::Tensor x, torch::Tensor y) {
  std::vector<std::unique_ptr<torch::optim::Optimizer>> optimizers;
  for (auto &net : nets)
    optimizers.push_back(std::make_unique<torch::optim::SGD>(net->parameters(), 0.1));
  for (int i = 0; i < 100; ++i)
    for (size_t k = 0; k < nets.size(); ++k) {
      optimizers[k]->zero_grad();
      torch::mse_loss(nets[k](x), y).backward();
      optimizers[k]->step();
    }
}
