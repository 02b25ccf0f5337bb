// Memory that is freed, or moves, while a tensor lies in it.
#include <torch/torch.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

namespace nn = torch::nn;

torch::Tensor deleted_bad(nn::Linear net, const std::vector<float> &row) {
  const auto width = static_cast<int64_t>(row.size());
  float *features = new float[width];
  std::copy(row.begin(), row.end(), features);
  auto input = torch::from_blob(features, {1, width}); // expect: ml-dangling-from-blob: freed before the tensor is read
  delete[] features;
  return net(input);
}

torch::Tensor freed_bad(nn::Linear net) {
  auto *memory = static_cast<float *>(std::malloc(16 * sizeof(float)));
  auto input = torch::from_blob(memory, {1, 16}); // expect: ml-dangling-from-blob
  std::free(memory);
  return net(input.view({16}));
}

float reset_bad() {
  auto memory = std::make_unique<float[]>(16);
  auto input = torch::from_blob(memory.get(), {16}); // expect: ml-dangling-from-blob
  memory.reset();
  return (input * 2).sum().item<float>();
}

float grown_bad(float value) {
  std::vector<float> values(16);
  auto input = torch::from_blob(values.data(), {16}); // expect: ml-dangling-from-blob (level 1): reallocated
  values.push_back(value);
  return input.sum().item<float>();
}

torch::Tensor helper_bad(nn::Linear net) {
  float *memory = new float[16];
  auto input = torch::from_blob(memory, {1, 16}); // expect: ml-dangling-from-blob
  delete[] memory;
  auto doubled = [](torch::Tensor x) { return x * 2; };
  return doubled(input);
}

float clone_ok() {
  float *memory = new float[16];
  auto input = torch::from_blob(memory, {16}).clone();
  delete[] memory;
  return input.sum().item<float>();
}

float after_ok() {
  float *memory = new float[16];
  auto input = torch::from_blob(memory, {16});
  const float sum = input.sum().item<float>();
  delete[] memory;
  return sum;
}

float before_ok(float value) {
  std::vector<float> values;
  values.push_back(value);
  values.resize(16);
  auto input = torch::from_blob(values.data(), {16});
  return input.sum().item<float>();
}

float computed_ok() {
  float *memory = new float[16];
  auto input = torch::from_blob(memory, {16});
  auto result = input * 2;
  delete[] memory;
  return result.sum().item<float>();
}

float deleter_ok() {
  float *memory = new float[16];
  auto input = torch::from_blob(memory, {16}, [](void *each) { delete[] static_cast<float *>(each); });
  return input.sum().item<float>();
}

float eachRound_ok(const std::vector<std::vector<float>> &rows) {
  float total = 0;
  for (const auto &row : rows) {
    float *memory = new float[row.size()];
    std::copy(row.begin(), row.end(), memory);
    auto input = torch::from_blob(memory, {static_cast<int64_t>(row.size())});
    total += input.sum().item<float>();
    delete[] memory;
  }
  return total;
}

float early_ok(bool isEmpty) {
  float *memory = new float[16];
  auto input = torch::from_blob(memory, {16});
  if (isEmpty) {
    delete[] memory;
    return 0;
  }
  const float sum = input.sum().item<float>();
  delete[] memory;
  return sum;
}

// --- in the second round

void stream_bad(std::vector<float> tokens, torch::Tensor scores) {
  auto prompt = torch::from_blob(tokens.data(), {4}); // expect: ml-dangling-from-blob
  for (int i = 0; i < 10; ++i) {
    auto next = (scores * prompt).sum().item<float>();
    tokens.push_back(next);
  }
}

void stream_ok(std::vector<float> tokens, torch::Tensor scores) {
  for (int i = 0; i < 10; ++i) {
    auto prompt = torch::from_blob(tokens.data(), {4});
    auto next = (scores * prompt).sum().item<float>();
    tokens.push_back(next);
  }
}
