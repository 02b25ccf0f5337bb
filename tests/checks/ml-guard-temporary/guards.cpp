// Guards that live, and guards that do not.
#include <torch/torch.h>

void temporaries_bad(torch::nn::Linear net, torch::Tensor x) {
  {
    torch::NoGradGuard(); // expect: ml-guard-temporary: has no name
    net(x);
  }
  {
    torch::NoGradGuard{}; // expect: ml-guard-temporary
    net(x);
  }
  {
    torch::AutoGradMode(false); // expect: ml-guard-temporary
    net(x);
  }
  torch::AutoGradMode{false}; // expect: ml-guard-temporary
  net(x);
}

void vexing_bad(torch::nn::Linear net, torch::Tensor x) {
  torch::NoGradGuard guard(); // expect: ml-guard-temporary: 'guard' is a function
  net(x);
}

void in_a_branch_bad(torch::nn::Linear net, torch::Tensor x, bool isTraining) {
  if (!isTraining)
    torch::NoGradGuard(); // expect: ml-guard-temporary (no fix)
  net(x);
}

void named_ok(torch::nn::Linear net, torch::Tensor x) {
  torch::NoGradGuard guard;
  torch::AutoGradMode off(false);
  torch::InferenceMode mode;
  auto another = torch::NoGradGuard();
  net(x);
}

// In parentheses the name is still a name.
void in_parentheses_ok(torch::nn::Linear net, torch::Tensor x) {
  torch::NoGradGuard(guard);
  net(x);
}

torch::Tensor within_its_expression_ok(torch::nn::Linear net, torch::Tensor x) {
  return torch::NoGradGuard(), net(x);
}

void allocated_ok(torch::nn::Linear net, torch::Tensor x) {
  auto guard = std::make_unique<torch::NoGradGuard>();
  net(x);
}
