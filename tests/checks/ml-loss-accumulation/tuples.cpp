// The parts of a tuple are values of their own.
#include <torch/torch.h>
#include <tuple>
#include <utility>
#include <vector>

using Net = torch::nn::Linear;

std::tuple<torch::Tensor, torch::Tensor> step(Net &net, torch::optim::SGD &optimizer,
                                              torch::Tensor x, torch::Tensor y) {
  auto output = net(x);
  auto loss = torch::nn::functional::cross_entropy(output, y);
  optimizer.zero_grad();
  loss.backward();
  optimizer.step();
  return {loss, output.argmax(1).eq(y).sum()};
}
void hits_ok(Net net, torch::optim::SGD &optimizer, torch::Tensor x, torch::Tensor y) {
  auto correct = torch::zeros({}, torch::kLong);
  for (int i = 0; i < 10; ++i) {
    auto [loss, hits] = step(net, optimizer, x, y);
    correct += hits;
  }
}
void losses_bad(Net net, torch::optim::SGD &optimizer, torch::Tensor x, torch::Tensor y) {
  auto total = torch::zeros({});
  for (int i = 0; i < 10; ++i) {
    auto [loss, hits] = step(net, optimizer, x, y);
    total += loss; // expect: ml-loss-accumulation
  }
}

std::pair<torch::Tensor, torch::Tensor> both(Net &net, torch::Tensor x) {
  auto output = net(x);
  return {output.mean(), output.detach()};
}
void detached_part_ok(Net net, torch::optim::SGD &optimizer, torch::Tensor x) {
  std::vector<torch::Tensor> outputs;
  for (int i = 0; i < 10; ++i) {
    auto made = both(net, x);
    optimizer.zero_grad();
    made.first.backward();
    optimizer.step();
    outputs.push_back(made.second);
  }
}

// Detached in place after it was stored.
void in_place_ok(Net net, torch::optim::SGD &optimizer, torch::Tensor x) {
  std::vector<torch::Tensor> losses;
  for (int i = 0; i < 10; ++i) {
    auto loss = net(x).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    losses.push_back(loss);
    losses.back().detach_();
  }
}
