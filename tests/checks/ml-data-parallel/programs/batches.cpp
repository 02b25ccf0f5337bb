// Batches that one process hands out to several GPUs.
#include <torch/torch.h>

#include <torch/nn/parallel/data_parallel.h>

namespace parallel = torch::nn::parallel;
using Net = torch::nn::Linear;
using Batches = std::vector<torch::Tensor>;

void spread_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  for (auto &x : batches) {
    optimizer.zero_grad();
    auto y = parallel::data_parallel(net, x); // expect: ml-data-parallel: a process for each GPU
    y.mean().backward();
    optimizer.step();
  }
}

void on_some_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches,
                 const std::vector<torch::Device> &devices) {
  for (int epoch = 0; epoch < 10; ++epoch)
    for (auto &x : batches) {
      optimizer.zero_grad();
      auto y = parallel::data_parallel(net, x, devices); // expect: ml-data-parallel (level 2)
      y.mean().backward();
      optimizer.step();
    }
}

// One finding is enough.
void by_hand_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches,
                 const std::vector<torch::Device> &devices) {
  for (auto &x : batches) {
    optimizer.zero_grad();
    auto replicas = parallel::replicate(net, devices); // expect: ml-data-parallel
    std::vector<torch::Tensor> parts{x.slice(0, 0, 8).to(devices[0]),
                                     x.slice(0, 8, 16).to(devices[1])};
    auto outputs = parallel::parallel_apply(replicas, parts, devices);
    auto loss = outputs[0].mean() + outputs[1].mean().to(devices[0]);
    loss.backward();
    optimizer.step();
  }
}

torch::Tensor run(Net net, torch::Tensor x) {
  return parallel::data_parallel(net, x); // expect: ml-data-parallel
}
void in_a_helper_bad(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  for (auto &x : batches) {
    optimizer.zero_grad();
    run(net, x).mean().backward();
    optimizer.step();
  }
}

// A process for each GPU is not needed where nothing is trained.
void evaluation_ok(Net net, const Batches &batches) {
  torch::NoGradGuard guard;
  net->eval();
  for (auto &x : batches)
    parallel::data_parallel(net, x).mean().item<float>();
}

void once_ok(Net net, torch::optim::Optimizer &optimizer, torch::Tensor x) {
  optimizer.zero_grad();
  parallel::data_parallel(net, x).mean().backward();
  optimizer.step();
}

void one_device_ok(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  std::vector<torch::Device> devices{torch::Device(torch::kCUDA, 0)};
  for (auto &x : batches) {
    optimizer.zero_grad();
    auto y = parallel::data_parallel(net, x, std::vector<torch::Device>{{torch::kCUDA, 0}});
    y.mean().backward();
    optimizer.step();
  }
}

// Each epoch is evaluated, too: that is not what is trained.
void beside_training_ok(Net net, torch::optim::Optimizer &optimizer, const Batches &batches) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    for (auto &x : batches) {
      optimizer.zero_grad();
      net(x).mean().backward();
      optimizer.step();
    }
    evaluation_ok(net, batches);
  }
}
