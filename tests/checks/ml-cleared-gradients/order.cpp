// Cleared between backward and step: the step has nothing to do.
#include <torch/torch.h>

using Net = torch::nn::Linear;
torch::Tensor lossOf(Net &net);

void between_bad(Net net, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) {
    auto loss = lossOf(net);
    loss.backward();
    optimizer.zero_grad(); // expect: ml-cleared-gradients
    optimizer.step();
  }
}

void before_ok(Net net, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
  }
}

void between_forward_and_backward_ok(Net net, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) {
    auto loss = lossOf(net);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

void after_the_step_ok(Net net, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    optimizer.step();
    optimizer.zero_grad();
  }
}

// Cleared twice, once at the wrong place.
void also_between_bad(Net net, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.zero_grad(); // expect: ml-cleared-gradients
    optimizer.step();
  }
}

void through_the_module_bad(torch::Tensor x, torch::Tensor y) {
  Net net(4, 1);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    torch::mse_loss(net(x), y).backward();
    net->zero_grad(); // expect: ml-cleared-gradients
    optimizer.step();
  }
}

void to_zeros_bad(torch::Tensor x, torch::Tensor y) {
  Net net(4, 1);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    torch::mse_loss(net(x), y).backward();
    net->zero_grad(false); // expect: ml-cleared-gradients
    optimizer.step();
  }
}

void once_bad(torch::Tensor x, torch::Tensor y) {
  Net net(4, 1);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  torch::mse_loss(net(x), y).backward();
  optimizer.zero_grad(); // expect: ml-cleared-gradients
  optimizer.step();
}

// What stands between them does not matter.
void with_clipping_bad(torch::Tensor x, torch::Tensor y) {
  Net net(4, 1);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    auto loss = torch::mse_loss(net(x), y);
    loss.backward();
    torch::nn::utils::clip_grad_norm_(net->parameters(), 1.0);
    auto value = loss.item<double>();
    optimizer.zero_grad(); // expect: ml-cleared-gradients
    optimizer.step();
  }
}

void closure_bad(torch::Tensor x, torch::Tensor y) {
  Net net(4, 1);
  torch::optim::LBFGS optimizer(net->parameters());
  for (int i = 0; i < 100; ++i)
    optimizer.step([&] {
      auto loss = torch::mse_loss(net(x), y);
      loss.backward();
      optimizer.zero_grad(); // expect: ml-cleared-gradients (no fix)
      return loss;
    });
}

void closure_ok(torch::Tensor x, torch::Tensor y) {
  Net net(4, 1);
  torch::optim::LBFGS optimizer(net->parameters());
  for (int i = 0; i < 100; ++i)
    optimizer.step([&] {
      optimizer.zero_grad();
      auto loss = torch::mse_loss(net(x), y);
      loss.backward();
      return loss;
    });
}

void accumulation_ok(torch::Tensor x, torch::Tensor y) {
  Net net(4, 1);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  optimizer.zero_grad();
  for (int i = 1; i <= 100; ++i) {
    (torch::mse_loss(net(x), y) / 4).backward();
    if (i % 4 == 0) {
      optimizer.step();
      optimizer.zero_grad();
    }
  }
}

// A bad batch is thrown away on purpose.
void skipped_ok(torch::Tensor x, torch::Tensor y) {
  Net net(4, 1);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    torch::mse_loss(net(x), y).backward();
    if (torch::nn::utils::clip_grad_norm_(net->parameters(), 1.0) > 100) {
      optimizer.zero_grad();
      continue;
    }
    optimizer.step();
    optimizer.zero_grad();
  }
}

void skipped_at_the_top_ok(torch::Tensor x, torch::Tensor y) {
  Net net(4, 1);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(x), y);
    loss.backward();
    if (loss.item<double>() > 100)
      continue;
    optimizer.step();
  }
}

void last_clear_ok(torch::Tensor x, torch::Tensor y) {
  Net net(4, 1);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  torch::mse_loss(net(x), y).backward();
  optimizer.step();
  optimizer.zero_grad();
}
