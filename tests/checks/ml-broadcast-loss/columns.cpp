// Columns against rows.
#include <torch/torch.h>

namespace nn = torch::nn;
namespace F = torch::nn::functional;

struct RegressionImpl : nn::Module {
  RegressionImpl() {
    hidden = register_module("hidden", nn::Linear(4, 16));
    out = register_module("out", nn::Linear(16, 1));
  }
  torch::Tensor forward(torch::Tensor x) { return out(torch::relu(hidden(x))); }
  nn::Linear hidden{nullptr}, out{nullptr};
};
TORCH_MODULE(Regression);

torch::Tensor listed_bad(Regression net, torch::Tensor x, const std::vector<float> &values) {
  auto y = torch::tensor(values);
  return torch::mse_loss(net(x), y); // expect: ml-broadcast-loss: 'net(x)' of shape (…, 1) meets
}

torch::Tensor in_memory_bad(torch::Tensor x, std::vector<float> &values) {
  nn::Sequential net(nn::Linear(4, 8), nn::ReLU(), nn::Linear(8, 1));
  auto y = torch::from_blob(values.data(), {static_cast<long>(values.size())}).clone();
  auto prediction = net->forward(x);
  return F::mse_loss(prediction, y); // expect: ml-broadcast-loss: meets 'y' of shape (N)
}

torch::Tensor viewed_bad(Regression net, torch::Tensor x, torch::Tensor y) {
  return torch::smooth_l1_loss(net(x), y.view({-1})); // expect: ml-broadcast-loss
}

torch::Tensor selected_bad(Regression net) {
  auto table = torch::randn({64, 5});
  auto x = table.slice(1, 0, 4);
  auto y = table.select(1, 4);
  return torch::mse_loss(net(x), y); // expect: ml-broadcast-loss: meets 'y' of shape (64)
}

torch::Tensor answers_bad(Regression net, torch::Tensor x, const std::vector<float> &values) {
  auto y = torch::tensor(values);
  return torch::l1_loss(torch::sigmoid(net(x)), y); // expect: ml-broadcast-loss
}

torch::Tensor swapped_bad(Regression net, torch::Tensor x, torch::Tensor y) {
  return torch::mse_loss(net(x).view({-1}), y.view({-1, 1})); // expect: ml-broadcast-loss
}

torch::Tensor by_hand_bad(Regression net, torch::Tensor x, const std::vector<float> &values) {
  auto y = torch::tensor(values);
  return (net(x) - y).pow(2).mean(); // expect: ml-broadcast-loss: 'net(x)' of shape (…, 1)
}

torch::Tensor gathered_bad(torch::Tensor values, torch::Tensor actions,
                           const std::vector<float> &rewards) {
  auto chosen = values.gather(1, actions.view({-1, 1}));
  auto y = torch::tensor(rewards);
  return torch::smooth_l1_loss(chosen, y); // expect: ml-broadcast-loss: 'chosen' of shape (N, 1)
}

struct Trainer {
  Regression net;
  nn::MSELoss criterion;
  std::vector<float> values;
  torch::Tensor loss_bad(torch::Tensor x) {
    auto y = torch::tensor(values);
    return criterion(net->forward(x), y); // expect: ml-broadcast-loss
  }
};

// Rewards in tensors of their own.
std::vector<torch::Tensor> inTensors(const std::vector<float> &rewards) {
  std::vector<torch::Tensor> list;
  for (float reward : rewards)
    list.push_back(torch::tensor({reward}));
  return list;
}

torch::Tensor joined_bad(Regression net, torch::Tensor x, const std::vector<float> &rewards) {
  std::vector<torch::Tensor> list;
  for (float reward : rewards)
    list.push_back(torch::tensor({reward}));
  return torch::mse_loss(net(x), torch::cat(list)); // expect: ml-broadcast-loss: of shape (N)
}

torch::Tensor stacked_bad(Regression net, torch::Tensor x, const std::vector<float> &rewards) {
  std::vector<torch::Tensor> list;
  for (float reward : rewards)
    list.push_back(torch::tensor({reward}));
  auto values = net(x).squeeze();
  auto returns = torch::stack(list);
  return torch::mse_loss(values, returns); // expect: ml-broadcast-loss: 'returns' of shape (N, 1) meets 'values', which squeeze() has left without such a dimension
}

torch::Tensor advantages_bad(Regression net, torch::Tensor x, const std::vector<float> &rewards) {
  std::vector<torch::Tensor> list;
  for (float reward : rewards)
    list.push_back(torch::tensor({reward}));
  auto returns = torch::stack(list).detach();
  auto values = net(x).squeeze();
  return returns - values.detach(); // expect: ml-broadcast-loss: 'returns' of shape (N, 1)
}

torch::Tensor of_others_bad(Regression net, torch::Tensor x, const std::vector<float> &rewards) {
  auto returns = torch::cat(inTensors(rewards), 0);
  return torch::mse_loss(net(x), returns); // expect: ml-broadcast-loss
}

torch::Tensor braces_bad(Regression net, torch::Tensor x, const std::vector<float> &rewards) {
  auto returns = torch::tensor(rewards);
  return torch::mse_loss(net(x), torch::cat({returns, returns})); // expect: ml-broadcast-loss
}

// However many dimensions are before it, the last counts the elements of a list.
torch::Tensor targets_bad(Regression net, torch::Tensor x, torch::Tensor best,
                          const std::vector<float> &rewards) {
  auto targets = torch::tensor(rewards) + 0.99 * best;
  return torch::mse_loss(net(x), targets); // expect: ml-broadcast-loss: of shape (…, N)
}

torch::Tensor classes_bad(Regression net, torch::Tensor x, nn::Linear layer) {
  nn::Linear other(4, 6);
  return torch::mse_loss(net(x), other(x)); // expect: ml-broadcast-loss: of shape (…, 6)
}

torch::Tensor targets_ok(Regression net, torch::Tensor x, torch::Tensor best,
                         const std::vector<float> &rewards) {
  auto targets = torch::tensor(rewards).unsqueeze(1) + 0.99 * best;
  return torch::mse_loss(net(x), targets) + torch::mse_loss(net(x), best * best);
}

// It squeezes both.
torch::Tensor squeezed(torch::Tensor probabilities) {
  return torch::binary_cross_entropy(torch::sigmoid(torch::rand({8, 1})), torch::rand({8}));
}

// Whatever the targets were, squeeze() has left them no column.
void squeezed_targets_bad(torch::nn::Linear net, torch::Tensor x, torch::Tensor target) {
  auto output = torch::nn::Linear(8, 1)(x);
  auto row = target.squeeze();
  torch::mse_loss(output, row).backward(); // expect: ml-broadcast-loss (level 1): without such a dimension
}

void both_squeezed_ok(torch::nn::Linear net, torch::Tensor x, torch::Tensor target) {
  auto output = torch::nn::Linear(8, 1)(x).squeeze();
  torch::mse_loss(output, target.squeeze()).backward();
}

// Targets that are drawn in place are no constants.
void drawn_targets_bad(torch::Tensor x) {
  auto output = torch::nn::Linear(8, 1)(x);
  auto target = torch::empty({x.size(0)}).uniform_(0.8, 1.0);
  torch::mse_loss(output, target).backward(); // expect: ml-broadcast-loss
}
