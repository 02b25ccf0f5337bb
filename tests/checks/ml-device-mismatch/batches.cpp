// The model was moved, the batch was not, or only half of it.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() { output = register_module("output", torch::nn::Linear(784, 10)); }
  torch::Tensor forward(torch::Tensor x) {
    return torch::log_softmax(output(x.view({-1, 784})), 1);
  }
  torch::nn::Linear output{nullptr};
};
TORCH_MODULE(Net);

auto makeLoader() {
  return torch::data::make_data_loader(
      torch::data::datasets::MNIST("data").map(torch::data::transforms::Stack<>()), 64);
}

void neither_moved_bad(torch::Device device) {
  auto loader = makeLoader();
  Net net;
  net->to(device);
  for (auto &batch : *loader) {
    auto output = net(batch.data); // expect: ml-device-mismatch
    torch::nll_loss(output, batch.target.to(device)).backward();
  }
}

void target_not_moved_bad(torch::Device device) {
  auto loader = makeLoader();
  Net net;
  net->to(device);
  for (auto &batch : *loader) {
    auto output = net(batch.data.to(device));
    auto loss = torch::nll_loss(output, batch.target); // expect: ml-device-mismatch
    loss.backward();
  }
}

void both_moved_ok(torch::Device device) {
  auto loader = makeLoader();
  Net net;
  net->to(device);
  for (auto &batch : *loader) {
    auto data = batch.data.to(device), target = batch.target.to(device);
    torch::nll_loss(net(data), target).backward();
  }
}

void moved_into_the_same_variable_ok(torch::Device device) {
  auto loader = makeLoader();
  auto net = std::make_shared<NetImpl>();
  net->to(device);
  for (auto &batch : *loader) {
    batch.data = batch.data.to(device);
    batch.target = batch.target.to(device);
    torch::nll_loss(net->forward(batch.data), batch.target).backward();
  }
}

// to() of a tensor returns another one.
void result_thrown_away_bad(torch::Device device) {
  auto loader = makeLoader();
  NetImpl net;
  net.to(device);
  for (auto &batch : *loader) {
    auto data = batch.data;
    data.to(device);
    auto output = net.forward(data); // expect: ml-device-mismatch
  }
}

void with_the_dtype_ok(torch::Device device) {
  auto loader = makeLoader();
  Net net;
  net->to(device);
  for (auto &batch : *loader) {
    auto data = batch.data.to(device, torch::kFloat);
    auto target = batch.target.to(torch::TensorOptions().device(device).dtype(torch::kLong));
    torch::nll_loss(net(data), target).backward();
  }
}

void like_another_tensor_ok(torch::Device device) {
  auto loader = makeLoader();
  Net net;
  net->to(device);
  for (auto &batch : *loader) {
    auto data = batch.data.to(net->parameters()[0].device());
    auto output = net(data);
    torch::nll_loss(output, batch.target.to(output.device())).backward();
  }
}

// What leaves the device may meet what never came to it.
void metrics_on_the_cpu_ok(torch::Device device) {
  auto loader = makeLoader();
  Net net;
  net->to(device);
  int64_t correct = 0;
  for (auto &batch : *loader) {
    auto predicted = net(batch.data.to(device)).argmax(1).cpu();
    correct += predicted.eq(batch.target).sum().item<int64_t>();
  }
}

void metrics_bad(torch::Device device) {
  auto loader = makeLoader();
  Net net;
  net->to(device);
  int64_t correct = 0;
  for (auto &batch : *loader) {
    auto predicted = net(batch.data.to(device)).argmax(1);
    correct += predicted.eq(batch.target).sum().item<int64_t>(); // expect: ml-device-mismatch
  }
}

void never_leaves_the_cpu_ok() {
  auto loader = makeLoader();
  Net net;
  net->to(torch::kCPU);
  for (auto &batch : *loader)
    torch::nll_loss(net(batch.data), batch.target).backward();
}

void no_device_at_all_ok() {
  auto loader = makeLoader();
  Net net;
  for (auto &batch : *loader)
    torch::nll_loss(net(batch.data), batch.target).backward();
}

// Where it lies is the caller's affair.
void unknown_module_ok(Net &net, torch::Tensor data, torch::Tensor target) {
  torch::nll_loss(net(data), target).backward();
}

using Size =
    decltype(torch::data::datasets::MNIST("").size()); // Of each LibTorch its own optional.

// A type of elements names no device; a dataset that has one may have put its samples there.
struct Pixels : torch::data::datasets::Dataset<Pixels> {
  torch::data::Example<> get(size_t index) override {
    auto image = torch::from_blob(pixels.data(), {4}, torch::kFloat).clone();
    return {image, torch::zeros({1}, torch::kLong)};
  }
  Size size() const override { return 1; }
  std::vector<float> pixels;
};
void own_dataset_bad(Net net, torch::Device device) {
  auto loader = torch::data::make_data_loader(Pixels().map(torch::data::transforms::Stack<>()), 64);
  net->to(device);
  for (auto &batch : *loader)
    auto output = net(batch.data); // expect: ml-device-mismatch
}

struct Placed : torch::data::datasets::Dataset<Placed> {
  torch::data::Example<> get(size_t index) override {
    return {torch::zeros({4}, options), torch::zeros({1}, options)};
  }
  Size size() const override { return 1; }
  torch::TensorOptions options;
};
void placed_dataset_ok(Net net, torch::Device device) {
  auto loader = torch::data::make_data_loader(Placed().map(torch::data::transforms::Stack<>()), 64);
  net->to(device);
  for (auto &batch : *loader)
    auto output = net(batch.data);
}
