// The name of the file is a setting, which one part of the program saves to and another loads from.
#include <torch/torch.h>

#include <string>

using Net = torch::nn::Linear;

struct Settings {
  bool trains = false;
  std::string weights = "weights.pt", others = "others.pt";
};

void train(const Settings &settings) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  Net net(4, 1);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(torch::randn({8, 4}, device)).mean().backward();
    optimizer.step();
  }
  torch::save(net, settings.weights);
}

void predict_bad(const Settings &settings) {
  Net net(4, 1);
  torch::load(net, settings.weights); // expect: ml-load-device: that of the inputs
  torch::NoGradGuard guard;
  net(torch::randn({1, 4})).print(); // note: the file was saved from
}

void predict_others_ok(const Settings &settings) {
  Net net(4, 1);
  torch::load(net, settings.others);
  torch::NoGradGuard guard;
  net(torch::randn({1, 4})).print();
}

void predict_there_ok(const Settings &settings) {
  Net net(4, 1);
  torch::load(net, settings.weights, torch::Device(torch::kCPU));
  torch::NoGradGuard guard;
  net(torch::randn({1, 4})).print();
}

int main(int argc, char **) {
  Settings settings;
  settings.trains = argc > 1;
  if (settings.trains) {
    train(settings);
  } else {
    predict_bad(settings);
    predict_others_ok(settings);
    predict_there_ok(settings);
  }
}
