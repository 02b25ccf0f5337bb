// Logarithms of probabilities of which some are masked, times the probabilities.
#include <torch/torch.h>

#include <cmath>
#include <limits>

using torch::Tensor;

static constexpr double excluded = -std::numeric_limits<double>::infinity();

static Tensor logsOf(Tensor scores, Tensor allowed) {
  return torch::log_softmax(scores.masked_fill(allowed, excluded), 1); // note: masked here
}

Tensor entropy_bad(torch::nn::Linear net, Tensor x, Tensor allowed) {
  auto logs = logsOf(net(x), allowed);
  return -(logs.exp() * logs).sum(1).mean(); // expect: ml-log-of-zero (no fix): the product is NaN
}

Tensor softmax_bad(torch::nn::Linear net, Tensor x, Tensor hidden) {
  auto scores = net(x);
  scores = scores.masked_fill(hidden, -INFINITY);            // note: masked here
  return (scores.softmax(1) * scores.log_softmax(1)).sum(1); // expect: ml-log-of-zero (no fix)
}

Tensor in_place_bad(torch::nn::Linear net, Tensor x, Tensor hidden) {
  auto scores = net(x);
  scores.masked_fill_(hidden, -std::numeric_limits<float>::infinity()); // note: masked here
  auto logs = scores.log_softmax(1);
  return (logs * logs.exp()).sum(1); // expect: ml-log-of-zero (no fix)
}

Tensor large_ok(torch::nn::Linear net, Tensor x, Tensor hidden) {
  auto logs = net(x).masked_fill(hidden, -1e9).log_softmax(1);
  return -(logs.exp() * logs).sum(1);
}

Tensor nothing_masked_ok(torch::nn::Linear net, Tensor x) {
  auto logs = net(x).log_softmax(1);
  return -(logs.exp() * logs).sum(1);
}

// What was chosen is none of those that are masked.
Tensor chosen_ok(torch::nn::Linear net, Tensor x, Tensor hidden, Tensor gains) {
  auto logs = net(x).masked_fill(hidden, -INFINITY).log_softmax(1);
  return -(logs.gather(1, x) * gains).mean();
}
