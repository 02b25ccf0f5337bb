// The way from the copy that is none to its use.
#include <torch/torch.h>

void compared_bad(torch::Tensor x) {
  torch::nn::Linear model(4, 4);
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  auto before = model->weight.detach(); // expect: ml-module-shallow-copy
  optimizer.zero_grad();
  model(x).sum().backward();
  optimizer.step();                        // note: the step changes it here
  (model->weight - before).norm().print(); // note: the parameters are compared with themselves here
}

void filled_bad(torch::Tensor x) {
  std::vector<torch::Tensor> sums(3, x); // expect: ml-module-shallow-copy (no fix)
  sums[1] += 1;                          // note: a change of one changes all, here
}

void assigned_bad(torch::Tensor x) {
  torch::nn::Linear model(4, 4), target(4, 4);
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto goal = target(x).detach();
    torch::mse_loss(model(x), goal).backward(); // note: the loss is computed of both names here
    optimizer.step();
    if (i % 10 == 0)
      target = model; // expect: ml-module-shallow-copy (no fix)
  }
}
