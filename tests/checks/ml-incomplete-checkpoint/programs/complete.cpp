// A program that saves its optimizer, too.
#include <torch/torch.h>

using Net = torch::nn::Linear;

void save(Net net, const torch::optim::Adam &optimizer) {
  torch::save(net, "model.pt");
  torch::save(optimizer, "optimizer.pt");
}

void fit_ok(Net net, const std::vector<torch::Tensor> &inputs) {
  torch::optim::Adam optimizer(net->parameters(), 1e-3);
  torch::load(net, "model.pt");
  torch::load(optimizer, "optimizer.pt");
  for (const auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
    save(net, optimizer);
  }
}
