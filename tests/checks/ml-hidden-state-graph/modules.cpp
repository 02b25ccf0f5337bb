// States of modules that the program defines, in trainers and helpers.
#include <torch/torch.h>

using Optimizer = torch::optim::Optimizer;
using Tensors = std::vector<torch::Tensor>;
using Pair = std::tuple<torch::Tensor, torch::Tensor>;

struct WriterImpl : torch::nn::Module {
  WriterImpl() : cell(16, 16), head(16, 4) {
    register_module("cell", cell);
    register_module("head", head);
  }
  Pair forward(torch::Tensor x, torch::Tensor h) {
    h = cell(x, h);
    return {head(h), h};
  }
  torch::nn::GRUCell cell;
  torch::nn::Linear head;
};
TORCH_MODULE(Writer);

void own_module_bad(Writer writer, Optimizer &optimizer, const Tensors &inputs) {
  torch::Tensor h = torch::zeros({8, 16});
  for (const auto &x : inputs) {
    auto [output, next] = writer->forward(x, h); // expect: ml-hidden-state-graph
    h = next;
    optimizer.zero_grad();
    output.pow(2).mean().backward();
    optimizer.step();
  }
}

void own_module_ok(Writer writer, Optimizer &optimizer, const Tensors &inputs) {
  torch::Tensor h = torch::zeros({8, 16});
  for (const auto &x : inputs) {
    auto [output, next] = writer->forward(x, h.detach());
    h = next;
    optimizer.zero_grad();
    output.pow(2).mean().backward();
    optimizer.step();
  }
}

struct CarefulImpl : torch::nn::Module {
  CarefulImpl() : cell(16, 16) { register_module("cell", cell); }
  Pair forward(torch::Tensor x, torch::Tensor h) {
    h = cell(x, h.detach());
    return {h * 2, h};
  }
  torch::nn::GRUCell cell;
};
TORCH_MODULE(Careful);

void detached_inside_ok(Careful net, Optimizer &optimizer, const Tensors &inputs) {
  torch::Tensor h = torch::zeros({8, 16});
  for (const auto &x : inputs) {
    auto [output, next] = net->forward(x, h);
    h = next;
    optimizer.zero_grad();
    output.pow(2).mean().backward();
    optimizer.step();
  }
}

struct UnseenImpl : torch::nn::Module {
  Pair forward(torch::Tensor x, torch::Tensor h);
};
TORCH_MODULE(Unseen);

void unseen_module_ok(Unseen net, Optimizer &optimizer, const Tensors &inputs) {
  torch::Tensor h = torch::zeros({8, 16});
  for (const auto &x : inputs) {
    auto [output, next] = net->forward(x, h);
    h = next;
    optimizer.zero_grad();
    output.pow(2).mean().backward();
    optimizer.step();
  }
}

class Trainer {
public:
  explicit Trainer(Writer writer) : writer(writer), optimizer(writer->parameters(), 1e-3) {}

  void fit(const Tensors &inputs) {
    state = torch::zeros({8, 16});
    for (const auto &x : inputs)
      learn(x);
  }
  void fitRight(const Tensors &inputs) {
    state = torch::zeros({8, 16});
    for (const auto &x : inputs) {
      learnRight(x);
      state = state.detach();
    }
  }

private:
  void learn(const torch::Tensor &x) {
    optimizer.zero_grad();
    auto [output, next] = writer->forward(x, state); // expect: ml-hidden-state-graph
    state = next;
    output.pow(2).mean().backward();
    optimizer.step();
  }
  void learnRight(const torch::Tensor &x) {
    optimizer.zero_grad();
    auto [output, next] = writer->forward(x, state);
    state = next;
    output.pow(2).mean().backward();
    optimizer.step();
  }

  Writer writer;
  torch::optim::Adam optimizer;
  torch::Tensor state;
};

// An image that is improved step by step, each step for itself.
void refined_bad(torch::nn::Linear net, Optimizer &optimizer, torch::Tensor x) {
  for (int i = 0; i < 10; ++i) {
    x = net(x); // expect: ml-hidden-state-graph
    optimizer.zero_grad();
    x.pow(2).mean().backward();
    optimizer.step();
  }
}

void layers_ok(torch::nn::Linear net, Optimizer &optimizer, torch::Tensor x) {
  for (int i = 0; i < 10; ++i)
    x = net(x);
  optimizer.zero_grad();
  x.pow(2).mean().backward();
  optimizer.step();
}
