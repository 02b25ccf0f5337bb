// Guards for metrics, updates by hand and frozen parts; through helpers, members and threads.
#include <torch/torch.h>

#include <thread>

using Net = torch::nn::Linear;
struct Batch {
  torch::Tensor data, target;
};
using Batches = std::vector<Batch>;
using Optimizer = torch::optim::Optimizer;

void metrics_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto output = net(batch.data);
    torch::mse_loss(output, batch.target).backward();
    optimizer.step();
    {
      torch::NoGradGuard noGrad;
      auto again = net(batch.data).argmax(1);
    }
  }
}

// The guard ends with the iteration.
void end_of_the_body_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    torch::mse_loss(net(batch.data), batch.target).backward();
    optimizer.step();
    torch::NoGradGuard noGrad;
    auto accuracy = net(batch.data).argmax(1).eq(batch.target).sum().item<int64_t>();
  }
}

void frozen_encoder_ok(Net encoder, Net head, Optimizer &optimizer, const Batches &batches) {
  for (const auto &batch : batches) {
    torch::Tensor features;
    {
      torch::NoGradGuard noGrad;
      features = encoder(batch.data);
    }
    optimizer.zero_grad();
    torch::mse_loss(head(features), batch.target).backward();
    optimizer.step();
  }
}

void target_network_ok(Net online, Net target, Optimizer &optimizer, const Batches &batches) {
  for (const auto &batch : batches) {
    const auto wanted = [&] {
      torch::NoGradGuard noGrad;
      return std::get<0>(target(batch.target).max(1));
    }();
    auto value = std::get<0>(online(batch.data).max(1));
    optimizer.zero_grad();
    torch::smooth_l1_loss(value, wanted).backward();
    optimizer.step();
  }
}

void update_by_hand_ok(Net net, const Batches &batches) {
  for (const auto &batch : batches) {
    torch::mse_loss(net(batch.data), batch.target).backward();
    torch::NoGradGuard noGrad;
    for (auto &parameter : net->parameters()) {
      parameter -= parameter.grad() * 0.1;
      parameter.mutable_grad().reset();
    }
  }
}

// Parameters made under a guard require gradients all the same.
void initialised_under_a_guard_ok(torch::Tensor x, torch::Tensor y) {
  Net net{nullptr};
  torch::Tensor weight;
  {
    torch::NoGradGuard noGrad;
    net = Net(4, 1);
    net->weight.normal_(0, 0.1);
    weight = torch::zeros({4}).requires_grad_();
  }
  torch::mse_loss(net(x * weight), y).backward();
}

// Inference tensors can never be saved for a backward.
void made_under_inference_mode_bad(torch::Tensor x, torch::Tensor y) {
  Net net{nullptr};
  {
    c10::InferenceMode guard;
    net = Net(4, 1);
  }
  auto loss = torch::mse_loss(net(x), y);
  loss.backward(); // miss: ml-backward-under-no-grad: where a module was made is not followed
}

void inference_first_ok(Net net, torch::Tensor x, torch::Tensor y) {
  {
    c10::InferenceMode guard;
    auto before = torch::mse_loss(net(x), y).item<double>();
  }
  torch::mse_loss(net(x), y).backward();
}

void learn(Net &net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  optimizer.zero_grad();
  auto loss = torch::mse_loss(net(x), y);
  loss.backward(); // expect: ml-backward-under-no-grad
  optimizer.step();
}
void guard_in_the_caller_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  torch::NoGradGuard noGrad;
  learn(net, optimizer, x, y);
}

void learnUnguarded(Net &net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  optimizer.zero_grad();
  torch::mse_loss(net(x), y).backward();
  optimizer.step();
}
double evaluate(Net &net, torch::Tensor x, torch::Tensor y) {
  torch::NoGradGuard noGrad;
  return torch::mse_loss(net(x), y).item<double>();
}
void guard_in_a_helper_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int i = 0; i < 100; ++i) {
    learnUnguarded(net, optimizer, x, y);
    evaluate(net, x, y);
  }
}

torch::Tensor predict(Net &net, torch::Tensor x) {
  torch::NoGradGuard noGrad;
  return net(x);
}
void forward_in_a_guarded_helper_bad(Net net, torch::Tensor x, torch::Tensor y) {
  auto loss = torch::mse_loss(predict(net, x), y);
  loss.backward(); // miss: ml-backward-under-no-grad: y may have a graph of its own
}

