// Sums of losses over the batches, and what they are divided by.
#include <torch/torch.h>

#include <cstdio>

namespace data = torch::data;
using Net = torch::nn::Linear;

auto digits() {
  return data::datasets::MNIST("data").map(data::transforms::Stack<>());
}

// --- wrong ---------------------------------------------------------------------------------------

void dataset_bad(Net net) {
  torch::NoGradGuard guard;
  auto dataset = digits();
  const size_t count = dataset.size().value();
  auto loader = data::make_data_loader(dataset, 64);
  float sum = 0;
  for (auto &batch : *loader) {
    auto loss = torch::nll_loss(net(batch.data), batch.target);
    sum += loss.item<float>();
  }
  std::printf("%f\n", static_cast<float>(sum) / count); // expect: ml-loss-average: 'sum' is a sum of means
}

template <typename Loader> void test(Net net, Loader &loader, size_t count) {
  torch::NoGradGuard guard;
  double total = 0;
  for (const auto &batch : loader)
    total += torch::nll_loss(net(batch.data), batch.target).template item<double>();
  total /= count; // expect: ml-loss-average
  std::printf("%f\n", total);
}

void parameter_bad(Net net) {
  auto dataset = digits();
  auto loader = data::make_data_loader(dataset, 64);
  test(net, *loader, *dataset.size());
}

void seen_bad(Net net) {
  torch::NoGradGuard guard;
  auto loader = data::make_data_loader(digits(), 64);
  double sum = 0;
  int64_t seen = 0;
  torch::nn::CrossEntropyLoss criterion;
  for (auto &batch : *loader) {
    auto loss = criterion(net(batch.data), batch.target);
    sum += loss.item<double>();
    seen += batch.data.size(0);
  }
  std::printf("%f\n", sum / seen); // expect: ml-loss-average
}

// --- right ---------------------------------------------------------------------------------------

void batches_ok(Net net) {
  torch::NoGradGuard guard;
  auto loader = data::make_data_loader(digits(), 64);
  double sum = 0;
  int batches = 0;
  for (auto &batch : *loader) {
    sum += torch::nll_loss(net(batch.data), batch.target).item<double>();
    ++batches;
  }
  std::printf("%f\n", sum / batches);
}

void weighted_ok(Net net) {
  torch::NoGradGuard guard;
  auto dataset = digits();
  auto loader = data::make_data_loader(dataset, 64);
  double sum = 0;
  for (auto &batch : *loader)
    sum += torch::nll_loss(net(batch.data), batch.target).item<double>() * batch.data.size(0);
  std::printf("%f\n", sum / dataset.size().value());
}

void summed_ok(Net net) {
  torch::NoGradGuard guard;
  auto dataset = digits();
  auto loader = data::make_data_loader(dataset, 64);
  torch::nn::CrossEntropyLoss criterion(torch::nn::CrossEntropyLossOptions().reduction(torch::kSum));
  double sum = 0, other = 0;
  for (auto &batch : *loader) {
    sum += torch::nll_loss(net(batch.data), batch.target, {}, torch::Reduction::Sum).item<double>();
    other += criterion(net(batch.data), batch.target).item<double>();
  }
  std::printf("%f %f\n", sum / dataset.size().value(), other / dataset.size().value());
}

// One sample in each batch.
void single_ok(Net net) {
  torch::NoGradGuard guard;
  auto dataset = digits();
  auto one = data::make_data_loader(dataset, 1);
  auto unset = data::make_data_loader(dataset);
  double sum = 0, other = 0;
  for (auto &batch : *one)
    sum += torch::nll_loss(net(batch.data), batch.target).item<double>();
  for (auto &batch : *unset)
    other += torch::nll_loss(net(batch.data), batch.target).item<double>();
  std::printf("%f %f\n", sum / dataset.size().value(), other / dataset.size().value());
}

void scaled_later_ok(Net net) {
  torch::NoGradGuard guard;
  auto dataset = digits();
  auto loader = data::make_data_loader(dataset, 64);
  double sum = 0;
  for (auto &batch : *loader)
    sum += torch::nll_loss(net(batch.data), batch.target).item<double>();
  sum *= 64;
  std::printf("%f\n", sum / dataset.size().value());
}

// Hits are counted, not averaged.
void hits_ok(Net net) {
  torch::NoGradGuard guard;
  auto dataset = digits();
  auto loader = data::make_data_loader(dataset, 64);
  double hits = 0;
  for (auto &batch : *loader)
    hits += net(batch.data).argmax(1).eq(batch.target).sum().item<double>();
  std::printf("%f\n", hits / dataset.size().value());
}
