// Helpers that call helpers, of which only the outermost have a guard.
#include <torch/torch.h>

using torch::Tensor;

struct Renderer {
  Tensor render(Tensor rays) const { return shade(rays * 2); }
  Tensor shade(Tensor points) const {
    std::vector<Tensor> colors;
    for (int i = 0; i < 4; ++i)
      colors.push_back(net->forward(points[i]));
    return torch::cat(colors);
  }
  mutable torch::nn::Linear net{3, 3};
};

void preview(const Renderer &renderer, Tensor rays) {
  for (int i = 0; i < 8; ++i) {
    auto image = renderer.render(rays); // under a guard
    std::cout << image.cpu().max().item<float>();
  }
}

void train_ok(Renderer &renderer, Tensor rays, Tensor colors) {
  torch::optim::Adam optimizer(renderer.net->parameters(), 1e-3);
  for (int i = 0; i < 1000; ++i) {
    optimizer.zero_grad();
    torch::mse_loss(renderer.render(rays), colors).backward();
    optimizer.step();
    if (i % 100 == 0) {
      torch::NoGradGuard guard;
      preview(renderer, rays);
    }
  }
}
