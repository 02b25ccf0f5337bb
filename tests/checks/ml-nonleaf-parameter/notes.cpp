// Where what is no leaf is taken for one.
#include <torch/torch.h>

void scaled_bad() {
  auto w = torch::randn({2, 3}, torch::requires_grad()) * 0.01; // expect: ml-nonleaf-parameter
  torch::optim::SGD optimizer({w}, 0.1); // note: it is given to the optimizer here
  optimizer.step();
}
