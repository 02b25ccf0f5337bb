// The framework's own generator of random numbers.
#include <torch/torch.h>

static void step(torch::nn::Linear &net, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  optimizer.zero_grad();
  net(torch::dropout(x, 0.5, true)).sum().backward();
  optimizer.step();
}

void each_epoch_bad(torch::nn::Linear &net, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    torch::manual_seed(1); // expect: ml-reseeded-engine (level 1): begins with the same random numbers
    for (int i = 0; i < 10; ++i)
      step(net, optimizer, x);
  }
}

void named_bad(torch::nn::Linear &net, torch::optim::Optimizer &optimizer, torch::Tensor x, int seed) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    torch::manual_seed(seed); // expect: ml-reseeded-engine (level 1): begins with the same random numbers
    step(net, optimizer, x);
  }
}

void once_ok(torch::nn::Linear &net, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  torch::manual_seed(1);
  for (int epoch = 0; epoch < 10; ++epoch)
    step(net, optimizer, x);
}

void of_epoch_ok(torch::nn::Linear &net, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    torch::manual_seed(epoch);
    step(net, optimizer, x);
  }
}

// Each of several trainings begins alike.
void trainings_ok(torch::Tensor x) {
  for (double rate : {0.1, 0.01}) {
    torch::manual_seed(1);
    torch::nn::Linear net(4, 4);
    torch::optim::SGD optimizer(net->parameters(), rate);
    for (int i = 0; i < 10; ++i)
      step(net, optimizer, x);
  }
}

// The same noise for each of the inputs.
void shown_ok(torch::nn::Linear &net, const std::vector<torch::Tensor> &inputs) {
  torch::NoGradGuard guard;
  for (const torch::Tensor &x : inputs) {
    torch::manual_seed(1);
    std::cout << net(x + torch::randn_like(x)) << '\n';
  }
}

static void run(double rate, torch::Tensor x) {
  torch::nn::Linear net(4, 4);
  torch::optim::SGD optimizer(net->parameters(), rate);
  for (int i = 0; i < 10; ++i)
    step(net, optimizer, x);
}

void trainings_elsewhere_ok(torch::Tensor x) {
  for (double rate : {0.1, 0.01}) {
    torch::manual_seed(1);
    run(rate, x);
  }
}

void first_ok(torch::nn::Linear &net, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    if (epoch == 0)
      torch::manual_seed(1);
    step(net, optimizer, x);
  }
}
