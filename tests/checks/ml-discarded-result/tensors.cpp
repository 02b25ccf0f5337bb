// Methods and functions that return a new tensor change nothing when it is thrown away.
#include <torch/torch.h>

namespace F = torch::nn::functional;

void moves_bad(torch::Tensor x, torch::Device device) {
  x.to(device);           // expect: ml-discarded-result
  x.to(torch::kFloat);    // expect: ml-discarded-result
  x.cuda();               // expect: ml-discarded-result
  x.cpu();                // expect: ml-discarded-result
  x.toType(torch::kLong); // expect: ml-discarded-result
}

void moves_ok(torch::Tensor x, torch::Device device) {
  x = x.to(device);
  auto y = x.to(torch::kFloat).cuda();
  auto z = y.cpu();
}

void graph_bad(torch::Tensor x) {
  x.detach();         // expect: ml-discarded-result
  x.detach().clone(); // expect: ml-discarded-result (no fix)
  x.clone();          // expect: ml-discarded-result
  x.contiguous();     // expect: ml-discarded-result
}

void graph_ok(torch::Tensor x) {
  x.detach_();
  x.requires_grad_();
  x.set_requires_grad(true);
  x.retain_grad();
  x.sum().backward();
}

void arithmetic_bad(torch::Tensor x, torch::Tensor y) {
  x.add(y);              // expect: ml-discarded-result
  x.mul(0.5);            // expect: ml-discarded-result
  x.clamp(0, 1);         // expect: ml-discarded-result
  x.relu();              // expect: ml-discarded-result
  x.softmax(1);          // expect: ml-discarded-result
  torch::relu(x);        // expect: ml-discarded-result
  torch::sigmoid(x);     // expect: ml-discarded-result
  torch::clamp(x, 0, 1); // expect: ml-discarded-result
  F::relu(x);            // expect: ml-discarded-result
  F::dropout(x, F::DropoutFuncOptions().p(0.5)); // expect: ml-discarded-result
}

void arithmetic_ok(torch::Tensor x, torch::Tensor y) {
  x.add_(y);
  x.mul_(0.5);
  x.clamp_(0, 1);
  x.relu_().mul_(2);
  x += y;
  x -= y;
  x *= 0.5;
  x /= 2;
  torch::relu_(x);
  torch::clamp_(x, 0, 1);
  torch::add_out(x, x, y);
  F::relu(x, F::ReLUFuncOptions().inplace(true));
  F::relu(x, F::ReLUFuncOptions(true));
  F::leaky_relu(x, F::LeakyReLUFuncOptions().inplace(true));
  F::dropout(x, F::DropoutFuncOptions().p(0.5).inplace(true));
}

void shapes_bad(torch::Tensor x) {
  x.view({-1, 4});    // expect: ml-discarded-result
  x.reshape({-1, 4}); // expect: ml-discarded-result
  x.unsqueeze(0);     // expect: ml-discarded-result
  x.squeeze();        // expect: ml-discarded-result
  x.permute({1, 0});  // expect: ml-discarded-result
  x.transpose(0, 1);  // expect: ml-discarded-result
  x.flatten(1);       // expect: ml-discarded-result
}

void shapes_ok(torch::Tensor x) {
  x.unsqueeze_(0);
  x.squeeze_();
  x = x.view({-1, 4}).permute({1, 0});
}

void masks_bad(torch::Tensor x, torch::Tensor mask) {
  x.masked_fill(mask, 0); // expect: ml-discarded-result
}

void masks_ok(torch::Tensor x, torch::Tensor mask, torch::Tensor index) {
  x.masked_fill_(mask, 0);
  x.scatter_(1, index, 1.0);
  x.index_put_({index}, 0.0);
  x.copy_(mask);
  x.fill_(0);
  x.zero_();
  x.normal_();
  x[0].fill_(1);
  x.slice(0, 0, 2).zero_();
  x.data().copy_(mask);
}
