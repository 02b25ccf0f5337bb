// Layers that are added when the optimizer has been made.
#include <torch/torch.h>

namespace nn = torch::nn;
using torch::optim::Adam;
using torch::optim::OptimizerParamGroup;
using torch::optim::SGD;

void pushed_bad(torch::Tensor x, torch::Tensor y) {
  nn::Sequential model(nn::Linear(4, 4), nn::ReLU());
  SGD optimizer(model->parameters(), 0.1);
  model->push_back(nn::Linear(4, 2)); // expect: ml-stale-parameters (no fix): 'model' gets another layer, but the optimizer has only the parameters
  for (int step = 0; step < 100; ++step) {
    optimizer.zero_grad();
    torch::mse_loss(model->forward(x), y).backward();
    optimizer.step();
  }
}

struct NetImpl : nn::Module {
  NetImpl() { fc = register_module("fc", nn::Linear(4, 4)); }
  void build(int64_t classes) {
    head = register_module("head", nn::Linear(4, classes)); // expect: ml-stale-parameters
  }
  torch::Tensor forward(torch::Tensor x) { return head(torch::relu(fc(x))); }
  nn::Linear fc{nullptr}, head{nullptr};
};
TORCH_MODULE(Net);

void built_bad(torch::Tensor x, torch::Tensor y) {
  Net model;
  Adam optimizer(model->parameters(), 0.1);
  model->build(2);
  optimizer.zero_grad();
  torch::mse_loss(model(x), y).backward();
  optimizer.step();
}

// ---- before the optimizer

void built_ok(torch::Tensor x, torch::Tensor y) {
  Net model;
  model->build(2);
  Adam optimizer(model->parameters(), 0.1);
  optimizer.zero_grad();
  torch::mse_loss(model(x), y).backward();
  optimizer.step();
}

void pushed_ok(torch::Tensor x, torch::Tensor y, int depth) {
  nn::Sequential model;
  for (int i = 0; i < depth; ++i)
    model->push_back(nn::Linear(4, 4));
  SGD optimizer(model->parameters(), 0.1);
  optimizer.zero_grad();
  torch::mse_loss(model->forward(x), y).backward();
  optimizer.step();
}

// ---- told to the optimizer

void told_ok(torch::Tensor x, torch::Tensor y) {
  nn::Sequential model(nn::Linear(4, 4), nn::ReLU());
  SGD optimizer(model->parameters(), 0.1);
  nn::Linear head(4, 2);
  model->push_back(head);
  optimizer.add_param_group(OptimizerParamGroup(head->parameters()));
  optimizer.zero_grad();
  torch::mse_loss(model->forward(x), y).backward();
  optimizer.step();
}

// ---- without parameters

void stateless_ok(torch::Tensor x, torch::Tensor y) {
  nn::Sequential model(nn::Linear(4, 4));
  SGD optimizer(model->parameters(), 0.1);
  model->push_back(nn::ReLU());
  model->push_back(nn::Dropout(0.5));
  optimizer.zero_grad();
  torch::mse_loss(model->forward(x), y).backward();
  optimizer.step();
}

// ---- never trained again

void exported_ok(torch::Tensor x, torch::Tensor y) {
  nn::Sequential model(nn::Linear(4, 4));
  SGD optimizer(model->parameters(), 0.1);
  optimizer.zero_grad();
  torch::mse_loss(model->forward(x), y).backward();
  optimizer.step();
  model->push_back(nn::Linear(4, 2));
  torch::save(model, "model.pt");
}
