// Where .to(device) is put.
#include <torch/torch.h>

using Net = torch::nn::Linear;

void at_the_use_bad(Net net, torch::Tensor x, torch::Device device) {
  net->to(device);
  auto target = torch::zeros({8, 1});
  auto output = net(x.to(device));
  auto loss = torch::mse_loss(output, target); // expect: ml-device-mismatch
  loss.backward();
}

void at_the_input_bad(Net net, torch::Device device) {
  net->to(device);
  auto x = torch::rand({8, 4});
  auto output = net(x); // expect: ml-device-mismatch
}
