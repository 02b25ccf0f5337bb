// What a function has done when an exception leaves it is not what its caller goes on with.
#include <torch/torch.h>

#include <exception>

struct NetImpl : torch::nn::Module {
  torch::nn::Dropout drop = register_module("drop", torch::nn::Dropout());
  torch::Tensor forward(torch::Tensor x) { return drop(x); }
};
TORCH_MODULE(Net);

class Detector {
public:
  Detector();
  void load(std::string path);
  double predict_ok(torch::Tensor x);

private:
  Net net{nullptr};
};

Detector::Detector() { net = Net(); }

void Detector::load(std::string path) {
  try {
    torch::load(net, path);
  } catch (const std::exception &) {
  }
  net->eval();
}

double Detector::predict_ok(torch::Tensor x) {
  torch::NoGradGuard no_grad;
  return net->forward(x).sum().item<double>();
}

double predict_often(torch::Tensor x) {
  Detector detector;
  detector.load("net.pt");
  double sum = 0;
  for (int i = 0; i < 10; ++i)
    sum += detector.predict_ok(x);
  return sum;
}

// Here it has not come to eval() when the handler goes on.
double load_and_predict_bad(Net net, torch::Tensor x, std::string path) {
  torch::NoGradGuard no_grad;
  net->train();
  try {
    torch::load(net, path);
    net->eval();
  } catch (const std::exception &) {
  }
  return net->forward(x).sum().item<double>(); // expect: ml-missing-eval-mode
}
