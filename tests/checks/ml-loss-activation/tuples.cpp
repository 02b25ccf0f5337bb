// Forward passes with several results, each of which has been through something else.
#include <torch/torch.h>

#include <tuple>
#include <utility>

using torch::Tensor;
namespace nn = torch::nn;
namespace F = torch::nn::functional;

struct PolicyImpl : nn::Module {
  PolicyImpl() { layer = register_module("layer", nn::Linear(8, 4)); }
  Tensor forward(Tensor x) { return torch::softmax(layer(x), 1); }
  nn::Linear layer{nullptr};
};
TORCH_MODULE(Policy);

struct HeadsImpl : nn::Module {
  HeadsImpl() {
    policy = register_module("policy", Policy());
    value = register_module("value", nn::Linear(8, 4));
  }
  std::pair<Tensor, Tensor> forward(Tensor x) {
    Tensor moves = policy(x);
    Tensor worth = value(x);
    return {moves, worth};
  }
  Policy policy{nullptr};
  nn::Linear value{nullptr};
};
TORCH_MODULE(Heads);

Tensor bound_bad(Heads heads, Tensor x, Tensor y) {
  auto [moves, worth] = heads->forward(x);
  return F::cross_entropy(moves, y); // expect: ml-loss-activation (no fix): has been through one
}

Tensor bound_ok(Heads heads, Tensor x, Tensor y) {
  auto [moves, worth] = heads->forward(x);
  return F::cross_entropy(worth, y);
}

std::tuple<Tensor, Tensor> losses(const std::pair<Tensor, Tensor> &given, Tensor y) {
  Tensor moves = std::get<0>(given);
  moves = moves.view({-1, 4});
  Tensor policy = -torch::log_softmax(moves, 1).mul(y).sum(1).mean(); // expect: ml-loss-activation (no fix) (level 1): been through a softmax
  Tensor value = -torch::log_softmax(given.second, 1).mul(y).sum(1).mean();
  return std::make_tuple(policy, value);
}

Tensor handed_on_bad(Heads heads, Tensor x, Tensor y) {
  auto given = heads->forward(x);
  auto [policy, value] = losses(given, y);
  return policy + value;
}
