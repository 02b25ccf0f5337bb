// The use that throws.
#include <torch/torch.h>

void used_bad(torch::nn::Linear net, torch::Tensor x, torch::Device device) {
  net->to(device);
  torch::load(net, "net.pt"); // expect: ml-load-device: after this the parameters are on the device
  auto input = x.to(device);
  net(input).print(); // note: used here with inputs on 'device'
}
