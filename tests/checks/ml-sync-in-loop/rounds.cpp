// Numbers that are read in every round of a training, where one would do.
#include <torch/torch.h>

#include <cmath>
#include <iostream>
#include <vector>

using Net = torch::nn::Linear;
using torch::Tensor;
using Batches = std::vector<torch::data::Example<>>;

static const torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);

// ---- only the last one is used

void onlyLast_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  float last = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net(batch.data.to(device)), batch.target.to(device));
    loss.backward();
    optimizer.step();
    last = loss.item<float>(); // expect: ml-sync-in-loop: only that of the last round is used
  }
  std::cout << last;
}

void sum(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  float sum = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net(batch.data.to(device)), batch.target.to(device));
    loss.backward();
    optimizer.step();
    sum += loss.item<float>(); // expect: ml-sync-in-loop (level 2)
  }
  std::cout << sum;
}

void printed(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  float last = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net(batch.data.to(device)), batch.target.to(device));
    loss.backward();
    optimizer.step();
    last = loss.item<float>(); // expect: ml-sync-in-loop (level 2)
    std::cout << last;
  }
}

// ---- the same number again

void check(bool isRight);

void again_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  float sum = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net(batch.data.to(device)), batch.target.to(device));
    check(!std::isnan(loss.item<float>())); // expect: ml-sync-in-loop (level 2)
    loss.backward();
    optimizer.step();
    sum += loss.item<float>(); // expect: ml-sync-in-loop: read before
  }
  std::cout << sum;
}

void onceInAWhile(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  float sum = 0;
  int round = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net(batch.data.to(device)), batch.target.to(device));
    if (++round % 100 == 0)
      std::cout << loss.item<float>();
    loss.backward();
    optimizer.step();
    sum += loss.item<float>(); // expect: ml-sync-in-loop (level 2)
  }
  std::cout << sum;
}

// ---- one of each parameter

double norm(Net &net) {
  double squares = 0;
  for (const Tensor &parameter : net->parameters()) {
    const double norm =
        parameter.grad().norm().item<double>(); // expect: ml-sync-in-loop: each parameter
    squares += norm * norm;
  }
  return squares;
}

void norms_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  double sum = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    torch::mse_loss(net(batch.data.to(device)), batch.target.to(device)).backward();
    sum += norm(net);
    optimizer.step();
  }
  std::cout << sum;
}

// ---- two GPUs

void inTurn(Net one, Net two, torch::optim::Optimizer &first, torch::optim::Optimizer &second,
            const Batches &batches) {
  torch::Device left(torch::kCUDA, 0), right(torch::kCUDA, 1);
  one->to(left);
  two->to(right);
  float sum = 0;
  for (const auto &batch : batches) {
    first.zero_grad();
    Tensor loss = torch::mse_loss(one(batch.data.to(left)), batch.target.to(left));
    loss.backward();
    first.step();
    sum += loss.item<float>(); // expect: ml-sync-in-loop: before another GPU gets its work
    second.zero_grad();
    Tensor other = torch::mse_loss(two(batch.data.to(right)), batch.target.to(right));
    other.backward();
    second.step();
    sum += other.item<float>(); // expect: ml-sync-in-loop (level 2)
  }
  std::cout << sum;
}

void sameGpu(Net one, Net two, torch::optim::Optimizer &first, torch::optim::Optimizer &second,
             const Batches &batches) {
  torch::Device left(torch::kCUDA, 0);
  one->to(left);
  two->to(left);
  float sum = 0;
  for (const auto &batch : batches) {
    first.zero_grad();
    Tensor loss = torch::mse_loss(one(batch.data.to(left)), batch.target.to(left));
    loss.backward();
    first.step();
    sum += loss.item<float>(); // expect: ml-sync-in-loop (level 2)
    second.zero_grad();
    torch::mse_loss(two(batch.data.to(left)), batch.target.to(left)).backward();
    second.step();
  }
  std::cout << sum;
}

// ---- one of each loss

struct Progress {
  std::vector<double> kept;
  void track(const std::vector<Tensor> &losses) {
    for (auto &loss : losses)
      kept.push_back(loss.item<double>()); // expect: ml-sync-in-loop: each tensor of the list
  }
};

void tracked(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  Progress progress;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor output = net(batch.data.to(device));
    Tensor first = torch::mse_loss(output, batch.target.to(device));
    Tensor second = output.square().mean();
    progress.track({first, second});
    (first + second).backward();
    optimizer.step();
  }
}

void trackedAtTimes_ok(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  Progress progress;
  int round = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor output = net(batch.data.to(device));
    Tensor first = torch::mse_loss(output, batch.target.to(device));
    Tensor second = output.square().mean();
    if (round++ % 100 == 0)
      progress.track({first, second});
    (first + second).backward();
    optimizer.step();
  }
}

// ---- one of each sample

void samples_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  net->to(device);
  int64_t hits = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    Tensor scores = net(batch.data.to(device));
    torch::mse_loss(scores, batch.target.to(device)).backward();
    optimizer.step();
    for (int64_t i = 0; i < scores.size(0); ++i)
      hits += torch::argmax(scores[i]).item<int64_t>(); // expect: ml-sync-in-loop: computed from each element
  }
  std::cout << hits;
}

/// Not in training: who evaluates may take the time.
void evaluated(Net net, const Batches &batches) {
  torch::NoGradGuard guard;
  net->to(device);
  int64_t hits = 0;
  for (const auto &batch : batches) {
    Tensor scores = net(batch.data.to(device));
    for (int64_t i = 0; i < scores.size(0); ++i)
      hits += torch::argmax(scores[i]).item<int64_t>(); // expect: ml-sync-in-loop (level 2)
  }
  std::cout << hits;
}

/// The next step needs it.
struct World {
  Tensor look();
  void act(int64_t action);
};

void played(Net net, torch::optim::Optimizer &optimizer, World world) {
  net->to(device);
  for (int episode = 0; episode < 100; ++episode) {
    std::vector<Tensor> scores;
    for (int step = 0; step < 100; ++step) {
      Tensor score = net(world.look().to(device));
      world.act(score.argmax().item<int64_t>()); // expect: ml-sync-in-loop (level 2)
      scores.push_back(score);
    }
    optimizer.zero_grad();
    torch::stack(scores).sum().backward();
    optimizer.step();
  }
}

void keep(int step, double loss);

void seldom_bad(Net net, torch::optim::Optimizer &optimizer, Tensor x) {
  net->to(torch::kCUDA);
  x = x.to(torch::kCUDA);
  for (int step = 0; step < 1000; ++step) {
    optimizer.zero_grad();
    auto loss = net(x).mean();
    loss.backward();
    optimizer.step();
    const double value = loss.item<double>(); // expect: ml-sync-in-loop (level 1): of which few use it
    if (step % 100 == 0)
      keep(step, value);
  }
}
