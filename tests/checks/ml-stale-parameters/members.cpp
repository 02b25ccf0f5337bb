// Modules that are members, and trained without an optimizer.
#include <torch/torch.h>

#include <memory>
#include <vector>

namespace nn = torch::nn;
using torch::optim::Adam;

// ---- left out

class TrainerBad {
public:
  TrainerBad() : a(2, 1), b(2, 1), optimizer(a->parameters(), 1e-3) {}
  void step(torch::Tensor x) {
    auto loss = (a(x) - 1).pow(2).mean() +
                (b(x) - 1).pow(2).mean(); // expect: ml-stale-parameters (level 1): 'trainer.b' is trained with the others, but no optimizer has its parameters
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
  void save() { torch::save(b, "b.pt"); }

private:
  nn::Linear a, b;
  Adam optimizer;
};
void trainer_bad(torch::Tensor x) {
  TrainerBad trainer;
  for (int i = 0; i < 10; ++i)
    trainer.step(x);
  trainer.save();
}

class PointersBad {
public:
  PointersBad() : a(std::make_shared<nn::LinearImpl>(2, 1)), b(std::make_shared<nn::LinearImpl>(2, 1)) {
    optimizer = std::make_unique<Adam>(a->parameters(), 1e-3);
  }
  void step(torch::Tensor x) {
    auto loss = a->forward(x).pow(2).mean() + b->forward(x).pow(2).mean(); // expect: ml-stale-parameters
    optimizer->zero_grad();
    loss.backward();
    optimizer->step();
  }

private:
  std::shared_ptr<nn::LinearImpl> a, b;
  std::unique_ptr<Adam> optimizer;
};
void pointers_bad(torch::Tensor x) {
  PointersBad trainer;
  for (int i = 0; i < 10; ++i)
    trainer.step(x);
}

struct Nets {
  nn::Linear a{nullptr}, b{nullptr};
};
void struct_bad(torch::Tensor x) {
  Nets nets{nn::Linear(2, 1), nn::Linear(2, 1)};
  Adam optimizer(nets.a->parameters(), 1e-3);
  for (int i = 0; i < 10; ++i) {
    auto loss = nets.a(x).mean() + nets.b(x).mean(); // expect: ml-stale-parameters
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

// ---- all of them

class BothOk {
public:
  BothOk() : a(2, 2), b(2, 1), first(a->parameters(), 1e-3), second(b->parameters(), 1e-3) {}
  void step(torch::Tensor x) {
    auto loss = b(a(x)).mean();
    first.zero_grad();
    second.zero_grad();
    loss.backward();
    first.step();
    second.step();
  }

private:
  nn::Linear a, b;
  Adam first, second;
};

class JoinedOk {
public:
  JoinedOk() : a(2, 2), b(2, 1), optimizer(all(), 1e-3) {}
  std::vector<torch::Tensor> all() {
    auto parameters = a->parameters();
    for (auto &parameter : b->parameters())
      parameters.push_back(parameter);
    return parameters;
  }
  void step(torch::Tensor x) {
    auto loss = b(a(x)).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }

private:
  nn::Linear a, b;
  Adam optimizer;
};

class GroupOk {
public:
  GroupOk() : a(2, 2), b(2, 1), optimizer(a->parameters(), 1e-3) {
    optimizer.add_param_group(torch::optim::OptimizerParamGroup(b->parameters()));
  }
  void step(torch::Tensor x) {
    auto loss = b(a(x)).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }

private:
  nn::Linear a, b;
  Adam optimizer;
};

class PhasesOk {
public:
  PhasesOk() : a(2, 2), b(2, 1), optimizer(std::make_unique<Adam>(a->parameters(), 1e-3)) {}
  void step(torch::Tensor x) {
    auto loss = b(a(x)).mean();
    optimizer->zero_grad();
    loss.backward();
    optimizer->step();
  }
  void fineTune() { optimizer = std::make_unique<Adam>(b->parameters(), 1e-4); }

private:
  nn::Linear a, b;
  std::unique_ptr<Adam> optimizer;
};

class GivingOk {
public:
  GivingOk() : a(2, 2), b(2, 1), optimizer(a->parameters(), 1e-3) {}
  nn::Linear head() { return b; }
  void step(torch::Tensor x) {
    auto loss = b(a(x)).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }

private:
  nn::Linear a, b;
  Adam optimizer;
};

class UnseenOk {
public:
  UnseenOk() : a(2, 2), b(2, 1), optimizer(a->parameters(), 1e-3) {}
  void fineTune();
  void step(torch::Tensor x) {
    auto loss = b(a(x)).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }

private:
  nn::Linear a, b;
  Adam optimizer;
};

class FrozenOk {
public:
  FrozenOk() : a(2, 2), b(2, 1), optimizer(a->parameters(), 1e-3) {
    for (auto &parameter : b->parameters())
      parameter.set_requires_grad(false);
  }
  void step(torch::Tensor x) {
    auto loss = b(a(x)).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }

private:
  nn::Linear a, b;
  Adam optimizer;
};

class LoadedOk {
public:
  LoadedOk() : a(2, 2), b(2, 1), optimizer(a->parameters(), 1e-3) { torch::load(b, "b.pt"); }
  void step(torch::Tensor x) {
    auto loss = b(a(x)).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }

private:
  nn::Linear a, b;
  Adam optimizer;
};

struct WholeImpl : nn::Module {
  WholeImpl() {
    a = register_module("a", nn::Linear(2, 2));
    b = register_module("b", nn::Linear(2, 1));
  }
  void train_step(torch::Tensor x) {
    Adam optimizer(parameters(), 1e-3);
    auto loss = b(a(x)).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
  nn::Linear a{nullptr}, b{nullptr};
};

template <typename Trainer> void run(torch::Tensor x) {
  Trainer trainer;
  for (int i = 0; i < 10; ++i)
    trainer.step(x);
}
void all_ok(torch::Tensor x) {
  run<BothOk>(x);
  run<JoinedOk>(x);
  run<GroupOk>(x);
  run<PhasesOk>(x);
  run<GivingOk>(x);
  run<UnseenOk>(x);
  run<FrozenOk>(x);
  run<LoadedOk>(x);
  WholeImpl whole;
  whole.train_step(x);
}

struct ListedNets {
  nn::Linear a{nullptr}, b{nullptr};
};
void each_ok(torch::Tensor x) {
  PhasesOk phases;
  phases.step(x);
  phases.fineTune();
  phases.step(x);
  ListedNets nets{nn::Linear(2, 1), nn::Linear(2, 1)};
  std::vector<torch::Tensor> parameters;
  for (auto &each : {nets.a, nets.b})
    for (auto &parameter : each->parameters())
      parameters.push_back(parameter);
  Adam optimizer(parameters, 1e-3);
  (nets.a(x).mean() + nets.b(x).mean()).backward();
  optimizer.step();
}

void other_name_ok(torch::Tensor x) {
  nn::Linear a(2, 1), b(2, 1);
  ListedNets nets{a, b};
  Adam optimizer(a->parameters(), 1e-3);
  (nets.a(x).mean() + nets.b(x).mean()).backward();
  optimizer.step();
  Adam other(b->parameters(), 1e-3);
  other.step();
}
