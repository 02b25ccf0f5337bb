// Optimizers that get tensors in the place of those that they have.
#include <torch/torch.h>

namespace {

struct Points {
  explicit Points(int64_t count)
      : positions(torch::rand({count, 2}).set_requires_grad(true)),
        optimizer(std::vector<torch::Tensor>{positions}, torch::optim::AdamOptions(0.1)) {}

  void prune_bad(const torch::Tensor &kept) {
    torch::NoGradGuard guard; // note: gradients are disabled here
    positions = positions.index_select(0, kept);
    optimizer.param_groups()[0].params()[0] = positions; // expect: ml-nonleaf-parameter (no fix): the optimizer gets a tensor that requires no gradient, as it was computed without any: nothing trains it
  }

  void double_bad() {
    torch::NoGradGuard guard; // note: gradients are disabled here
    auto more = torch::cat({positions, positions});
    for (auto &group : optimizer.param_groups())
      group.params()[0] = more; // expect: ml-nonleaf-parameter (no fix)
    positions = more;
  }

  void prune_ok(const torch::Tensor &kept) {
    torch::NoGradGuard guard;
    positions = positions.index_select(0, kept).set_requires_grad(true);
    optimizer.param_groups()[0].params()[0] = positions;
  }

  void later_ok(const torch::Tensor &kept) {
    torch::NoGradGuard guard;
    positions = positions.index_select(0, kept);
    optimizer.param_groups()[0].params()[0] = positions;
    positions.requires_grad_(true);
  }

  void data_ok(const torch::Tensor &kept) {
    torch::NoGradGuard guard;
    auto last = positions.index_select(0, kept);
    optimizer.param_groups()[0].params()[0].set_data(last);
  }

  torch::Tensor positions;
  torch::optim::Adam optimizer;
};

void train(const torch::Tensor &kept) {
  Points points(100), others(100);
  points.prune_bad(kept);
  others.double_bad();
  Points more(100), rest(100), last(100);
  more.prune_ok(kept);
  rest.later_ok(kept);
  last.data_ok(kept);
}

} // namespace

// --- tensors that require no gradient

void listed_bad(torch::Tensor x) {
  auto table = torch::zeros({4, 2}); // expect: ml-nonleaf-parameter (no fix): 'table' requires no gradient: the optimizer that has it never changes it
  table.uniform_(-1, 1);
  torch::nn::Linear head(2, 2);
  std::vector<torch::Tensor> parameters = head->parameters();
  parameters.push_back(table);
  torch::optim::SGD optimizer(parameters, 0.1);
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    head(x.mm(table)).mean().backward();
    optimizer.step(); // note: the optimizer steps here
  }
}

void trained_ok(torch::Tensor x, torch::Tensor given) {
  auto made = torch::zeros({4, 2}, torch::requires_grad()), later = torch::zeros({4, 2});
  auto frozen = torch::zeros({4, 2});
  frozen.set_requires_grad(false);
  later.requires_grad_();
  torch::optim::SGD optimizer({made, later, frozen, given}, 0.1);
  optimizer.zero_grad();
  x.mm(made + later + frozen + given).mean().backward();
  optimizer.step();
}
