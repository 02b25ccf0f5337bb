// A backward under autocast.
#include <torch/torch.h>

#include <ATen/autocast_mode.h>

using Net = torch::nn::Linear;

void left_on_bad(Net net, torch::optim::Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  at::autocast::set_enabled(true); // note: enabled here
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(x), y);
    loss.backward(); // expect: ml-amp: runs under autocast
    optimizer.step();
    at::autocast::clear_cache();
  }
  at::autocast::set_enabled(false);
}

void off_ok(Net net, torch::optim::Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
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

void chosen_ok(Net net, torch::Tensor x, bool cast) {
  at::autocast::set_enabled(cast);
  net(x).sum().backward();
}

void one_way_only_ok(Net net, torch::Tensor x, bool cast) {
  if (cast)
    at::autocast::set_enabled(true);
  net(x).sum().backward();
}

void end();

void unseen_ok(Net net, torch::Tensor x) {
  at::autocast::set_enabled(true);
  auto loss = net(x).sum();
  end();
  loss.backward();
}
