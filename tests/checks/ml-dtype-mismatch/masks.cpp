// What selects elements, and of which type it is.
#include <torch/torch.h>

using torch::Tensor;
using torch::indexing::Slice;

Tensor filled_bad(Tensor scores) {
  auto mask = torch::ones({4, 4});
  return scores.masked_fill(mask, -1e9); // expect: ml-dtype-mismatch (level 0): a mask is of truth values, but 'mask' is float32
}

void in_place_bad(Tensor scores, Tensor lengths) {
  auto padding = (lengths > 3).to(torch::kInt64);
  scores.masked_fill_(padding, 0); // expect: ml-dtype-mismatch: 'padding' is int64
}

Tensor selected_bad(Tensor x) {
  Tensor keep = torch::zeros({8}, torch::kInt32);
  return x.masked_select(keep); // expect: ml-dtype-mismatch: int32
}

Tensor chosen_bad(Tensor x) {
  auto isLarge = (x > 0).to(torch::kFloat);
  return torch::where(isLarge, x, -x); // expect: ml-dtype-mismatch: a condition is of truth values
}

Tensor causal(int64_t n) { return torch::ones({n, n}).tril(); }

Tensor of_a_function_bad(Tensor scores) {
  auto mask = causal(4);
  return scores.masked_fill(mask.logical_not(), 0) +
         scores.masked_fill(mask, 0); // expect: ml-dtype-mismatch
}

struct Attention : torch::nn::Module {
  Attention() { mask = register_buffer("mask", torch::ones({4, 4})); }
  Tensor forward(Tensor scores) {
    const auto apply = [&](Tensor x, const Tensor &by) {
      return x.masked_fill(by, 0); // expect: ml-dtype-mismatch
    };
    return apply(scores, torch::ones({4, 4}));
  }
  Tensor mask;
};

// What the constructor leaves is what every method finds.
class Causal : public torch::nn::Module {
public:
  explicit Causal(int64_t length)
      : future(register_buffer("future", torch::ones({length, length}))) {}
  Tensor forward(Tensor scores) { return hide(scores).softmax(-1); }

private:
  Tensor hide(Tensor scores) const {
    auto hidden = future.narrow(0, 0, scores.size(0));
    return scores.masked_fill(hidden, 0); // expect: ml-dtype-mismatch
  }
  Tensor future;
};

// --- silent

class Replaced : public torch::nn::Module {
public:
  explicit Replaced(int64_t length) : future(torch::ones({length, length})) {}
  Tensor forward(Tensor scores) {
    future = future.to(torch::kBool);
    return scores.masked_fill(future, 0);
  }
  Tensor future;
};

class OneOfTwo : public torch::nn::Module {
public:
  explicit OneOfTwo(int64_t length) : mask(torch::ones({length})) {}
  explicit OneOfTwo(Tensor mask) : mask(mask) {}
  Tensor forward(Tensor scores) { return scores.masked_fill(mask, 0); }

private:
  Tensor mask;
};

Tensor truth_ok(Tensor x, Tensor given) {
  auto mask = torch::ones({4, 4}).to(torch::kBool);
  auto other = torch::zeros({4}, torch::kBool);
  auto compared = torch::ones({4}) == 0;
  auto sum = x.masked_fill(mask, 0) + x.masked_fill(other, 0) + x.masked_fill(compared, 0);
  sum += x.masked_fill(given, 0) + torch::where(x > 0, x, -x);
  auto ones = torch::ones({4});
  sum += ones.where(x > 0, -ones); // The condition comes second.
  return sum;
}

Tensor method_bad(Tensor x) {
  auto condition = torch::ones({4});
  return x.where(condition, -x); // expect: ml-dtype-mismatch: 'condition' is float32
}

Tensor indices_ok(Tensor x) {
  auto rows = torch::zeros({3}, torch::kInt64);
  auto mask = torch::ones({4});
  return x.index({rows}) + x.index({Slice(), rows}) + x[0] * mask;
}

// --- indices -------------------------------------------------------------------------------------

at::Tensor rows_bad(const at::Tensor &table, const std::vector<int64_t> &numbers) {
  auto rows = torch::zeros({static_cast<int64_t>(numbers.size())});
  rows.copy_(torch::tensor(numbers));
  return table.index_select(0, rows); // expect: ml-dtype-mismatch: elements are selected by integers, but 'rows' is float32
}
at::Tensor gathered_bad(const at::Tensor &scores) {
  return torch::gather(scores, 1, torch::ones({4, 1})); // expect: ml-dtype-mismatch
}
at::Tensor rows_ok(const at::Tensor &table, const std::vector<int64_t> &numbers, at::Tensor any) {
  return table.index_select(0, torch::tensor(numbers)) + table.index_select(0, any) +
         table.gather(1, torch::argmax(table, 1, true));
}
