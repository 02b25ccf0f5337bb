// A module whose parameters are what it was made with is tried, not used.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  torch::nn::Linear layer = register_module("layer", torch::nn::Linear(4, 2));
  torch::nn::Dropout drop = register_module("drop", torch::nn::Dropout());
  torch::Tensor forward(torch::Tensor x) { return drop(layer(x)); }
};
TORCH_MODULE(Net);

class Snapshot {
public:
  explicit Snapshot(NetImpl *net) : net(net) {}
  void restore(const std::string &path);

private:
  NetImpl *net;
};

// Whether the layers fit together, and what the loss is at first.
void smoke_test(torch::Tensor x) {
  Net net;
  std::cout << net->forward(x); // expect: ml-missing-no-grad (level 2)
}
void first_loss(torch::Tensor x, torch::Tensor y) {
  Net net;
  auto loss = torch::mse_loss(net->forward(x), y); // expect: ml-missing-no-grad (level 2)
  std::cout << loss.item<float>();
}

// Each graph dies, but each time the activations are kept for nothing.
void baseline_bad(std::vector<torch::Tensor> &batches) {
  Net net;
  for (auto &x : batches)
    std::cout << net->forward(x).argmax(1); // expect: ml-missing-no-grad (level 1)
}

void loaded_bad(torch::Tensor x) {
  Net net;
  torch::load(net, "net.pt");
  std::cout << net->forward(x); // expect: ml-missing-no-grad (level 1)
}
void loaded_out_of_sight_bad(torch::Tensor x) {
  Net net;
  Snapshot snapshot(net.get());
  snapshot.restore("net.pt");
  std::cout << net->forward(x); // expect: ml-missing-no-grad (level 1)
}
void loaded_by_hand_bad(torch::Tensor x, std::vector<torch::Tensor> &weights) {
  Net net;
  {
    torch::NoGradGuard no_grad;
    for (auto &parameter : net->parameters())
      parameter.copy_(weights.back());
  }
  std::cout << net->forward(x); // expect: ml-missing-no-grad (level 1)
}

void trained_bad(torch::Tensor x, torch::Tensor y) {
  Net net;
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 9; ++i) {
    optimizer.zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    optimizer.step();
  }
  std::cout << net->forward(x); // expect: ml-missing-no-grad (level 1)
}
void trained_by_hand_bad(torch::Tensor x, torch::Tensor y) {
  Net net;
  for (int i = 0; i < 9; ++i) {
    torch::mse_loss(net->forward(x), y).backward();
    for (auto &parameter : net->parameters()) {
      parameter.data() -= 0.1 * parameter.grad();
      parameter.mutable_grad().zero_();
    }
  }
  std::cout << net->forward(x); // expect: ml-missing-no-grad (level 1)
}

// A method may be called at any time.
class Detector {
public:
  int64_t detect_bad(torch::Tensor x) {
    return net->forward(x).argmax().item<int64_t>(); // expect: ml-missing-no-grad (level 1)
  }

private:
  Net net;
};

// The graph of one layer keeps its input and its weight, which live anyway.
void time_a_layer(torch::Tensor x) {
  torch::nn::Conv2d conv(torch::nn::Conv2dOptions(3, 8, 3));
  for (int i = 0; i < 100; ++i)
    std::cout << conv->forward(x).sum().item<float>(); // expect: ml-missing-no-grad (level 2)
}

void regression_bad(torch::nn::Linear &model, torch::optim::SGD &optimizer, torch::Tensor x) {
  model->train();
  optimizer.zero_grad();
  model->forward(x).mean().backward();
  optimizer.step();
  std::cout << model->forward(x).sum().item<float>(); // expect: ml-missing-no-grad (level 1)
}

// Code with many ways that has nothing to do with tensors is not followed on all of them.
template <int N> int parse(int n) {
  for (int i = 0; i < n; i++) {
    if (n % 2)
      n += parse<N - 1>(i);
    if (n % 3)
      n += parse<N - 1>(i + 1);
    if (n % 5)
      n += parse<N - 1>(i + 2);
    if (n % 7)
      n += parse<N - 1>(i + 3);
    if (n % 11)
      n += parse<N - 1>(i + 4);
  }
  return n;
}
template <> inline int parse<0>(int n) { return n; }
void fail() { std::exit(1); }
void far_behind_bad(torch::Tensor x) {
  int width = parse<6>(4);
  Net net;
  torch::load(net, "net.pt");
  std::cout << net->forward(x) << width; // expect: ml-missing-no-grad (level 1)
}
void behind_the_end_ok(Net &net, torch::Tensor x) {
  fail();
  std::cout << net->forward(x);
}

// A unit test looks at what a model makes of made-up tensors. Once, nobody misses the memory.
void look_behind_training(Net &net, torch::optim::SGD &optimizer, torch::Tensor x) {
  optimizer.zero_grad();
  net->forward(x).sum().backward();
  optimizer.step();
  auto after = net->forward(torch::zeros({2, 4})); // expect: ml-missing-no-grad (level 2)
  std::cout << after.item<float>();
}
void distorted_bad(Net &net, torch::Tensor x) {
  auto output = net->forward(x + torch::ones({2, 4})); // expect: ml-missing-no-grad (level 1)
  std::cout << output.item<float>();
}
void measure_bad(Net &net) {
  for (int i = 0; i < 100; ++i)
    std::cout << net->forward(torch::rand({2, 4})).item<float>(); // expect: ml-missing-no-grad
}
