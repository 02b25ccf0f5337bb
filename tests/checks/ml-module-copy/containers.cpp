// Modules that are put into containers as objects.
#include <torch/torch.h>

#include <memory>
#include <vector>

using torch::Tensor;

struct Noisy : torch::nn::Module {
  Noisy(int64_t in, int64_t out) : fc(register_module("fc", torch::nn::Linear(in, out))) {}
  Tensor forward(Tensor x) {
    x = fc(x);
    return strength > 0 ? x + strength * torch::randn_like(x) : x;
  }
  void setStrength(double value) { strength = value; }
  void calm() { setStrength(0); }
  double level() const { return strength; }
  double strength = 0.5;
  int calls = 0;
  torch::nn::Linear fc;
};

struct Halving : torch::nn::Module {
  Tensor forward(Tensor x) { return is_training() ? x / 2 : x; }
};

static void train(torch::nn::Sequential net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto x = torch::randn({8, 4});
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    net->forward(x).pow(2).mean().backward();
    optimizer.step();
  }
}

// --- right ---------------------------------------------------------------------------------------

void shared_ok() {
  auto first = std::make_shared<Noisy>(4, 4);
  torch::nn::Sequential net;
  net->push_back(first);
  train(net);
  first->strength = 0;
  train(net);
}

void shared_by_reference_ok() {
  auto holder = std::make_shared<Noisy>(4, 4);
  Noisy &first = *holder;
  torch::nn::Sequential net;
  net->push_back(holder);
  first.strength = 0;
  train(net);
}

void changed_before_ok() {
  Noisy first(4, 4);
  first.strength = 0;
  torch::nn::Sequential net;
  net->push_back(first);
  train(net);
}

void pattern_ok() {
  Noisy layer(4, 4);
  torch::nn::Sequential net;
  net->push_back(layer);
  layer.strength = 0.1;
  net->push_back(layer);
  train(net);
}

void pattern_in_loop_ok() {
  Noisy layer(4, 4);
  torch::nn::Sequential net;
  for (int i = 0; i < 3; ++i) {
    net->push_back(layer);
    layer.strength /= 2;
  }
  train(net);
}

void each_its_own_ok() {
  torch::nn::Sequential net;
  for (int i = 0; i < 3; ++i) {
    Noisy layer(4, 4);
    layer.strength = i;
    net->push_back(layer);
  }
  train(net);
}

void original_used_ok(Tensor x) {
  Noisy first(4, 4);
  torch::nn::Sequential net;
  net->push_back(first);
  first.strength = 0;
  std::cout << first.forward(x) << net->forward(x);
}

void nobody_reads_ok() {
  Noisy first(4, 4);
  torch::nn::Sequential net;
  net->push_back(first);
  first.calls = 1;
  train(net);
}

void shared_parts_ok() {
  Noisy first(4, 4);
  torch::nn::Sequential net;
  net->push_back(first);
  torch::nn::init::zeros_(first.fc->weight);
  first.eval();
  train(net);
}

void given_away_ok() {
  Noisy first(4, 4);
  std::vector<Noisy> layers;
  layers.push_back(std::move(first));
}

// --- wrong ---------------------------------------------------------------------------------------

void changed_later_bad() {
  Noisy first(4, 4), second(4, 4);
  torch::nn::Sequential net;
  net->push_back(first); // note: the module is copied here
  net->push_back(torch::nn::ReLU());
  net->push_back(second);
  train(net);
  first.strength = 0; // expect: ml-module-copy: this changes 'first', of which the container has a copy: nothing computes with it
  train(net);
}

void in_loop_bad(Tensor x) {
  Noisy first(4, 4);
  torch::nn::Sequential net;
  net->push_back(first); // note: the module is copied here
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 10; ++epoch) {
    if (epoch == 5)
      first.strength *= 0.5; // expect: ml-module-copy
    optimizer.zero_grad();
    net->forward(x).mean().backward();
    optimizer.step();
  }
}

void by_method_bad() {
  Noisy first(4, 4);
  torch::nn::Sequential net;
  net->push_back(first); // note: the module is copied here
  first.setStrength(0); // expect: ml-module-copy
  train(net);
}

void list_bad(Tensor x) {
  Noisy first(4, 4);
  std::vector<Noisy> layers;
  layers.push_back(first); // note: the module is copied here
  first.strength = 0; // expect: ml-module-copy
  for (auto &layer : layers)
    x = layer.forward(x);
  x.mean().backward();
}

static void quiet(Noisy &layer) { layer.strength = 0; }

void by_function_bad() {
  Noisy first(4, 4);
  torch::nn::Sequential net;
  net->push_back(first); // note: the module is copied here
  quiet(first); // expect: ml-module-copy
  train(net);
}

void through_pointer_bad() {
  auto first = std::make_shared<Noisy>(4, 4);
  torch::nn::Sequential net;
  net->push_back(*first); // note: the module is copied here
  first->strength = 0; // expect: ml-module-copy: this changes 'first'
  train(net);
}

void made_shared_bad() {
  Noisy first(4, 4);
  torch::nn::Sequential net;
  net->push_back(std::make_shared<Noisy>(first)); // note: the module is copied here
  first.strength = 0; // expect: ml-module-copy
  train(net);
}

void mode_bad() {
  Halving half;
  torch::nn::Sequential net;
  net->push_back(torch::nn::Linear(4, 4));
  net->push_back(half); // note: the module is copied here
  train(net);
  half.eval(); // expect: ml-module-copy
  train(net);
}

class Model {
public:
  Model() : noise(4, 4) {
    net->push_back(noise); // note: the module is copied here
    net->push_back(torch::nn::Linear(4, 4));
  }
  Tensor forward(Tensor x) { return net->forward(x); }
  void setNoise(double strength) { noise.strength = strength; } // expect: ml-module-copy: this changes 'noise'

private:
  Noisy noise;
  torch::nn::Sequential net;
};
