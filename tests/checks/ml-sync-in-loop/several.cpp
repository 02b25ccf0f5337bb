// Several numbers that are read in one and the same round of a training.
#include <torch/torch.h>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>
#include <vector>

using Net = torch::nn::Linear;
using torch::Tensor;
using Batches = std::vector<torch::data::Example<>>;

static const torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);

struct Log {
  void record(const std::string &name, double value);
};

// ---- for people alone

void sums_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  double losses = 0, means = 0, peaks = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor scores = net(batch.data.to(device));
    Tensor loss = torch::mse_loss(scores, batch.target.to(device));
    losses += loss.item<double>(); // expect: ml-sync-in-loop: 3 numbers are read from the GPU
    loss.backward();
    optimizer.step();
    // What stands together is said once.
    means += scores.mean().item<double>(); // expect: ml-sync-in-loop: 3 numbers are read from the GPU
    peaks += scores.max().item<double>();
  }
  std::cout << losses << means << peaks;
}

void log_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches, Log &log) {
  net->to(device);
  for (const auto &batch : batches) {
    if (batch.data.size(0) == 0)
      break;
    optimizer.zero_grad();
    Tensor scores = net(batch.data.to(device));
    Tensor loss = torch::mse_loss(scores, batch.target.to(device));
    loss.backward();
    optimizer.step();
    log.record("loss", loss.item<double>()); // expect: ml-sync-in-loop: 3 numbers are read from the GPU
    log.record("mean", scores.mean().item<double>());
    std::cout << "max " << scores.max().item<double>();
  }
}

void oneStatement_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor scores = net(batch.data.to(device));
    Tensor loss = torch::mse_loss(scores, batch.target.to(device));
    loss.backward();
    optimizer.step();
    std::printf("%f %f %f\n",
                loss.item<double>(), // expect: ml-sync-in-loop: 3 numbers are read from the GPU
                scores.mean().item<double>(), scores.max().item<double>());
  }
}

struct Sums {
  double squares = 0, errors = 0, targets = 0;
  void add(const Tensor &scores, const Tensor &target) {
    const Tensor error = scores - target;
    squares += error.square().sum().item<double>(); // expect: ml-sync-in-loop: 3 numbers are read from the GPU
    errors += error.abs().sum().item<double>();
    targets += target.sum().item<double>();
  }
};

void helper_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  Sums sums;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor scores = net(batch.data.to(device));
    Tensor target = batch.target.to(device);
    torch::mse_loss(scores, target).backward();
    optimizer.step();
    sums.add(scores, target);
  }
  std::cout << sums.squares << sums.errors << sums.targets;
}

float meanOf(const Tensor &scores) {
  return scores.mean().item<float>(); // expect: ml-sync-in-loop: 4 numbers are read from the GPU
}

void returned_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  float losses = 0, means = 0, others = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor scores = net(batch.data.to(device));
    Tensor loss = torch::mse_loss(scores, batch.target.to(device));
    losses += loss.item<float>(); // expect: ml-sync-in-loop: 4 numbers are read from the GPU
    if (std::isnan(scores.sum().item<float>()))
      break;
    loss.backward();
    optimizer.step();
    means += meanOf(scores);
    others += meanOf(scores.abs());
  }
  std::cout << losses << means << others;
}

// ---- few, or now and then

void two(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  double losses = 0, means = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor scores = net(batch.data.to(device));
    Tensor loss = torch::mse_loss(scores, batch.target.to(device));
    loss.backward();
    optimizer.step();
    losses += loss.item<double>();         // expect: ml-sync-in-loop (level 2)
    means += scores.mean().item<double>(); // expect: ml-sync-in-loop (level 2)
  }
  std::cout << losses << means;
}

void everyHundred_ok(Net net, torch::optim::Optimizer &optimizer, const Batches &batches, Log &log) {
  net->to(device);
  int round = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor scores = net(batch.data.to(device));
    Tensor loss = torch::mse_loss(scores, batch.target.to(device));
    loss.backward();
    optimizer.step();
    if (++round % 100 != 0)
      continue;
    log.record("loss", loss.item<double>());
    log.record("mean", scores.mean().item<double>());
    log.record("max", scores.max().item<double>());
  }
}

