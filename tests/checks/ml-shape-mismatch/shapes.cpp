// Shapes that do not go together, and those that do.
#include <torch/torch.h>

namespace nn = torch::nn;

// --- elements that meet --------------------------------------------------------------------------

torch::Tensor added_bad() {
  auto a = torch::ones({4, 3});
  auto b = torch::ones({4, 2});
  return a + b; // expect: ml-shape-mismatch: 'a' of shape (4, 3) meets 'b' of shape (4, 2), and 3 does not go with 2
}

torch::Tensor lossOf(torch::Tensor prediction, torch::Tensor target) {
  return torch::mse_loss(prediction, target); // expect: ml-shape-mismatch: of shape (8, 10) meets 'target' of shape (8, 4)
}
torch::Tensor elsewhere_bad() { return lossOf(torch::zeros({8, 10}), torch::zeros({8, 4})); }

void in_place_bad() {
  auto sum = torch::zeros({1});
  sum += torch::ones({5}); // expect: ml-shape-mismatch: and 1 does not go with 5
}

struct Residual : nn::Module {
  Residual() {
    wide = register_module("wide", nn::Linear(64, 256));
    narrow = register_module("narrow", nn::Linear(256, 64));
  }
  torch::Tensor forward(torch::Tensor x) {
    auto hidden = narrow(torch::relu(wide(x)));
    return hidden + wide(x); // expect: ml-shape-mismatch: 'hidden' of shape (…, 64) meets 'wide(x)' of shape (…, 256)
  }
  nn::Linear wide{nullptr}, narrow{nullptr};
};

torch::Tensor broadcast_ok(torch::Tensor any) {
  auto column = torch::ones({4, 1});
  auto row = torch::ones({3});
  auto table = column * row + any;
  table += row;
  return table - torch::ones({4, 3}) + torch::ones({2, 4, 3});
}

torch::Tensor either_ok(bool wide) {
  auto a = wide ? torch::ones({4, 3}) : torch::ones({4, 2});
  auto b = wide ? torch::ones({4, 3}) : torch::ones({4, 2});
  return a + b;
}

torch::Tensor repeated_ok() {
  auto bias = torch::zeros({1, 5}).expand({7, -1});
  return bias + torch::ones({7, 5});
}

torch::Tensor repeated_bad() {
  auto bias = torch::zeros({1, 5}).expand({7, -1});
  return bias + torch::ones({6, 5}); // expect: ml-shape-mismatch
}

// A list of pairs keeps apart what its parts are.
torch::Tensor pairs_ok(nn::Linear &layer) {
  std::vector<std::pair<torch::Tensor, torch::Tensor>> data;
  data.emplace_back(torch::ones({8, 4}), torch::ones({8, 1}));
  auto sum = torch::zeros({});
  for (auto &[x, y] : data)
    sum = sum + (nn::Linear(4, 1)(x) - y).sum();
  return sum;
}

torch::Tensor pairs_bad() {
  std::vector<std::pair<torch::Tensor, torch::Tensor>> data;
  data.emplace_back(torch::ones({8, 4}), torch::ones({8, 1}));
  auto sum = torch::zeros({});
  for (auto &[x, y] : data)
    sum = sum + nn::Linear(4, 1)(y).sum(); // expect: ml-shape-mismatch: the layer takes 4 features, and 'y' of shape (8, 1) has 1
  return sum;
}

// A list has of its shapes what all of them have in common.
torch::Tensor list_ok() {
  std::vector<torch::Tensor> list;
  list.push_back(torch::ones({8, 4}));
  list.insert(list.end(), {torch::ones({8, 4}), torch::ones({8, 1})});
  return nn::Linear(4, 1)(list.front());
}

// In the shape of another one, which may have fewer dimensions.
torch::Tensor alike_ok() {
  auto table = torch::ones({2, 4});
  return table.take(torch::tensor({0, 3, 5})) + torch::ones({3});
}

// --- products and layers -------------------------------------------------------------------------

torch::Tensor product_bad() {
  auto weight = torch::ones({16, 8});
  return torch::matmul(torch::ones({4, 16}), weight.t()); // expect: ml-shape-mismatch: and 16 does not go with 8
}

torch::Tensor product_ok(torch::Tensor any) {
  auto weight = torch::ones({16, 8});
  return torch::matmul(torch::ones({4, 16}), weight).matmul(torch::ones({8})) + weight.matmul(any);
}

