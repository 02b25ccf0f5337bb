// Functions of that name that are somebody else's.
#include <torch/torch.h>

namespace texts {
void emptyCache();
} // namespace texts

void own_cache_ok(torch::nn::Linear net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
    texts::emptyCache();
  }
}
