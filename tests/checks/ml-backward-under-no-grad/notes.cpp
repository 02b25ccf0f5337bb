// The guard and the forward are told.
#include <torch/torch.h>

void guard_and_forward_bad(torch::nn::Linear net, torch::Tensor x, torch::Tensor y) {
  torch::NoGradGuard noGrad; // note:
  auto output = net(x);      // note:
  auto loss = torch::mse_loss(output, y);
  loss.backward(); // expect: ml-backward-under-no-grad
}
