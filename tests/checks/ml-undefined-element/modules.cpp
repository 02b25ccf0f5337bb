// Lists of pointers to modules that begin with empty ones.
#include <torch/torch.h>

#include <memory>
#include <vector>

torch::Tensor assigned_ok(const torch::Tensor &x) {
  std::vector<std::shared_ptr<torch::nn::LinearImpl>> layers(2);
  for (auto &layer : layers)
    layer = std::make_shared<torch::nn::LinearImpl>(4, 4);
  layers.push_back(std::make_shared<torch::nn::LinearImpl>(4, 4));
  torch::Tensor y = x;
  for (auto &layer : layers)
    y = layer->forward(y);
  return y;
}

torch::Tensor bad(const torch::Tensor &x) {
  std::vector<std::shared_ptr<torch::nn::LinearImpl>> layers;
  layers.resize(2);
  layers.push_back(std::make_shared<torch::nn::LinearImpl>(4, 4)); // expect: ml-undefined-element
  torch::Tensor y = x;
  for (auto &layer : layers)
    y = layer->forward(y);
  return y;
}
