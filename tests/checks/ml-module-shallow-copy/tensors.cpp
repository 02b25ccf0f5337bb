// What parameters were before a step.
#include <torch/torch.h>

#include <vector>

namespace nn = torch::nn;
using torch::optim::SGD;

void step(nn::Linear &model, SGD &optimizer, torch::Tensor x) {
  optimizer.zero_grad();
  model(x).sum().backward();
  optimizer.step();
}

void compared_bad(torch::Tensor x) {
  nn::Linear model(4, 4);
  SGD optimizer(model->parameters(), 0.1);
  auto before = model->weight.detach(); // expect: ml-module-shallow-copy: this lies in the memory
                                        // of the parameters, and is no copy
  step(model, optimizer, x);
  (model->weight - before).norm().print();
}

void in_place_bad(torch::Tensor x) {
  nn::Linear model(4, 4);
  SGD optimizer(model->parameters(), 0.1);
  optimizer.zero_grad();
  auto before = model->weight.data(); // expect: ml-module-shallow-copy
  model(x).sum().backward();
  optimizer.step();
  auto after = model->weight.detach();
  (after - before).print();
}

void handle_bad(torch::Tensor x) {
  nn::Linear model(4, 4);
  SGD optimizer(model->parameters(), 0.1);
  torch::Tensor before = model->weight; // expect: ml-module-shallow-copy (no fix)
  optimizer.zero_grad();
  model(x).sum().backward();
  optimizer.step();
  (model->weight - before).print();
}

void list_bad(torch::Tensor x) {
  nn::Linear model(4, 4);
  SGD optimizer(model->parameters(), 0.1);
  std::vector<torch::Tensor> before;
  for (const auto &parameter : model->parameters())
    before.push_back(parameter.detach()); // expect: ml-module-shallow-copy
  optimizer.zero_grad();
  model(x).sum().backward();
  optimizer.step();
  auto after = model->parameters();
  for (size_t i = 0; i < after.size(); ++i)
    (after[i] - before[i]).norm().print();
}

void parameters_bad(torch::Tensor x) {
  nn::Linear model(4, 4);
  SGD optimizer(model->parameters(), 0.1);
  auto before = model->parameters(); // expect: ml-module-shallow-copy (no fix)
  optimizer.zero_grad();
  model(x).sum().backward();
  optimizer.step();
  for (size_t i = 0; i < before.size(); ++i)
    (model->parameters()[i] - before[i]).norm().print();
}

void restored_bad(torch::Tensor x) {
  nn::Linear model(4, 4);
  SGD optimizer(model->parameters(), 0.1);
  std::vector<torch::Tensor> start;
  for (auto &parameter : model->parameters())
    start.push_back(parameter.data()); // expect: ml-module-shallow-copy
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    model(x).sum().backward();
    optimizer.step();
  }
  torch::NoGradGuard guard;
  size_t i = 0;
  for (auto &parameter : model->parameters())
    parameter.copy_(start[i++]);
}

void leaf_bad(torch::Tensor x) {
  auto w = torch::zeros({4}, torch::requires_grad());
  SGD optimizer({w}, 0.1);
  auto before = w.detach(); // expect: ml-module-shallow-copy
  (w * x).sum().backward();
  optimizer.step();
  (w - before).print();
}

// ---- copies

void cloned_ok(torch::Tensor x) {
  nn::Linear model(4, 4);
  SGD optimizer(model->parameters(), 0.1);
  auto before = model->weight.detach().clone();
  auto other = model->weight.clone();
  auto scaled = model->weight.detach() * 1;
  std::vector<torch::Tensor> list;
  for (auto &parameter : model->parameters())
    list.push_back(parameter.clone());
  step(model, optimizer, x);
  (model->weight - before).print();
  (model->weight - other).print();
  (model->weight - scaled).print();
  torch::NoGradGuard guard;
  for (size_t i = 0; i < list.size(); ++i)
    model->parameters()[i].copy_(list[i]);
}

// ---- other tensors

void target_ok(torch::Tensor x) {
  nn::Linear model(4, 4), target(4, 4);
  SGD optimizer(model->parameters(), 0.1);
  auto own = model->parameters(), averages = target->parameters();
  step(model, optimizer, x);
  torch::NoGradGuard guard;
  for (size_t i = 0; i < own.size(); ++i)
    averages[i].copy_(0.9 * averages[i] + 0.1 * own[i]);
  for (size_t i = 0; i < own.size(); ++i)
    (averages[i] - own[i]).print();
}

void output_ok(torch::Tensor x) {
  nn::Linear model(4, 4);
  SGD optimizer(model->parameters(), 0.1);
  auto before = model(x).detach();
  step(model, optimizer, x);
  (model(x) - before).print();
}

void another_part_ok(torch::Tensor x) {
  nn::Linear model(4, 4);
  SGD optimizer(model->parameters(), 0.1);
  auto bias = model->bias.detach();
  step(model, optimizer, x);
  (model->weight - bias).print();
}

// ---- no snapshots

void aliases_ok(torch::Tensor x) {
  nn::Linear model(4, 4);
  SGD optimizer(model->parameters(), 0.1);
  auto parameters = model->parameters();
  auto weight = model->weight;
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    auto loss = model(x).sum() + (weight * weight).sum();
    for (auto &parameter : parameters)
      loss = loss + parameter.norm() * 0.01;
    loss.backward();
    optimizer.step();
    (weight - weight.mean()).print();
  }
}

void unstepped_ok(torch::Tensor x) {
  nn::Linear model(4, 4);
  auto weight = model->weight.detach();
  (model->weight - weight).print();
}

void taken_again_ok(torch::Tensor x) {
  nn::Linear model(4, 4);
  SGD optimizer(model->parameters(), 0.1);
  auto weight = model->weight.detach();
  weight.print();
  step(model, optimizer, x);
  weight = model->weight.detach();
  (model->weight - weight).print();
}

// All elements of a list.
void filled_list_bad(torch::Tensor x) {
  auto zeros = torch::zeros({4});
  std::vector<torch::Tensor> sums(3, zeros); // expect: ml-module-shallow-copy (no fix): same tensor
  for (int i = 0; i < 3; ++i)
    sums[i] += x[i];
  std::vector<torch::Tensor> counts(3, zeros.clone()); // expect: ml-module-shallow-copy (no fix)
  counts[0].add_(1);
  std::vector<torch::Tensor> rows(3, zeros.clone()); // expect: ml-module-shallow-copy (no fix)
  rows.at(1)[0] = 5;
}

void filled_list_ok(torch::Tensor x, int count) {
  std::vector<torch::Tensor> states(count, torch::zeros({4}));
  for (int i = 0; i < count; ++i) {
    states[i] = torch::zeros({4});
    states[i] += x;
  }
  std::vector<torch::Tensor> zeros(count, torch::zeros({4})); // Never changed.
  auto sum = torch::stack(zeros).sum() + zeros[0].abs();
  std::vector<torch::Tensor> empty(count);
  empty[0] = x.clone();
  empty[0] += 1;
}
