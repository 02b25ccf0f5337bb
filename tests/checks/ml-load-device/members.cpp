// Modules that one method loads and another uses.
#include <torch/torch.h>

using Layer = torch::nn::Linear;

class Agent {
public:
  Agent() : device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU) { policy->to(device); }

  torch::Tensor act(torch::Tensor state) {
    torch::NoGradGuard guard;
    return policy->forward(state); // note: used here; the program has chosen 'device'
  }
  void save(const std::string &path) { torch::save(policy, path); }
  void load_bad(const std::string &path) {
    torch::load(policy, path); // expect: ml-load-device: nothing moves them to where they were before
  }

private:
  Layer policy{4, 2};
  torch::Device device;
};

// The pointer is kept, and with it the device of the caller's choice.
class Player {
public:
  Player(const std::shared_ptr<torch::Device> &where) : device(where) {
    policy = std::make_shared<torch::nn::LinearImpl>(4, 2);
    policy->to(*device);
  }

  torch::Tensor act(torch::Tensor state) {
    torch::NoGradGuard guard;
    return policy->forward(state); // note: used here; the program has chosen 'device'
  }
  void load_bad(const std::string &path) {
    torch::load(policy, path); // expect: ml-load-device: nothing moves them to where they were before
  }

private:
  std::shared_ptr<torch::nn::LinearImpl> policy;
  std::shared_ptr<torch::Device> device;
};

class MovedBehind {
public:
  MovedBehind(torch::Device where) : device(where) { policy->to(device); }

  torch::Tensor act(torch::Tensor state) { return policy->forward(state).detach(); }
  void load_ok(const std::string &path) {
    torch::load(policy, path);
    policy->to(device);
  }

private:
  Layer policy{4, 2};
  torch::Device device;
};

class MovedByOthers {
public:
  MovedByOthers(torch::Device where) : device(where) { policy->to(device); }

  torch::Tensor act(torch::Tensor state) { return policy->forward(state).detach(); }
  void load_ok(const std::string &path) { torch::load(policy, path); }
  void prepare() { policy->to(device); }

private:
  Layer policy{4, 2};
  torch::Device device;
};

// Loaded before it is moved.
class Predictor {
public:
  Predictor(const std::string &path, torch::Device where) : device(where) {
    load_ok(path);
    policy->to(device);
  }

  torch::Tensor act(torch::Tensor state) { return policy->forward(state).detach(); }
  void load_ok(const std::string &path) { torch::load(policy, path); }

private:
  Layer policy{4, 2};
  torch::Device device;
};

class Told {
public:
  Told(torch::Device where) : device(where) { policy->to(device); }

  torch::Tensor act(torch::Tensor state) { return policy->forward(state).detach(); }
  void load_ok(const std::string &path) { torch::load(policy, path, device); }

private:
  Layer policy{4, 2};
  torch::Device device;
};

// The best of this very run comes back.
class Stopper {
public:
  Stopper(torch::Device where) : device(where) { policy->to(device); }

  void keep() { torch::save(policy, "best.pt"); }
  void restore_ok() { torch::load(policy, "best.pt"); }
  torch::Tensor act(torch::Tensor state) { return policy->forward(state).detach(); }

private:
  Layer policy{4, 2};
  torch::Device device;
};
void train(Stopper &stopper, int epochs) {
  for (int epoch = 0; epoch < epochs; ++epoch)
    stopper.keep();
  stopper.restore_ok();
}
