// Parts of a tensor, which are views until they are assigned to.
#include <torch/torch.h>

using torch::indexing::Slice;

void row_bad(torch::Tensor x) {
  auto row = x[0];
  row = row + 1; // expect: ml-rebound-handle (no fix): 'row' is another tensor after this
  x.print();
}

void scaled_bad(torch::Tensor x) {
  auto row = x.select(0, 1);
  row = row / row.norm(); // expect: ml-rebound-handle (no fix): is another tensor after this
  x.print();
}

void slice_bad(torch::Tensor x) {
  torch::Tensor first = x.slice(0, 0, 2);
  first = first.clamp(0, 1); // expect: ml-rebound-handle (no fix): 'first' is another tensor
  x.print();
}

void column_bad(torch::Tensor x) {
  auto column = x.index({Slice(), 0});
  column = column * 2; // miss: ml-rebound-handle: views of other kinds
  x.print();
}

void narrow_bad(torch::Tensor x) {
  auto first = x.narrow(0, 0, 2);
  first = torch::zeros_like(first); // expect: ml-rebound-handle (no fix): another tensor
  x.print();
}

void flat_bad(torch::Tensor x) {
  auto flat = x.view({-1});
  flat = torch::relu(flat); // miss: ml-rebound-handle: views of other kinds
  x.print();
}

void rows_bad(torch::Tensor x) {
  for (int64_t i = 0; i < x.size(0); ++i) {
    auto row = x[i];
    row = row / row.sum(); // expect: ml-rebound-handle (no fix): is another tensor after this
  }
  x.print();
}

// ---- in place

void in_place_ok(torch::Tensor x, torch::Tensor v) {
  auto row = x[0], column = x.select(1, 0);
  row += 1;
  column.copy_(v);
  row[0] = v;
  row.data() = v;
  x.print();
}

void part_assigned_ok(torch::Tensor x) {
  x[0] = x[0] + 1;
  x.select(0, 1) = x.select(0, 1) / 2;
  x.index({Slice(), 0}) = x.index({Slice(), 0}) * 2;
}

// ---- the new value is read

torch::Tensor returned_ok(torch::Tensor x) {
  auto row = x[0];
  row = row + 1;
  return row;
}

void put_back_ok(torch::Tensor x) {
  auto row = x[0];
  row = row + 1;
  x[0] = row;
}

void copied_back_ok(torch::Tensor x) {
  auto row = x[0];
  row = row / row.norm();
  x[0].copy_(row);
}

void used_ok(torch::nn::Linear net, torch::Tensor x) {
  auto sample = x[0];
  sample = sample.unsqueeze(0);
  net(sample).print();
}

void used_on_a_path_ok(torch::Tensor x, bool verbose) {
  auto row = x[0];
  row = row * 2;
  if (verbose)
    row.print();
}

// Each round reads what the round before has made.
void state_ok(torch::nn::GRUCell cell, torch::Tensor x, torch::Tensor states) {
  auto state = states[0];
  for (int64_t t = 0; t < x.size(0); ++t)
    state = cell(x[t], state);
}

void halved_ok(torch::Tensor x) {
  auto row = x[0];
  while (row.norm().item<double>() > 1)
    row = row * 0.5;
}

void in_the_head_ok(torch::Tensor x) {
  for (auto row = x[0]; row.norm().item<double>() > 1; row = row * 0.5) {
  }
}

void until_ok(torch::Tensor x) {
  auto row = x[0];
  do
    row = row * 0.5;
  while (row.norm().item<double>() > 1);
}

torch::Tensor best_ok(torch::Tensor scores) {
  auto best = scores[0];
  for (int64_t i = 1; i < scores.size(0); ++i)
    if (scores[i].item<float>() > best.item<float>())
      best = scores[i];
  return best;
}

torch::Tensor product_ok(torch::Tensor x) {
  auto product = x[0];
  for (int64_t i = 1; i < x.size(0); ++i)
    product = product * x[i];
  return product;
}

void captured_ok(torch::Tensor x) {
  auto row = x[0];
  auto print = [&] { row.print(); };
  row = row + 1;
  print();
}

void bound_ok(torch::Tensor x, std::vector<std::function<torch::Tensor()>> &later) {
  auto row = x[0];
  row = row + 1;
  later.push_back([row] { return row; });
}

void as_reference_ok(torch::Tensor x) {
  auto row = x[0];
  const auto &alias = row;
  row = row + 1;
  alias.print();
}

void pair_ok(torch::nn::LSTM lstm, torch::Tensor x) {
  auto [output, state] = lstm(x);
  output = output[0];
  output.print();
}

// ---- variables that live on, and members

void counted_ok(torch::Tensor x) {
  static torch::Tensor total = x[0];
  total = total + x[1];
}

void cached_ok(torch::Tensor x) {
  thread_local torch::Tensor last = x[0];
  last = x[1].clone();
}

struct Running {
  void update_ok(torch::Tensor x) {
    mean = x[0];
    mean = mean * 0.5;
  }
  torch::Tensor mean;
};

// ---- not of a part

void released_ok(torch::Tensor x) {
  auto row = x[0];
  row.sum().backward();
  row = torch::Tensor();
}

void new_tensor_ok(torch::Tensor x) {
  auto scaled = x * 2;
  scaled.print();
  scaled = scaled + 1;
}

void copy_of_the_row_ok(torch::Tensor x) {
  auto row = x[0].clone();
  row.print();
  row = row + 1;
}

void element_of_a_list_ok(const std::vector<double> &values) {
  auto value = values[0];
  value = value + 1;
}
