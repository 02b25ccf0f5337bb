// What lists of indices leave of a shape.
#include <torch/torch.h>

using torch::indexing::Ellipsis;
using torch::indexing::None;
using torch::indexing::Slice;

torch::Tensor column_bad() {
  auto x = torch::ones({8, 4, 5});
  return x.index({Slice(), 0}) + torch::ones({8, 4}); // expect: ml-shape-mismatch: of shape (8, 5) meets
}

torch::Tensor last_bad() {
  auto x = torch::ones({8, 4, 5});
  return x.index({Ellipsis, 0}) + torch::ones({8, 5}); // expect: ml-shape-mismatch: of shape (8, 4) meets
}

torch::Tensor added_bad() {
  auto x = torch::ones({8, 4});
  return x.index({"...", None}) + torch::ones({8, 4, 2, 3}); // expect: ml-shape-mismatch: of shape (8, 4, 1) meets
}

torch::Tensor range_bad() {
  auto x = torch::ones({8, 4, 5});
  return x.index({0, Slice(0, 2)}) + torch::ones({2, 4}); // expect: ml-shape-mismatch: of shape (N, 5) meets
}

torch::Tensor joined_bad() {
  auto x = torch::cat({torch::ones({8, 1}), torch::ones({8, 1})}, 1);
  return x + torch::ones({8, 3}); // expect: ml-shape-mismatch: of shape (8, 2) meets
}

torch::Tensor column_ok() {
  auto x = torch::ones({8, 4, 5});
  return x.index({Slice(), 0}) + torch::ones({8, 5}) + x.index({Slice(), Slice(), None}).sum();
}

torch::Tensor picked_ok(torch::Tensor rows) {
  auto x = torch::ones({8, 4});
  return x.index({rows, Slice()}) + torch::ones({3, 4}) + x.index({Slice(None, 3)});
}

// Of how many dimensions, nobody knows.
torch::Tensor any_ok(torch::Tensor x) {
  return x.index({Slice(), 0}) + torch::ones({3, 4});
}

// --- tensors that are put beside each other --------------------------------------------------------

torch::Tensor stacked_bad() {
  auto light = torch::ones({1, 8, 8});
  auto color = torch::ones({2, 8, 8});
  return torch::stack({light, color}, 0); // expect: ml-shape-mismatch: of shape (1, 8, 8) meets 'color' of shape (2, 8, 8)
}

torch::Tensor joined_along_bad() {
  auto light = torch::ones({1, 8, 8});
  auto color = torch::ones({2, 8, 8});
  return torch::cat({light, color}, 1); // expect: ml-shape-mismatch: and 1 does not go with 2
}

torch::Tensor joined_ok() {
  auto light = torch::ones({1, 8, 8});
  auto color = torch::ones({2, 8, 8});
  return torch::cat({light, color}) + torch::cat({light, color}, -3) +
         torch::stack({light, color.slice(0, 0, 1)});
}

torch::Tensor along_ok(int64_t dimension) {
  auto x = torch::rand({2, 3}), y = torch::rand({2, 4});
  return torch::cat({x, y}, dimension);
}

std::vector<torch::Tensor> cut(torch::Tensor a, torch::Tensor b);

torch::Tensor given_ok() {
  auto x = torch::rand({1, 3}), y = torch::rand({2, 3});
  return torch::stack(cut(x, y));
}

void kept_indices_ok(torch::Tensor target) {
  auto x = torch::rand({3, 4}), z = torch::zeros({4, 4});
  std::vector<torch::indexing::TensorIndex> at{0};
  z += x.index(at);
}
