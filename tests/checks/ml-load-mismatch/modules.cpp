// Modules that are loaded after to() has changed their type.
#include <torch/torch.h>

#include <string>

using Net = torch::nn::Linear;

void halved_before_bad(torch::Tensor x) {
  Net net(4, 1);
  torch::save(net, "float.pt");
  Net half(4, 1);
  half->to(torch::kHalf);
  torch::load(half, "float.pt"); // expect: ml-load-mismatch: saved in, float32: they are no float16
  half(x.to(torch::kHalf)).print();
}

static void train(Net net) {
  net->to(torch::kDouble);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    net(torch::rand({8, 4}, torch::kDouble)).mean().backward();
    optimizer.step();
  }
  torch::save(net, "double.pt");
}

void other_function_bad(torch::Tensor x) {
  Net net(4, 1);
  train(net);
  Net other(4, 1);
  other->to(torch::kBFloat16);
  torch::load(other, "double.pt"); // expect: ml-load-mismatch: float64: they are no bfloat16
  other->eval();
  torch::NoGradGuard guard;
  other(x.to(torch::kBFloat16)).print();
}

void named_file_bad(torch::Tensor x) {
  const std::string path = "named.pt";
  Net net(4, 1);
  torch::save(net, path);
  net->to(torch::kDouble);
  torch::load(net, path); // expect: ml-load-mismatch
  net(x).print();
}

// --- right ---------------------------------------------------------------------------------------

void after_the_load_ok(torch::Tensor x) {
  Net net(4, 1);
  torch::save(net, "a.pt");
  Net half(4, 1);
  torch::load(half, "a.pt");
  half->to(torch::kHalf);
  half(x).print();
}

void again_after_the_load_ok(torch::Tensor x) {
  Net net(4, 1);
  torch::save(net, "b.pt");
  Net half(4, 1);
  half->to(torch::kHalf);
  torch::load(half, "b.pt");
  half->to(torch::kHalf);
  half(x).print();
}

void same_type_ok(torch::Tensor x) {
  Net net(4, 1);
  net->to(torch::kHalf);
  torch::save(net, "c.pt");
  Net half(4, 1);
  half->to(torch::kHalf);
  torch::load(half, "c.pt");
  half(x).print();
}

void unknown_file_ok(torch::Tensor x, const std::string &path) {
  Net net(4, 1);
  net->to(torch::kHalf);
  torch::load(net, path);
  net(x).print();
}

void saved_elsewhere_ok(torch::Tensor x) {
  Net net(4, 1);
  net->to(torch::kHalf);
  torch::load(net, "elsewhere.pt");
  net(x).print();
}

void saved_as_unknown_ok(torch::Tensor x, Net given) {
  torch::save(given, "d.pt");
  Net net(4, 1);
  net->to(torch::kHalf);
  torch::load(net, "d.pt");
  net(x).print();
}

void saved_as_both_ok(torch::Tensor x, bool halves) {
  Net net(4, 1);
  torch::save(net, "e.pt");
  net->to(torch::kHalf);
  torch::save(net, "e.pt");
  Net half(4, 1);
  half->to(torch::kHalf);
  torch::load(half, "e.pt");
  half(x).print();
}

void type_from_elsewhere_ok(torch::Tensor x, torch::Dtype type) {
  Net net(4, 1);
  torch::save(net, "f.pt");
  Net other(4, 1);
  other->to(torch::kHalf);
  other->to(type);
  torch::load(other, "f.pt");
  other(x).print();
}

void device_alone_ok(torch::Tensor x, torch::Device device) {
  Net net(4, 1);
  torch::save(net, "g.pt");
  Net other(4, 1);
  other->to(device);
  torch::load(other, "g.pt", device);
  other(x).print();
}

void never_cast_ok(torch::Tensor x) {
  Net net(4, 1);
  net->to(torch::kHalf);
  torch::save(net, "h.pt");
  Net other(4, 1);
  torch::load(other, "h.pt");
  other(x.to(torch::kHalf)).print();
}

void never_used_ok() {
  Net net(4, 1);
  torch::save(net, "i.pt");
  net->to(torch::kHalf);
  torch::load(net, "i.pt");
}
