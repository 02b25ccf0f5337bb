// Handles of modules.
#include <torch/torch.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace nn = torch::nn;
using torch::optim::Adam;

struct NetImpl : nn::Cloneable<NetImpl> {
  NetImpl() { reset(); }
  void reset() { fc = register_module("fc", nn::Linear(4, 4)); }
  torch::Tensor forward(torch::Tensor x) { return fc(x); }
  nn::Linear fc{nullptr};
};
TORCH_MODULE(Net);

float train(Net &model, Adam &optimizer, torch::Tensor x, torch::Tensor y) {
  optimizer.zero_grad();
  auto loss = torch::mse_loss(model(x), y);
  loss.backward();
  optimizer.step();
  return loss.item<float>();
}

// ---- the best of several rounds

void best_bad(torch::Tensor x, torch::Tensor y) {
  Net model, best{nullptr};
  Adam optimizer(model->parameters(), 0.1);
  float least = 1e9;
  for (int epoch = 0; epoch < 100; ++epoch) {
    const float loss = train(model, optimizer, x, y);
    if (loss < least) {
      least = loss;
      best = model; // expect: ml-module-shallow-copy (no fix): 'best' is the module that trains on,
                    // not a copy
    }
  }
  torch::save(best, "best.pt");
}

void best_shared_bad(torch::Tensor x, torch::Tensor y) {
  auto model = std::make_shared<NetImpl>();
  std::shared_ptr<NetImpl> best;
  Adam optimizer(model->parameters(), 0.1);
  double most = 0;
  for (int epoch = 0; epoch < 100; ++epoch) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(model->forward(x), y);
    loss.backward();
    optimizer.step();
    double accuracy = -loss.item<double>();
    if (epoch > 2 && accuracy > most) {
      best = model; // expect: ml-module-shallow-copy (no fix)
      most = accuracy;
    }
  }
  best->forward(x).print();
}

void best_parameters_bad(torch::Tensor x, torch::Tensor y) {
  Net model;
  Adam optimizer(model->parameters(), 0.1);
  std::vector<torch::Tensor> best;
  float least = 1e9;
  for (int epoch = 0; epoch < 100; ++epoch) {
    const float loss = train(model, optimizer, x, y);
    if (loss < least) {
      least = loss;
      best = model->parameters(); // expect: ml-module-shallow-copy (no fix): 'best' lies in the
                                  // memory of the parameters
    }
  }
}

void best_weight_bad(torch::Tensor x, torch::Tensor y) {
  Net model;
  Adam optimizer(model->parameters(), 0.1);
  torch::Tensor best;
  float least = 1e9;
  for (int epoch = 0; epoch < 100; ++epoch) {
    const float loss = train(model, optimizer, x, y);
    if (loss < least) {
      least = loss;
      best = model->fc->weight.detach(); // expect: ml-module-shallow-copy
    }
  }
  best.print();
}

void best_member_bad(torch::Tensor x, torch::Tensor y) {
  Net model;
  Adam optimizer(model->parameters(), 0.1);
  torch::Tensor best;
  float least = 1e9;
  for (int epoch = 0; epoch < 100; ++epoch) {
    const float loss = train(model, optimizer, x, y);
    if (loss < least) {
      least = loss;
      best = model->fc->weight; // expect: ml-module-shallow-copy (no fix): 'best' lies in the
                                // memory of the parameters
    }
  }
  best.print();
}

void best_list_bad(torch::Tensor x, torch::Tensor y) {
  Net model;
  Adam optimizer(model->parameters(), 0.1);
  std::vector<torch::Tensor> best;
  float least = 1e9;
  for (int epoch = 0; epoch < 100; ++epoch) {
    const float loss = train(model, optimizer, x, y);
    if (loss < least) {
      least = loss;
      best.clear();
      for (auto &parameter : model->parameters())
        best.push_back(parameter); // expect: ml-module-shallow-copy (no fix): 'best' lies in the
                                   // memory of the parameters
    }
  }
  best[0].print();
}

void best_detached_bad(torch::Tensor x, torch::Tensor y) {
  Net model;
  Adam optimizer(model->parameters(), 0.1);
  std::vector<torch::Tensor> best;
  float least = 1e9;
  for (int epoch = 0; epoch < 100; ++epoch) {
    const float loss = train(model, optimizer, x, y);
    if (loss < least) {
      least = loss;
      best.clear();
      for (const auto &parameter : model->parameters())
        best.push_back(parameter.detach()); // expect: ml-module-shallow-copy
    }
  }
  best[0].print();
}

void best_named_bad(torch::Tensor x, torch::Tensor y) {
  Net model;
  Adam optimizer(model->parameters(), 0.1);
  std::map<std::string, torch::Tensor> best;
  float least = 1e9;
  for (int epoch = 0; epoch < 100; ++epoch) {
    const float loss = train(model, optimizer, x, y);
    if (loss < least) {
      least = loss;
      for (auto &item : model->named_parameters())
        best[item.key()] = item.value(); // expect: ml-module-shallow-copy (no fix)
    }
  }
  best["fc.weight"].print();
}

