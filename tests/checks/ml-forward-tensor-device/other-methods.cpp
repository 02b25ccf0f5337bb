// Methods of a module beside forward().
#include <torch/torch.h>

#include <memory>

struct PolicyImpl : torch::nn::Module {
  torch::nn::Linear linear{register_module("linear", torch::nn::Linear(4, 2))};
  torch::Tensor forward(torch::Tensor x) { return linear(x); }
};
TORCH_MODULE(Policy);

class Agent : public torch::nn::Module {
public:
  Agent() { register_module("policy", policy); }

  torch::Tensor target_bad(torch::Tensor next) {
    torch::NoGradGuard guard;
    auto action = policy(next);
    auto noise = torch::randn(action.sizes()); // expect: ml-forward-tensor-device (level 0)
    return action + noise;
  }

  torch::Tensor like_ok(torch::Tensor next) {
    auto action = policy(next);
    return action + torch::randn_like(action);
  }

  torch::Tensor there_ok(torch::Tensor next) {
    auto action = policy(next);
    return action + torch::randn(action.sizes(), action.options());
  }

  // The result comes back to the CPU, where the noise is.
  torch::Tensor act_ok(torch::Tensor observation) {
    auto action = policy(observation).to(torch::kCPU);
    return action + torch::randn({1, 2});
  }

  // What it is given may be anywhere.
  torch::Tensor scaled_ok(torch::Tensor rewards) { return rewards * torch::ones({1, 2}); }

private:
  Policy policy;
};

void run(Agent &agent, torch::Device device) { agent.to(device); }
