// Elements of empty() that are read before somebody has assigned them.
#include <torch/torch.h>

#include <algorithm>
#include <cstring>
#include <vector>

void fillByHand(torch::Tensor values);
void fillAt(float *memory, int64_t count);

float all_bad(torch::Tensor x) {
  auto bias = torch::empty({8}); // expect: ml-uninitialized-tensor
  return (x + bias).sum().item<float>();
}

float like_bad(torch::Tensor x) {
  auto sum = torch::empty_like(x); // expect: ml-uninitialized-tensor
  sum += x;
  return sum.mean().item<float>();
}

float view_bad(torch::Tensor x) {
  auto table = torch::empty({4, 8}); // expect: ml-uninitialized-tensor
  return (table.view({-1}) + x).sum().item<float>();
}

int64_t mask_bad(torch::Tensor values, const std::vector<int64_t> &allowed) {
  auto penalty = torch::empty({9}); // expect: ml-uninitialized-tensor
  for (int64_t action : allowed)
    penalty[action] = 0.0f;
  return (values + penalty).argmax().item<int64_t>();
}

float condition_bad(torch::Tensor x, const std::vector<bool> &isSet) {
  auto weights = torch::empty({16}); // expect: ml-uninitialized-tensor
  for (int64_t i = 0; i < 16; ++i)
    if (isSet[i])
      weights[i] = x[i];
  return (weights * x).sum().item<float>();
}

torch::Tensor makeBuffer(int64_t size) {
  return torch::empty({size}); // expect: ml-uninitialized-tensor
}

float helper_bad(torch::Tensor x) {
  auto buffer = makeBuffer(8);
  return (buffer * x).sum().item<float>();
}

// As long as the longest, and filled as far as each goes.
torch::Tensor padded_bad(const std::vector<torch::Tensor> &samples) {
  const int64_t count = samples.size();
  int64_t longest = 0;
  for (const torch::Tensor &sample : samples)
    longest = std::max(longest, sample.size(0));
  auto batch = torch::empty({count, longest}); // expect: ml-uninitialized-tensor (level 1)
  for (int64_t i = 0; i < count; ++i)
    batch[i].slice(0, 0, samples[i].size(0)).copy_(samples[i]);
  return batch.mean(1);
}

torch::Tensor padded_ok(const std::vector<torch::Tensor> &samples) {
  const int64_t count = samples.size();
  int64_t longest = 0;
  for (const torch::Tensor &sample : samples)
    longest = std::max(longest, sample.size(0));
  auto batch = torch::empty({count, longest});
  for (int64_t i = 0; i < count; ++i) {
    batch[i].slice(0, 0, samples[i].size(0)).copy_(samples[i]);
    batch[i].slice(0, samples[i].size(0), longest).fill_(0);
  }
  return batch.mean(1);
}

torch::Tensor pieces_ok(const std::vector<torch::Tensor> &samples, int64_t each) {
  const int64_t count = samples.size();
  auto batch = torch::empty({count * each});
  for (int64_t i = 0; i < count; ++i)
    batch.slice(0, i * each, (i + 1) * each).copy_(samples[i]);
  return batch.mean();
}

float filled_ok(torch::Tensor x) {
  auto a = torch::empty({8}).normal_();
  auto b = torch::empty({8});
  b.copy_(x);
  auto c = torch::empty({8});
  c.zero_();
  auto d = torch::empty({8});
  torch::nn::init::xavier_uniform_(d);
  auto e = torch::empty({8});
  e.uniform_(-1, 1);
  return (a + b + c + d + e).sum().item<float>();
}

float loops_ok(torch::Tensor x) {
  auto a = torch::empty({8});
  for (int64_t i = 0; i < 8; ++i)
    a[i] = x[i];
  auto b = torch::empty({8});
  for (int64_t i = 0; i < 8; ++i)
    if (i % 2)
      b[i] = 1.0;
    else
      b[i] = x[i];
  return (a + b).sum().item<float>();
}

