// Through helpers, references, pointers and lambdas; several networks at once.
#include <torch/torch.h>

using Net = torch::nn::Linear;
struct Batch {
  torch::Tensor data, target;
};
using Batches = std::vector<Batch>;
using Optimizer = torch::optim::Optimizer;

void addTo(torch::Tensor &total, const torch::Tensor &loss) {
  total += loss; // expect: ml-loss-accumulation
}
void by_reference_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  auto total = torch::zeros({1});
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    addTo(total, loss);
  }
}

void addDetached(torch::Tensor &total, const torch::Tensor &loss) { total += loss.detach(); }
void by_reference_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  auto total = torch::zeros({1});
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    addDetached(total, loss);
  }
}

void lambda_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  std::vector<torch::Tensor> losses;
  const auto record = [&](const torch::Tensor &loss) {
    losses.push_back(loss); // expect: ml-loss-accumulation
  };
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    record(loss);
  }
}

torch::Tensor learn(Net &net, Optimizer &optimizer, const Batch &batch) {
  optimizer.zero_grad();
  auto loss = torch::mse_loss(net(batch.data), batch.target);
  loss.backward();
  optimizer.step();
  return loss;
}
double returned_loss_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  auto total = torch::zeros({1});
  for (const auto &batch : batches)
    total += learn(net, optimizer, batch); // expect: ml-loss-accumulation
  return total.item<double>();
}

torch::Tensor learnDetached(Net &net, Optimizer &optimizer, const Batch &batch) {
  return learn(net, optimizer, batch).detach();
}
double learnNumber(Net &net, Optimizer &optimizer, const Batch &batch) {
  return learn(net, optimizer, batch).item<double>();
}
double returned_loss_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  auto total = torch::zeros({1});
  double number = 0;
  for (const auto &batch : batches) {
    total += learnDetached(net, optimizer, batch);
    number += learnNumber(net, optimizer, batch);
  }
  return total.item<double>() + number;
}

void adversarial_bad(Net generator, Net discriminator, Optimizer &generatorOptimizer,
                     Optimizer &discriminatorOptimizer, const Batches &batches) {
  std::vector<torch::Tensor> discriminatorLosses, generatorLosses;
  for (const auto &batch : batches) {
    discriminatorOptimizer.zero_grad();
    auto fake = generator(torch::randn({8, 4}));
    auto realLoss = torch::mse_loss(discriminator(batch.data), torch::ones({8, 1}));
    auto fakeLoss = torch::mse_loss(discriminator(fake.detach()), torch::zeros({8, 1}));
    auto discriminatorLoss = realLoss + fakeLoss;
    discriminatorLoss.backward();
    discriminatorOptimizer.step();

    generatorOptimizer.zero_grad();
    auto generatorLoss = torch::mse_loss(discriminator(fake), torch::ones({8, 1}));
    generatorLoss.backward();
    generatorOptimizer.step();

    discriminatorLosses.push_back(discriminatorLoss); // expect: ml-loss-accumulation
    generatorLosses.push_back(generatorLoss.detach());
  }
}

// Replayed experience: states and rewards are data.
void replay_ok(Net critic, Optimizer &optimizer) {
  std::vector<torch::Tensor> states;
  auto returns = torch::zeros({1});
  for (int t = 0; t < 1000; ++t) {
    auto state = torch::rand({4});
    states.push_back(state);
    returns += state.sum();
    optimizer.zero_grad();
    torch::mse_loss(critic(torch::stack(states)), returns).backward();
    optimizer.step();
  }
}

// A list that the caller empties before each call.
void collect(Net &net, torch::Tensor x, std::vector<torch::Tensor> &outputs) {
  outputs.push_back(net(x)); // expect: ml-loss-accumulation (level 2)
}
void emptied_by_the_caller(Net &net, const Batches &batches) {
  std::vector<torch::Tensor> outputs;
  for (const auto &batch : batches) {
    outputs.clear();
    collect(net, batch.data, outputs);
    std::cout << outputs[0].item<double>();
  }
}

// What a module of scripts has as an attribute may have no gradient.
void attributes_ok(const std::vector<std::string> &files) {
  std::vector<torch::Tensor> samples;
  for (const auto &file : files) {
    torch::jit::Module module = torch::jit::load(file);
    samples.push_back(module.attr("image").toTensor());
  }
}
