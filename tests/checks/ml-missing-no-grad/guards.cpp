// Classes of the user that hold a guard are guards while their objects live.
#include <numeric>
#include <torch/torch.h>
#include <vector>

using Net = torch::nn::Linear;

class Evaluating {
public:
  explicit Evaluating(Net &net) : net(net) { net->eval(); }
  ~Evaluating() { net->train(); }

private:
  Net &net;
  torch::NoGradGuard noGrad;
};
double holds_a_guard_ok(Net net, torch::Tensor x) {
  Evaluating scope(net);
  return net(x).mean().item<double>();
}
double outlived_bad(Net net, torch::Tensor x) {
  {
    Evaluating scope(net);
    net(x).mean().item<double>();
  }
  net->eval();
  return net(x).mean().item<double>(); // expect: ml-missing-no-grad (level 2)
}

class GradIf {
public:
  explicit GradIf(bool isOn) : mode(isOn) {}

private:
  torch::AutoGradMode mode;
};
double turned_off_ok(Net net, torch::Tensor x) {
  net->eval();
  GradIf mode(false);
  return net(x).mean().item<double>();
}
double left_on_bad(Net net, torch::Tensor x) {
  net->eval();
  GradIf mode(true);
  return net(x).mean().item<double>(); // expect: ml-missing-no-grad (level 2)
}

struct Timed : Evaluating {
  explicit Timed(Net &net) : Evaluating(net) {}
};
double inherits_a_guard_ok(Net net, torch::Tensor x) {
  Timed scope(net);
  return net(x).mean().item<double>();
}

double in_a_lambda_ok(Net net, const std::vector<torch::Tensor> &batches) {
  Evaluating scope(net);
  return std::accumulate(batches.begin(), batches.end(), 0.0,
                         [&](double sum, const torch::Tensor &batch) {
                           return sum + net(batch).mean().item<double>();
                         });
}

// The module guards itself.
struct GuardedImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    torch::NoGradGuard guard;
    return linear(x);
  }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 4));
};
TORCH_MODULE(Guarded);

double guards_itself_ok() {
  Guarded net;
  torch::load(net, "net.pt");
  double sum = 0;
  for (int i = 0; i < 9; ++i)
    sum += net(torch::rand({1, 4})).sum().item<double>();
  return sum;
}
