// Modules that are replaced while an optimizer holds the parameters of the old ones.
#include <torch/torch.h>

#include <optional>

namespace nn = torch::nn;
using torch::optim::Adam;
using torch::optim::SGD;

struct NetImpl : nn::Module {
  NetImpl() {
    fc = register_module("fc", nn::Linear(4, 4));
    head = register_module("head", nn::Linear(4, 2));
  }
  torch::Tensor forward(torch::Tensor x) { return head(torch::relu(fc(x))); }
  nn::Linear fc{nullptr}, head{nullptr};
};
TORCH_MODULE(Net);

void replaced_bad(torch::Tensor x, torch::Tensor y) {
  Net model;
  SGD optimizer(model->parameters(), 0.1);
  model = Net(); // expect: ml-stale-parameters (no fix): 'model' is replaced, but the optimizer still has the parameters of the old one
  for (int step = 0; step < 100; ++step) {
    optimizer.zero_grad();
    torch::mse_loss(model(x), y).backward();
    optimizer.step();
  }
}

void shared_bad(torch::Tensor x, torch::Tensor y) {
  auto model = std::make_shared<NetImpl>();
  SGD optimizer(model->parameters(), 0.1);
  model = std::make_shared<NetImpl>(); // expect: ml-stale-parameters
  optimizer.zero_grad();
  torch::mse_loss(model->forward(x), y).backward();
  optimizer.step();
}

void train(Net &model, Adam &optimizer, torch::Tensor x, torch::Tensor y) {
  optimizer.zero_grad();
  torch::mse_loss(model(x), y).backward();
  optimizer.step();
}

void helper_bad(torch::Tensor x, torch::Tensor y) {
  Net model;
  Adam optimizer(model->parameters(), 0.1);
  train(model, optimizer, x, y);
  model = Net(); // expect: ml-stale-parameters
  train(model, optimizer, x, y);
}

void folds_bad(torch::Tensor x, torch::Tensor y) {
  Net model;
  Adam optimizer(model->parameters(), 0.1);
  for (int fold = 0; fold < 5; ++fold) {
    model = Net(); // expect: ml-stale-parameters
    for (int step = 0; step < 100; ++step)
      train(model, optimizer, x, y);
  }
}

void head_bad(torch::Tensor x, torch::Tensor y) {
  Net model;
  Adam optimizer(model->parameters(), 0.1);
  model->head = model->replace_module("head", nn::Linear(4, 10)); // expect: ml-stale-parameters
  train(model, optimizer, x, y);
}

struct Trainer {
  Net model;
  SGD optimizer{model->parameters(), 0.1};
  void restart() {
    model = Net(); // expect: ml-stale-parameters
  }
  void step(torch::Tensor x, torch::Tensor y) {
    optimizer.zero_grad();
    torch::mse_loss(model(x), y).backward();
    optimizer.step();
  }
};

void trainer_bad(torch::Tensor x, torch::Tensor y) {
  Trainer trainer;
  trainer.restart();
  trainer.step(x, y);
}

// ---- an optimizer of its own for each

void optimizer_after_ok(torch::Tensor x, torch::Tensor y) {
  Net model{nullptr};
  model = Net();
  Adam optimizer(model->parameters(), 0.1);
  train(model, optimizer, x, y);
}

void folds_ok(torch::Tensor x, torch::Tensor y) {
  Net model;
  for (int fold = 0; fold < 5; ++fold) {
    model = Net();
    Adam optimizer(model->parameters(), 0.1);
    for (int step = 0; step < 100; ++step)
      train(model, optimizer, x, y);
  }
}

void renewed_ok(torch::Tensor x, torch::Tensor y) {
  Net model;
  auto optimizer = std::make_unique<Adam>(model->parameters(), 0.1);
  for (int fold = 0; fold < 5; ++fold) {
    model = Net();
    optimizer = std::make_unique<Adam>(model->parameters(), 0.1);
    train(model, *optimizer, x, y);
  }
}

void reset_ok(torch::Tensor x, torch::Tensor y) {
  Net model;
  std::unique_ptr<Adam> optimizer(new Adam(model->parameters(), 0.1));
  for (int fold = 0; fold < 5; ++fold) {
    model = Net();
    optimizer.reset(new Adam(model->parameters(), 0.1));
    train(model, *optimizer, x, y);
  }
}

void emplaced_ok(torch::Tensor x, torch::Tensor y) {
  Net model;
  std::optional<Adam> optimizer;
  optimizer.emplace(model->parameters(), 0.1);
  for (int fold = 0; fold < 5; ++fold) {
    model = Net();
    optimizer.emplace(model->parameters(), 0.1);
    train(model, *optimizer, x, y);
  }
}

void sometimes_ok(torch::Tensor x, torch::Tensor y, bool restarts) {
  Net model;
  auto optimizer = std::make_unique<Adam>(model->parameters(), 0.1);
  for (int fold = 0; fold < 5; ++fold) {
    if (restarts)
      model = Net();
    if (fold > 0 && restarts)
      optimizer = std::make_unique<Adam>(model->parameters(), 0.1);
    train(model, *optimizer, x, y);
  }
}

void group_ok(torch::Tensor x, torch::Tensor y) {
  Net model;
  Adam optimizer(model->parameters(), 0.1);
  model = Net();
  optimizer.add_param_group(torch::optim::OptimizerParamGroup(model->parameters()));
  train(model, optimizer, x, y);
}

// ---- the same module

void moved_ok(torch::Tensor x, torch::Tensor y, torch::Device device) {
  Net model;
  Adam optimizer(model->parameters(), 0.1);
  model->to(device);
  torch::load(model, "model.pt");
  train(model, optimizer, x, y);
}

void evaluated_ok(torch::Tensor x, torch::Tensor y) {
  Net model;
  Adam optimizer(model->parameters(), 0.1);
  train(model, optimizer, x, y);
  model = Net();
  torch::load(model, "best.pt");
  torch::NoGradGuard guard;
  model->eval();
  model(x).print();
}

void other_ok(torch::Tensor x, torch::Tensor y) {
  Net model, other;
  Adam optimizer(model->parameters(), 0.1);
  other = Net();
  train(model, optimizer, x, y);
  other(x).detach().print();
}

void handle_ok(torch::Tensor x, torch::Tensor y) {
  Net model;
  Adam optimizer(model->parameters(), 0.1);
  Net same = model;
  model = Net();
  train(same, optimizer, x, y);
}

void swapped_ok(torch::Tensor x, torch::Tensor y) {
  Net model, other;
  Adam optimizer(model->parameters(), 0.1);
  Adam second(other->parameters(), 0.1);
  std::swap(model, other);
  train(other, optimizer, x, y);
  train(model, second, x, y);
}
