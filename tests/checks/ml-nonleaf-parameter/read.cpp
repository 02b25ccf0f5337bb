// Gradients that are read from what is no leaf.
#include <torch/torch.h>

#include <iostream>
#include <vector>

using torch::Tensor;

class Controls {
public:
  explicit Controls(const std::vector<float> &values) : left(made(values)) {}

  void improve() {
    left.pow(2).sum().backward();
    torch::NoGradGuard guard;
    left.sub_(left.grad() * 0.1); // note: its gradient is read here
  }

private:
  static Tensor made(const std::vector<float> &values) {
    return torch::tensor(values, torch::requires_grad()).view({-1, 1}); // expect: ml-nonleaf-parameter: what is computed of a leaf is no leaf: its gradient stays undefined
  }
  Tensor left;
};

void in_an_object_bad() {
  Controls controls({1, 2});
  for (int i = 0; i < 10; ++i)
    controls.improve();
}

void printed_bad() {
  auto scaled = torch::ones({2}, torch::requires_grad()) * 2; // expect: ml-nonleaf-parameter
  scaled.sum().backward();
  std::cout << scaled.grad(); // note: its gradient is read here
}

void of_the_leaf_ok() {
  auto leaf = torch::ones({2}, torch::requires_grad());
  auto scaled = leaf * 2;
  scaled.sum().backward();
  std::cout << leaf.grad();
}

void asked_for_ok() {
  auto scaled = torch::ones({2}, torch::requires_grad()) * 2;
  scaled.sum().backward();
  if (scaled.grad().defined())
    std::cout << "no leaf\n";
}