void best_copied_ok(torch::Tensor x, torch::Tensor y) {
  Net model;
  Adam optimizer(model->parameters(), 0.1);
  torch::Tensor bias;
  std::vector<torch::Tensor> best, inputs;
  std::map<std::string, torch::Tensor> named;
  float least = 1e9;
  for (int epoch = 0; epoch < 100; ++epoch) {
    const float loss = train(model, optimizer, x, y);
    if (loss < least) {
      least = loss;
      best.clear();
      bias = model->fc->bias.detach().clone();
      inputs.push_back(x);
      for (auto &parameter : model->parameters())
        best.push_back(parameter.detach().clone());
      for (auto &item : model->named_parameters())
        named[item.key()] = item.value().clone();
    }
  }
}

// What is written at once needs no copy.
void best_written_ok(torch::Tensor x, torch::Tensor y) {
  Net model;
  Adam optimizer(model->parameters(), 0.1);
  float least = 1e9;
  for (int epoch = 0; epoch < 100; ++epoch) {
    const float loss = train(model, optimizer, x, y);
    if (loss < least) {
      least = loss;
      std::vector<torch::Tensor> parameters;
      for (auto &parameter : model->parameters())
        parameters.push_back(parameter);
      torch::Tensor weight;
      weight = model->fc->weight;
      parameters.push_back(weight);
      torch::save(parameters, "best.pt");
    }
  }
}

class Weights {
public:
  void run(torch::Tensor x, torch::Tensor y) {
    for (int epoch = 0; epoch < 100; ++epoch) {
      const float loss = train(model, optimizer, x, y);
      if (loss < least) {
        least = loss;
        best = model->fc->weight; // miss: ml-module-shallow-copy: members
      }
    }
  }

private:
  Net model;
  torch::Tensor best;
  Adam optimizer{model->parameters(), 0.1};
  float least = 1e9;
};

class Trainer {
public:
  void run(torch::Tensor x, torch::Tensor y) {
    for (int epoch = 0; epoch < 100; ++epoch) {
      const float loss = train(model, optimizer, x, y);
      if (loss < least) {
        least = loss;
        best = model; // miss: ml-module-shallow-copy: members
      }
    }
  }

private:
  Net model, best{nullptr};
  Adam optimizer{model->parameters(), 0.1};
  float least = 1e9;
};

void best_saved_ok(torch::Tensor x, torch::Tensor y) {
  Net model, best;
  Adam optimizer(model->parameters(), 0.1);
  float least = 1e9;
  for (int epoch = 0; epoch < 100; ++epoch) {
    const float loss = train(model, optimizer, x, y);
    if (loss < least) {
      least = loss;
      torch::save(model, "best.pt");
      best = std::dynamic_pointer_cast<NetImpl>(model->clone());
    }
  }
  torch::load(model, "best.pt");
}

void best_of_many_ok(torch::Tensor x, torch::Tensor y) {
  Net best{nullptr};
  float least = 1e9;
  for (int width = 1; width < 10; ++width) {
    Net model;
    Adam optimizer(model->parameters(), 0.1);
    const float loss = train(model, optimizer, x, y);
    if (loss < least) {
      least = loss;
      best = model;
    }
  }
  torch::save(best, "best.pt");
}

void renewed_ok(torch::Tensor x, torch::Tensor y) {
  Net model{nullptr}, best{nullptr};
  float least = 1e9;
  for (int width = 1; width < 10; ++width) {
    model = Net();
    Adam optimizer(model->parameters(), 0.1);
    const float loss = train(model, optimizer, x, y);
    if (loss < least) {
      least = loss;
      best = model;
    }
  }
  torch::save(best, "best.pt");
}

void population_ok(std::vector<Net> &population, torch::Tensor x, torch::Tensor y) {
  Net best{nullptr};
  float least = 1e9;
  for (auto &model : population) {
    Adam optimizer(model->parameters(), 0.1);
    const float loss = train(model, optimizer, x, y);
    if (loss < least) {
      least = loss;
      best = model;
    }
  }
  torch::save(best, "best.pt");
}

void evaluated_ok(std::vector<Net> &population, torch::Tensor x, torch::Tensor y) {
  Net best = population[0];
  float least = 1e9;
  for (size_t i = 0; i < population.size(); ++i) {
    torch::NoGradGuard guard;
    const float loss = torch::mse_loss(population[i](x), y).item<float>();
    if (loss < least) {
      least = loss;
      best = population[i];
    }
  }
  best(x).print();
}

// ---- target networks

void target_bad(torch::Tensor x, torch::Tensor next) {
  Net policy;
  Net target = policy; // expect: ml-module-shallow-copy (no fix): 'target' is the module 'policy',
                       // not a copy of it
  Adam optimizer(policy->parameters(), 0.1);
  for (int step = 0; step < 100; ++step) {
    optimizer.zero_grad();
    auto goal = target(next).detach();
    torch::mse_loss(policy(x), goal).backward();
    optimizer.step();
  }
}

