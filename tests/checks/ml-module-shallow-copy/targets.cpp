// Targets that have been modules of their own, until they are assigned.
#include <torch/torch.h>

#include <memory>
#include <utility>
#include <vector>

using torch::optim::Adam;

struct NetImpl : torch::nn::Cloneable<NetImpl> {
  NetImpl() { reset(); }
  void reset() { fc = register_module("fc", torch::nn::Linear(4, 4)); }
  torch::Tensor forward(torch::Tensor x) { return fc(x); }
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Net);

Net copyOf(const Net &net) { return Net(std::dynamic_pointer_cast<NetImpl>(net->clone())); }

// ---- in the loop

void some_rounds_bad(torch::Tensor x, torch::Tensor next) {
  torch::nn::Linear policy(4, 4), target(4, 4);
  Adam optimizer(policy->parameters(), 0.1);
  for (int step = 0; step < 100; ++step) {
    auto goal = 0.99 * target(next).detach();
    optimizer.zero_grad();
    torch::mse_loss(policy(x), goal).backward();
    optimizer.step();
    if (step % 10 == 0)
      target = policy; // expect: ml-module-shallow-copy (no fix) (level 0): 'target' is the module
                       // 'policy' from here on, not a copy of it: it is trained, too
  }
}

void first_in_round_bad(torch::Tensor x, torch::Tensor next) {
  auto policy = std::make_shared<NetImpl>();
  std::shared_ptr<NetImpl> target;
  Adam optimizer(policy->parameters(), 0.1);
  for (int step = 0; step < 100; ++step) {
    if (step % 10 == 0)
      target = policy; // expect: ml-module-shallow-copy (no fix)
    torch::Tensor goal;
    {
      torch::NoGradGuard guard;
      goal = target->forward(next);
    }
    optimizer.zero_grad();
    torch::mse_loss(policy->forward(x), goal).backward();
    optimizer.step();
  }
}

void each_epoch_bad(Net &policy, Net &target, Adam &optimizer, std::vector<torch::Tensor> batches) {
  for (int epoch = 0; epoch < 100; ++epoch) {
    for (auto &batch : batches) {
      auto goal = target(batch).detach();
      optimizer.zero_grad();
      torch::mse_loss(policy(batch), goal).backward();
      optimizer.step();
    }
    target = policy; // expect: ml-module-shallow-copy (no fix)
  }
}

void synchronise(Net &target, const Net &source) { target = source; }
void called_bad(torch::Tensor x, torch::Tensor next) {
  Net policy, target;
  Adam optimizer(policy->parameters(), 0.1);
  for (int step = 0; step < 100; ++step) {
    optimizer.zero_grad();
    torch::mse_loss(policy(x), target(next).detach()).backward();
    optimizer.step();
    if (step % 10 == 0)
      synchronise(target, policy); // expect: ml-module-shallow-copy (no fix)
  }
}

// ---- members

class AgentBad {
public:
  void learn(torch::Tensor x, torch::Tensor next) {
    auto goal = target->forward(next).detach();
    optimizer.zero_grad();
    torch::mse_loss(policy->forward(x), goal).backward();
    optimizer.step();
    if (++steps % 100 == 0)
      target = policy; // expect: ml-module-shallow-copy (no fix)
  }

private:
  Net policy, target;
  Adam optimizer{policy->parameters(), 0.1};
  int steps = 0;
};

// The graph of the target is part of that of the loss, which is another mistake.
class RecordedAgentBad {
public:
  void learn(torch::Tensor x, torch::Tensor next) {
    optimizer.zero_grad();
    torch::mse_loss(policy->forward(x), 0.9 * target->forward(next)).backward();
    optimizer.step();
    if (++steps % 100 == 0)
      target = policy; // expect: ml-module-shallow-copy (no fix)
  }

private:
  Net policy, target;
  Adam optimizer{policy->parameters(), 0.1};
  int steps = 0;
};

class SharedAgentBad {
public:
  void run(torch::Tensor x) {
    for (int step = 0; step < 1000; ++step) {
      learn(x);
      if (step % 100 == 0)
        update();
    }
  }

private:
  void learn(torch::Tensor x) {
    optimizer.zero_grad();
    torch::mse_loss(policy->forward(x), target->forward(x).detach()).backward();
    optimizer.step();
  }
  void update() { target = policy; } // expect: ml-module-shallow-copy (no fix)

  std::shared_ptr<NetImpl> policy = std::make_shared<NetImpl>();
  std::shared_ptr<NetImpl> target = std::make_shared<NetImpl>();
  Adam optimizer{policy->parameters(), 0.1};
};

// ---- silent

// A copy would be the same: it would never be used after a step.
void each_round_ok(torch::Tensor x, torch::Tensor next) {
  Net policy, target;
  Adam optimizer(policy->parameters(), 0.1);
  for (int step = 0; step < 100; ++step) {
    optimizer.zero_grad();
    torch::mse_loss(policy(x), target(next).detach()).backward();
    optimizer.step();
    target = policy;
  }
}

void copied_ok(torch::Tensor x, torch::Tensor next) {
  Net policy, target;
  Adam optimizer(policy->parameters(), 0.1);
  for (int step = 0; step < 100; ++step) {
    optimizer.zero_grad();
    torch::mse_loss(policy(x), target(next).detach()).backward();
    optimizer.step();
    if (step % 10 == 0)
      target = copyOf(policy);
    if (step % 10 == 5)
      target = std::dynamic_pointer_cast<NetImpl>(policy->clone());
  }
}

