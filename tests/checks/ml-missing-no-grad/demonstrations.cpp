// A look at what a module makes of tensors that the program makes up: nobody needs the numbers.
#include <torch/torch.h>

float one_prediction(torch::nn::Sequential &net) {
  torch::Tensor x = torch::tensor({0.0, 1.0});
  return net->forward(x).item<float>(); // expect: ml-missing-no-grad (level 2)
}

float on_a_device(torch::nn::Sequential &net, torch::Device device) {
  auto x = torch::rand({1, 4}).to(device);
  auto both = torch::cat({x, torch::ones({1, 4}, device)});
  auto size = both.size(0);
  return net->forward(both).sum().item<float>(); // expect: ml-missing-no-grad (level 2)
}

torch::Tensor loaded(const std::string &path) {
  torch::jit::Module net = torch::jit::load(path);
  std::vector<torch::jit::IValue> inputs;
  inputs.push_back(torch::randn({1, 3, 28, 28}));
  auto y = net.forward(inputs).toTensor(); // expect: ml-missing-no-grad (level 2)
  return y.detach();
}

// These hold data.
float measured(torch::nn::Sequential &net, std::vector<float> values) {
  torch::Tensor x = torch::tensor(values);
  return net->forward(x).item<float>(); // expect: ml-missing-no-grad (level 1)
}

float filled(torch::nn::Sequential &net, float a, float b) {
  torch::Tensor x = torch::zeros({1, 2});
  x[0][0] = a;
  x[0][1] = b;
  return net->forward(x).item<float>(); // expect: ml-missing-no-grad (level 1)
}

float put(torch::nn::Sequential &net, const std::vector<float> &values) {
  torch::Tensor x = torch::zeros({1, 2});
  for (int i = 0; i < 2; ++i)
    x.index_put_({0, i}, values[i]);
  return net->forward(x).item<float>(); // expect: ml-missing-no-grad (level 1)
}

float copied(torch::nn::Sequential &net, const float *values) {
  torch::Tensor x = torch::zeros({1, 2});
  std::copy(values, values + 2, x.data_ptr<float>());
  return net->forward(x).item<float>(); // expect: ml-missing-no-grad (level 1)
}

void fill(torch::Tensor &x);
float given_away(torch::nn::Sequential &net) {
  torch::Tensor x = torch::zeros({1, 2});
  fill(x);
  return net->forward(x).item<float>(); // expect: ml-missing-no-grad (level 1)
}

float in_the_end(torch::nn::Sequential &net, torch::Tensor batch) {
  auto x = torch::cat({batch, torch::zeros({1, 2})});
  return net->forward(x).sum().item<float>(); // expect: ml-missing-no-grad (level 1)
}

// Again and again it costs.
float sampled(torch::nn::Sequential &net) {
  float sum = 0;
  for (int i = 0; i < 1000; ++i) {
    auto x = torch::rand({1, 4});
    sum += net->forward(x).item<float>(); // expect: ml-missing-no-grad (level 1)
  }
  return sum;
}
