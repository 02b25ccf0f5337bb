// Virtual calls that several classes answer: what they all leave alone stays as it was.
#include <memory>
#include <torch/torch.h>
#include <vector>

struct NetImpl : torch::nn::Module {
  NetImpl() { layer = register_module("layer", torch::nn::Linear(4, 1)); }
  torch::Tensor forward(torch::Tensor x) { return layer(x); }
  torch::nn::Linear layer{nullptr};
};
TORCH_MODULE(Net);

struct Transform {
  virtual ~Transform() = default;
  virtual void apply(torch::Tensor &in, torch::Tensor &out) = 0;
};
struct Scale : Transform {
  void apply(torch::Tensor &in, torch::Tensor &out) override { out = in * 2.0; }
};
struct Shift : Transform {
  void apply(torch::Tensor &in, torch::Tensor &out) override { out = in + 1.0; }
};

torch::Tensor applyAll(std::vector<std::shared_ptr<Transform>> &transforms, torch::Tensor sample) {
  torch::Tensor out;
  for (std::shared_ptr<Transform> &transform : transforms) {
    transform->apply(sample, out);
    sample = out;
  }
  return sample;
}

void transformed_samples_bad(Net net, std::vector<std::shared_ptr<Transform>> transforms,
                             torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    torch::Tensor loss = torch::mse_loss(net(applyAll(transforms, x)), y);
    loss.backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}

void transformed_samples_ok(Net net, std::vector<std::shared_ptr<Transform>> transforms,
                            torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    torch::Tensor loss = torch::mse_loss(net(applyAll(transforms, x)), y);
    loss.backward();
    optimizer.step();
  }
}

// One of those that may be meant clears the gradients, however deep.
struct Hook {
  virtual ~Hook() = default;
  virtual void beforeBackward(torch::Tensor &loss) = 0;
};
struct Scaling : Hook {
  void beforeBackward(torch::Tensor &loss) override { loss = loss * 0.5; }
};
struct Clearing : Hook {
  explicit Clearing(Net net) : net(net) {}
  void beforeBackward(torch::Tensor &loss) override { clear(); }
  void clear() { net->zero_grad(); }
  Net net;
};

void hook_ok(Net net, Hook &hook, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    torch::Tensor loss = torch::mse_loss(net(x), y);
    hook.beforeBackward(loss);
    loss.backward();
    optimizer.step();
  }
}