void guarded_target_bad(torch::Tensor x, torch::Tensor next) {
  auto policy = std::make_shared<NetImpl>();
  auto target = policy; // expect: ml-module-shallow-copy (no fix)
  Adam optimizer(policy->parameters(), 0.1);
  for (int step = 0; step < 100; ++step) {
    optimizer.zero_grad();
    torch::Tensor goal;
    {
      torch::NoGradGuard guard;
      goal = target->forward(next) * 0.99;
    }
    auto loss = torch::mse_loss(policy->forward(x), goal);
    loss.backward();
    optimizer.step();
  }
}

void own_target_ok(torch::Tensor x, torch::Tensor next) {
  Net policy, target;
  Adam optimizer(policy->parameters(), 0.1);
  for (int step = 0; step < 100; ++step) {
    optimizer.zero_grad();
    auto goal = target(next).detach();
    torch::mse_loss(policy(x), goal).backward();
    optimizer.step();
  }
}

void cloned_target_ok(torch::Tensor x, torch::Tensor next) {
  Net policy;
  Net target = std::dynamic_pointer_cast<NetImpl>(policy->clone());
  Adam optimizer(policy->parameters(), 0.1);
  optimizer.zero_grad();
  auto goal = target(next).detach();
  torch::mse_loss(policy(x), goal).backward();
  optimizer.step();
}

// Who trains it calls it by the name of a parameter.
void update(Net &net, Adam &optimizer, torch::Tensor states, torch::Tensor returns) {
  optimizer.zero_grad();
  torch::mse_loss(net(states), returns).backward();
  optimizer.step();
}
void rollout_ok(torch::Tensor state) {
  Net policy;
  Adam optimizer(policy->parameters(), 0.1);
  std::vector<torch::Tensor> values;
  for (int step = 0; step < 100; ++step)
    values.push_back(policy(state));
  update(policy, optimizer, state, torch::cat(values).detach());
}

void bootstrapped_ok(torch::Tensor x, torch::Tensor next) {
  Net policy;
  Adam optimizer(policy->parameters(), 0.1);
  optimizer.zero_grad();
  auto goal = policy(next).detach();
  torch::mse_loss(policy(x), goal).backward();
  optimizer.step();
}

torch::Tensor valueOf(Net net, torch::Tensor x) {
  torch::NoGradGuard guard;
  return net(x);
}

void parameter_ok(torch::Tensor x, torch::Tensor next) {
  Net policy;
  Adam optimizer(policy->parameters(), 0.1);
  optimizer.zero_grad();
  torch::mse_loss(policy(x), valueOf(policy, next)).backward();
  optimizer.step();
}

void siamese_ok(torch::Tensor x, torch::Tensor y) {
  Net left;
  Net right = left;
  Adam optimizer(left->parameters(), 0.1);
  optimizer.zero_grad();
  torch::mse_loss(left(x), right(y)).backward();
  optimizer.step();
}

void alias_ok(torch::Tensor x, torch::Tensor y) {
  Net model;
  auto &same = model;
  auto handle = model;
  Adam optimizer(handle->parameters(), 0.1);
  optimizer.zero_grad();
  torch::mse_loss(same(x), y).backward();
  optimizer.step();
  torch::NoGradGuard guard;
  handle(x).print();
}

// The trainer is given the module, which has a name there, too.
struct GivenTrainer {
  GivenTrainer(std::shared_ptr<NetImpl> given) : net(given), optimizer(given->parameters(), 0.1) {}
  void step(torch::Tensor x, torch::Tensor values) {
    auto loss = (net->forward(x) - values).pow(2).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
  std::shared_ptr<NetImpl> net;
  torch::optim::SGD optimizer;
};

void given_ok(torch::Tensor x) {
  auto net = std::make_shared<NetImpl>();
  GivenTrainer trainer(net);
  for (int i = 0; i < 10; ++i) {
    torch::Tensor values;
    {
      torch::NoGradGuard no_grad;
      values = net->forward(x);
    }
    trainer.step(x, values);
  }
}

// Lists of handles.
void filled_list_bad(int count) {
  std::vector<Net> nets(count, Net()); // expect: ml-module-shallow-copy (no fix): the same module
  using Pair = std::vector<std::shared_ptr<NetImpl>>;
  Pair pair(2, std::make_shared<NetImpl>()); // expect: ml-module-shallow-copy (no fix)
  torch::load(pair[0], "a.pt");
  torch::load(pair[1], "b.pt");
  for (auto &net : nets)
    net->eval();
}

struct Ensemble {
  Ensemble() : nets(4, Net()) {} // expect: ml-module-shallow-copy (no fix)
  std::vector<Net> nets;
};

void filled_list_ok(int count, Net shared) {
  std::vector<Net> nets(count, nullptr);
  std::vector<Net> same(count, shared);
  std::vector<Net> one(1, Net());
  std::vector<Net> listed{Net(), Net()};
  std::vector<torch::nn::ReLU> activations(count, torch::nn::ReLU());
  std::vector<std::shared_ptr<NetImpl>> none(count);
  for (auto &net : nets)
    net = Net();
}
