// What is filled in place stays where it is, whatever the values come from.
#include <torch/torch.h>

torch::Tensor decode_bad(torch::nn::Linear model, torch::Device device) {
  model->to(device);
  auto tokens = torch::ones({1, 1}).toType(torch::kLong).to(device);
  for (int i = 0; i < 10; ++i) {
    auto next = model(tokens).argmax(1);
    auto next64 = next.toType(torch::kLong);
    tokens = torch::cat({tokens, torch::ones({1, 1}).copy_(next64)}); // expect: ml-device-mismatch
  }
  return tokens;
}

torch::Tensor decode_ok(torch::nn::Linear model, torch::Device device) {
  model->to(device);
  auto tokens = torch::ones({1, 1}).toType(torch::kLong).to(device);
  for (int i = 0; i < 10; ++i) {
    auto next = model(tokens).argmax(1);
    auto last = torch::ones({1, 1}, tokens.options()).copy_(next);
    tokens = torch::cat({tokens, last});
  }
  return tokens;
}

void copied_ok(torch::Device device) {
  auto onDevice = torch::zeros({4}).to(device);
  onDevice.copy_(torch::ones({4}));
  auto sum = onDevice + torch::ones({4}).to(device);
}

void copied_bad(torch::Device device) {
  auto onHost = torch::zeros({4});
  onHost.copy_(torch::ones({4}).to(device));
  auto sum = onHost + torch::ones({4}).to(device); // expect: ml-device-mismatch
}

// Other memory, which may be elsewhere.
void replaced_ok(torch::Device device) {
  auto x = torch::zeros({4});
  x.set_data(torch::ones({4}).to(device));
  auto sum = x + torch::ones({4}).to(device);
}
