// Writes that reach the tensor, and copies that are wanted.
#include <torch/torch.h>

using torch::indexing::Ellipsis;
using torch::indexing::None;
using torch::indexing::Slice;

// ---- views

void slices_ok(torch::Tensor x, torch::Tensor v) {
  x.index({Slice()}) = v;
  x.index({Slice(0, 2)}).zero_();
  x.index({Slice(), Slice(0, 2)}) *= 2;
  x.index({Slice(None, 2)}) += v;
  x.index({0, Slice()}) = v;
  x.index({Slice(), 0}).fill_(1);
  x.index({Ellipsis, 0}) = v;
  x.index({"...", 0}) = 1;
  x.index({None, 0}).add_(1);
}

void integers_ok(torch::Tensor x, torch::Tensor v, int64_t i, int j) {
  x.index({0}) = v;
  x.index({i, j}) = 1;
  x.index({-1}).copy_(v);
  for (int64_t k = 0; k < x.size(0); ++k)
    x.index({k}) += v;
}

// An index without dimensions selects as a number does.
void scalars_ok(torch::Tensor x, torch::Tensor y) {
  x.index({y.argmax()}) = 1;
  auto best = y.argmax();
  x.index({best}).zero_();
  auto order = torch::randperm(8);
  for (int64_t i = 0; i < 4; ++i)
    x.index({order[i]}) = 0;
  x.index({torch::tensor(1)}) += 1;
}

void elements_ok(torch::Tensor x, torch::Tensor v) {
  x[0] = v;
  x[0][1] = 1;
  x[0] += v;
  x.select(1, 0).fill_(1);
  x.narrow(0, 0, 2).zero_();
  x.slice(0, 0, 2) = v;
  x.slice(0, 0, 2).index({0}) = v;
  x.view({-1}).mul_(2);
  x.transpose(0, 1)[0] = v;
}

void view_in_a_variable_ok(torch::Tensor x) {
  auto row = x[0], column = x.index({Slice(), 0});
  row += 1;
  column.zero_();
}

// ---- into the tensor

void put_ok(torch::Tensor x, torch::Tensor mask, torch::Tensor list, torch::Tensor v) {
  x.index_put_({x > 0}, 0);
  x.index_put_({x > 0}, v);
  x.index_put_({Slice(), list}, v);
  x.masked_fill_(x > 0, 0);
  x.scatter_(1, list, v);
  x.index_fill_(0, list, 0);
  x.index_add_(0, list, v);
  x = x.masked_fill(mask, 0);
  x = torch::where(x > 0, x, v);
}

void put_back_ok(torch::Tensor x) {
  auto mask = x > 0;
  auto part = x.index({mask});
  part += 1;
  x.index_put_({mask}, part);
}

void put_back_at_once_ok(torch::Tensor x) {
  auto mask = x > 0;
  x.index_put_({mask}, x.index({mask}).mul_(2));
}

// ---- the copy is used

torch::Tensor returned_ok(torch::Tensor x) { return x.index({x > 0}).mul_(2); }

torch::Tensor returned_variable_ok(torch::Tensor x) {
  auto positive = x.index({x > 0});
  positive.clamp_(0, 1);
  return positive;
}

void kept_ok(torch::Tensor x, torch::Tensor list) {
  auto y = x.index({x > 0}).add_(1);
  auto z = x.index_select(0, list).mul_(2);
  x = x.index({x > 0}).sub_(z);
  (x + y).print();
}

double summed_ok(torch::Tensor x) {
  double sum = x.index({x > 0}).mul_(2).sum().item<double>();
  sum += x.masked_select(x < 0).clamp_(-1, 0).sum().item<double>();
  return sum;
}

void show(const torch::Tensor &x);
void passed_on_ok(torch::Tensor x) {
  show(x.index({x > 0}).mul_(2));
  auto part = x.masked_select(x > 0);
  part.zero_();
  show(part);
}

void printed_ok(torch::Tensor x) { x.index({x > 0}).mul_(2).print(); }

void stored_ok(torch::Tensor x, std::vector<torch::Tensor> &parts) {
  auto part = x.index({x > 0});
  part += 1;
  parts.push_back(part);
}

struct Sampler {
  void draw_ok(torch::Tensor x) {
    chosen = x.index({torch::randperm(8)});
    chosen += 1;
  }
  torch::Tensor chosen;
};

void argument_ok(torch::Tensor x, torch::Tensor &chosen) {
  chosen = x.index({x > 0});
  chosen += 1;
}

void read_next_time_ok(torch::Tensor x) {
  auto part = x.index({x > 0});
  for (int i = 0; i < 4; ++i) {
    part.print();
    part *= 0.5;
  }
}

void read_by_the_condition_ok(torch::Tensor x) {
  auto part = x.index({x > 0});
  while (part.norm().item<double>() > 1)
    part *= 0.5;
}

void read_on_a_path_ok(torch::Tensor x, bool verbose) {
  auto part = x.index({x > 0});
  part += 1;
  if (verbose)
    part.print();
}

void other_handle_ok(torch::Tensor x) {
  auto part = x.index({x > 0});
  auto same = part;
  part += 1;
  same.print();
}

void part_of_the_copy_ok(torch::Tensor x) {
  auto part = x.index({x > 0});
  auto first = part[0];
  part += 1;
  first.print();
}

auto captured_ok(torch::Tensor x) {
  auto part = x.index({x > 0});
  part += 1;
  return [part] { part.print(); };
}

// The layer works in place, and its result is used.
torch::Tensor in_place_layer_ok(torch::Tensor x) {
  auto positive = x.index({x > 0});
  return torch::relu_(positive);
}

// ---- what gradients may be asked of

void leaf_ok(torch::nn::Linear net, torch::Tensor x) {
  auto attacked = x.index({torch::randperm(8)}).requires_grad_();
  net(attacked).mean().backward();
  attacked.grad().print();
}

// ---- unknown

void given_index_ok(torch::Tensor x, torch::Tensor index) { x.index({index}) = 0; }

void list_of_indices_ok(torch::Tensor x, const std::vector<torch::indexing::TensorIndex> &indices) {
  x.index(indices) = 0;
}

struct Table {
  struct Cells {
    Cells &operator=(double value);
    void fill_(double value);
  };
  Cells index(std::initializer_list<bool> mask);
  Cells masked_select(bool mask);
};
void lookalike_ok(Table table) {
  table.index({true}) = 0;
  table.masked_select(true).fill_(1);
}
