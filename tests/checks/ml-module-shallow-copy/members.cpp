// What one method keeps of the parameters, and another one gives back to them.
#include <torch/torch.h>

#include <map>
#include <string>
#include <vector>

using torch::Tensor;

class ByName {
public:
  void keep_bad() {
    for (auto &item : model->named_parameters())
      best[item.key()] = item.value().detach(); // expect: ml-module-shallow-copy
  }
  void restore() {
    torch::NoGradGuard guard;
    for (auto &item : model->named_parameters())
      item.value().copy_(best[item.key()]);
  }

private:
  torch::nn::Linear model{4, 2};
  std::map<std::string, Tensor> best;
};

class InOrder {
public:
  void keep_bad() {
    best.clear();
    for (auto &parameter : model->parameters())
      best.push_back(parameter.detach()); // expect: ml-module-shallow-copy
  }
  void restore() {
    torch::NoGradGuard guard;
    size_t i = 0;
    for (auto &parameter : model->parameters())
      parameter.copy_(best[i++]);
  }

private:
  torch::nn::Linear model{4, 2};
  std::vector<Tensor> best;
};

class Copies {
public:
  void keep_ok() {
    best.clear();
    for (auto &parameter : model->parameters())
      best.push_back(parameter.detach().clone());
  }
  void restore_ok() {
    torch::NoGradGuard guard;
    size_t i = 0;
    for (auto &parameter : model->parameters())
      parameter.copy_(best[i++]);
  }

private:
  torch::nn::Linear model{4, 2};
  std::vector<Tensor> best;
};

// A list of handles to average others into.
class Handles {
public:
  void keep_ok() {
    for (auto &parameter : model->parameters())
      averaged.push_back(parameter.detach());
  }
  void average_ok(torch::nn::Linear other) {
    size_t i = 0;
    for (auto &parameter : other->parameters())
      averaged[i++].mul_(0.9).add_(parameter.detach(), 0.1);
  }

private:
  torch::nn::Linear model{4, 2};
  std::vector<Tensor> averaged;
};

// Another module gets them.
class Sync {
public:
  void keep_ok() {
    for (auto &parameter : from->parameters())
      sources.push_back(parameter.detach());
  }
  void copy_ok() {
    torch::NoGradGuard guard;
    size_t i = 0;
    for (auto &parameter : to->parameters())
      parameter.copy_(sources[i++]);
  }

private:
  torch::nn::Linear from{4, 2}, to{4, 2};
  std::vector<Tensor> sources;
};

// Gradients that grad() gives are new tensors, whatever list they are for.
void differentiate_ok(torch::nn::Linear &net, torch::optim::SGD &optimizer, Tensor x) {
  const auto parameters = net->parameters();
  const auto gradients = torch::autograd::grad({net(x).square().sum()}, parameters);
  optimizer.step();
  for (size_t i = 0; i < parameters.size(); ++i)
    parameters[i].mutable_grad() = gradients[i];
}
