// What loops make of the elements of lists, and loops that may have no round.
#include <torch/torch.h>

#include <array>
#include <memory>
#include <vector>

namespace nn = torch::nn;

void all_bad() {
  nn::Linear net(4, 2);
  std::vector<torch::Tensor> list = {torch::ones({2, 4}), torch::zeros({2, 4})};
  for (auto &each : list)
    each = torch::relu(each.to(torch::kFloat64));
  net(list[0]); // expect: ml-dtype-mismatch: the layer has weights of float32, but 'list[0]' is float64
}

void all_ok() {
  nn::Linear net(4, 2);
  std::vector<torch::Tensor> list = {torch::ones({2, 4}, torch::kFloat64), torch::zeros({2, 4}, torch::kFloat64)};
  for (auto &each : list)
    each = torch::relu(each.to(torch::kFloat32));
  net(list[0]);
  for (const auto &each : list)
    net(each);
}

void grown_ok(torch::Tensor last) {
  nn::Linear net(4, 2);
  std::vector<torch::Tensor> list = {torch::ones({2, 4})};
  for (auto &each : list)
    each = each.to(torch::kFloat64);
  list.push_back(last);
  net(list[1]);
}

void left_early_ok(bool (*isEnough)(const torch::Tensor &)) {
  nn::Linear net(4, 2);
  std::vector<torch::Tensor> list = {torch::ones({2, 4}), torch::zeros({2, 4})};
  for (auto &each : list) {
    each = torch::relu(each.to(torch::kFloat64));
    if (isEnough(each))
      break;
  }
  net(list[1]);
}

void updated_in_part_ok(bool (*isEnough)(const torch::Tensor &)) {
  nn::Linear net(4, 2);
  std::vector<torch::Tensor> list = {torch::ones({2, 4}), torch::zeros({2, 4})};
  for (auto &each : list) {
    each = each.to(torch::kFloat64);
    if (isEnough(each))
      break;
  }
  net(list[1]);
}

void left_from_within_bad(int n) {
  nn::Linear net(4, 2);
  std::vector<torch::Tensor> list = {torch::ones({2, 4}), torch::zeros({2, 4})};
  for (auto &each : list) {
    for (int i = 0; i < n; ++i)
      if (i == 3)
        break;
    each = torch::relu(each.to(torch::kFloat64));
  }
  net(list[1]); // expect: ml-dtype-mismatch
}

struct Sample {
  torch::Tensor input, mask;
};

void structs_bad() {
  nn::Linear net(4, 2);
  std::vector<Sample> samples = {Sample{torch::ones({2, 4}), torch::ones({2})}};
  for (auto &each : samples)
    each.input = each.input.to(torch::kFloat64);
  net(samples[0].input); // expect: ml-dtype-mismatch
}

void structs_ok() {
  nn::Linear net(4, 2);
  std::vector<Sample> samples = {Sample{torch::ones({2, 4}, torch::kFloat64), torch::ones({2})}};
  for (auto &each : samples)
    each.input = each.input.to(torch::kFloat32);
  net(samples[0].input);
}

void structs_in_part_ok(bool (*isEnough)(const torch::Tensor &)) {
  nn::Linear net(4, 2);
  std::vector<Sample> samples = {Sample{torch::ones({2, 4}), torch::ones({2})}};
  for (auto &each : samples) {
    each.input = each.input.to(torch::kFloat64);
    if (isEnough(each.mask))
      break;
  }
  net(samples[0].input);
}

void moved_bad() {
  nn::Linear net(4, 2);
  auto sample = std::make_unique<Sample>(Sample{torch::ones({2, 4}, torch::kFloat64), torch::ones({2})});
  net(sample->input); // expect: ml-dtype-mismatch
  sample->input = sample->input.to(torch::kFloat32);
  net(sample->input);
}

void copied_ok(const Sample &from) {
  nn::Linear net(4, 2);
  Sample first{torch::ones({2, 4}, torch::kFloat64), torch::ones({2})};
  auto second = std::make_shared<Sample>(first);
  second->input = torch::ones({2, 4});
  net(second->input);
  net(first.input); // expect: ml-dtype-mismatch
  auto third = std::make_shared<Sample>(from);
  net(third->input);
}

void array_bad() {
  nn::Linear net(4, 2);
  torch::Tensor parts[2];
  parts[0] = torch::ones({2, 4});
  parts[1] = torch::ones({2, 4});
  for (auto &part : parts)
    part = part.to(torch::kFloat64);
  net(parts[0]); // expect: ml-dtype-mismatch: the layer has weights of float32, but 'parts[0]' is float64
}

void array_ok() {
  nn::Linear net(4, 2);
  torch::Tensor parts[2];
  parts[0] = torch::ones({2, 4}, torch::kFloat64);
  parts[1] = torch::ones({2, 4});
  net(parts[1]);
  net(parts[0]); // expect: ml-dtype-mismatch
}

void any_part_ok(int index) {
  nn::Linear net(4, 2);
  torch::Tensor parts[2] = {torch::ones({2, 4}, torch::kFloat64), torch::ones({2, 4})};
  net(parts[index]);
}

void standard_array_bad() {
  nn::Linear net(4, 2);
  std::array<torch::Tensor, 2> parts = {torch::ones({2, 4}), torch::ones({2, 4})};
  for (auto &part : parts)
    part = part.to(torch::kFloat64);
  net(parts[1]); // expect: ml-dtype-mismatch
}

// Loops over data may have no round; those that count have.

void drained_ok(std::vector<int> names) {
  nn::Linear net(4, 2);
  auto x = torch::ones({2, 4});
  while (!names.empty()) {
    x = x.to(torch::kFloat64);
    names.pop_back();
  }
  net(x);
}

void iterated_ok(const std::vector<int> &names) {
  nn::Linear net(4, 2);
  auto x = torch::ones({2, 4});
  auto name = names.begin();
  while (name != names.end()) {
    x = x.to(torch::kFloat64);
    ++name;
  }
  net(x);
}

void counted_bad(int n) {
  nn::Linear net(4, 2);
  auto x = torch::ones({2, 4});
  int i = 0;
  while (i < n) {
    x = x.to(torch::kFloat64);
    ++i;
  }
  net(x); // expect: ml-dtype-mismatch
}

void flagged_bad(bool (*isEnough)(int)) {
  nn::Linear net(4, 2);
  auto x = torch::ones({2, 4});
  bool isDone = false;
  for (int i = 0; !isDone; ++i) {
    x = x.to(torch::kFloat64);
    isDone = isEnough(i);
  }
  net(x); // expect: ml-dtype-mismatch
}
