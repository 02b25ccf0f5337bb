// The weights in 16 bits that autocast keeps over an optimizer's step.
#include <torch/torch.h>

#include <ATen/autocast_mode.h>

#include <cstdio>

struct NetImpl : torch::nn::Module {
  NetImpl() {
    layer = register_module("layer", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 2, 3)));
  }
  torch::Tensor forward(torch::Tensor x) { return torch::relu(layer(x)); }
  torch::nn::Conv2d layer{nullptr};
};
TORCH_MODULE(Net);

void never_cleared_bad(torch::Tensor x, torch::Tensor y) {
  Net net;
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    at::autocast::set_enabled(true);        // note: keeps the weights
    auto loss = torch::mse_loss(net(x), y); // expect: ml-amp: from before the optimizer's step
    at::autocast::set_enabled(false);
    loss.backward();
    optimizer.step();       // note: changes them here
    std::printf("%d\n", i); // A library of the system knows nothing of autocast.
  }
}

void cleared_ok(torch::Tensor x, torch::Tensor y) {
  Net net;
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    at::autocast::set_enabled(true);
    auto loss = torch::mse_loss(net(x), y);
    at::autocast::set_enabled(false);
    at::autocast::clear_cache();
    loss.backward();
    optimizer.step();
  }
}

// The end of the outermost region clears the cache, as Python's does.
struct Region {
  Region() {
    at::autocast::set_enabled(true);
    at::autocast::increment_nesting();
  }
  ~Region() {
    if (at::autocast::decrement_nesting() == 0)
      at::autocast::clear_cache();
    at::autocast::set_enabled(false);
  }
};

void cleared_by_region_ok(torch::Tensor x, torch::Tensor y) {
  Net net;
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    torch::Tensor loss;
    {
      Region region;
      loss = torch::mse_loss(net(x), y);
    }
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

// Steps of accumulated gradients: the weights stay good in between.
void cleared_with_the_step_ok(torch::Tensor x, torch::Tensor y) {
  Net net;
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    at::autocast::set_enabled(true);
    auto loss = torch::mse_loss(net(x), y);
    at::autocast::set_enabled(false);
    loss.backward();
    if (i % 4 == 3) {
      optimizer.step();
      optimizer.zero_grad();
      at::autocast::clear_cache();
    }
  }
}

void without_cache_ok(torch::Tensor x, torch::Tensor y) {
  Net net;
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  at::autocast::set_autocast_cache_enabled(false);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    at::autocast::set_enabled(true);
    auto loss = torch::mse_loss(net(x), y);
    at::autocast::set_enabled(false);
    loss.backward();
    optimizer.step();
  }
}

void chosen_cache_ok(torch::Tensor x, torch::Tensor y, bool keep) {
  Net net;
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  at::autocast::set_autocast_cache_enabled(keep);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    at::autocast::set_enabled(true);
    auto loss = torch::mse_loss(net(x), y);
    at::autocast::set_enabled(false);
    loss.backward();
    optimizer.step();
  }
}

// The option decides; nothing is wrong where it is off.
void chosen_autocast_ok(torch::Tensor x, torch::Tensor y, bool cast) {
  Net net;
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    at::autocast::set_enabled(cast);
    auto loss = torch::mse_loss(net(x), y);
    at::autocast::set_enabled(false);
    loss.backward();
    optimizer.step();
  }
}

void finish(int step);

void unseen_ok(torch::Tensor x, torch::Tensor y) {
  Net net;
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    at::autocast::set_enabled(true);
    auto loss = torch::mse_loss(net(x), y);
    at::autocast::set_enabled(false);
    loss.backward();
    optimizer.step();
    finish(i);
  }
}

// A linear layer multiplies by a view of its weight, of which autocast keeps no cast.
void linear_ok(torch::Tensor x, torch::Tensor y) {
  torch::nn::Linear net(2, 1);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    at::autocast::set_enabled(true);
    auto loss = torch::mse_loss(net(x), y);
    at::autocast::set_enabled(false);
    loss.backward();
    optimizer.step();
  }
}

// A frozen encoder does not change.
void other_weights_ok(Net encoder, torch::Tensor x, torch::Tensor y) {
  Net head;
  torch::optim::SGD optimizer(head->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    at::autocast::set_enabled(true);
    auto code = encoder(x);
    at::autocast::set_enabled(false);
    torch::mse_loss(head(code), y).backward();
    optimizer.step();
  }
}

// Every fold has a model of its own.
void folds_ok(torch::Tensor x, torch::Tensor y) {
  for (int fold = 0; fold < 5; ++fold) {
    Net net;
    torch::optim::SGD optimizer(net->parameters(), 0.1);
    at::autocast::set_enabled(true);
    auto loss = torch::mse_loss(net(x), y);
    at::autocast::set_enabled(false);
    loss.backward();
    optimizer.step();
  }
}

// A scope of one's own.
struct Scope {
  Scope() { at::autocast::set_enabled(true); } // note: keeps the weights
  ~Scope() { at::autocast::set_enabled(false); }
};

void scope_bad(torch::Tensor x, torch::Tensor y) {
  Net net;
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  torch::Tensor loss;
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    {
      Scope scope;
      loss = torch::mse_loss(net(x), y); // expect: ml-amp: from before the optimizer's step
    }
    loss.backward();
    optimizer.step(); // note: changes them here
  }
}

struct ClearingScope {
  ClearingScope() { at::autocast::set_enabled(true); }
  ~ClearingScope() {
    at::autocast::set_enabled(false);
    at::autocast::clear_cache();
  }
};

void scope_ok(torch::Tensor x, torch::Tensor y) {
  Net net;
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  torch::Tensor loss;
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    {
      ClearingScope scope;
      loss = torch::mse_loss(net(x), y);
    }
    loss.backward();
    optimizer.step();
  }
}
