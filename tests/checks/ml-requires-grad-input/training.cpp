// Training loops that ask for gradients of their inputs and labels.
#include <torch/torch.h>

#include <vector>

using Net = torch::nn::Linear;

template <typename Loader> void batches_bad(Net net, Loader &loader, torch::Device device) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &batch : *loader) {
    auto data = batch.data.to(device).requires_grad_(); // expect: ml-requires-grad-input
    auto target = batch.target.to(device);
    optimizer.zero_grad();
    torch::mse_loss(net(data), target).backward();
    optimizer.step();
  }
}

void run_batches(Net net, torch::Device device) {
  auto loader = torch::data::make_data_loader(
      torch::data::datasets::MNIST("data").map(torch::data::transforms::Stack<>()),
      torch::data::DataLoaderOptions().batch_size(8));
  batches_bad(net, loader, device);
}

void statement_bad(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto x = torch::rand({8, 4});
  x.requires_grad_(); // expect: ml-requires-grad-input
  auto y = torch::rand({8, 1});
  y.set_requires_grad(true); // expect: ml-requires-grad-input
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    optimizer.step();
  }
}

void options_bad(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto x = torch::randn({8, 4}, torch::requires_grad()); // expect: ml-requires-grad-input (no fix)
  auto y = torch::randn({8, 1});
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    optimizer.step();
  }
}

void part_bad(Net net, torch::Device device) {
  auto loader = torch::data::make_data_loader(
      torch::data::datasets::MNIST("data").map(torch::data::transforms::Stack<>()),
      torch::data::DataLoaderOptions().batch_size(8));
  torch::optim::Adam optimizer(net->parameters(), 0.1);
  for (auto &batch : *loader) {
    batch.data.set_requires_grad(true); // expect: ml-requires-grad-input
    optimizer.zero_grad();
    torch::nll_loss(net(batch.data), batch.target).backward();
    optimizer.step();
  }
}

// --- right ---------------------------------------------------------------------------------------

void adversarial_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto x = torch::rand({8, 4}), y = torch::rand({8, 1});
  x.requires_grad_();
  torch::mse_loss(net(x), y).backward();
  auto attacked = (x + 0.1 * x.grad().sign()).detach();
  optimizer.zero_grad();
  torch::mse_loss(net(attacked), y).backward();
  optimizer.step();
}

void optimised_input_ok(Net net) {
  auto x = torch::rand({8, 4}), y = torch::rand({8, 1});
  x.requires_grad_();
  torch::optim::SGD optimizer({x}, 0.1);
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
  }
}

void optimised_in_a_list_ok(Net net) {
  auto x = torch::rand({8, 4}), y = torch::rand({8, 1});
  x.requires_grad_();
  std::vector<torch::Tensor> parameters = net->parameters();
  parameters.push_back(x);
  torch::optim::SGD optimizer(parameters, 0.1);
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
  }
}

void weight_ok(torch::Tensor x, torch::Tensor y) {
  auto weight = torch::randn({4, 1}, torch::requires_grad());
  torch::optim::SGD optimizer(std::vector<torch::Tensor>{weight}, 0.1);
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    torch::mse_loss(torch::matmul(x, weight), y).backward();
    optimizer.step();
  }
}

torch::Tensor returned_ok(Net net, torch::optim::SGD &optimizer) {
  auto x = torch::rand({8, 4}).requires_grad_();
  optimizer.zero_grad();
  net(x).mean().backward();
  optimizer.step();
  return x;
}

void look(torch::Tensor x);

void handed_on_ok(Net net, torch::optim::SGD &optimizer) {
  auto x = torch::rand({8, 4}).requires_grad_();
  optimizer.zero_grad();
  net(x).mean().backward();
  optimizer.step();
  look(x);
}

void of_the_caller_ok(Net net, torch::optim::SGD &optimizer, torch::Tensor x) {
  x.requires_grad_();
  optimizer.zero_grad();
  net(x).mean().backward();
  optimizer.step();
}

void saliency_ok(Net net) {
  auto x = torch::rand({8, 4}).requires_grad_();
  net(x).mean().backward(); // There is no step: somebody wants the gradients.
}

void switched_off_ok(Net net, torch::optim::SGD &optimizer) {
  auto x = torch::rand({8, 4}).requires_grad_(false);
  optimizer.zero_grad();
  net(x).mean().backward();
  optimizer.step();
}

struct Trainer {
  Net net{4, 1};
  torch::Tensor kept;

  void step(torch::optim::SGD &optimizer) { // Another method may look.
    kept = torch::rand({8, 4}).requires_grad_();
    auto other = torch::rand({8, 4}).requires_grad_();
    kept = other;
    optimizer.zero_grad();
    net(other).mean().backward();
    optimizer.step();
  }
};

template <typename Batch> void attack(Batch &batch);

void handed_on_with_the_batch_ok(Net net) {
  auto loader = torch::data::make_data_loader(
      torch::data::datasets::MNIST("data").map(torch::data::transforms::Stack<>()),
      torch::data::DataLoaderOptions().batch_size(8));
  torch::optim::Adam optimizer(net->parameters(), 0.1);
  for (auto &batch : *loader) {
    batch.data.set_requires_grad(true);
    optimizer.zero_grad();
    torch::nll_loss(net(batch.data), batch.target).backward();
    attack(batch);
    optimizer.step();
  }
}

void made_up_bad(Net net, torch::optim::SGD &optimizer) {
  auto slope = torch::randn({1, 5}, torch::requires_grad(true)); // expect: ml-requires-grad-input (no fix)
  auto x = torch::randn({10, 5}, torch::requires_grad(true)) * 100 + 100; // expect: ml-requires-grad-input (no fix)
  auto y = torch::matmul(x, slope.t());
  optimizer.zero_grad();
  torch::mse_loss(net(x), y).backward();
  optimizer.step();
}

// It is trained, beside the module.
void scaled_ok(Net net, torch::Tensor x, torch::Tensor y) {
  auto scale = torch::ones({1}, torch::requires_grad(true));
  std::vector<torch::Tensor> parameters = net->parameters();
  parameters.push_back(scale);
  torch::optim::SGD optimizer(parameters, 0.1);
  auto scaled = x * scale;
  optimizer.zero_grad();
  torch::mse_loss(net(scaled), y).backward();
  optimizer.step();
}

// A number that is computed of it has its gradient.
torch::Tensor sensitivity_ok(Net net, torch::optim::SGD &optimizer, torch::Tensor y) {
  auto x = torch::randn({10, 5}, torch::requires_grad(true));
  auto shifted = x + 1;
  optimizer.zero_grad();
  torch::mse_loss(net(shifted), y).backward();
  optimizer.step();
  return shifted;
}
