// Clones of modules with parts that clone() cannot copy.
#include <torch/torch.h>

#include <memory>

using torch::Tensor;

struct PlainImpl : torch::nn::Module {
  PlainImpl() { fc = register_module("fc", torch::nn::Linear(2, 2)); }
  Tensor forward(Tensor x) { return fc(x); }
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Plain);

struct CopiedImpl : torch::nn::Cloneable<CopiedImpl> {
  CopiedImpl() { reset(); }
  void reset() override { fc = register_module("fc", torch::nn::Linear(2, 2)); }
  Tensor forward(Tensor x) { return fc(x); }
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Copied);

struct Activation : torch::nn::Module {
  Tensor forward(Tensor x) { return x.relu(); }
};

struct GoodNet : torch::nn::Cloneable<GoodNet> {
  GoodNet() { reset(); }
  void reset() override {
    body = register_module("body", Copied());
    head = register_module("head", torch::nn::Linear(2, 2));
    activation = register_module("activation", std::make_shared<Activation>());
  }
  Tensor forward(Tensor x) { return head(activation->forward(body(x))); }
  Copied body{nullptr};
  torch::nn::Linear head{nullptr};
  std::shared_ptr<Activation> activation;
};

struct BadNet : torch::nn::Cloneable<BadNet> {
  BadNet() { reset(); }
  void reset() override {
    body = register_module("body", Plain());
    head = register_module("head", torch::nn::Linear(2, 2));
  }
  Tensor forward(Tensor x) { return head(body(x)); }
  Plain body{nullptr}; // note: the submodule is declared here
  torch::nn::Linear head{nullptr};
};

struct Deeper : torch::nn::Cloneable<Deeper> {
  Deeper() { reset(); }
  void reset() override { inner = register_module("inner", std::make_shared<BadNet>()); }
  Tensor forward(Tensor x) { return inner->forward(x); }
  std::shared_ptr<BadNet> inner;
};

void copied_ok() {
  auto net = std::make_shared<GoodNet>();
  auto target = std::dynamic_pointer_cast<GoodNet>(net->clone());
  std::cout << target->forward(torch::ones({1, 2}));
}

static void copyParameters(torch::nn::Module &to, const torch::nn::Module &from) {
  torch::NoGradGuard guard;
  auto source = from.parameters(), target = to.parameters();
  for (size_t i = 0; i < target.size(); ++i)
    target[i].copy_(source[i]);
}

void copied_by_hand_ok() {
  auto net = std::make_shared<BadNet>();
  auto target = std::dynamic_pointer_cast<BadNet>(net->clone());
  copyParameters(*target, *net);
}

void loaded_ok() {
  auto net = std::make_shared<BadNet>();
  auto target = std::dynamic_pointer_cast<BadNet>(net->clone());
  torch::load(target, "net.pt");
}

void target_bad() {
  auto net = std::make_shared<BadNet>();
  auto target = std::dynamic_pointer_cast<BadNet>(net->clone()); // expect: ml-module-copy: the clone has new weights in 'body': the class of this submodule does not derive from Cloneable
  std::cout << target->forward(torch::ones({1, 2}));
}

void deeper_bad(std::shared_ptr<Deeper> net) {
  auto copy = net->clone(); // expect: ml-module-copy: 'body'
}

class Agent {
public:
  Agent() : policy(std::make_shared<BadNet>()) {
    target = std::static_pointer_cast<BadNet>(policy->clone()); // expect: ml-module-copy: 'body'
  }

private:
  std::shared_ptr<BadNet> policy, target;
};
