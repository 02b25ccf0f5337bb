// Members whose modes the constructor decides.
#include <torch/torch.h>

#include <thread>

class Detector {
public:
  Detector() : net(torch::nn::Linear(4, 4), torch::nn::Dropout()), norm(4), handedOut(4) {
    norm->eval();
  }

  int64_t detect_bad(torch::Tensor x) {
    return net->forward(x).argmax().item<int64_t>(); // expect: ml-missing-eval-mode (level 0)
  }
  int64_t detect_ok(torch::Tensor x) { return norm(x).argmax().item<int64_t>(); }
  int64_t detect_unknown_ok(torch::Tensor x) { return handedOut(x).argmax().item<int64_t>(); }
  torch::nn::BatchNorm1d &model() { return handedOut; }

private:
  torch::nn::Sequential net;
  torch::nn::BatchNorm1d norm, handedOut;
};

class Reset {
public:
  Reset() : norm(4) {}
  void load(const std::string &path) {
    torch::load(norm, path);
    norm->eval();
  }
  int64_t detect_ok(torch::Tensor x) { return norm(x).argmax().item<int64_t>(); }

private:
  torch::nn::BatchNorm1d norm;
};

// A holder of nothing is no module; what comes into it later has the mode that it has there.
struct NetImpl : torch::nn::Module {
  NetImpl() { dropout = register_module("dropout", torch::nn::Dropout()); }
  torch::Tensor forward(torch::Tensor x) { return dropout(x); }
  torch::nn::Dropout dropout{nullptr};
};
TORCH_MODULE(Net);

struct Keeper {
  Keeper();
  void prepare();
  Net net;
};

struct Player {
  Player();
  float estimate(torch::Tensor x) {
    torch::NoGradGuard noGrad;
    return net->forward(x).item<float>();
  }
  Net net;
};

Player::Player() : net(nullptr) {
  Keeper keeper;
  keeper.prepare();
  net = keeper.net;
  estimate(torch::ones({1, 4}));
}

// What a window does with a model, it does when somebody has loaded one.
struct Window {
  Window() {
    net = Net();
    handlers.emplace_back([this] { show(torch::ones({1, 4})); });
    handlers.emplace_back([this] { load(); });
  }
  void load() {
    torch::load(net, "net.pt");
    net->eval();
  }
  void show(torch::Tensor x) {
    torch::NoGradGuard noGrad;
    net->forward(x).item<float>();
  }
  Net net;
  std::vector<std::function<void()>> handlers;
};

// While a thread of an object runs, the mode is what others make it.
class Server {
public:
  Server() : net(4) { thread = std::thread([this] { serve(); }); }
  void train(bool on) {
    if (on)
      net->train();
    else
      net->eval();
  }

private:
  void serve() {
    torch::NoGradGuard guard;
    last_ok = net(torch::ones({1, 4})).argmax().item<int64_t>();
  }
  torch::nn::BatchNorm1d net;
  int64_t last_ok = 0;
  std::thread thread;
};

int64_t in_thread_bad(torch::Tensor x) {
  torch::nn::BatchNorm1d net(4);
  int64_t best = 0;
  std::thread thread([&] { best = net(x).argmax().item<int64_t>(); }); // expect: ml-missing-eval-mode (level 2)
  thread.join();
  return best;
}
