// However the optimizer is held.
#include <torch/torch.h>

torch::Tensor lossOf(torch::nn::Linear &net);

void reference_bad(torch::nn::Linear net, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}

void reference_ok(torch::nn::Linear net, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
  }
}

void raw_pointer_bad(torch::nn::Linear net, torch::optim::Optimizer *optimizer) {
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    optimizer->step(); // expect: ml-missing-zero-grad
  }
}

void raw_pointer_ok(torch::nn::Linear net, torch::optim::Optimizer *optimizer) {
  for (int i = 0; i < 100; ++i) {
    optimizer->zero_grad();
    lossOf(net).backward();
    optimizer->step();
  }
}

void unique_pointer_bad(torch::nn::Linear net) {
  auto optimizer = std::make_unique<torch::optim::Adam>(net->parameters(), 1e-3);
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    optimizer->step(); // expect: ml-missing-zero-grad
  }
}

void unique_pointer_ok(torch::nn::Linear net) {
  std::unique_ptr<torch::optim::Optimizer> optimizer =
      std::make_unique<torch::optim::Adam>(net->parameters(), 1e-3);
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    optimizer->step();
    optimizer->zero_grad();
  }
}

void chosen_at_run_time_bad(torch::nn::Linear net, bool adaptive) {
  std::unique_ptr<torch::optim::Optimizer> optimizer;
  if (adaptive)
    optimizer = std::make_unique<torch::optim::Adam>(net->parameters());
  else
    optimizer = std::make_unique<torch::optim::SGD>(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    optimizer->step(); // expect: ml-missing-zero-grad
  }
}

void chosen_at_run_time_ok(torch::nn::Linear net, bool adaptive) {
  std::unique_ptr<torch::optim::Optimizer> optimizer;
  if (adaptive)
    optimizer = std::make_unique<torch::optim::Adam>(net->parameters());
  else
    optimizer = std::make_unique<torch::optim::SGD>(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer->zero_grad();
    lossOf(net).backward();
    optimizer->step();
  }
}

void shared_pointer_bad(torch::nn::Linear net) {
  auto optimizer = std::make_shared<torch::optim::SGD>(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    optimizer->step(); // expect: ml-missing-zero-grad
  }
}

void second_name_ok(torch::nn::Linear net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto &alias = optimizer;
  torch::optim::Optimizer *pointer = &optimizer;
  for (int i = 0; i < 100; ++i) {
    pointer->zero_grad();
    lossOf(net).backward();
    alias.step();
  }
}

void second_name_bad(torch::nn::Linear net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto &alias = optimizer;
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    alias.step(); // expect: ml-missing-zero-grad
  }
}

void element_bad(torch::nn::Linear net,
                 std::vector<std::unique_ptr<torch::optim::Optimizer>> &optimizers) {
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    optimizers[0]->step(); // expect: ml-missing-zero-grad (no fix)
  }
}

void element_ok(torch::nn::Linear net,
                std::vector<std::unique_ptr<torch::optim::Optimizer>> &optimizers) {
  for (int i = 0; i < 100; ++i) {
    optimizers[0]->zero_grad();
    lossOf(net).backward();
    optimizers[0]->step();
  }
}

void all_elements_bad(torch::nn::Linear net, std::vector<torch::optim::SGD> &optimizers) {
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    for (auto &optimizer : optimizers)
      optimizer.step(); // expect: ml-missing-zero-grad
  }
}

void all_elements_ok(torch::nn::Linear net, std::vector<torch::optim::SGD> &optimizers) {
  for (int i = 0; i < 100; ++i) {
    for (auto &optimizer : optimizers)
      optimizer.zero_grad();
    lossOf(net).backward();
    for (auto &optimizer : optimizers)
      optimizer.step();
  }
}

void all_elements_by_index_ok(torch::nn::Linear net,
                              std::vector<std::shared_ptr<torch::optim::Optimizer>> optimizers) {
  for (int i = 0; i < 100; ++i) {
    for (size_t k = 0; k < optimizers.size(); ++k)
      optimizers[k]->zero_grad();
    lossOf(net).backward();
    for (size_t k = 0; k < optimizers.size(); ++k)
      optimizers[k]->step();
  }
}

class Trainer {
public:
  explicit Trainer(torch::nn::Linear net)
      : net(net), optimizer(net->parameters(), 0.1),
        other(std::make_unique<torch::optim::Adam>(net->parameters())) {}

  void member_bad() {
    for (int i = 0; i < 100; ++i) {
      lossOf(net).backward();
      optimizer.step(); // expect: ml-missing-zero-grad
    }
  }

  void member_ok() {
    for (int i = 0; i < 100; ++i) {
      optimizer.zero_grad();
      lossOf(net).backward();
      optimizer.step();
    }
  }

  void pointer_member_bad() {
    for (int i = 0; i < 100; ++i) {
      lossOf(net).backward();
      this->other->step(); // expect: ml-missing-zero-grad
    }
  }

  void pointer_member_ok() {
    for (int i = 0; i < 100; ++i) {
      lossOf(net).backward();
      other->step();
      this->other->zero_grad();
    }
  }

private:
  torch::nn::Linear net;
  torch::optim::SGD optimizer;
  std::unique_ptr<torch::optim::Optimizer> other;
};

struct Session {
  torch::nn::Linear net{nullptr};
  std::unique_ptr<torch::optim::Optimizer> optimizer;
};

void member_of_another_object_bad(Session &session) {
  for (int i = 0; i < 100; ++i) {
    lossOf(session.net).backward();
    session.optimizer->step(); // expect: ml-missing-zero-grad
  }
}

void member_of_another_object_ok(Session &session) {
  for (int i = 0; i < 100; ++i) {
    session.optimizer->zero_grad();
    lossOf(session.net).backward();
    session.optimizer->step();
  }
}

static torch::nn::Linear globalNet(4, 1);
static torch::optim::SGD globalOptimizer(globalNet->parameters(), 0.1);

void global_bad() {
  for (int i = 0; i < 100; ++i) {
    lossOf(globalNet).backward();
    globalOptimizer.step(); // expect: ml-missing-zero-grad
  }
}

void global_ok() {
  for (int i = 0; i < 100; ++i) {
    globalOptimizer.zero_grad();
    lossOf(globalNet).backward();
    globalOptimizer.step();
  }
}

// An optimizer of one's own is one of the framework's by its base.
class Momentum : public torch::optim::SGD {
public:
  using torch::optim::SGD::SGD;
};

void derived_bad(torch::nn::Linear net) {
  Momentum optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}

void replaced_in_each_epoch_ok(torch::Tensor x, torch::Tensor y) {
  torch::nn::Linear net(4, 1);
  std::unique_ptr<torch::optim::Optimizer> optimizer;
  for (int epoch = 0; epoch < 10; ++epoch) {
    net = torch::nn::Linear(4, 1);
    optimizer = std::make_unique<torch::optim::SGD>(net->parameters(), 0.1);
    torch::mse_loss(net(x), y).backward();
    optimizer->step();
  }
}
