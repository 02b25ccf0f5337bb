// Models written by hand: their graphs come from leaf tensors, and no module is called.
#include <torch/torch.h>

#include <vector>

struct LinearModel {
  torch::Tensor weight = torch::randn({4, 1}).requires_grad_(true);
  torch::Tensor forward(torch::Tensor x) { return x.matmul(weight); }
};

void sum_of_losses_bad(torch::Tensor x, torch::Tensor y) {
  auto weight = torch::randn({4, 1}).requires_grad_(true);
  torch::optim::SGD optimizer({weight}, 0.1);
  auto total = torch::zeros({1});
  for (int i = 0; i < 100; ++i) {
    auto loss = torch::mse_loss(x.matmul(weight), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    total += loss; // expect: ml-loss-accumulation
  }
}

void weighted_sum_bad(torch::Tensor x, torch::Tensor y) {
  LinearModel model;
  torch::optim::SGD optimizer({model.weight}, 0.1);
  auto total = torch::zeros({1});
  for (int i = 0; i < 100; ++i) {
    auto loss = torch::mse_loss(model.forward(x), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    total = total * 0.9 + loss * 0.1; // expect: ml-loss-accumulation
  }
}

void collected_losses_bad(torch::Tensor x, torch::Tensor y) {
  LinearModel model;
  torch::optim::SGD optimizer({model.weight}, 0.1);
  std::vector<torch::Tensor> losses;
  for (int i = 0; i < 100; ++i) {
    auto loss = torch::mse_loss(model.forward(x), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    losses.push_back(loss); // expect: ml-loss-accumulation
  }
}

void collected_numbers_ok(torch::Tensor x, torch::Tensor y) {
  LinearModel model;
  torch::optim::SGD optimizer({model.weight}, 0.1);
  auto total = torch::zeros({1});
  std::vector<float> losses;
  for (int i = 0; i < 100; ++i) {
    auto loss = torch::mse_loss(model.forward(x), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    total += loss.detach();
    losses.push_back(loss.item<float>());
  }
}

// A copy for every iteration: that is what was asked for.
void history_of_weights_ok(torch::Tensor x, torch::Tensor y) {
  LinearModel model;
  torch::optim::SGD optimizer({model.weight}, 0.1);
  std::vector<torch::Tensor> weights;
  for (int i = 0; i < 100; ++i) {
    auto loss = torch::mse_loss(model.forward(x), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    weights.push_back(model.weight.clone());
  }
}

void sum_for_one_backward_ok(torch::Tensor x, torch::Tensor y) {
  LinearModel model;
  torch::optim::SGD optimizer({model.weight}, 0.1);
  for (int epoch = 0; epoch < 10; ++epoch) {
    auto total = torch::zeros({1});
    for (int i = 0; i < 100; ++i)
      total += torch::mse_loss(model.forward(x[i]), y[i]);
    optimizer.zero_grad();
    total.backward();
    optimizer.step();
  }
}

void trained_in_parts_ok(torch::Tensor x, torch::Tensor y) {
  LinearModel model;
  torch::optim::SGD optimizer({model.weight}, 0.1);
  auto total = torch::zeros({1});
  for (int i = 0; i < 100; ++i) {
    total = total + torch::mse_loss(model.forward(x[i]), y[i]);
    if (i % 10 == 9) {
      optimizer.zero_grad();
      total.backward();
      optimizer.step();
      total = torch::zeros({1});
    }
  }
}

// A leaf made of what a module gives is cut off from its graph.
void split_ok(torch::nn::Sequential &first, torch::nn::Sequential &second,
              torch::optim::Optimizer &optimizer, torch::Tensor x) {
  std::vector<torch::Tensor> cuts;
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    auto output = first->forward(x);
    auto cut = output.clone().detach().requires_grad_(true);
    cuts.push_back(cut);
    second->forward(cut).sum().backward();
    output.backward(cut.grad());
    optimizer.step();
  }
}
