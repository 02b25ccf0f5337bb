// Interfaces of the program's own, which are no modules: what implements them is.
#include <torch/torch.h>

#include <iostream>
#include <memory>

struct Classifier {
  virtual ~Classifier() = default;
  virtual torch::Tensor logits(const torch::Tensor &x) = 0;
  virtual std::vector<torch::Tensor> weights() = 0;
};

struct Perceptron : Classifier, torch::nn::Module {
  Perceptron() { register_module("layers", layers); }
  torch::Tensor logits(const torch::Tensor &x) override { return layers->forward(x); }
  std::vector<torch::Tensor> weights() override { return parameters(); }
  torch::nn::Sequential layers{torch::nn::Linear(784, 10)};
};

void validate_bad(Classifier &model, const std::vector<torch::Tensor> &images) {
  for (const torch::Tensor &image : images) {
    auto output = model.logits(image); // expect: ml-missing-no-grad: this forward pass records a graph that no backward uses
    std::cout << output.argmax(1).sum().item<int64_t>();
  }
}

void train(const std::vector<torch::Tensor> &images, const torch::Tensor &targets) {
  std::unique_ptr<Classifier> model = std::make_unique<Perceptron>();
  torch::optim::SGD optimizer(model->weights(), 0.01);
  for (const torch::Tensor &image : images) {
    optimizer.zero_grad();
    torch::cross_entropy_loss(model->logits(image), targets).backward();
    optimizer.step();
  }
  validate_bad(*model, images);
}

// What implements this one need not be a module.
struct Source {
  virtual ~Source() = default;
  virtual torch::Tensor next(const torch::Tensor &x) = 0;
};

struct Network : Source, torch::nn::Module {
  torch::Tensor next(const torch::Tensor &x) override { return layer(x); }
  torch::nn::Linear layer{register_module("layer", torch::nn::Linear(4, 4))};
};

struct Recording : Source {
  torch::Tensor next(const torch::Tensor &x) override { return frames[x.size(0)]; }
  std::vector<torch::Tensor> frames;
};

void show_ok(Source &source, const torch::Tensor &x) {
  std::cout << source.next(x).sum().item<float>();
}
