// Numbers that are read although what they are read for needs none.
#include <torch/torch.h>

#include <chrono>
#include <iostream>
#include <vector>

using Net = torch::nn::Linear;
using torch::Tensor;
using Batches = std::vector<torch::data::Example<>>;

static const torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);

// ---- nothing is done with them

struct WatchedImpl : torch::nn::Module {
  Net fc = register_module("fc", Net(4, 4));

  Tensor forward(Tensor x) {
    x = fc(x);
    if (x.sum().item<float>() == 0) { // expect: ml-sync-in-loop: nothing is done with it
      // std::abort();
    }
    return x;
  }

  /// Other builds do more.
  Tensor left_out_ok(Tensor x) {
    x = fc(x);
    if (x.sum().item<float>() == 0) {
#ifdef STOPS
      std::abort();
#endif
    }
    return x;
  }

  Tensor otherwise_ok(Tensor x) {
    x = fc(x);
    if (x.sum().item<float>() == 0) {
    } else {
      x = x / x.sum();
    }
    return x;
  }
};
TORCH_MODULE(Watched);

void unused_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net(batch.data.to(device)), batch.target.to(device));
    loss.backward();
    optimizer.step();
    auto average = loss.cpu().item<float>(); // expect: ml-sync-in-loop: nothing is done with it
  }
}

void used_elsewhere(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net(batch.data.to(device)), batch.target.to(device));
    loss.backward();
    optimizer.step();
    auto average = loss.item<float>(); // expect: ml-sync-in-loop (level 2)
#ifdef IS_LOUD
    std::cout << average;
#endif
  }
}

/// A time is taken when the GPU is done.
void timed(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  for (const auto &batch : batches) {
    const auto begin = std::chrono::steady_clock::now();
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net(batch.data.to(device)), batch.target.to(device));
    loss.backward();
    optimizer.step();
    const float value = loss.item<float>(); // expect: ml-sync-in-loop (level 2)
    std::cout << (std::chrono::steady_clock::now() - begin).count();
  }
}

// ---- remembered for a message

void remembered_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  bool hasNan = false;
  int infinite = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net(batch.data.to(device)), batch.target.to(device));
    if (!hasNan && torch::isnan(loss).any().item<bool>()) // expect: ml-sync-in-loop: an assertion reads a number
      hasNan = true;
    loss.backward();
    optimizer.step();
    if (torch::isfinite(loss).item<bool>() == false) { // expect: ml-sync-in-loop: an assertion reads a number
      ++infinite;
    }
  }
  if (hasNan)
    std::cerr << "there was a NaN\n";
  else
    std::cout << "all is well\n";
  std::cout << infinite << " were not finite\n";
}

void asked_ok(Net net, torch::optim::Optimizer &optimizer, const Batches &batches, bool isLoud) {
  net->to(device);
  bool hasNan = false;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net(batch.data.to(device)), batch.target.to(device));
    if (isLoud && torch::isnan(loss).any().item<bool>())
      hasNan = true;
    loss.backward();
    optimizer.step();
  }
  if (hasNan)
    std::cerr << "there was a NaN\n";
}

void decides(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  bool hasNan = false;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net(batch.data.to(device)), batch.target.to(device));
    if (torch::isnan(loss).any().item<bool>()) // expect: ml-sync-in-loop (level 2)
      hasNan = true;
    loss.backward();
    if (!hasNan)
      optimizer.step();
  }
}

// ---- asked twice

void both_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net(batch.data.to(device)), batch.target.to(device));
    if (torch::isnan(loss).any().item<bool>() || torch::isinf(loss).any().item<bool>()) // expect: ml-sync-in-loop: two tests of one tensor
      continue;
    loss.backward();
    optimizer.step();
  }
}

