// Functions of a program, its main function among them.
#include <torch/torch.h>

#include <iostream>

using torch::Tensor;

// What makes the results of a module useful, for each of the inputs.
class Detector {
public:
  explicit Detector(torch::Device device) : device(device) {}
  void show(Tensor image) {
    auto scores = net(image.to(device));
    auto boxes = shifted_bad(scores);
  }
  Tensor shifted_bad(const Tensor &scores) {
    auto grid = torch::arange(10); // expect: ml-create-then-move (no fix)
    return scores + grid.to(device);
  }
  torch::nn::Linear net{10, 10};
  torch::Device device;
};

// What is left when one case is gone is the rule.
Tensor denoised_bad(torch::nn::Linear net, Tensor x) {
  auto start = torch::zeros({1, 10}).to(x.device()); // expect: ml-create-then-move: instead of being made there
  return net(x) - net(start);
}
Tensor rounded_ok(torch::nn::Linear net, Tensor x) {
  return net(x) + torch::ones({1, 10}).to(x.device());
}
void sampled(torch::nn::Linear net, Tensor x, torch::Device device) {
  x = x.to(device);
  for (int step = 0; step < 1000; ++step)
    if (step == 999)
      x = rounded_ok(net, x);
    else
      x = denoised_bad(net, x);
  std::cout << x;
}

// Only what is in this file could call it, and nothing does.
Tensor left_over_ok(Tensor boxes, torch::Device device) {
  auto kept = torch::zeros({boxes.size(0)}).to(device);
  return boxes * kept;
}

int main() {
  Detector detector(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  detector.show(torch::ones({1, 10}));
  sampled(detector.net, torch::ones({1, 10}), detector.device);
}

