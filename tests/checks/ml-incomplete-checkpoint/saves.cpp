// Checkpoints of models in training.
#include <torch/torch.h>

using Net = torch::nn::Linear;
using Tensors = std::vector<torch::Tensor>;

void resumed_bad(Net net, const Tensors &inputs) {
  torch::optim::Adam optimizer(net->parameters(), 1e-3);
  torch::load(net, "model.pt"); // note: the program goes on from one here
  for (int epoch = 0; epoch < 100; ++epoch) {
    for (const auto &x : inputs) {
      optimizer.zero_grad();
      net(x).mean().backward();
      optimizer.step(); // note: the optimizer steps here
    }
    torch::save(net, "model.pt"); // expect: ml-incomplete-checkpoint (level 1): not the state of its optimizer
  }
}

void resumed_if_wanted_bad(Net net, const Tensors &inputs, bool resume, int every) {
  torch::optim::AdamW optimizer(net->parameters(), 1e-3);
  if (resume)
    torch::load(net, "model.pt"); // note: the program goes on from one here
  for (int epoch = 0; epoch < 100; ++epoch) {
    for (const auto &x : inputs) {
      optimizer.zero_grad();
      net(x).mean().backward();
      optimizer.step(); // note: the optimizer steps here
    }
    if (epoch % every == 0)
      torch::save(net, "epoch-" + std::to_string(epoch) + ".pt"); // expect: ml-incomplete-checkpoint (level 1)
  }
}

void not_resumed_bad(Net net, const Tensors &inputs) {
  torch::optim::Adam optimizer(net->parameters(), 1e-3);
  for (int epoch = 0; epoch < 100; ++epoch) {
    for (const auto &x : inputs) {
      optimizer.zero_grad();
      net(x).mean().backward();
      optimizer.step(); // note: the optimizer steps here
    }
    torch::save(net, "model.pt"); // expect: ml-incomplete-checkpoint (level 2)
  }
}

// Each round begins with a new optimizer anyway.
void train(Net net, const Tensors &inputs) {
  torch::optim::Adam optimizer(net->parameters(), 1e-3);
  for (const auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
  }
}

void anew_ok(Net net, const Tensors &inputs) {
  torch::load(net, "model.pt");
  for (int round = 0; round < 100; ++round) {
    train(net, inputs);
    torch::save(net, "model.pt");
  }
}

void anew_here_ok(Net net, const Tensors &inputs) {
  torch::load(net, "model.pt");
  for (int round = 0; round < 100; ++round) {
    torch::optim::Adam optimizer(net->parameters(), 1e-3);
    for (const auto &x : inputs) {
      optimizer.zero_grad();
      net(x).mean().backward();
      optimizer.step();
    }
    torch::save(net, "model.pt");
  }
}

void at_the_end_ok(Net net, const Tensors &inputs) {
  torch::optim::Adam optimizer(net->parameters(), 1e-3);
  for (const auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
  }
  torch::save(net, "model.pt");
}

void best_ok(Net net, const Tensors &inputs) {
  torch::optim::Adam optimizer(net->parameters(), 1e-3);
  double best = 1e9;
  for (const auto &x : inputs) {
    optimizer.zero_grad();
    auto loss = net(x).mean();
    loss.backward();
    optimizer.step();
    if (loss.item<double>() < best) {
      best = loss.item<double>();
      torch::save(net, "best.pt");
    }
  }
}

void sgd_ok(Net net, const Tensors &inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  torch::load(net, "model.pt");
  for (const auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
    torch::save(net, "model.pt");
  }
}

void tensors_ok(Net net, const Tensors &inputs) {
  torch::optim::Adam optimizer(net->parameters(), 1e-3);
  for (const auto &x : inputs) {
    optimizer.zero_grad();
    auto output = net(x);
    output.mean().backward();
    optimizer.step();
    torch::save(output, "output.pt");
  }
}

void evaluated_ok(Net net, const Tensors &inputs) {
  torch::load(net, "model.pt");
  for (const auto &x : inputs)
    torch::save(net, "copy.pt");
}

void momentum_bad(Net net, const Tensors &inputs, double momentum) {
  torch::optim::SGD optimizer(net->parameters(), torch::optim::SGDOptions(0.1).momentum(momentum));
  torch::load(net, "model.pt"); // note: the program goes on from one here
  for (const auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();             // note: the optimizer steps here
    torch::save(net, "model.pt"); // expect: ml-incomplete-checkpoint (level 1)
  }
}

void no_momentum_ok(Net net, const Tensors &inputs) {
  torch::optim::SGD optimizer(net->parameters(), torch::optim::SGDOptions(0.1).momentum(0));
  torch::load(net, "model.pt");
  for (const auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
    torch::save(net, "model.pt");
  }
}