/// A run of it is a step of the training.
float step_bad(Net net, torch::optim::Optimizer &optimizer, Tensor x, Tensor y) {
  net->to(device);
  Tensor loss = torch::mse_loss(net(x.to(device)), y.to(device));
  const bool isNan = loss.isnan().item<bool>(); // expect: ml-sync-in-loop: two tests of one tensor
  const bool isInfinite = loss.isinf().item<bool>();
  optimizer.zero_grad();
  if (!isNan && !isInfinite)
    loss.backward();
  optimizer.step();
  return 0;
}

void changed(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net(batch.data.to(device)), batch.target.to(device));
    if (torch::isnan(loss).any().item<bool>()) // expect: ml-sync-in-loop (level 2)
      loss = torch::mse_loss(net(batch.data.to(device)), batch.target.to(device) / 2);
    if (torch::isinf(loss).any().item<bool>()) // expect: ml-sync-in-loop (level 2)
      continue;
    loss.backward();
    optimizer.step();
  }
}

// ---- back into a tensor

void scaled_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  Tensor total = torch::zeros({1}, device);
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor output = net(batch.data.to(device));
    Tensor loss = torch::mse_loss(output, batch.target.to(device));
    total += loss.item<float>(); // expect: ml-sync-in-loop: only to be computed with a tensor there
    const float weight = output.norm().item<float>(); // expect: ml-sync-in-loop: only to be computed with a tensor there
    loss = loss * (1 / weight);
    loss.backward();
    optimizer.step();
  }
  std::cout << total;
}

void on_the_host(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  Tensor total = torch::zeros({1});
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net(batch.data.to(device)), batch.target.to(device));
    loss.backward();
    optimizer.step();
    total += loss.item<float>(); // expect: ml-sync-in-loop (level 2)
  }
  std::cout << total;
}

void shown_as_well(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor output = net(batch.data.to(device));
    const float weight = output.norm().item<float>(); // expect: ml-sync-in-loop (level 2)
    std::cout << weight;
    Tensor loss = torch::mse_loss(output * weight, batch.target.to(device));
    loss.backward();
    optimizer.step();
  }
}

// ---- of copies

void copied_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  double sum = 0, largest = 0, smallest = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor output = net(batch.data.to(device));
    Tensor loss = torch::mse_loss(output, batch.target.to(device));
    loss.backward();
    optimizer.step();
    sum += loss.detach().cpu().item<float>(); // expect: ml-sync-in-loop: 3 numbers are read
    largest += output.max().cpu().item<float>();
    smallest += output.min().to(torch::kCPU).item<float>();
  }
  std::cout << sum << largest << smallest;
}

void copied_before_ok(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  double sum = 0, largest = 0, smallest = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor output = net(batch.data.to(device));
    Tensor loss = torch::mse_loss(output, batch.target.to(device));
    loss.backward();
    optimizer.step();
    Tensor all = torch::stack({loss, output.max(), output.min()}).detach().cpu();
    sum += all[0].item<float>();
    largest += all[1].item<float>();
    smallest += all[2].item<float>();
  }
  std::cout << sum << largest << smallest;
}

// ---- whatever is asked

void either_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches, bool isCounted) {
  net->to(device);
  double sum = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor output = net(batch.data.to(device));
    torch::mse_loss(output, batch.target.to(device)).backward();
    optimizer.step();
    for (int64_t i = 0; i < output.size(0); ++i) {
      if (isCounted)
        sum += output[i][0].item<float>() > 0; // expect: ml-sync-in-loop: one by one
      else
        sum += output[i][1].item<float>();
    }
  }
  std::cout << sum;
}

void summed_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  double sum = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net(batch.data.to(device)), batch.target.to(device));
    loss.backward();
    optimizer.step();
    sum += loss.item<double>() * batch.data.size(0); // expect: ml-sync-in-loop: nothing is done with it
  }
}

double returned_sum(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  double sum = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net(batch.data.to(device)), batch.target.to(device));
    loss.backward();
    optimizer.step();
    sum += loss.item<double>(); // expect: ml-sync-in-loop (level 2)
  }
  return sum;
}
