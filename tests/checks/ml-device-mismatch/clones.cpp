// A module that gets parts of another one is where they are.
#include <torch/torch.h>

struct Actor : torch::nn::Module {
  virtual ~Actor() = default;
  virtual torch::Tensor forward(const torch::Tensor &x) = 0;
  virtual std::unique_ptr<Actor> copy() const = 0;
};

struct LinearActor : Actor {
  LinearActor() {
    policy = register_module("policy", torch::nn::Sequential(torch::nn::Linear(4, 2)));
  }
  torch::Tensor forward(const torch::Tensor &x) override { return policy->forward(x); }
  std::unique_ptr<Actor> copy() const override {
    auto out = std::make_unique<LinearActor>();
    out->policy = out->replace_module(
        "policy", std::dynamic_pointer_cast<torch::nn::SequentialImpl>(policy->clone()));
    return out;
  }
  torch::nn::Sequential policy{nullptr};
};

torch::Tensor copied_ok(torch::Tensor x) {
  auto actor = std::make_shared<LinearActor>();
  actor->to(torch::kCUDA);
  auto target = actor->copy();
  return target->forward(x.to(torch::kCUDA));
}

torch::Tensor made_anew_bad(torch::Tensor x) {
  auto actor = std::make_shared<LinearActor>();
  actor->to(torch::kCUDA);
  auto target = std::make_unique<LinearActor>();
  return target->forward(x.to(torch::kCUDA)); // expect: ml-device-mismatch
}
