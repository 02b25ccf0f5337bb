// States that modules keep in members of their own.
#include <torch/torch.h>

namespace nn = torch::nn;
using Optimizer = torch::optim::Optimizer;

namespace {

struct LeakyImpl : nn::Module {
  LeakyImpl() {
    in = register_module("in", nn::Linear(4, 8));
    out = register_module("out", nn::Linear(8, 2));
    potential = torch::zeros({1, 8});
  }
  torch::Tensor forward(torch::Tensor x) {
    auto next = torch::relu(in(x)) + potential * 0.9; // note: the next pass takes it up here
    potential = next; // expect: ml-hidden-state-graph: 'potential' carries the graph of this pass into the next one, whose backward goes through both and throws; keep it detached
    return out(next);
  }
  nn::Linear in{nullptr}, out{nullptr};
  torch::Tensor potential;
};
TORCH_MODULE(Leaky);

void step(Leaky &net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  optimizer.zero_grad();
  torch::mse_loss(net(x), y).backward();
  optimizer.step();
}

struct RecurrentImpl : nn::Module {
  RecurrentImpl() { cell = register_module("cell", nn::GRUCell(4, 8)); }
  torch::Tensor forward(torch::Tensor x) {
    if (!state.defined())
      state = torch::zeros({x.size(0), 8});
    state = cell(x, state); // expect: ml-hidden-state-graph // note: the next pass takes it up here
    return state;
  }
  nn::GRUCell cell{nullptr};
  torch::Tensor state;
};
TORCH_MODULE(Recurrent);

void train(Recurrent net, Optimizer &optimizer, torch::Tensor x) {
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
  }
}

// ---- states that end

struct DetachedImpl : nn::Module {
  DetachedImpl() { cell = register_module("cell", nn::GRUCell(4, 8)); }
  torch::Tensor forward(torch::Tensor x) {
    auto next = cell(x, state);
    state = next.detach();
    return next;
  }
  nn::GRUCell cell{nullptr};
  torch::Tensor state = torch::zeros({1, 8});
};
TORCH_MODULE(Detached);

struct TakenDetachedImpl : nn::Module {
  TakenDetachedImpl() { cell = register_module("cell", nn::GRUCell(4, 8)); }
  torch::Tensor forward(torch::Tensor x) {
    state = cell(x, state.detach());
    return state;
  }
  nn::GRUCell cell{nullptr};
  torch::Tensor state = torch::zeros({1, 8});
};
TORCH_MODULE(TakenDetached);

struct ResetImpl : nn::Module {
  ResetImpl() { cell = register_module("cell", nn::GRUCell(4, 8)); }
  void reset() { state = torch::zeros({1, 8}); }
  torch::Tensor forward(torch::Tensor x) {
    state = cell(x, state);
    return state;
  }
  nn::GRUCell cell{nullptr};
  torch::Tensor state = torch::zeros({1, 8});
};
TORCH_MODULE(Reset);

struct MadeAnewImpl : nn::Module {
  MadeAnewImpl() { cell = register_module("cell", nn::GRUCell(4, 8)); }
  torch::Tensor forward(torch::Tensor xs) {
    state = torch::zeros({1, 8});
    for (int64_t i = 0; i < xs.size(0); ++i)
      state = cell(xs[i], state);
    return state;
  }
  nn::GRUCell cell{nullptr};
  torch::Tensor state;
};
TORCH_MODULE(MadeAnew);

struct CutOffImpl : nn::Module {
  CutOffImpl() { cell = register_module("cell", nn::GRUCell(4, 8)); }
  torch::Tensor forward(torch::Tensor x) {
    state = cell(x, state);
    return state;
  }
  nn::GRUCell cell{nullptr};
  torch::Tensor state = torch::zeros({1, 8});
};
TORCH_MODULE(CutOff);

struct OnlyReadImpl : nn::Module {
  OnlyReadImpl() { fc = register_module("fc", nn::Linear(4, 8)); }
  torch::Tensor forward(torch::Tensor x) {
    last = fc(x);
    return last * scale;
  }
  nn::Linear fc{nullptr};
  torch::Tensor last, scale = torch::ones({8});
};
TORCH_MODULE(OnlyRead);

void train_all(Detached detached, TakenDetached taken, Reset reset, MadeAnew anew, CutOff cut,
               OnlyRead read, Optimizer &optimizer, torch::Tensor x) {
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    reset->reset();
    auto loss = detached(x).mean() + taken(x).mean() + reset(x).mean() + anew(x).mean() +
                cut(x).mean() + read(x).mean();
    loss.backward();
    optimizer.step();
    cut->state.detach_();
  }
}

struct EvaluatedImpl : nn::Module {
  EvaluatedImpl() { cell = register_module("cell", nn::GRUCell(4, 8)); }
  torch::Tensor forward(torch::Tensor x) {
    state = cell(x, state);
    return state;
  }
  nn::GRUCell cell{nullptr};
  torch::Tensor state = torch::zeros({1, 8});
};
TORCH_MODULE(Evaluated);

void evaluate(Evaluated net, torch::Tensor x) {
  torch::NoGradGuard guard;
  for (int i = 0; i < 100; ++i)
    net(x);
}

} // namespace