/// The program goes by them.
void needed(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor scores = net(batch.data.to(device));
    Tensor loss = torch::mse_loss(scores, batch.target.to(device));
    loss.backward();
    optimizer.step();
    const double mean = scores.mean().item<double>(); // expect: ml-sync-in-loop (level 2)
    const double peak = scores.max().item<double>();  // expect: ml-sync-in-loop (level 2)
    std::cout << mean << peak << loss.item<double>();  // expect: ml-sync-in-loop (level 2)
    if (mean > peak / 2)
      break;
  }
}

void host_ok(Net net, torch::optim::Optimizer &optimizer, const Batches &batches, Log &log) {
  net->to(device);
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor scores = net(batch.data.to(device));
    torch::mse_loss(scores, batch.target.to(device)).backward();
    optimizer.step();
    const Tensor copy = scores.cpu();
    log.record("mean", copy.mean().item<double>());
    log.record("sum", copy.sum().item<double>());
    log.record("max", copy.max().item<double>());
  }
}

// ---- nobody knows where the batches are, but modules get to a GPU

class Agent {
public:
  Agent(Net net, torch::optim::Optimizer &optimizer) : net(net), optimizer(optimizer) {
    net->to(device);
  }

  void update_bad(const std::vector<Tensor> &states) {
    for (const Tensor &state : states) {
      Tensor values = net(state);
      Tensor loss = values.square().mean();
      Tensor entropy = values.exp().mean();
      losses += loss.item<float>(); // expect: ml-sync-in-loop: 3 numbers are read from the GPU
      entropies += entropy.item<float>();
      peaks += values.max().item<float>();
      optimizer.zero_grad();
      (loss + entropy).backward();
      optimizer.step();
    }
  }

private:
  Net net;
  torch::optim::Optimizer &optimizer;
  float losses = 0, entropies = 0, peaks = 0;
};

// ---- output of a forward pass

struct TalkingImpl : torch::nn::Module {
  Net fc = register_module("fc", Net(4, 4));
  Tensor forward(Tensor x) {
    x = fc(x);
    if (x.size(0) > 100) {
      std::cout << "mean " << x.mean().item<float>(); // expect: ml-sync-in-loop: whenever the module computes
      std::cout << "max " << x.max().item<float>();
    }
    return x;
  }
};
TORCH_MODULE(Talking);

struct FlaggedImpl : torch::nn::Module {
  Net fc = register_module("fc", Net(4, 4));
  bool talks = false;
  Tensor forward(Tensor x) {
    x = fc(x);
    if (talks)
      std::cout << x.mean().item<float>() << x.max().item<float>();
    return x;
  }
};
TORCH_MODULE(Flagged);

Tensor bothForward_ok(Talking talking, Flagged flagged, Tensor x) {
  talking->to(device);
  flagged->to(device);
  return talking(x.to(device)) + flagged(x.to(device));
}

// ---- once an epoch

Tensor trainFor(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  Tensor scores;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    scores = net(batch.data.to(device));
    torch::mse_loss(scores, batch.target.to(device)).backward();
    optimizer.step();
  }
  return scores.detach();
}

void epochs(Net net, torch::optim::Optimizer &optimizer, const Batches &batches, Log &log) {
  net->to(device);
  for (int epoch = 0; epoch < 10; ++epoch) {
    Tensor scores = trainFor(net, optimizer, batches);
    log.record("mean", scores.mean().item<double>()); // expect: ml-sync-in-loop (level 2)
    log.record("sum", scores.sum().item<double>());   // expect: ml-sync-in-loop (level 2)
    log.record("max", scores.max().item<double>());   // expect: ml-sync-in-loop (level 2)
  }
}

// ---- those of a list

using Metrics = std::map<std::string, Tensor>;

struct Meter {
  void update(const Metrics &metrics) {
    for (const auto &[name, value] : metrics)
      sums[name] += value.item<double>(); // expect: ml-sync-in-loop: each tensor of the list
  }
  std::map<std::string, double> sums;
};

Metrics metricsOf(Net net, torch::optim::Optimizer &optimizer, const Tensor &data) {
  optimizer.zero_grad();
  Tensor scores = net(data);
  Tensor loss = scores.mean();
  loss.backward();
  optimizer.step();
  return {{"loss", loss.detach()}, {"largest", scores.max().detach()}};
}

void metered(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  Meter meter;
  for (const auto &batch : batches)
    meter.update(metricsOf(net, optimizer, batch.data.to(device)));
}
