// Files with the parameters of a module.
#include <torch/torch.h>

#include <string>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  Net()
      : fc(register_module("fc", torch::nn::Linear(4, 8))),
        bn(register_module("bn", torch::nn::BatchNorm1d(8))) {}
  Tensor forward(Tensor x) { return bn(fc(x)); }
  torch::nn::Linear fc;
  torch::nn::BatchNorm1d bn;
};

struct Plain : torch::nn::Module {
  Plain() : fc(register_module("fc", torch::nn::Linear(4, 1))) {}
  Tensor forward(Tensor x) { return fc(x); }
  torch::nn::Linear fc;
};

static void train(Net &net, const Tensor &x) {
  torch::optim::SGD optimizer(net.parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    net.forward(x).mean().backward();
    optimizer.step();
  }
}

void buffers_ok(Tensor x) {
  Net net;
  train(net, x);
  torch::serialize::OutputArchive archive;
  for (auto &parameter : net.named_parameters())
    archive.write(parameter.key(), parameter.value());
  for (auto &buffer : net.named_buffers())
    archive.write(buffer.key(), buffer.value(), true);
  archive.save_to("net.pt");
}

void whole_ok(Tensor x, std::shared_ptr<Net> net) {
  train(*net, x);
  torch::save(net->parameters(), "parameters.pt");
  torch::save(net, "net.pt");
}

void outputs_ok(Tensor x) {
  Net net;
  train(net, x);
  torch::save(net.forward(x), "outputs.pt");
}

void plain_ok(Tensor x) {
  Plain net;
  net.forward(x).mean().backward();
  torch::save(net.parameters(), "parameters.pt");
}

void list_bad(Tensor x) {
  Net net;
  train(net, x);
  torch::save(net.parameters(), "parameters.pt"); // expect: ml-missing-buffers: this saves the parameters of 'net', but not the running mean and variance of its batch normalization
}

void archive_bad(Tensor x) {
  Net net;
  train(net, x);
  torch::serialize::OutputArchive archive;
  for (auto &parameter : net.named_parameters())
    archive.write(parameter.key(), parameter.value()); // expect: ml-missing-buffers: 'net'
  archive.save_to("net.pt");
}

static std::vector<Tensor> valuesOf(const torch::nn::Module &module) {
  std::vector<Tensor> values;
  for (const auto &parameter : module.parameters())
    values.push_back(parameter.detach().cpu());
  return values;
}

void copies_bad(Tensor x) {
  Net net;
  train(net, x);
  torch::save(valuesOf(net), "values.pt"); // expect: ml-missing-buffers: 'net'
}

void clones_bad(Tensor x) {
  Net net;
  train(net, x);
  std::vector<Tensor> values;
  for (auto &item : net.named_parameters())
    values.push_back(item.value().clone());
  torch::save(values, "values.pt"); // expect: ml-missing-buffers: 'net'
}

void copies_ok(Tensor x) {
  Net net;
  train(net, x);
  std::vector<Tensor> values = valuesOf(net);
  for (const auto &buffer : net.buffers())
    values.push_back(buffer.detach().cpu());
  torch::save(values, "values.pt");
}
