// Numbers that are read for nothing but an assertion.
#include <torch/torch.h>

#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <vector>

using Net = torch::nn::Linear;
using torch::Tensor;
using Batches = std::vector<torch::data::Example<>>;

static const torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);

// ---- in a module

struct BlockImpl : torch::nn::Module {
  bool isDebugged = false;
  Net fc = register_module("fc", Net(4, 4));

  Tensor forward(Tensor x) {
    x = fc(x);
    if (torch::isnan(x).any().item<bool>()) // expect: ml-sync-in-loop: whenever the module computes
      std::cerr << "NaN in " << x << std::endl;
    const bool isFinite = torch::isfinite(x).any().item<bool>(); // expect: ml-sync-in-loop: an assertion
    if (!isFinite)
      throw std::runtime_error("not finite");
    check(x);
    return x;
  }

  Tensor check(Tensor x) {
    TORCH_CHECK(x.max().item<float>() <= 1.0f, "too large"); // expect: ml-sync-in-loop: an assertion
    return x;
  }

  Tensor debugged_ok(Tensor x) {
    x = fc(x);
    if (isDebugged && torch::isnan(x).any().item<bool>())
      std::cerr << "NaN\n";
    if (isDebugged) {
      if (torch::isnan(x).any().item<bool>())
        std::cerr << "NaN\n";
    }
#ifndef NDEBUG
    if (torch::isnan(x).any().item<bool>())
      throw std::runtime_error("NaN");
#endif
    assert(!torch::isnan(x).any().item<bool>());
    return x;
  }

  /// What the module computes depends on it.
  Tensor used_ok(Tensor x) {
    x = fc(x);
    if (torch::isnan(x).any().item<bool>())
      x = torch::zeros_like(x);
    const float largest = x.max().item<float>();
    if (std::isnan(largest))
      throw std::runtime_error("NaN");
    return x / largest;
  }

  /// An index that is too large would end the program on the GPU, and say nothing.
  Tensor indices_ok(Tensor x) {
    TORCH_CHECK(x.max().item<int64_t>() < 4, "no such class");
    return fc(x);
  }
};
TORCH_MODULE(Block);

// ---- in a training

void everyRound_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net(batch.data.to(device)), batch.target.to(device));
    AT_ASSERT(!std::isnan(loss.item<float>())); // expect: ml-sync-in-loop: in every round of the training
    loss.backward();
    optimizer.step();
  }
}

void inBranch_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches, bool isBinary) {
  net->to(device);
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor output = net(batch.data.to(device));
    if (isBinary) {
      torch::binary_cross_entropy(output, batch.target.to(device)).backward();
      optimizer.step();
    } else {
      Tensor loss = torch::mse_loss(output, batch.target.to(device));
      loss.backward();
      if (torch::isnan(loss).any().item<bool>()) { // expect: ml-sync-in-loop: in every round of the training
        std::cerr << "NaN\n";
        std::exit(1);
      }
      optimizer.step();
    }
  }
}

void everyHundred_ok(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  int round = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net(batch.data.to(device)), batch.target.to(device));
    loss.backward();
    optimizer.step();
    if (++round % 100 == 0) {
      if (std::isnan(loss.item<float>()))
        throw std::runtime_error("NaN");
    }
  }
}

/// The number decides what is trained on.
void skipped(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net(batch.data.to(device)), batch.target.to(device));
    if (std::isnan(loss.item<float>())) // expect: ml-sync-in-loop (level 2)
      continue;
    loss.backward();
    optimizer.step();
  }
}

void stopped(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net(batch.data.to(device)), batch.target.to(device));
    loss.backward();
    optimizer.step();
    if (loss.item<float>() < 1e-3) // expect: ml-sync-in-loop (level 2)
      std::exit(0);
  }
}

void counted(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  float sum = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net(batch.data.to(device)), batch.target.to(device));
    loss.backward();
    optimizer.step();
    const float value = loss.item<float>(); // expect: ml-sync-in-loop (level 2)
    if (std::isnan(value))
      throw std::runtime_error("NaN");
    sum += value;
  }
  std::cout << sum;
}

/// A run of it is a step of a training.
void step_bad(Net net, torch::optim::Optimizer &optimizer, Tensor x, Tensor y) {
  net->to(device);
  optimizer.zero_grad();
  Tensor loss = torch::mse_loss(net(x.to(device)), y.to(device));
  if (torch::isnan(loss).any().item<bool>()) // expect: ml-sync-in-loop: in every step of the training
    throw std::runtime_error("NaN");
  loss.backward();
  optimizer.step();
}
