// Sizes in parentheses, of which a comma leaves the last alone.
#include <torch/torch.h>

torch::Tensor made_bad() {
  return torch::zeros((1, 3, 480, 640)); // expect: ml-shape-mismatch (level 0): only the last of these numbers
}

torch::Tensor viewed_bad(torch::Tensor x, int64_t rows) {
  return x.view((rows, 4)); // expect: ml-shape-mismatch: makes no list
}

torch::Tensor braces_ok() { return torch::zeros({1, 3, 480, 640}); }

torch::Tensor one_ok(int64_t rows, int64_t columns) { return torch::zeros((rows * columns)); }

torch::Tensor numbers_ok(torch::Tensor x) { return x.transpose((0), (1)); }

torch::Tensor means_bad(torch::Tensor x, float red, float green, float blue) {
  return x.fill_((red, green, blue)); // expect: ml-shape-mismatch: make a tensor of them
}
