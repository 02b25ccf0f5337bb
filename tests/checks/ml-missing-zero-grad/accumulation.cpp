// Several backwards before one step are no bug: the step is what uses gradients up.
#include <torch/torch.h>

using Net = torch::nn::Linear;
using Batches = std::vector<torch::data::Example<>>;

void every_fourth_batch_ok(Net net, const Batches &batches) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  int i = 0;
  for (const auto &batch : batches) {
    auto loss = torch::mse_loss(net(batch.data), batch.target) / 4;
    loss.backward();
    if (++i % 4 == 0) {
      optimizer.step();
      optimizer.zero_grad();
    }
  }
}

void cleared_and_stepped_under_two_conditions_ok(Net net, const Batches &batches) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (size_t i = 0; i < batches.size(); ++i) {
    if (i % 4 == 0)
      optimizer.zero_grad();
    torch::mse_loss(net(batches[i].data), batches[i].target).backward();
    if (i % 4 == 3)
      optimizer.step();
  }
}

void correlated_flag_ok(Net net, const Batches &batches) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (size_t i = 0; i < batches.size(); ++i) {
    torch::mse_loss(net(batches[i].data), batches[i].target).backward();
    const bool last = (i + 1) % 4 == 0;
    if (last)
      optimizer.step();
    if (i > 10)
      net->train();
    if (last)
      optimizer.zero_grad();
  }
}

void repeated_condition_ok(Net net, const Batches &batches, int window) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  int i = 0;
  for (const auto &batch : batches) {
    ++i;
    torch::mse_loss(net(batch.data), batch.target).backward();
    if (i % window == 0)
      optimizer.step();
    if (i % window == 0)
      optimizer.zero_grad();
  }
}

void opposite_conditions_bad(Net net, const Batches &batches, int window) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  int i = 0;
  for (const auto &batch : batches) {
    ++i;
    torch::mse_loss(net(batch.data), batch.target).backward();
    if (i % window == 0)
      optimizer.step(); // miss: ml-missing-zero-grad: a clear under a condition may be the right one
    if (i % window != 0)
      optimizer.zero_grad();
  }
}

void window_without_a_clear_bad(Net net, const Batches &batches) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  int i = 0;
  for (const auto &batch : batches) {
    torch::mse_loss(net(batch.data), batch.target).backward();
    if (++i % 4 == 0)
      optimizer.step(); // expect: ml-missing-zero-grad
  }
}

void inner_loop_ok(Net net, const Batches &batches) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 10; ++epoch) {
    optimizer.zero_grad();
    for (const auto &batch : batches)
      (torch::mse_loss(net(batch.data), batch.target) / 4).backward();
    optimizer.step();
  }
}

void several_losses_ok(Net net, const Batches &batches) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto output = net(batch.data);
    torch::mse_loss(output, batch.target).backward({}, /*retain_graph=*/true);
    output.pow(2).mean().backward();
    optimizer.step();
  }
}

void sum_of_losses_ok(Net net, const Batches &batches) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  optimizer.zero_grad();
  torch::Tensor total = torch::zeros({1});
  for (const auto &batch : batches)
    total += torch::mse_loss(net(batch.data), batch.target);
  total.backward();
  optimizer.step();
}

// One backward only: the other steps have nothing new, and nothing old was added to.
void one_backward_many_steps_ok(Net net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  torch::mse_loss(net(x), y).backward();
  for (int i = 0; i < 10; ++i)
    optimizer.step();
}

// Several steps over one and the same gradient in each round: the steps are deliberate, and the
// gradients are cleared before anything is added.
void two_steps_ok(Net net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
    optimizer.step();
  }
}

// The first of several batches clears, the last one steps: two optimizers ask the same.
struct Pack {
  Net net;
  std::shared_ptr<torch::optim::SGD> optimizer;
  int step = 0;
};

void train_both(Pack &actor, Pack &critic, torch::Tensor x, torch::Tensor y) {
  const bool first = actor.step % 4 == 0, last = (actor.step + 1) % 4 == 0;
  if (first)
    critic.optimizer->zero_grad();
  (torch::mse_loss(critic.net(x), y) / 4).backward();
  if (last)
    critic.optimizer->step();
  if (first)
    actor.optimizer->zero_grad();
  (torch::mse_loss(actor.net(x), y) / 4).backward();
  if (last)
    actor.optimizer->step();
  ++actor.step;
}

Pack make_pack() {
  Pack pack;
  pack.net = Net(2, 1);
  pack.optimizer = std::make_shared<torch::optim::SGD>(pack.net->parameters(), 0.1);
  return pack;
}

void first_and_last_ok(torch::Tensor x, torch::Tensor y) {
  auto actor = make_pack(), critic = make_pack();
  for (int step = 0; step < 400; ++step)
    train_both(actor, critic, x, y);
}