float slices_ok(torch::Tensor x, int64_t n) {
  auto a = torch::empty({8});
  a.slice(0, 0, n).copy_(x);
  a.slice(0, n, 8).zero_();
  auto b = torch::empty({2});
  b[0] = 1.0;
  b[1] = 2.0;
  return (a.sum() + b.sum()).item<float>();
}

float memory_ok() {
  auto a = torch::empty({8});
  float *memory = a.data_ptr<float>();
  for (int i = 0; i < 8; ++i)
    memory[i] = 1;
  auto b = torch::empty({8});
  std::memcpy(b.data_ptr(), a.data_ptr(), 8 * sizeof(float));
  auto c = torch::empty({8});
  fillAt(c.data_ptr<float>(), 8);
  auto d = torch::empty({8});
  auto elements = d.accessor<float, 1>();
  elements[0] = 1;
  return (a + b + c + d).sum().item<float>();
}

float others_ok(torch::Tensor x) {
  auto a = torch::empty({8});
  fillByHand(a);
  auto b = torch::empty({8});
  auto fill = [&] { b.fill_(1); };
  fill();
  std::vector<torch::Tensor> list = {torch::empty({8})};
  list[0].copy_(x);
  return (a + b + list[0]).sum().item<float>();
}

torch::Tensor none_ok(const std::vector<torch::Tensor> &rows) {
  auto all = torch::empty({0, 4});
  for (const auto &row : rows)
    all = torch::cat({all, row});
  return all;
}

float shape_ok(torch::Tensor x) {
  auto shape = torch::empty({4, 8});
  auto other = torch::zeros_like(shape);
  return (x.view(shape.sizes()) + other).sum().item<float>() + shape.numel();
}

float first_ok(torch::Tensor x) {
  auto before = torch::empty({8});
  float change = 0;
  for (int i = 0; i < 10; ++i) {
    if (i > 0)
      change += (x - before).abs().sum().item<float>();
    before = x;
  }
  return change;
}

float branches_ok(torch::Tensor x, bool isKnown) {
  auto start = torch::empty({8});
  if (isKnown)
    start.copy_(x);
  else
    start.zero_();
  return start.sum().item<float>();
}

struct Layer : torch::nn::Module {
  Layer() {
    weight = register_parameter("weight", torch::empty({8, 8}));
    bias = register_parameter("bias", torch::empty({8}));
    reset();
  }
  void reset() {
    torch::nn::init::xavier_uniform_(weight);
    torch::nn::init::zeros_(bias);
  }
  torch::Tensor forward(torch::Tensor x) { return x.matmul(weight) + bias; }
  torch::Tensor weight, bias;
};

// --- elements that an index or a mask chooses ----------------------------------------------------

torch::Tensor chosen_ok(torch::Tensor x, torch::Tensor mask) {
  using torch::indexing::Slice;
  auto rotated = torch::empty_like(x), masked = torch::empty_like(x);
  rotated.index_put_({"...", Slice(0, torch::indexing::None, 2)}, -x);
  rotated.index_put_({"...", Slice(1, torch::indexing::None, 2)}, x);
  masked.masked_fill_(mask, 1);
  masked.masked_fill_(mask.logical_not(), 0);
  return x + rotated * masked;
}

// What ranges and numbers select is a view: who assigns to it writes the elements.
bool assigned_ok(torch::Tensor x, torch::Tensor y) {
  using torch::indexing::Slice;
  const auto rows = torch::empty({2, 3});
  auto columns = torch::empty({2, 3}), last = torch::empty({2, 3});
  rows.index({0, torch::indexing::Ellipsis}) = x;
  rows.index({1, torch::indexing::Ellipsis}) = y;
  columns.index({Slice(), 0}) = x;
  last.index({-1}) = y;
  return (rows - columns).sum().item<float>() > 0 || last.sum().item<float>() > 0;
}
