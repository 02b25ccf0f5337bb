// Numbers of each parameter.
#include <torch/torch.h>

#include <cmath>
#include <iostream>
#include <vector>

using Net = torch::nn::Linear;
using torch::Tensor;
using Batches = std::vector<torch::data::Example<>>;

static const torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);

class Scaled : public torch::optim::Optimizer {
public:
  using Optimizer::Optimizer;
  Tensor step(LossClosure closure = nullptr) override {
    torch::NoGradGuard guard;
    Tensor loss;
    for (auto &group : param_groups())
      for (auto &p : group.params()) {
        if (!p.grad().defined())
          continue;
        Tensor norm = p.square().sum();
        if (norm.item<double>() > 0) // expect: ml-sync-in-loop: in every step of the training
          p.add_(p.grad() / norm);
      }
    return loss;
  }

  /// Whoever asks for it may wait.
  double norm_ok() {
    double sum = 0;
    for (auto &group : param_groups())
      for (auto &p : group.params())
        sum += p.grad().norm().item<double>();
    return sum;
  }
};

double normOf(const std::vector<Tensor> &parameters) {
  double squares = 0;
  for (const auto &p : parameters)
    if (p.grad().defined()) {
      auto norm = p.grad().norm(2).item<double>(); // expect: ml-sync-in-loop: each parameter
      squares += norm * norm;
    }
  return std::sqrt(squares);
}

double countedOf(const std::vector<Tensor> &parameters) {
  double largest = 0;
  for (size_t i = 0; i < parameters.size(); ++i)
    largest = std::max(largest, parameters[i].grad().max().item<double>()); // expect: ml-sync-in-loop: each parameter
  return largest;
}

double onDevice(const std::vector<Tensor> &parameters) {
  std::vector<Tensor> norms;
  for (const auto &p : parameters)
    norms.push_back(p.grad().norm(2));
  return torch::stack(norms).norm(2).item<double>();
}

void clipped(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  double sum = 0;
  const auto parameters = net->parameters();
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    torch::mse_loss(net(batch.data.to(device)), batch.target.to(device)).backward();
    sum += normOf(parameters) + countedOf(parameters);
    sum += onDevice(parameters); // expect: ml-sync-in-loop (level 2): this call reads
    optimizer.step();
  }
  std::cout << sum;
}

/// Of the weights of the losses, say: nobody knows where they are.
double sumOf_ok(const std::vector<Tensor> &numbers) {
  double sum = 0;
  for (const auto &number : numbers)
    sum += number.item<double>();
  return sum;
}

void shown_ok(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  int round = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    torch::mse_loss(net(batch.data.to(device)), batch.target.to(device)).backward();
    if (round++ % 100 == 0)
      for (const auto &p : net->parameters())
        std::cout << p.grad().norm().item<double>();
    optimizer.step();
  }
}

// ---- before a step

void scaled_bad(Net net, torch::optim::Optimizer &optimizer) {
  float largest = 0;
  for (auto &p : net->parameters()) {
    if (!p.grad().defined())
      continue;
    largest = std::max(largest, p.grad().abs().max().item<float>()); // expect: ml-sync-in-loop: in every step
  }
  for (auto &p : net->parameters())
    p.mutable_grad().div_(largest);
  optimizer.step();
}

void nanOf_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    torch::mse_loss(net(batch.data.to(device)), batch.target.to(device)).backward();
    for (const auto &p : net->parameters())
      if (p.grad().defined() && torch::isnan(p.grad()).any().item<bool>()) { // expect: ml-sync-in-loop: each parameter
        std::cout << "NaN";
        break;
      }
    optimizer.step();
  }
}

struct Memory {
  Tensor count;
};

class Factored : public torch::optim::Optimizer {
public:
  using Optimizer::Optimizer;
  Tensor step(LossClosure closure = nullptr) override {
    torch::NoGradGuard guard;
    Tensor loss;
    for (auto &group : param_groups())
      for (auto &p : group.params()) {
        if (!p.grad().defined())
          continue;
        Memory &memory = memories.at(p.dim());
        memory.count = memory.count + 1;
        const double count = memory.count.item<double>(); // On the CPU, for all that is known.
        if (p.dim() < 2)
          continue;
        Tensor change;
        if (p.dim() == 2)
          change = p.grad().t();
        else
          change = p.grad().view({p.size(0), -1});
        Tensor norm = change.norm();
        if (norm.item<double>() > 1e-10) // expect: ml-sync-in-loop: in every step of the training
          change = change / norm;
        p.add_(change, -1e-3 / count);
      }
    return loss;
  }

private:
  std::vector<Memory> memories;
};
