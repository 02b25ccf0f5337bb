// Where zero_grad() is not put as it should be.
// wrong fixes: the statement around the step is not always one of a block
#include <torch/torch.h>

using Net = torch::nn::Linear;
torch::Tensor lossOf(Net &net);

// A clear before the backward undoes the window; it belongs beside the step.
void without_braces_bad(Net net, torch::optim::Optimizer &optimizer) {
  for (int i = 1; i < 100; ++i) {
    lossOf(net).backward();
    if (i % 4 == 0)
      optimizer.step(); // expect: ml-missing-zero-grad
  }
}

// The clear belongs into the closure, which the optimizer calls more than once.
void closure_bad(Net net) {
  torch::optim::LBFGS optimizer(net->parameters());
  for (int i = 0; i < 100; ++i)
    optimizer.step([&] { // expect: ml-missing-zero-grad
      auto loss = lossOf(net);
      loss.backward();
      return loss;
    });
}

// The parentheses are lost.
void parentheses_bad(Net net, torch::optim::Optimizer *optimizer) {
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    (*optimizer).step(); // expect: ml-missing-zero-grad
  }
}

// A label stays in front.
void label_bad(Net net, torch::optim::Optimizer &optimizer, int i) {
again:
  lossOf(net).backward();
  optimizer.step(); // expect: ml-missing-zero-grad
  if (i-- > 0)
    goto again;
}
