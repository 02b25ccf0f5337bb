// Modules that are where their inputs are.
#include <torch/torch.h>

#include <cstdio>

using Layer = torch::nn::Linear;

void device_given_ok(torch::Tensor x, const std::string &path, torch::Device device) {
  Layer layer(4, 1);
  torch::load(layer, path, device);
  layer(x.to(device)).print();
}

void literal_given_ok(torch::Tensor x) {
  Layer layer(4, 1);
  torch::load(layer, "layer.pt", torch::kCUDA);
  layer(x.to(torch::kCUDA)).print();
}

void moved_after_ok(torch::Tensor x, torch::Device device) {
  Layer layer(4, 1);
  torch::load(layer, "layer.pt");
  layer->to(device);
  layer(x.to(device)).print();
}

void moved_twice_ok(torch::Tensor x, torch::Device device) {
  Layer layer(4, 1);
  layer->to(device);
  torch::load(layer, "layer.pt");
  layer->eval();
  layer->to(device);
  layer(x.to(device)).print();
}

void from_the_host_ok(torch::Tensor x, torch::Device device) {
  Layer layer(4, 1);
  torch::load(layer, "layer.pt", torch::kCPU);
  layer->to(device);
  layer(x.to(device)).print();
}

void may_fail_ok(torch::Tensor x, torch::Device device) {
  Layer layer(4, 1);
  try {
    torch::load(layer, "layer.pt");
  } catch (const std::exception &) {
  }
  layer->to(device);
  layer(x.to(device)).print();
}

void moved_if_gpu_ok(torch::Tensor x) {
  torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  Layer layer(4, 1);
  torch::load(layer, "layer.pt");
  if (device.is_cuda())
    layer->to(device);
  layer(x.to(device)).print();
}

void moved_in_every_epoch_ok(torch::Tensor x, torch::Device device) {
  Layer layer(4, 1);
  torch::load(layer, "layer.pt");
  for (int epoch = 0; epoch < 10; ++epoch) {
    layer->to(device);
    layer->train();
    layer(x.to(device)).mean().backward();
  }
}

// ---- in helpers

void prepare(Layer &layer, torch::Device device) {
  layer->to(device);
  layer->eval();
}
void moved_in_a_helper_ok(torch::Tensor x, torch::Device device) {
  Layer layer(4, 1);
  torch::load(layer, "layer.pt");
  prepare(layer, device);
  layer(x.to(device)).print();
}

Layer loaded(const std::string &path, torch::Device device) {
  Layer layer(4, 1);
  torch::load(layer, path);
  layer->to(device);
  return layer;
}
void made_by_a_helper_ok(torch::Tensor x, torch::Device device) {
  auto layer = loaded("layer.pt", device);
  layer(x.to(device)).print();
}

Layer loadedOnly(const std::string &path) {
  Layer layer(4, 1);
  torch::load(layer, path);
  return layer;
}
void moved_by_the_caller_ok(torch::Tensor x, torch::Device device) {
  auto layer = loadedOnly("layer.pt");
  layer->to(device);
  layer(x.to(device)).print();
}

void prepareUnseen(Layer &layer);
void unseen_helper_ok(torch::Tensor x, torch::Device device) {
  Layer layer(4, 1);
  torch::load(layer, "layer.pt");
  prepareUnseen(layer);
  layer(x.to(device)).print();
}

class Predictor {
public:
  Predictor(const std::string &path, torch::Device device) : device(device) {
    torch::load(layer, path);
    layer->to(device);
    layer->eval();
  }
  torch::Tensor predict_ok(torch::Tensor x) {
    torch::NoGradGuard guard;
    return layer(x.to(device));
  }

private:
  Layer layer{4, 1};
  torch::Device device;
};

// Who calls predict() may have called moveTo().
class Server {
public:
  void load(const std::string &path) { torch::load(layer, path); }
  void moveTo(torch::Device other) {
    device = other;
    layer->to(device);
  }
  torch::Tensor predict_ok(torch::Tensor x) {
    torch::NoGradGuard guard;
    return layer(x.to(device));
  }

private:
  Layer layer{4, 1};
  torch::Device device = torch::kCPU;
};

// ---- as a part of another, or by its parameters

struct ClassifierImpl : torch::nn::Module {
  ClassifierImpl() {
    encoder = register_module("encoder", torch::nn::Linear(4, 4));
    head = register_module("head", torch::nn::Linear(4, 1));
  }
  torch::Tensor forward(torch::Tensor x) { return head(torch::relu(encoder(x))); }
  torch::nn::Linear encoder{nullptr}, head{nullptr};
};
TORCH_MODULE(Classifier);

