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

// Members of a partial specialization.
template <typename T> struct Trainer {};
template <typename T> struct Trainer<T *> {
  void partial_bad(torch::nn::Linear net, torch::Tensor x) {
    torch::optim::SGD optimizer(net->parameters(), 0.1);
    for (int i = 0; i < 9; ++i) {
      net(x).sum().backward();
      optimizer.step(); // expect: ml-missing-zero-grad
    }
  }
};

// Classes of a function template.
template <typename T> void local() {
  struct Local {
    void local_bad(torch::nn::Linear net, torch::Tensor x) {
      torch::optim::SGD optimizer(net->parameters(), 0.1);
      for (int i = 0; i < 9; ++i) {
        net(x).sum().backward();
        optimizer.step(); // expect: ml-missing-zero-grad
      }
    }
  };
}

// A closure that nobody calls.
auto generic_bad = [](auto number, torch::nn::Linear net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < number; ++i) {
    net(x).sum().backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
};
