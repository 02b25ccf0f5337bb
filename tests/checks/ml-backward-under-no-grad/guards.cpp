// The forward decides: what was recorded can be differentiated, what was not cannot.
#include <torch/torch.h>

using Net = torch::nn::Linear;
struct Batch {
  torch::Tensor data, target;
};
using Batches = std::vector<Batch>;
using Optimizer = torch::optim::Optimizer;

void no_grad_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  torch::NoGradGuard noGrad;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    loss.backward(); // expect: ml-backward-under-no-grad
    optimizer.step();
  }
}

void inference_mode_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  c10::InferenceMode guard;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    torch::mse_loss(net(batch.data), batch.target).backward(); // expect: ml-backward-under-no-grad
    optimizer.step();
  }
}

void switched_off_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  torch::AutoGradMode guard(false);
  optimizer.zero_grad();
  auto loss = torch::mse_loss(net->forward(x), y);
  loss.backward(); // expect: ml-backward-under-no-grad
  optimizer.step();
}

void set_enabled_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  torch::GradMode::set_enabled(false);
  optimizer.zero_grad();
  auto loss = torch::mse_loss(net(x), y);
  loss.backward(); // expect: ml-backward-under-no-grad
  optimizer.step();
}

void set_enabled_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  torch::GradMode::set_enabled(false);
  auto before = torch::mse_loss(net(x), y).item<double>();
  torch::GradMode::set_enabled(true);
  optimizer.zero_grad();
  torch::mse_loss(net(x), y).backward();
  optimizer.step();
}

// Off since the first epoch's validation.
void never_enabled_again_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(x), y);
    loss.backward(); // expect: ml-backward-under-no-grad
    optimizer.step();
    torch::GradMode::set_enabled(false);
    auto validation = torch::mse_loss(net(x), y).item<double>();
  }
}

void guard_around_the_backward_only_ok(Net net, torch::Tensor x, torch::Tensor y) {
  auto loss = torch::mse_loss(net(x), y);
  torch::NoGradGuard noGrad;
  loss.backward();
}

void guard_around_the_forward_only_bad(Net net, torch::Tensor x, torch::Tensor y) {
  torch::Tensor loss;
  {
    torch::NoGradGuard noGrad;
    loss = torch::mse_loss(net(x), y);
  }
  loss.backward(); // expect: ml-backward-under-no-grad
}

void nested_ok(Net net, torch::Tensor x, torch::Tensor y) {
  torch::NoGradGuard noGrad;
  {
    torch::AutoGradMode enabled(true);
    torch::mse_loss(net(x), y).backward();
  }
}

void nested_bad(Net net, torch::Tensor x, torch::Tensor y) {
  torch::AutoGradMode enabled(true);
  {
    torch::NoGradGuard noGrad;
    torch::mse_loss(net(x), y).backward(); // expect: ml-backward-under-no-grad
  }
}

// These guard nothing.
void temporaries_ok(Net net, torch::Tensor x, torch::Tensor y) {
  torch::NoGradGuard();
  torch::NoGradGuard{};
  torch::mse_loss(net(x), y).backward();
}

// And this one declares a guard.
void parentheses_bad(Net net, torch::Tensor x, torch::Tensor y) {
  torch::NoGradGuard(noGrad);
  torch::mse_loss(net(x), y).backward(); // expect: ml-backward-under-no-grad
}

void enabled_guard_ok(Net net, torch::Tensor x, torch::Tensor y) {
  torch::AutoGradMode guard(true);
  c10::InferenceMode off(false);
  torch::mse_loss(net(x), y).backward();
}

// By a switch: who trains passes true.
double run(Net &net, Optimizer *optimizer, torch::Tensor x, torch::Tensor y, bool learns) {
  torch::AutoGradMode guard(learns);
  auto loss = torch::mse_loss(net(x), y);
  if (learns) {
    optimizer->zero_grad();
    loss.backward();
    optimizer->step();
  }
  return loss.item<double>();
}
void switch_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  run(net, &optimizer, x, y, true);
  run(net, nullptr, x, y, false);
}

void in_one_branch_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int i = 0; i < 100; ++i) {
    if (i % 10 == 0) {
      torch::NoGradGuard noGrad;
      auto validation = torch::mse_loss(net(x), y).item<double>();
    } else {
      optimizer.zero_grad();
      torch::mse_loss(net(x), y).backward();
      optimizer.step();
    }
  }
}

// --- of a model that nobody has seen ----------------------------------------------------------------

struct Policy {
  virtual torch::Tensor forward(torch::Tensor x) = 0;
};

void unseen_bad(Policy &policy, torch::optim::Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  torch::NoGradGuard guard;
  auto loss = torch::mse_loss(policy.forward(x), y);
  optimizer.zero_grad();
  loss.backward(); // expect: ml-backward-under-no-grad (level 0): this backward finds no graph
  optimizer.step();
}

// The same tensor may be a leaf.
void unseen_ok(Policy &policy, torch::Tensor x) {
  torch::NoGradGuard guard;
  auto same = policy.forward(x);
  torch::AutoGradMode on(true);
  same.sum().backward();
}