void part_ok(torch::Tensor x, torch::Device device) {
  Classifier classifier;
  torch::load(classifier->encoder, "encoder.pt");
  classifier->to(device);
  classifier(x.to(device)).print();
}

void parameters_moved_ok(torch::Tensor x, torch::Device device) {
  Layer layer(4, 1);
  torch::load(layer, "layer.pt");
  for (auto &p : layer->parameters())
    p.set_data(p.to(device));
  layer(x.to(device)).print();
}

void submodules_moved_ok(torch::Tensor x, torch::Device device) {
  Classifier classifier;
  torch::load(classifier, "classifier.pt");
  classifier->apply([&](torch::nn::Module &module) { module.to(device); });
  classifier(x.to(device)).print();
}

// Only the values of what is loaded are used.
void donor_ok(torch::Tensor x, torch::Device device) {
  Layer trained(4, 1), layer(4, 1);
  torch::load(trained, "trained.pt");
  layer->to(device);
  {
    torch::NoGradGuard guard;
    layer->weight.copy_(trained->weight);
    layer->bias.copy_(trained->bias);
  }
  layer(x.to(device)).print();
}

void twin_ok(torch::Tensor x, torch::Device device) {
  Layer layer(4, 1);
  torch::load(layer, "layer.pt");
  auto moved = std::dynamic_pointer_cast<torch::nn::LinearImpl>(layer->clone(device));
  moved->forward(x.to(device)).print();
}

// ---- inputs that follow

void device_of_the_parameters_ok(torch::Tensor x) {
  Layer layer(4, 1);
  torch::load(layer, "layer.pt");
  layer(x.to(layer->parameters()[0].device())).print();
}

void device_variable_of_the_parameters_ok(torch::Tensor x) {
  Layer layer(4, 1);
  torch::load(layer, "layer.pt");
  auto device = layer->weight.device();
  layer(x.to(device)).print();
}

void options_of_the_parameters_ok() {
  Layer layer(4, 1);
  torch::load(layer, "layer.pt");
  layer(torch::rand({8, 4}, layer->weight.options())).print();
}

struct FollowerImpl : torch::nn::Module {
  FollowerImpl() { last = register_module("last", torch::nn::Linear(4, 1)); }
  torch::Tensor forward(torch::Tensor x) { return last(x.to(last->weight.device())); }
  torch::nn::Linear last{nullptr};
};
TORCH_MODULE(Follower);
void moves_its_inputs_ok(torch::Tensor x, torch::Device device) {
  Follower follower;
  torch::load(follower, "follower.pt");
  follower(x.to(device)).print();
}

// ---- programs of one device

void on_the_host_ok() {
  Layer layer(4, 1);
  torch::load(layer, "layer.pt");
  layer(torch::rand({8, 4})).print();
}

void moved_to_the_host_ok(torch::Tensor x) {
  Layer layer(4, 1);
  torch::load(layer, "layer.pt");
  layer(x.to(torch::kCPU)).print();
  layer(x.cpu()).print();
}

void unknown_inputs_bad(Layer layer, torch::Tensor x, torch::Device device) {
  layer->to(device);
  torch::load(layer, "layer.pt"); // expect: ml-load-device: to where they were before
  layer(x).print();
}

void never_used_ok(torch::Device device) {
  Layer layer(4, 1);
  layer->to(device);
  torch::load(layer, "layer.pt");
  torch::save(layer, "copy.pt");
}

// ---- files of the program itself

void best_epoch_ok(torch::Tensor x, torch::Device device) {
  Layer layer(4, 1);
  layer->to(device);
  torch::optim::SGD optimizer(layer->parameters(), 0.1);
  double best = 1e9;
  for (int epoch = 0; epoch < 10; ++epoch) {
    optimizer.zero_grad();
    auto loss = layer(x.to(device)).mean();
    loss.backward();
    optimizer.step();
    if (loss.item<double>() < best) {
      best = loss.item<double>();
      torch::save(layer, "best.pt");
    }
  }
  torch::load(layer, "best.pt");
  torch::NoGradGuard guard;
  layer(x.to(device)).print();
}

// The checkpoint is from an earlier run, whose device may have been another one.
void earlier_checkpoint_bad(torch::Tensor x, torch::Device device, bool resume) {
  Layer layer(4, 1);
  layer->to(device);
  torch::optim::SGD optimizer(layer->parameters(), 0.1);
  if (resume) {
    torch::load(layer, "checkpoint.pt"); // expect: ml-load-device
    torch::load(optimizer, "optimizer.pt");
  }
  for (int epoch = 0; epoch < 10; ++epoch) {
    optimizer.zero_grad();
    layer(x.to(device)).mean().backward();
    optimizer.step();
    torch::save(layer, "checkpoint.pt");
    torch::save(optimizer, "optimizer.pt");
  }
}

