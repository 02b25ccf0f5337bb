// What layers and products are given.
#include <torch/torch.h>

namespace nn = torch::nn;

void doubles_bad(std::vector<double> &values) {
  nn::Linear net(4, 2);
  auto x = torch::from_blob(values.data(), {8, 4}, torch::kFloat64);
  net(x); // expect: ml-dtype-mismatch: the layer has weights of float32, but 'x' is float64
}

void integers_bad(nn::Linear net, const std::vector<int64_t> &values) {
  net(torch::tensor(values)); // expect: ml-dtype-mismatch: the layer multiplies by floating-point
}

void bytes_bad(nn::Conv2d conv, unsigned char *pixels) {
  auto image = torch::from_blob(pixels, {1, 3, 32, 32}, torch::kUInt8);
  conv(image); // expect: ml-dtype-mismatch: 'image' is uint8
}

void counted_bad(nn::Linear net) {
  auto x = torch::arange(4);
  net->forward(x); // expect: ml-dtype-mismatch: 'x' is int64
}

torch::Tensor product_bad(const std::vector<float> &values) {
  auto a = torch::rand({2, 2}, torch::kFloat64);
  auto b = torch::ones({2, 2});
  return torch::matmul(a, b); // expect: ml-dtype-mismatch (no fix): a matrix product takes elements
}

torch::Tensor product_of_integers_bad(torch::Tensor x) {
  auto index = torch::tensor({1, 2, 3});
  return x.to(torch::kFloat).matmul(index); // expect: ml-dtype-mismatch (no fix): 'index' is int64
}

// Right, or not known.

void right_ok(nn::Linear net, nn::Embedding table, torch::Tensor x, std::vector<double> &values) {
  net(x);
  net(torch::tensor({1.0, 2.0}));
  net(torch::tensor(values));
  net(torch::arange(4).to(torch::kFloat));
  net(torch::arange(4) / 4);
  net(torch::arange(4) * 0.5);
  net(torch::from_blob(values.data(), {4}, torch::kFloat64).to(torch::kFloat32));
  net(torch::linspace(0, 1, 4));
  table(torch::arange(4));
  net(x.to(torch::kFloat64)); // Whatever the layer that is handed in has been made.
}

torch::Tensor products(torch::Tensor x) {
  auto a = torch::rand({2, 2}, torch::kFloat64);
  auto b = torch::matmul(a, a);
  auto c = torch::matmul(torch::arange(4), torch::arange(4));
  return torch::matmul(b, x) + torch::matmul(torch::rand({2, 2}), torch::ones({2, 2}));
}

torch::Tensor mixed_ok(torch::Tensor x) {
  auto a = torch::rand({2, 2}, torch::kFloat64);
  return a * x + a * torch::ones({2, 2}) + torch::arange(2) * 0.5; // Arithmetic promotes.
}