class Trainer {
public:
  Trainer() : net(4, 1), optimizer(net->parameters(), 0.1) {}
  void fit_bad(const Batches &batches) {
    torch::NoGradGuard noGrad;
    for (const auto &batch : batches)
      fitBatch(batch);
  }
  void fit_ok(const Batches &batches) {
    for (const auto &batch : batches) {
      optimizer.zero_grad();
      lossOf(batch).backward();
      optimizer.step();
    }
    torch::NoGradGuard noGrad;
    for (const auto &batch : batches)
      lossOf(batch).item<double>();
  }

private:
  torch::Tensor lossOf(const Batch &batch) {
    return torch::mse_loss(net(batch.data), batch.target);
  }
  void fitBatch(const Batch &batch) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    loss.backward(); // expect: ml-backward-under-no-grad
    optimizer.step();
  }
  Net net;
  torch::optim::SGD optimizer;
};

// A thread starts with gradients on.
void thread_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  torch::NoGradGuard noGrad;
  std::thread worker([&] {
    optimizer.zero_grad();
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
  });
  worker.join();
}

// Whether it is called under a guard is not known.
void library_ok(Net net, torch::Tensor x) { net(x).mean().backward(); }

// What a sum starts with needs no graph; what is added to it does.
void summed(Net net, Optimizer &optimizer, torch::Tensor x, std::vector<torch::Tensor> targets) {
  for (int i = 0; i < 100; ++i) {
    torch::NoGradGuard noGrad;
    auto output = net(x);
    auto total = torch::zeros({1});
    for (auto &target : targets)
      total += torch::mse_loss(output, target);
    auto loss = 0.5 * total;
    optimizer.zero_grad();
    loss.backward(); // expect: ml-backward-under-no-grad
    optimizer.step();
  }
}

// What is declared behind the guard is used behind it: the guard goes, no braces come.
void declared_behind_the_guard_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  for (const auto &batch : batches) {
    torch::NoGradGuard noGrad;
    auto input = batch.data / 255.0;
    optimizer.zero_grad();
    torch::mse_loss(net(input), batch.target).backward(); // expect: ml-backward-under-no-grad
    optimizer.step();
  }
}

// A list of what is not recorded.
void list_bad(torch::nn::Linear &model, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> outputs;
  for (int i = 0; i < 3; ++i)
    outputs.push_back(model->forward(x[i]));
  optimizer.zero_grad();
  torch::cat(outputs).mean().backward(); // expect: ml-backward-under-no-grad
  optimizer.step();
}
void mixed_list_ok(torch::nn::Linear &model, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  std::vector<torch::Tensor> outputs;
  {
    torch::NoGradGuard no_grad;
    outputs.push_back(model->forward(x[0]));
  }
  outputs.push_back(model->forward(x[1]));
  optimizer.zero_grad();
  torch::cat(outputs).mean().backward();
  optimizer.step();
}

// That the loss is to have a gradient does not bring back what was not recorded.
void silenced_bad(torch::nn::Linear &model, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  optimizer.zero_grad();
  torch::NoGradGuard no_grad;
  auto loss = model->forward(x).mean();
  loss.requires_grad_(true);
  loss.backward(); // expect: ml-backward-under-no-grad
  optimizer.step();
}
// A picture that is made without gradients, and then improved.
void picture_ok(torch::nn::Linear &model, torch::Tensor x) {
  torch::Tensor picture;
  {
    torch::NoGradGuard no_grad;
    picture = model->forward(x);
  }
  picture.requires_grad_(true);
  torch::optim::SGD optimizer({picture}, 0.1);
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    (picture - x).pow(2).mean().backward();
    optimizer.step();
  }
}

// What has no graph for certain says nothing of what it is compared to.
static torch::Tensor score(torch::nn::Linear &net, torch::Tensor x, bool fast) {
  if (fast)
    return net->forward(x);
  return x;
}

void compared_ok(torch::nn::Linear &old, torch::nn::Linear &net, torch::optim::SGD &solver,
                 torch::Tensor x, bool fast) {
  torch::Tensor before;
  {
    torch::NoGradGuard guard;
    before = old->forward(x);
  }
  for (int i = 0; i < 9; ++i) {
    solver.zero_grad();
    auto loss = (before - score(net, x, fast)).abs().mean();
    loss.backward();
    solver.step();
  }
}
