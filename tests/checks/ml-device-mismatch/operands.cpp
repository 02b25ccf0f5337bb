// Which operands must be on one device: scalars and indices are free, masks and targets are not.
#include <torch/torch.h>

void vectors_bad() {
  auto a = torch::rand({4}, torch::kCUDA);
  auto b = torch::rand({4});
  auto sum = a + b;                    // expect: ml-device-mismatch
  auto product = torch::mul(a, b);     // expect: ml-device-mismatch
  auto stacked = torch::stack({a, b}); // expect: ml-device-mismatch
}

void scalars_ok() {
  auto a = torch::rand({4}, torch::kCUDA);
  auto half = torch::tensor(0.5);
  auto scaled = a * half;
  auto shifted = torch::add(a, torch::tensor(1.0));
  a += half;
  auto plain = a * 0.5 + 1;
}

// As a destination a scalar is not free.
void scalar_destination_bad(torch::Tensor x) {
  auto total = torch::tensor(0.0);
  auto value = x.to(torch::kCUDA).sum();
  total += value; // expect: ml-device-mismatch
}

void scalar_destination_ok(torch::Tensor x) {
  auto total = torch::tensor(0.0);
  double number = 0;
  auto value = x.to(torch::kCUDA).sum();
  total += value.cpu();
  number += value.item<double>();
  total = total + value;
}

void accumulator_bad(torch::nn::Linear net, torch::Device device) {
  net->to(device);
  auto total = torch::zeros({1});
  for (int i = 0; i < 10; ++i) {
    torch::NoGradGuard noGrad;
    auto output = net(torch::rand({8, 4}, device));
    total += output.mean(); // expect: ml-device-mismatch
  }
}

void accumulator_ok(torch::nn::Linear net, torch::Device device) {
  net->to(device);
  auto total = torch::zeros({1}, device), like = torch::Tensor();
  for (int i = 0; i < 10; ++i) {
    torch::NoGradGuard noGrad;
    auto output = net(torch::rand({8, 4}, device));
    total += output.mean();
    like = torch::zeros_like(output) + output + output.new_zeros({8, 1});
  }
}

void indices_ok() {
  auto table = torch::rand({10, 4}, torch::kCUDA);
  auto indices = torch::randint(10, {3}, torch::kLong);
  auto rows = table.index({indices});
  auto first = table[0];
  table.index_put_({indices}, 0.5);
  auto changed = table.index_put({indices}, torch::ones({3, 4}, torch::kCUDA)) + table;
}

// What is picked or changed is where the tensor is, whatever the indices say of that.
void table_anywhere_ok(torch::Tensor table, torch::Tensor values) {
  auto indices = torch::arange(3);
  auto changed = table.index_put({indices}, values);
  auto rows = table.index({indices}), like = torch::rand({4}).type_as(table);
  auto sums = changed.to(torch::kCUDA) + rows.to(torch::kCUDA);
  auto both = rows + like + changed + torch::rand({4}, torch::kCUDA);
}

void indices_bad() {
  auto table = torch::rand({10, 4}, torch::kCUDA);
  auto indices = torch::randint(10, {3}, torch::kLong);
  auto changed = table.index_put({indices}, torch::ones({3, 4}, torch::kCUDA));
  auto rest = changed + torch::rand({10, 4});                  // expect: ml-device-mismatch
  auto rows = table.index_select(0, indices);                  // expect: ml-device-mismatch
  auto picked = torch::gather(table, 1, indices.view({3, 1})); // expect: ml-device-mismatch
}

void embedding_bad() {
  torch::nn::Embedding embedding(10, 4);
  embedding->to(torch::kCUDA);
  auto rows = embedding(torch::arange(3)); // expect: ml-device-mismatch
}

void masks_bad(torch::Device device) {
  auto scores = torch::rand({8, 8}, device);
  auto mask = torch::ones({8, 8}, torch::kBool);
  auto masked = scores.masked_fill(mask, -1e9); // expect: ml-device-mismatch
  auto other = torch::zeros({8, 8}, device);
  auto chosen = torch::where(mask, scores, other); // expect: ml-device-mismatch
}

void masks_ok(torch::Device device) {
  auto scores = torch::rand({8, 8}, device);
  auto mask = torch::ones({8, 8}, torch::device(device).dtype(torch::kBool));
  auto masked = scores.masked_fill(mask, -1e9);
  auto own = torch::where(scores > 0.5, scores, torch::zeros_like(scores));
}

void loss_weights_bad(torch::nn::Linear net, torch::Device device) {
  net->to(device);
  auto weights = torch::tensor({0.1, 0.9});
  torch::nn::CrossEntropyLoss criterion(torch::nn::CrossEntropyLossOptions().weight(weights));
  auto output = net(torch::rand({8, 4}, device));
  auto target = torch::zeros({8}, torch::device(device).dtype(torch::kLong));
  auto loss = criterion(output, target); // expect: ml-device-mismatch
}

void loss_weights_ok(torch::nn::Linear net, torch::Device device) {
  net->to(device);
  auto weights = torch::tensor({0.1, 0.9});
  torch::nn::CrossEntropyLoss moved(torch::nn::CrossEntropyLossOptions().weight(weights));
  moved->to(device);
  auto onDevice = weights.to(device);
  torch::nn::CrossEntropyLoss given(torch::nn::CrossEntropyLossOptions().weight(onDevice));
  auto output = net(torch::rand({8, 4}, device));
  auto target = torch::zeros({8}, torch::device(device).dtype(torch::kLong));
  auto loss = moved(output, target) + given(output, target);
}

// copy_ crosses devices, and so does the assignment to an element.
void copies_ok() {
  auto buffer = torch::zeros({2, 4});
  auto value = torch::rand({4}, torch::kCUDA);
  buffer[0] = value;
  buffer[1].copy_(value);
}
