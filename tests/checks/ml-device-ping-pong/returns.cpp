// Copies of what the host has already.
#include <torch/torch.h>

#include <vector>

using Net = torch::nn::Linear;
using torch::Tensor;
using Batches = std::vector<torch::data::Example<>>;

static const torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);

void evaluate_bad(Net net, const Batches &batches, std::vector<Tensor> &all) {
  torch::NoGradGuard guard;
  net->to(device);
  for (const auto &batch : batches) {
    auto targets = batch.target.to(device); // note: it is copied to the GPU here
    auto loss = torch::mse_loss(net(batch.data.to(device)), targets);
    all.push_back(targets.cpu()); // expect: ml-device-ping-pong: 'targets' is copied back to the host
  }
}

void made_bad(Net net) {
  torch::NoGradGuard guard;
  net->to(device);
  for (int i = 0; i < 10; ++i) {
    Tensor x = torch::randn({4, 4});
    Tensor copy = x.to(device); // note: it is copied to the GPU here
    net(copy).print();
    copy.to(torch::kCPU).print(); // expect: ml-device-ping-pong: copied back
  }
}

void computed_ok(Net net, const Batches &batches, std::vector<Tensor> &all) {
  torch::NoGradGuard guard;
  net->to(device);
  for (const auto &batch : batches) {
    auto targets = batch.target.to(device);
    auto outputs = net(batch.data.to(device));
    all.push_back((outputs - targets).cpu());
    all.push_back(outputs.cpu());
  }
}

void changed_ok(Net net, const Batches &batches, std::vector<Tensor> &all) {
  torch::NoGradGuard guard;
  net->to(device);
  for (const auto &batch : batches) {
    auto targets = batch.target.to(device);
    targets += net(batch.data.to(device));
    all.push_back(targets.cpu());
  }
}

void replaced_ok(Net net, const Batches &batches, std::vector<Tensor> &all) {
  torch::NoGradGuard guard;
  net->to(device);
  for (const auto &batch : batches) {
    auto targets = batch.target.to(device);
    targets = net(targets);
    all.push_back(targets.cpu());
  }
}

void once_ok(Net net, Tensor x) {
  torch::NoGradGuard guard;
  net->to(device);
  Tensor copy = torch::randn({4, 4}).to(device);
  net(copy).print();
  copy.cpu().print();
}

/// Where the tensor was is not known.
Tensor given_ok(Net net, Tensor x) {
  torch::NoGradGuard guard;
  Tensor copy = x.to(device);
  net(copy).print();
  return copy.cpu();
}
