// Each loss with each kind of input.
#include <torch/torch.h>

namespace F = torch::nn::functional;
using torch::Tensor;

void softmax_before_cross_entropy_bad(torch::nn::Linear net, Tensor x, Tensor y) {
  torch::cross_entropy_loss(torch::softmax(net(x), 1), y).backward(); // expect: ml-loss-activation: applies the softmax itself
  F::cross_entropy(net(x).softmax(1), y).backward();                  // expect: ml-loss-activation
  F::cross_entropy(F::softmax(net(x), F::SoftmaxFuncOptions(1)), y).backward(); // expect: ml-loss-activation
}

void in_a_variable_bad(torch::nn::Linear net, Tensor x, Tensor y) {
  auto probabilities = torch::softmax(net(x), 1); // note: computed here
  auto loss = F::cross_entropy(probabilities, y); // expect: ml-loss-activation (no fix)
  loss.backward();
}

void reshaped_bad(torch::nn::Linear net, Tensor x, Tensor y) {
  auto probabilities = torch::softmax(net(x), 1); // note: computed here
  F::cross_entropy(probabilities.view({-1, 10}), y).backward(); // expect: ml-loss-activation (no fix)
}

void modules_bad(torch::nn::Linear net, Tensor x, Tensor y) {
  torch::nn::CrossEntropyLoss criterion;
  torch::nn::NLLLoss likelihood;
  torch::nn::BCELoss binary;
  criterion(torch::softmax(net(x), 1), y).backward();  // expect: ml-loss-activation: 'criterion'
  likelihood(torch::softmax(net(x), 1), y).backward(); // expect: ml-loss-activation: expects logarithms
  likelihood(net(x), y).backward();                    // expect: ml-loss-activation (no fix)
  binary(net(x), y).backward();                        // expect: ml-loss-activation (no fix)
}

void likelihoods_bad(torch::nn::Linear net, Tensor x, Tensor y) {
  torch::nll_loss(torch::softmax(net(x), 1), y).backward(); // expect: ml-loss-activation
  torch::nll_loss(net(x), y).backward(); // expect: ml-loss-activation (no fix)
  F::nll_loss(F::softmax(net(x), F::SoftmaxFuncOptions(1)), y).backward(); // expect: ml-loss-activation (no fix)
}

void binary_bad(torch::nn::Linear net, Tensor x, Tensor y) {
  torch::binary_cross_entropy(net(x), y).backward(); // expect: ml-loss-activation (no fix)
  torch::binary_cross_entropy_with_logits(torch::sigmoid(net(x)), y).backward(); // expect: ml-loss-activation
  torch::binary_cross_entropy(torch::log_softmax(net(x), 1), y).backward(); // expect: ml-loss-activation (no fix)
}

void sigmoid_before_cross_entropy_bad(torch::nn::Linear net, Tensor x, Tensor y) {
  F::cross_entropy(torch::sigmoid(net(x)), y).backward(); // expect: ml-loss-activation
}

// Right, and superfluous.
void twice_the_logarithm(torch::nn::Linear net, Tensor x, Tensor y) {
  F::cross_entropy(torch::log_softmax(net(x), 1), y).backward(); // expect: ml-loss-activation (level 2)
}

void right_ok(torch::nn::Linear net, Tensor x, Tensor y) {
  F::cross_entropy(net(x), y).backward();
  torch::nll_loss(torch::log_softmax(net(x), 1), y).backward();
  torch::nll_loss(torch::log(torch::softmax(net(x), 1)), y).backward();
  torch::binary_cross_entropy(torch::sigmoid(net(x)), y).backward();
  torch::binary_cross_entropy_with_logits(net(x), y).backward();
  torch::binary_cross_entropy(torch::softmax(net(x), 1), y).backward();
  torch::mse_loss(torch::sigmoid(net(x)), y).backward();
}

// Probabilities as targets are what a loss wants.
void softened_targets_ok(torch::nn::Linear student, torch::nn::Linear teacher, Tensor x) {
  F::cross_entropy(student(x), torch::softmax(teacher(x), 1)).backward();
}

void something_in_between_ok(torch::nn::Linear net, Tensor x, Tensor y) {
  torch::nll_loss(torch::log(torch::softmax(net(x), 1) + 1e-8), y).backward();
  F::cross_entropy(torch::softmax(net(x), 1) * 10, y).backward();
}

// Nobody knows what comes in.
void handed_in_ok(Tensor scores, Tensor y) {
  F::cross_entropy(scores, y).backward();
  torch::nll_loss(scores, y).backward();
}
