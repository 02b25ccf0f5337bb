// Where zero_grad() is put (fixes.cpp.fixed is the whole repaired text).
#include <torch/torch.h>

using Net = torch::nn::Linear;
torch::Tensor lossOf(Net &net);

// Before the backward where step and backward are neighbours.
void neighbours_bad(Net net, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) {
    auto loss = lossOf(net);
    loss.backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}

// Through the pointer the step goes through.
void pointer_bad(Net net, std::unique_ptr<torch::optim::Optimizer> &optimizer) {
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    optimizer->step(); // expect: ml-missing-zero-grad
  }
}

// A call is not repeated: it might return something else.
void call_bad(Net net, std::vector<std::unique_ptr<torch::optim::Optimizer>> &optimizers) {
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    optimizers[0]->step(); // expect: ml-missing-zero-grad (no fix)
  }
}

// Behind the step where they are not neighbours: a clear before the backward would undo the window.
void window_bad(Net net, torch::optim::Optimizer &optimizer) {
  for (int i = 1; i < 100; ++i) {
    lossOf(net).backward();
    if (i % 4 == 0) {
      optimizer.step(); // expect: ml-missing-zero-grad
    }
  }
}

// Several backwards, one step.
void several_bad(Net net, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    lossOf(net).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}

#define STEP(optimizer) (optimizer).step()
void macro_bad(Net net, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    STEP(optimizer); // expect: ml-missing-zero-grad (no fix)
  }
}

// Beside the step: a clear before the backward would undo the window.
void without_braces_bad(Net net, torch::optim::Optimizer &optimizer) {
  for (int i = 1; i < 100; ++i) {
    lossOf(net).backward();
    if (i % 4 == 0)
      optimizer.step(); // expect: ml-missing-zero-grad
  }
}

// Parentheses are kept.
void parentheses_bad(Net net, torch::optim::Optimizer *optimizer) {
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    (*optimizer).step(); // expect: ml-missing-zero-grad
  }
}

// Behind the step, not in front of a label.
void label_bad(Net net, torch::optim::Optimizer &optimizer, int i) {
again:
  lossOf(net).backward();
  optimizer.step(); // expect: ml-missing-zero-grad
  if (i-- > 0)
    goto again;
}
