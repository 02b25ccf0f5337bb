// Bright images, fed as they are, bytes about 200: a filter whose weights have a negative sum says
// nothing to any of them. Normalised, everything lives.
#include <gradtidy/DeadRelu.h>
#include <torch/torch.h>

#include <iostream>

int main() {
  torch::manual_seed(1);
  torch::NoGradGuard guard;
  torch::nn::Sequential model(torch::nn::Conv2d(1, 8, 3), torch::nn::ReLU(),
                              torch::nn::Conv2d(8, 16, 3), torch::nn::ReLU(), torch::nn::Flatten(),
                              torch::nn::Linear(16 * 12 * 12, 10));
  auto images = (torch::randn({64, 1, 16, 16}) * 10 + 200).round();
  {
    gradtidy::DeadReluDetector detector;
    model->forward(images);
    std::cout << "as they are:\n" << detector.text();
  }
  {
    gradtidy::DeadReluDetector detector;
    model->forward((images - 200) / 10);
    std::cout << "normalised:\n" << detector.text();
  }
}
