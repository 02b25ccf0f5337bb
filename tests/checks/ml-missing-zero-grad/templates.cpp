// Templates that the unit never instantiates, and those that errors keep from it.
#include <torch/torch.h>

template <typename Net, typename Loader, typename Optimizer>
void train_bad(Net &net, Loader &loader, Optimizer &optimizer) {
  for (auto &batch : *loader) {
    auto output = net->forward(batch.data);
    auto loss = torch::nll_loss(output, batch.target);
    loss.backward();
    optimizer.step(); // expect: ml-missing-zero-grad (no fix)
  }
}
template <typename Net, typename Loader, typename Optimizer>
void train_ok(Net &net, Loader &loader, Optimizer &optimizer) {
  for (auto &batch : *loader) {
    optimizer.zero_grad();
    auto output = net->forward(batch.data);
    auto loss = torch::nll_loss(output, batch.target);
    loss.backward();
    optimizer.step();
  }
}
