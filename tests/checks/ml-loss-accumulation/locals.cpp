// A local variable begins anew with each call of its function.
#include <torch/torch.h>

using Net = torch::nn::Linear;

double predict(Net net, torch::Tensor x) {
  std::vector<torch::Tensor> parts;
  parts.push_back(net(x));
  parts.push_back(net(-x));
  return torch::cat(parts, 1).sum().item<double>();
}

void predict_often_ok(Net net, torch::Tensor x) {
  for (int i = 0; i < 10; ++i)
    predict(net, x);
}

double predict_and_keep_bad(Net net, torch::Tensor x) {
  static std::vector<torch::Tensor> parts;
  parts.push_back(net(x)); // expect: ml-loss-accumulation
  return parts.back().sum().item<double>();
}

void keep_often(Net net, torch::Tensor x) {
  for (int i = 0; i < 10; ++i)
    predict_and_keep_bad(net, x);
}

void collect(Net net, torch::Tensor x, std::vector<torch::Tensor> &parts) {
  parts.push_back(net(x)); // expect: ml-loss-accumulation
}

double collect_often_bad(Net net, torch::Tensor x) {
  std::vector<torch::Tensor> parts;
  for (int i = 0; i < 10; ++i)
    collect(net, x, parts);
  return parts.back().sum().item<double>();
}

double collect_for_one_ok(Net net, torch::Tensor x) {
  std::vector<torch::Tensor> parts;
  collect(net, x, parts);
  return parts.back().sum().item<double>();
}
