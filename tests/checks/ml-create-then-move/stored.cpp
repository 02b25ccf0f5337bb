// Tensors that are stored before they are moved.
#include <torch/torch.h>

#include <iostream>
#include <vector>

using torch::Tensor;

void training_bad(torch::nn::Linear net) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto noise = torch::randn({64, 10}); // expect: ml-create-then-move (no fix)
    noise *= 0.1;
    auto labels = torch::ones({64, 1}); // expect: ml-create-then-move (no fix)
    auto shape = labels.sizes();
    noise = noise.to(device);
    (net(noise) - labels.to(device)).mean().backward();
    optimizer.step();
  }
}

void used_on_the_host_ok(torch::nn::Linear net, torch::nn::Linear teacher, std::vector<int> ids) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto noise = torch::randn({64, 10});
    auto wanted = teacher(noise); // on the CPU
    auto mask = torch::zeros({64, 10});
    for (int id : ids)
      mask[id][0] = 1;
    auto shown = torch::randn({64, 10});
    std::cout << shown << std::endl;
    auto read = torch::rand({1});
    if (read.item<float>() < 0.5)
      std::cout << "less" << std::endl;
    auto accessed = torch::zeros({10, 10});
    auto elements = accessed.accessor<float, 2>();
    (net(noise.to(device)) * mask.to(device) + shown.to(device) * read.to(device) +
     accessed.to(device) - wanted.to(device))
        .mean()
        .backward();
    optimizer.step();
  }
}

void made_before_ok(torch::nn::Linear net) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto noise = torch::randn({64, 10});
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(noise.to(device)).mean().backward();
    optimizer.step();
  }
}