// The teacher is what was trained before: another one is trained now.
void born_again_ok(std::vector<torch::Tensor> batches) {
  Net teacher, student;
  for (int generation = 0; generation < 4; ++generation) {
    Adam optimizer(student->parameters(), 0.1);
    for (auto &batch : batches) {
      optimizer.zero_grad();
      torch::mse_loss(student(batch), teacher(batch).detach()).backward();
      optimizer.step();
    }
    teacher = student;
    student = Net();
  }
}

void renew(Net &net) { net = Net(); }
void renewed_by_call_ok(std::vector<torch::Tensor> batches) {
  Net teacher, student;
  for (int generation = 0; generation < 4; ++generation) {
    Adam optimizer(student->parameters(), 0.1);
    for (auto &batch : batches) {
      optimizer.zero_grad();
      torch::mse_loss(student(batch), teacher(batch).detach()).backward();
      optimizer.step();
    }
    teacher = student;
    renew(student);
  }
}

void reset_ok(std::vector<torch::Tensor> batches) {
  auto teacher = std::make_shared<NetImpl>(), student = std::make_shared<NetImpl>();
  for (int generation = 0; generation < 4; ++generation) {
    Adam optimizer(student->parameters(), 0.1);
    for (auto &batch : batches) {
      optimizer.zero_grad();
      torch::mse_loss(student->forward(batch), teacher->forward(batch).detach()).backward();
      optimizer.step();
    }
    teacher = student;
    student.reset(new NetImpl);
  }
}

void own_round_ok(std::vector<torch::Tensor> batches) {
  Net teacher;
  for (int generation = 0; generation < 4; ++generation) {
    Net student;
    Adam optimizer(student->parameters(), 0.1);
    for (auto &batch : batches) {
      optimizer.zero_grad();
      torch::mse_loss(student(batch), teacher(batch).detach()).backward();
      optimizer.step();
    }
    teacher = student;
  }
}

void remade_ok(torch::Tensor x) {
  for (int run = 0; run < 4; ++run) {
    Net policy, target;
    Adam optimizer(policy->parameters(), 0.1);
    for (int step = 0; step < 100; ++step) {
      optimizer.zero_grad();
      torch::mse_loss(policy(x), target(x).detach()).backward();
      optimizer.step();
    }
    target = policy;
    target(x).print();
  }
}

void moved_ok(std::vector<torch::Tensor> batches) {
  Net teacher, student;
  for (int generation = 0; generation < 4; ++generation) {
    Adam optimizer(student->parameters(), 0.1);
    for (auto &batch : batches) {
      optimizer.zero_grad();
      torch::mse_loss(student(batch), teacher(batch).detach()).backward();
      optimizer.step();
    }
    if (generation % 2)
      teacher = std::move(student);
    std::swap(teacher, student);
  }
}

void swapped_ok(std::vector<torch::Tensor> batches) {
  Net a, b;
  Adam first(a->parameters(), 0.1), second(b->parameters(), 0.1);
  for (auto &batch : batches) {
    torch::mse_loss(a(batch), b(batch).detach()).backward();
    if (batch.size(0) > 4) {
      auto kept = a;
      a = b;
      b = kept;
    }
  }
}

// What the old policy has given is kept for the whole round.
void proximal_ok(torch::Tensor x, torch::Tensor gain) {
  Net policy, old;
  Adam optimizer(policy->parameters(), 0.1);
  for (int round = 0; round < 100; ++round) {
    torch::Tensor before;
    {
      torch::NoGradGuard guard;
      before = old(x);
    }
    for (int epoch = 0; epoch < 4; ++epoch) {
      optimizer.zero_grad();
      auto loss = -(torch::exp(policy(x) - before) * gain).mean();
      loss.backward();
      optimizer.step();
    }
    old = policy;
  }
}

void afterwards_ok(torch::Tensor x, torch::Tensor next) {
  Net policy, target;
  Adam optimizer(policy->parameters(), 0.1);
  for (int step = 0; step < 100; ++step) {
    optimizer.zero_grad();
    torch::mse_loss(policy(x), target(next).detach()).backward();
    optimizer.step();
  }
  target = policy;
  target(x).print();
}

void not_beside_ok(torch::Tensor x, torch::Tensor y, bool isLarge) {
  Net small, large, model;
  if (isLarge)
    model = large;
  else
    model = small;
  Adam optimizer(model->parameters(), 0.1);
  for (int step = 0; step < 100; ++step) {
    optimizer.zero_grad();
    torch::mse_loss(model(x), y).backward();
    optimizer.step();
    if (step % 10 == 0)
      small = model;
  }
}

void one_of_two_ok(torch::Tensor x, torch::Tensor next) {
  Net a, b, online, target;
  Adam first(a->parameters(), 0.1), second(b->parameters(), 0.1);
  for (int step = 0; step < 100; ++step) {
    if (step % 2) {
      online = a;
      target = b;
    } else {
      online = b;
      target = a;
    }
    first.zero_grad();
    second.zero_grad();
    torch::mse_loss(online(x), target(next).detach()).backward();
    first.step();
    second.step();
  }
}

class RenewingOk {
public:
  void learn(torch::Tensor x) {
    optimizer->zero_grad();
    torch::mse_loss(student->forward(x), teacher->forward(x).detach()).backward();
    optimizer->step();
    if (++steps % 1000 == 0)
      advance();
  }

private:
  void advance() {
    teacher = student;
    student = Net();
    optimizer = std::make_unique<Adam>(student->parameters(), 0.1);
  }

  Net student, teacher;
  std::unique_ptr<Adam> optimizer = std::make_unique<Adam>(student->parameters(), 0.1);
  int steps = 0;
};
