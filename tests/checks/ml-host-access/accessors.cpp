// Accessors, which only tensors with a name have: there is nothing to write in front of them.
#include <torch/torch.h>

using torch::Tensor;

float accessor_bad(Tensor x) {
  auto y = x.to(torch::kCUDA);
  auto values = y.accessor<float, 2>(); // expect: ml-host-access (no fix): memory of 'y'
  return values[0][1];
}

float of_a_prediction_bad(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  auto scores = net->forward(x.to(device));
  float best = 0;
  auto values = scores.accessor<float, 2>(); // expect: ml-host-access (no fix): memory of 'scores'
  for (int64_t i = 0; i < scores.size(0); ++i)
    best += values[i][0];
  return best;
}

// `accessor() &&` is deleted: `x.cpu().accessor<float, 1>()` does not compile.
float within_the_expression_bad(Tensor x) {
  x = x.cuda();
  return x.accessor<float, 1>()[3]; // expect: ml-host-access (no fix): memory of 'x'
}

float after_a_copy_bad(Tensor x, torch::Device device) {
  x = x.to(device);
  auto host = x.cpu();
  auto wrong = x.accessor<float, 1>(); // expect: ml-host-access (no fix): memory of 'x'
  auto right = host.accessor<float, 1>();
  return wrong[0] + right[0];
}

float of_a_copy_ok(Tensor x, torch::Device device) {
  auto y = x.to(device).mul(2).cpu();
  auto values = y.accessor<float, 1>();
  return values[0];
}

float detached_copy_ok(torch::nn::Linear net, Tensor x) {
  net->to(torch::kCUDA);
  auto y = net(x.cuda()).detach().to(torch::kCPU);
  return y.accessor<float, 2>()[0][0];
}

void launch(torch::PackedTensorAccessor32<float, 2> values);
void launch64(torch::PackedTensorAccessor64<float, 1> values);

void for_a_kernel_ok(Tensor x) {
  x = x.cuda();
  launch(x.packed_accessor32<float, 2>());
}

void kept_for_a_kernel_ok(Tensor x, torch::Device device) {
  x = x.to(device);
  auto values = x.packed_accessor64<float, 1>();
  launch64(values);
}

float unknown_ok(Tensor x) {
  auto values = x.accessor<float, 1>();
  return values[0];
}

float before_the_move_ok(torch::nn::Linear net, torch::Device device) {
  auto x = torch::randn({4, 10});
  auto values = x.accessor<float, 2>();
  values[0][0] = 1;
  net->to(device);
  return net(x.to(device)).mean().item<float>();
}
