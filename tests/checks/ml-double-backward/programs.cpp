// Adversarial training, several heads, classes and helpers.
#include <torch/torch.h>

using Net = torch::nn::Linear;
using Optimizer = torch::optim::Optimizer;

void gan_bad(Net generator, Net critic, Optimizer &ofGenerator, Optimizer &ofCritic,
             std::vector<torch::Tensor> batches) {
  for (auto &real : batches) {
    ofCritic.zero_grad();
    auto fake = generator(torch::randn({8, 4}));
    auto loss = critic(fake).mean() - critic(real).mean();
    loss.backward();
    ofCritic.step();
    ofGenerator.zero_grad();
    auto other = -critic(fake).mean();
    other.backward(); // expect: ml-double-backward
    ofGenerator.step();
  }
}

void gan_ok(Net generator, Net critic, Optimizer &ofGenerator, Optimizer &ofCritic,
            std::vector<torch::Tensor> batches) {
  for (auto &real : batches) {
    ofCritic.zero_grad();
    auto fake = generator(torch::randn({8, 4}));
    auto ofReal = -critic(real).mean();
    ofReal.backward();
    auto ofFake = critic(fake.detach()).mean();
    ofFake.backward();
    ofCritic.step();
    ofGenerator.zero_grad();
    auto other = -critic(fake).mean();
    other.backward();
    ofGenerator.step();
  }
}

struct HeadsImpl : torch::nn::Module {
  HeadsImpl() {
    left = register_module("left", Net(4, 1));
    right = register_module("right", Net(4, 1));
  }
  std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor x) {
    return {left(x), right(x)};
  }
  Net left = nullptr, right = nullptr;
};
TORCH_MODULE(Heads);

void separate_heads_ok(Heads heads, torch::Tensor x) {
  auto [left, right] = heads->forward(x);
  left.sum().backward();
  right.sum().backward();
}

void separate_heads_by_get_ok(Heads heads, torch::Tensor x) {
  auto both = heads->forward(x);
  std::get<0>(both).sum().backward();
  std::get<1>(both).sum().backward();
}

struct CutImpl : torch::nn::Module {
  CutImpl() { layer = register_module("layer", Net(4, 1)); }
  torch::Tensor forward(torch::Tensor x) { return layer(x).detach(); }
  Net layer = nullptr;
};
TORCH_MODULE(Cut);

void cut_features_ok(Cut cut, Net left, Net right, torch::Tensor x) {
  auto features = cut(x);
  left(features).sum().backward();
  right(features).sum().backward();
}

struct DeepImpl : torch::nn::Module {
  DeepImpl() {
    first = register_module("first", Net(4, 8));
    second = register_module("second", Net(8, 1));
  }
  torch::Tensor forward(torch::Tensor x) { return second(torch::relu(first(x))); }
  Net first = nullptr, second = nullptr;
};
TORCH_MODULE(Deep);

class Trainer {
public:
  explicit Trainer(Deep net) : net(net), optimizer(net->parameters(), 0.1) {}

  void fit(const std::vector<torch::Tensor> &batches) {
    for (const auto &x : batches) {
      optimizer.zero_grad();
      auto output = net(x);
      spread(lossOf(output));
      spread(output.pow(2).mean());
      optimizer.step();
    }
  }
  void fitRight(const std::vector<torch::Tensor> &batches) {
    for (const auto &x : batches) {
      optimizer.zero_grad();
      spreadRight(net(x));
      spreadRight(net(x));
      optimizer.step();
    }
  }

private:
  torch::Tensor lossOf(const torch::Tensor &output) { return (output - 1).abs().mean(); }
  void spread(torch::Tensor loss) {
    loss.backward(); // expect: ml-double-backward
  }
  void spreadRight(torch::Tensor output) { output.mean().backward(); }

  Deep net;
  torch::optim::SGD optimizer;
};

// Two actors that share nothing but the state of the world.
void two_agents_ok(Deep actor, Deep critic, Optimizer &ofActor, Optimizer &ofCritic,
                   torch::Tensor state) {
  for (int i = 0; i < 100; ++i) {
    auto value = critic(state);
    auto advantage = (1 - value).detach();
    auto gain = -(actor(state) * advantage).mean();
    ofActor.zero_grad();
    gain.backward();
    ofActor.step();
    auto error = (1 - value).pow(2).mean();
    ofCritic.zero_grad();
    error.backward();
    ofCritic.step();
  }
}

void advantage_with_graph_bad(Deep actor, Deep critic, Optimizer &ofActor, Optimizer &ofCritic,
                              torch::Tensor state) {
  for (int i = 0; i < 100; ++i) {
    auto value = critic(state);
    auto gain = -(actor(state) * (1 - value)).mean();
    ofActor.zero_grad();
    gain.backward();
    ofActor.step();
    ofCritic.zero_grad();
    auto error = (1 - value).pow(2).mean();
    error.backward(); // expect: ml-double-backward
    ofCritic.step();
  }
}

void unseen(torch::Tensor &tensor);
void unseen_code_detaches_ok(Deep net, torch::Tensor x) {
  auto output = net(x);
  output.sum().backward();
  unseen(output);
  output.sum().backward();
}

class Document {
public:
  void backward();
};
void lookalike_ok(Document document) {
  document.backward();
  document.backward();
}
