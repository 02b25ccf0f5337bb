// Numbers that are read while a model trains.
#include <torch/torch.h>

#include <iostream>

using Net = torch::nn::Linear;
using torch::Tensor;

void once_a_round(Net net, Tensor x) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  double total = 0;
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto loss = net(x.to(device)).mean();
    loss.backward();
    optimizer.step();
    total += loss.item<double>(); // expect: ml-sync-in-loop (level 2): in every round
  }
  std::cout << total;
}

double accuracy(Tensor output, Tensor target) {
  return (output.argmax(1) == target).sum().item<double>(); // note: read here
}
void in_a_helper(Net net, Tensor x, Tensor y) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  double total = 0;
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto output = net(x.to(device));
    output.mean().backward();
    optimizer.step();
    total += accuracy(output, y.to(device)); // expect: ml-sync-in-loop (level 2): this call reads
  }
}

void every_element_bad(Net net, Tensor x, Tensor y) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  int hits = 0;
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto output = net(x.to(device));
    output.mean().backward();
    optimizer.step();
    auto answers = output.argmax(1);
    for (int sample = 0; sample < 64; ++sample) // note: the loop is here
      hits += answers[sample].item<int64_t>() == 1; // expect: ml-sync-in-loop: one by one
  }
}

void for_its_shape_bad(Net net, Tensor x, Tensor y) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  int64_t samples = 0;
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto batch = x.to(device);
    net(batch).mean().backward();
    optimizer.step();
    samples += batch.to(torch::kCPU).numel(); // expect: ml-sync-in-loop: only to ask for its shape
    samples += batch.cpu().size(0);           // expect: ml-sync-in-loop
    samples += batch.numel();
  }
}

void now_and_then_ok(Net net, Tensor x) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto loss = net(x.to(device)).mean();
    loss.backward();
    optimizer.step();
    if (i % 100 == 0)
      std::cout << loss.item<double>();
  }
}

void once_an_epoch_ok(Net net, Tensor x) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 100; ++epoch) {
    Tensor loss;
    for (int i = 0; i < 100; ++i) {
      optimizer.zero_grad();
      loss = net(x.to(device)).mean();
      loss.backward();
      optimizer.step();
    }
    std::cout << loss.item<double>();
  }
}

void on_the_cpu_ok(Net net, Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  double total = 0;
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto loss = net(torch::randn({10})).mean();
    loss.backward();
    optimizer.step();
    total += torch::ones({1}).item<double>();
  }
}

// Not training.
void evaluation_ok(Net net, Tensor x) {
  torch::NoGradGuard guard;
  net->to(torch::kCUDA);
  double total = 0;
  for (int i = 0; i < 100; ++i)
    total += net(x.cuda()).mean().item<double>();
}
