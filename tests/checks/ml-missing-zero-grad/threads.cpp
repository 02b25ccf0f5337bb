// A thread that never ends keeps nobody else.
#include <torch/torch.h>

#include <thread>

void tick();

void endless_bad(torch::nn::Linear net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  std::thread clock([] {
    while (true)
      tick();
  });
  for (int i = 0; i < 10; ++i) {
    net(x).mean().backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}
