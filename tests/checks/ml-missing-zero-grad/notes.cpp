// The notes tell the path: the step before, the way round, the backward.
#include <torch/torch.h>

using Net = torch::nn::Linear;
torch::Tensor lossOf(Net &net);

void one_loop_bad(Net net, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) { // note: the loop comes round again and nothing clears the gradients
    lossOf(net).backward(); // note: new gradients are added to the old ones here
    optimizer.step(); // expect: ml-missing-zero-grad: clear them with zero_grad() between the two // note: the previous step uses the gradients here
  }
}

// Of nested loops the one that comes round without a clear is meant.
void inner_loop_bad(Net net, torch::optim::Optimizer &optimizer) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    optimizer.zero_grad();
    for (int i = 0; i < 100; ++i) { // note: the loop comes round
      lossOf(net).backward(); // note: new gradients are added
      optimizer.step(); // expect: ml-missing-zero-grad // note: the previous step
    }
  }
}

void without_a_loop_bad(Net net, torch::optim::Optimizer &optimizer) {
  lossOf(net).backward();
  optimizer.step(); // note: the previous step uses the gradients here
  lossOf(net).backward(); // note: new gradients are added
  optimizer.step(); // expect: ml-missing-zero-grad
}

void trainBatch(Net &net, torch::optim::Optimizer &optimizer) {
  lossOf(net).backward(); // note: new gradients are added
  optimizer.step(); // expect: ml-missing-zero-grad // note: the previous step
}
void loop_in_the_caller_bad(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) // note: the loop comes round
    trainBatch(net, optimizer);
}

void advance(torch::optim::Optimizer &optimizer) {
  optimizer.step(); // expect: ml-missing-zero-grad // note: the previous step
}
void step_in_a_helper_bad(Net net, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) { // note: the loop comes round
    lossOf(net).backward(); // note: new gradients are added
    advance(optimizer);
  }
}