struct Net : nn::Module {
  Net() {
    convolution = register_module("convolution", nn::Conv2d(nn::Conv2dOptions(1, 6, 5)));
    second = register_module("second", nn::Conv2d(nn::Conv2dOptions(8, 16, 5)));
    hidden = register_module("hidden", nn::Linear(256, 120));
    out = register_module("out", nn::Linear(100, 10));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(convolution(x));
    x = torch::relu(second(x)); // expect: ml-shape-mismatch: the layer takes 8 features, and 'x' of shape (…, 6, N, N) has 6
    x = torch::relu(hidden(x.view({-1, 256})));
    return out(x); // expect: ml-shape-mismatch: the layer takes 100 features, and 'x' of shape (N, 120) has 120
  }
  nn::Conv2d convolution{nullptr}, second{nullptr};
  nn::Linear hidden{nullptr}, out{nullptr};
};

torch::Tensor viewed_bad(nn::Linear any, torch::Tensor x) {
  nn::Linear layer(320, 50);
  return layer(x.view({-1, 300})); // expect: ml-shape-mismatch: the layer takes 320 features
}

torch::Tensor container_bad(torch::Tensor x) {
  nn::Sequential net(nn::Linear(10, 20), nn::ReLU(), nn::Linear(20, 2));
  return net->forward(nn::Linear(4, 12)(x)); // expect: ml-shape-mismatch: the layer takes 10 features
}

torch::Tensor embedded_bad(torch::Tensor words) {
  nn::Embedding embedding(1000, 64);
  nn::Linear layer(128, 2);
  return layer(embedding(words)); // expect: ml-shape-mismatch: the layer takes 128 features, and 'embedding(words)' of shape (…, 64) has 64
}

torch::Tensor layers_ok(torch::Tensor x, nn::Linear any, int64_t width) {
  nn::Sequential net(nn::Linear(10, 20), nn::ReLU(), nn::Linear(20, 2));
  nn::Conv2d convolution(nn::Conv2dOptions(3, 6, 5));
  nn::Linear wide(width, 8), layer(8, 4);
  x = net->forward(x.view({-1, 10}));
  x = convolution(torch::ones({1, 3, 8, 8})).flatten(1);
  return any(layer(wide(x)));
}

// --- classes -------------------------------------------------------------------------------------

torch::Tensor classes_bad() {
  auto scores = torch::zeros({8, 10});
  auto labels = torch::zeros({8, 1}, torch::kLong);
  return torch::nll_loss(scores, labels); // expect: ml-shape-mismatch: meets 'labels' of shape (8, 1), which is not one class for each sample
}

torch::Tensor samples_bad() {
  return torch::nll_loss(torch::zeros({8, 10}), torch::zeros({7}, torch::kLong)); // expect: ml-shape-mismatch
}

torch::Tensor classes_ok(torch::Tensor labels) {
  auto scores = torch::zeros({8, 10});
  return torch::nll_loss(scores, torch::zeros({8}, torch::kLong)) + torch::nll_loss(scores, labels);
}

// --- views and dimensions ------------------------------------------------------------------------

torch::Tensor view_bad() {
  auto image = torch::zeros({3, 28, 28});
  return image.view({28, 28}); // expect: ml-shape-mismatch: has 2352 elements, which do not make the shape that is asked for
}

torch::Tensor view_open_bad() { return torch::zeros({10}).view({-1, 3}); } // expect: ml-shape-mismatch

torch::Tensor view_ok(torch::Tensor any, int64_t n) {
  auto image = torch::zeros({3, 28, 28});
  image.view({-1});
  image.view({3, 784}).view({n, -1});
  return any.view({28, 28}) + image.view({n, 28});
}

torch::Tensor axis_bad() {
  auto distances = torch::zeros({5});
  return distances.sum(1); // expect: ml-shape-mismatch: 'distances' of shape (5) has no dimension 1
}

torch::Tensor axis_ok(torch::Tensor any) {
  auto table = torch::zeros({5, 2});
  return table.sum(1).sum() + table.sum(-2) + any.sum(3) + torch::zeros({}).sum(0) +
         torch::zeros({2}).unsqueeze(1).transpose(0, 1);
}

