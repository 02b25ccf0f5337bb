// Whose gradients are clipped.
#include <torch/torch.h>

using Net = torch::nn::Linear;
using torch::nn::utils::clip_grad_norm_;

void of_another_module_bad(Net policy, Net value, torch::Tensor x) {
  torch::optim::SGD first(policy->parameters(), 0.1), second(value->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    second.zero_grad();
    value(x).mean().backward();
    clip_grad_norm_(value->parameters(), 1.0);
    second.step();
  }
  for (int i = 0; i < 100; ++i) {
    first.zero_grad();
    policy(x).mean().backward();               // note: computes gradients here
    clip_grad_norm_(value->parameters(), 1.0); // expect: ml-clip-order (no fix): not those
    first.step();                              // note: of other parameters
  }
}

void both_clipped_ok(Net policy, Net value, torch::Tensor x) {
  torch::optim::SGD first(policy->parameters(), 0.1), second(value->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    first.zero_grad();
    second.zero_grad();
    (policy(x) + value(x)).mean().backward();
    clip_grad_norm_(policy->parameters(), 1.0);
    clip_grad_norm_(value->parameters(), 1.0);
    first.step();
    second.step();
  }
}

void one_optimizer_ok(Net policy, Net value, torch::Tensor x) {
  std::vector<torch::Tensor> all = policy->parameters();
  for (auto &each : value->parameters())
    all.push_back(each);
  torch::optim::SGD optimizer(all, 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    (policy(x) + value(x)).mean().backward();
    clip_grad_norm_(value->parameters(), 1.0);
    optimizer.step();
  }
}

void of_some_function_ok(Net policy, std::vector<torch::Tensor> chosen, torch::Tensor x) {
  torch::optim::SGD optimizer(policy->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    policy(x).mean().backward();
    clip_grad_norm_(chosen, 1.0);
    optimizer.step();
  }
}

// --- through a function --------------------------------------------------------------------------

static void clipAny(const std::vector<torch::Tensor> &parameters, double most) {
  if (most > 0)
    clip_grad_norm_(parameters, most);
}

void called_bad(Net policy, Net value, torch::Tensor x, double most) {
  torch::optim::SGD first(policy->parameters(), 0.1), second(value->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    second.zero_grad();
    value(x).mean().backward();
    clipAny(value->parameters(), most);
    second.step();
    first.zero_grad();
    policy(x).mean().backward();        // note: computes gradients here
    clipAny(value->parameters(), most); // expect: ml-clip-order (no fix): not those
    first.step();                       // note: of other parameters
  }
}

void called_ok(Net policy, Net value, torch::Tensor x, double most) {
  torch::optim::SGD first(policy->parameters(), 0.1), second(value->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    first.zero_grad();
    policy(x).mean().backward();
    clipAny(policy->parameters(), most);
    first.step();
  }
}
