// What becomes of a batch on its way through a preprocessing with a division by 0.
#include <gradtidy/TensorInfo.h>
#include <torch/torch.h>

#include <iostream>

int main() {
  torch::manual_seed(1);
  auto images = torch::randint(0, 256, {8, 1, 4, 4}).to(torch::kByte);
  images[3] = 0; // a black one
  auto x = images.to(torch::kFloat).permute({0, 2, 3, 1});
  auto brightest = x.amax({1, 2, 3}, /*keepdim=*/true);
  auto scaled = x / brightest;
  torch::nn::Linear layer(1, 2);
  std::cout << gradtidy::tensorInfo(images, "images") << '\n'
            << gradtidy::tensorInfo(x, "x") << '\n'
            << gradtidy::tensorInfo(brightest, "brightest") << '\n'
            << gradtidy::tensorInfo(scaled, "scaled") << '\n'
            << gradtidy::tensorInfo(layer->weight, "weight") << '\n'
            << gradtidy::tensorInfo(layer(scaled), "output") << '\n';
}