void fit(Layer &layer, const torch::Tensor &x, torch::Device device) {
  torch::optim::SGD optimizer(layer->parameters(), 0.1);
  for (int epoch = 0; epoch < 10; ++epoch) {
    optimizer.zero_grad();
    layer(x.to(device)).mean().backward();
    optimizer.step();
  }
  torch::save(layer, "layer.pt");
}

void fitted_ok(torch::Tensor x, torch::Device device) {
  Layer layer(4, 1);
  layer->to(device);
  fit(layer, x, device);
  torch::load(layer, "layer.pt");
  layer(x.to(device)).print();
}

void fitted_if_wanted_ok(torch::Tensor x, torch::Device device, bool trains) {
  Layer layer(4, 1);
  layer->to(device);
  if (trains)
    fit(layer, x, device);
  torch::load(layer, "layer.pt");
  layer(x.to(device)).print();
}

// Either of the two, not both.
void fitted_earlier_bad(torch::Tensor x, torch::Device device, bool trains) {
  Layer layer(4, 1);
  layer->to(device);
  if (trains)
    fit(layer, x, device);
  else
    torch::load(layer, "layer.pt"); // expect: ml-load-device
  layer(x.to(device)).print();
}

// Each generation goes on from the one before.
void generations_ok(torch::Tensor x, torch::Device device) {
  for (int generation = 0; generation < 10; ++generation) {
    Layer layer(4, 1);
    layer->to(device);
    if (generation > 0)
      torch::load(layer, "layer.pt");
    fit(layer, x, device);
  }
}

// Another thread saves what this one plays with.
void play_ok(torch::Tensor x, torch::Device device, const bool &goesOn) {
  Layer layer(4, 1);
  layer->to(device);
  while (goesOn) {
    torch::load(layer, "layer.pt");
    torch::NoGradGuard guard;
    layer(x.to(device)).print();
  }
}

// Of the file of this very run, too.
void back_on_the_host_bad(torch::Tensor x) {
  torch::Device device(torch::kCPU);
  if (torch::cuda::is_available())
    device = torch::kCUDA;
  const std::string path = "net.pt";
  Layer layer(4, 1);
  layer->to(device);
  torch::save(layer, path);
  layer = Layer(4, 1);
  torch::load(layer, path); // expect: ml-load-device: nothing moves them to that of the inputs
  layer(x.to(torch::kCPU)).print();
}

void back_on_the_host_ok(torch::Tensor x, torch::Device device) {
  Layer layer(4, 1);
  layer->to(device);
  layer(x.to(device)).print();
  layer->to(torch::kCPU);
  torch::save(layer, "other.pt");
  layer = Layer(4, 1);
  torch::load(layer, "other.pt");
  layer(x.to(torch::kCPU)).print();
}

// Which device it is, is only printed.
void printed_bad(torch::Tensor x, torch::Device device) {
  Layer layer(4, 1);
  layer->to(device);
  torch::load(layer, "layer.pt"); // expect: ml-load-device
  if (device.is_cuda())
    std::puts("on a GPU");
  layer(x.to(device)).print();
}

// ---- what is no module, or another load()

void tensor_ok(Layer layer, torch::Device device) {
  torch::Tensor x;
  torch::load(x, "x.pt");
  layer->to(device);
  layer(x.to(device)).print();
}

void optimizer_ok(Layer layer, torch::Tensor x, torch::Device device) {
  layer->to(device);
  torch::optim::Adam optimizer(layer->parameters());
  torch::load(optimizer, "optimizer.pt");
  layer(x.to(device)).mean().backward();
  optimizer.step();
}

namespace weights {
void load(Layer &layer, const std::string &path);
}
void lookalike_ok(torch::Tensor x, torch::Device device) {
  Layer layer(4, 1);
  layer->to(device);
  weights::load(layer, "layer.pt");
  layer(x.to(device)).print();
}

// Who does not get that far, says so.
bool tries(Layer &layer, const std::string &path, torch::Device device) {
  try {
    torch::load(layer, path);
    layer->to(device);
    return true;
  } catch (const std::exception &) {
    return false;
  }
}

void tried_ok(torch::Tensor x, const std::string &path, torch::Device device) {
  Layer layer(4, 1);
  layer->to(device);
  if (!tries(layer, path, device))
    return;
  layer(x.to(device)).print();
}
