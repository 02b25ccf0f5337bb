// A module that is handed over lives on by the name that keeps it.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() { linear = register_module("linear", torch::nn::Linear(4, 4)); }
  torch::Tensor forward(torch::Tensor x) { return linear(x); }
  torch::nn::Linear linear{nullptr};
};
TORCH_MODULE(Net);

class Trainer {
public:
  Trainer(Net net, torch::Device device) : model(std::move(net)), device(device) {
    model->to(device);
  }
  void run_bad(torch::Tensor x) {
    torch::mse_loss(model(torch::rand({2, 4})), x).backward(); // expect: ml-device-mismatch
  }

private:
  Net model;
  torch::Device device;
};

/// Whoever switches its mode leaves it where it is.
class Predictor {
public:
  explicit Predictor(torch::Device device) : device(device) { model->to(device); }
  torch::Tensor predict_bad() {
    torch::NoGradGuard guard;
    model->eval();
    return model(torch::rand({2, 4})); // expect: ml-device-mismatch
  }
  torch::Tensor predict_ok() {
    torch::NoGradGuard guard;
    model->eval();
    return model(torch::rand({2, 4}, device));
  }

private:
  Net model;
  torch::Device device;
};

/// Nobody knows where the file puts it.
class Loaded {
public:
  explicit Loaded(torch::Device device) : device(device) { model->to(device); }
  void load(const std::string &path) { torch::load(model, path); }
  torch::Tensor predict_ok() {
    torch::NoGradGuard guard;
    return model(torch::rand({2, 4}));
  }

private:
  Net model;
  torch::Device device;
};

void with_a_trainer() {
  Trainer trainer(Net(), torch::kCUDA);
  trainer.run_bad(torch::rand({2, 4}, torch::kCUDA));
}

struct Kept {
  explicit Kept(Net net) : model(std::move(net)) {}
  Net model;
};

void kept_bad(torch::Tensor y) {
  Net net;
  net->to(torch::kCUDA);
  Kept kept(net);
  kept.model(torch::rand({2, 4})).sum().backward(); // expect: ml-device-mismatch
}

void kept_temporary_bad() {
  Kept kept{Net()};
  kept.model->to(torch::kCUDA);
  kept.model(torch::rand({2, 4})).sum().backward(); // expect: ml-device-mismatch
}

void kept_temporary_ok() {
  Kept kept{Net()};
  kept.model->to(torch::kCUDA);
  kept.model(torch::rand({2, 4}, torch::kCUDA)).sum().backward();
}

Net moved(Net net) {
  net->to(torch::kCUDA);
  return net;
}

void through_bad() {
  auto net = moved(Net());
  net(torch::rand({2, 4})).sum().backward(); // expect: ml-device-mismatch
}

void block_bad() {
  Net net{nullptr};
  {
    Net inner;
    inner->to(torch::kCUDA);
    net = inner;
  }
  net(torch::rand({2, 4})).sum().backward(); // expect: ml-device-mismatch
}

// The module of each round is another.
void rounds_ok() {
  Net last{nullptr};
  for (int i = 0; i < 3; ++i) {
    Net net;
    net(torch::rand({2, 4})).sum().backward();
    net->to(torch::kCUDA);
    last = net;
  }
  last(torch::rand({2, 4}, torch::kCUDA)).sum().backward();
}

std::tuple<torch::Tensor, torch::Tensor> zeros(int64_t size) {
  return {torch::zeros({1, size, 8}), torch::zeros({1, size, 8})};
}

void states_bad(torch::Tensor x) {
  torch::nn::LSTM lstm(torch::nn::LSTMOptions(4, 8));
  lstm->to(torch::kCUDA);
  auto states = zeros(4);
  auto [out, next] = lstm(x.to(torch::kCUDA), states); // expect: ml-device-mismatch (no fix)
}

void states_ok(torch::Tensor x) {
  torch::nn::LSTM lstm(torch::nn::LSTMOptions(4, 8));
  lstm->to(torch::kCUDA);
  auto states = zeros(4);
  auto moved =
      std::make_tuple(std::get<0>(states).to(torch::kCUDA), std::get<1>(states).to(torch::kCUDA));
  auto [out, next] = lstm(x.to(torch::kCUDA), moved);
}

/// Code that nobody shows may move what it gets.
struct DeclaredImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x);
  torch::nn::Linear linear{nullptr};
};
TORCH_MODULE(Declared);
torch::Tensor unseen_bad() {
  Declared model;
  model->to(torch::kCUDA);
  return model->forward(torch::rand({2, 4})); // expect: ml-device-mismatch (level 1)
}