torch::Tensor norm_ok() {
  auto points = torch::zeros({5, 3});
  return points.norm(2, {1}, true) * points;
}

// --- numbers -------------------------------------------------------------------------------------

float several_bad() {
  auto scores = torch::zeros({1, 4});
  return scores.item<float>(); // expect: ml-shape-mismatch: one number is read, but 'scores' of shape (1, 4) has several
}

float one_ok(torch::Tensor any) {
  auto scores = torch::zeros({1, 4});
  return scores.sum().item<float>() + scores[0][1].item<float>() + any.item<float>();
}

torch::Tensor gathered_bad() {
  auto values = torch::zeros({16, 4});
  auto actions = values.argmax(1);
  return values.gather(1, actions); // expect: ml-shape-mismatch: 'actions' of shape (16) selects elements of 'values' of shape (16, 4), and would need as many dimensions
}

torch::Tensor gathered_ok(torch::Tensor any) {
  auto values = torch::zeros({16, 4});
  auto row = torch::zeros({4});
  return values.gather(1, values.argmax(1).unsqueeze(1)) + values.gather(1, any) +
         row.gather(0, row.argmax());
}

torch::Tensor joined_bad(const std::vector<float> &rewards) {
  std::vector<torch::Tensor> list;
  for (float reward : rewards)
    list.push_back(torch::tensor(reward));
  return torch::cat(list); // expect: ml-shape-mismatch: tensors without a dimension can be stacked, but not put one behind the other
}

torch::Tensor joined_ok(const std::vector<float> &rewards, torch::Tensor any) {
  std::vector<torch::Tensor> list, rows;
  for (float reward : rewards) {
    list.push_back(torch::tensor(reward));
    rows.push_back(torch::tensor({reward}));
  }
  rows.push_back(any);
  return torch::stack(list) + torch::cat(rows);
}

torch::Tensor tried_ok() {
  auto a = torch::ones({4, 3});
  try {
    return a + torch::ones({4, 2});
  } catch (const std::exception &) {
    return a;
  }
}

// --- shapes that are asked for

torch::Tensor summed(const torch::Tensor &x) {
  if (x.sizes().size() > 1)
    return x.sum(1);
  return x.sum();
}

torch::Tensor asked_ok() {
  auto row = torch::ones({4}), matrix = torch::ones({4, 3});
  if (row.dim() == 2)
    row = row.sum(1);
  if (1 < row.dim())
    row = row.sum(1);
  if (matrix.size(-1) != 3)
    matrix = matrix + torch::ones({4, 5});
  return summed(row) + summed(matrix).sum();
}

torch::Tensor asked_bad() {
  auto row = torch::ones({4});
  if (row.dim() == 1)
    row = row.sum(1); // expect: ml-shape-mismatch: 'row' of shape (4) has no dimension 1
  return row;
}

// What counts up has as many numbers as it says, and a size that is left open follows from that.
void counted() {
  torch::Tensor a = torch::arange(12).reshape({2, 2, -1});
  a.view({4, 3});
  a.view({3, 2});    // expect: ml-shape-mismatch: 'a' of shape (2, 2, 3) has 12 elements
  a.permute({1, 0}); // expect: ml-shape-mismatch: 3 dimensions, not the 2 that are put in order
  a.permute({2, 0, 1});
  torch::arange(0, 12, 5).view({3});
  torch::arange(12, 0, -5).view({4}); // expect: ml-shape-mismatch: has 3 elements
  torch::arange(2, 12).view({2, 5});
}

// Which mean a variance is of says nothing of its dimensions.
void deviations() {
  torch::Tensor a = torch::ones({5, 9});
  a.std({0}, true).mul(torch::ones({9}));
  a.std({0}, true, true).permute({1, 0});
  a.std({0}, true).permute({1, 0}); // expect: ml-shape-mismatch
}

// What gives nothing back may give its result another size.
void resample(torch::Tensor image, torch::Tensor result);
void show(const torch::Tensor &image);

torch::Tensor resampled_ok(torch::Tensor image) {
  auto result = torch::zeros({}, torch::kFloat);
  resample(image, result);
  return result.squeeze(1);
}

torch::Tensor shown_bad() {
  auto result = torch::zeros({}, torch::kFloat);
  show(result);
  return result.squeeze(1); // expect: ml-shape-mismatch (no fix)
}
