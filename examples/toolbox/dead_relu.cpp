// Images as bytes from 0 to 255, fed as they are to layers whose biases were set to -50: most of
// the second layer never says anything. Normalised, everything lives.
#include <gradtidy/DeadRelu.h>
#include <torch/torch.h>

#include <iostream>

int main() {
  torch::manual_seed(1);
  torch::NoGradGuard guard;
  torch::nn::Sequential model(torch::nn::Conv2d(1, 8, 3), torch::nn::ReLU(),
                              torch::nn::Conv2d(8, 16, 3), torch::nn::ReLU(), torch::nn::Flatten(),
                              torch::nn::Linear(16 * 12 * 12, 10));
  auto images = torch::randint(0, 256, {64, 1, 16, 16}).to(torch::kFloat);
  {
    gradtidy::DeadReluDetector detector;
    model->forward(images);
    std::cout << "as they are:\n" << detector.text();
  }
  {
    gradtidy::DeadReluDetector detector;
    model->forward((images - 127.5) / 73.6);
    std::cout << "normalised:\n" << detector.text();
  }
}