// The user says which optimizer.
void either_bad(Net net, const Tensors &inputs, bool adam, double rate) {
  std::shared_ptr<torch::optim::Optimizer> optimizer;
  if (adam)
    optimizer =
        std::make_shared<torch::optim::Adam>(net->parameters(), torch::optim::AdamOptions(rate));
  else
    optimizer =
        std::make_shared<torch::optim::SGD>(net->parameters(), torch::optim::SGDOptions(rate));
  torch::load(net, "model.pt"); // note: the program goes on from one here
  for (const auto &x : inputs) {
    optimizer->zero_grad();
    net(x).mean().backward();
    optimizer->step();            // note: the optimizer steps here
    torch::save(net, "model.pt"); // expect: ml-incomplete-checkpoint (level 1)
  }
}

void archive_bad(Net net, const Tensors &inputs, bool resume, int last) {
  torch::optim::AdamW optimizer(net->parameters(), 1e-3);
  if (resume) {
    torch::serialize::InputArchive archive;
    archive.load_from("model.pt");
    net->load(archive); // note: the program goes on from one here
  }
  for (int epoch = 0; epoch < 100; ++epoch) {
    for (const auto &x : inputs) {
      optimizer.zero_grad();
      net(x).mean().backward();
      optimizer.step(); // note: the optimizer steps here
    }
    if ((epoch > 0 && epoch % 10 == 0) || epoch == last) {
      torch::serialize::OutputArchive archive;
      net->save(archive); // expect: ml-incomplete-checkpoint (level 1): not the state of its optimizer
      archive.save_to("model.pt");
    }
  }
}

// As long as a batch is counts, the remainder seldom is 0.
void about_every_bad(Net net, const Tensors &inputs, int batch, int frequency) {
  torch::optim::AdamW optimizer(net->parameters(), 1e-3);
  torch::load(net, "model.pt"); // note: the program goes on from one here
  int step = 0;
  for (const auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step(); // note: the optimizer steps here
    step += batch;
    if (step == batch || step % frequency < batch)
      torch::save(net, "model.pt"); // expect: ml-incomplete-checkpoint (level 1)
  }
}

void keep(const Net &net) {
  torch::save(net, "model.pt"); // expect: ml-incomplete-checkpoint (level 1)
}

void in_a_helper_bad(Net net, const Tensors &inputs) {
  torch::optim::Adam optimizer(net->parameters(), 1e-3);
  torch::load(net, "model.pt"); // note: the program goes on from one here
  for (int epoch = 0; epoch < 100; ++epoch) {
    for (const auto &x : inputs) {
      optimizer.zero_grad();
      net(x).mean().backward();
      optimizer.step(); // note: the optimizer steps here
    }
    if (epoch % 10 == 9)
      keep(net);
  }
}

class Agent {
public:
  Agent(bool resume) {
    if (resume)
      torch::load(net, "model.pt"); // note: the program goes on from one here
  }
  void update(const torch::Tensor &x) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step(); // note: the optimizer steps here
  }
  void train_bad(const Tensors &inputs) {
    for (int epoch = 0; epoch < 100; ++epoch) {
      for (const auto &x : inputs)
        update(x);
      torch::save(net, "model.pt"); // expect: ml-incomplete-checkpoint (level 1)
    }
  }

private:
  Net net{4, 1};
  torch::optim::SGD optimizer{net->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9)};
};

class Plain {
public:
  Plain() { torch::load(net, "model.pt"); }
  void train_ok(const Tensors &inputs) {
    for (const auto &x : inputs) {
      optimizer.zero_grad();
      net(x).mean().backward();
      optimizer.step();
      torch::save(net, "model.pt");
    }
  }

private:
  Net net{4, 1};
  torch::optim::SGD optimizer{net->parameters(), torch::optim::SGDOptions(0.1)};
};

// From one module into another, by way of memory.
void copyWeights(Net &from, Net &to) {
  torch::serialize::OutputArchive out;
  from->save(out);
  torch::serialize::InputArchive in;
  to->load(in);
}

void copied_in_memory_ok(Net net, Net target, const Tensors &inputs) {
  torch::optim::Adam optimizer(net->parameters(), 1e-3);
  copyWeights(target, net);
  for (int epoch = 0; epoch < 100; ++epoch) {
    for (const auto &x : inputs) {
      optimizer.zero_grad();
      net(x).mean().backward();
      optimizer.step();
    }
    copyWeights(net, target);
  }
}

struct Store {
  int64_t period;
  // Every Nth is said by what leaves the others out.
  void done(int64_t epoch, const Net &net) const {
    if (epoch % period != 0)
      return;
    torch::serialize::OutputArchive archive;
    net->save(archive); // expect: ml-incomplete-checkpoint (level 2)
    archive.save_to("latest.pt");
  }
};

void left_out_bad(Net net, const Tensors &inputs, const Store &store) {
  torch::optim::Adam optimizer(net->parameters(), 1e-3);
  for (int epoch = 0; epoch < 100; ++epoch) {
    for (const auto &x : inputs) {
      optimizer.zero_grad();
      net(x).mean().backward();
      optimizer.step(); // note: the optimizer steps here
    }
    store.done(epoch, net);
  }
}
