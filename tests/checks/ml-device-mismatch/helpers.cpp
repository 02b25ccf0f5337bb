// Through helpers, members and lambdas.
#include <torch/torch.h>

using Net = torch::nn::Linear;
struct Batch {
  torch::Tensor data, target;
};
using Batches = std::vector<Batch>;

void trainEpoch(Net &net, int count) {
  for (int i = 0; i < count; ++i) {
    auto x = torch::rand({8, 4});
    auto output = net(x); // expect: ml-device-mismatch (no fix)
    output.mean().backward();
  }
}
void moved_by_the_caller_bad(torch::Device device) {
  Net net(4, 1);
  net->to(device);
  trainEpoch(net, 10);
}

void trainEpochOn(Net &net, torch::Device device, int count) {
  for (int i = 0; i < count; ++i)
    net(torch::rand({8, 4}, device)).mean().backward();
}
void same_device_in_the_caller_ok() {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  Net net(4, 1);
  net->to(device);
  trainEpochOn(net, device, 10);
}

Net makeNet(torch::Device device) {
  Net net(4, 1);
  net->to(device);
  return net;
}
void made_on_the_device_bad(torch::Device device) {
  auto net = makeNet(device);
  auto output = net(torch::rand({8, 4})); // expect: ml-device-mismatch
}
void made_on_the_device_ok(torch::Device device) {
  auto net = makeNet(device);
  auto output = net(torch::rand({8, 4}, device));
}

void moveTo(torch::Tensor &x, torch::Device device) { x = x.to(device); }
torch::Tensor movedTo(const torch::Tensor &x, torch::Device device) { return x.to(device); }
void moveUnseen(torch::Tensor &x);
void moved_by_a_helper_ok(torch::Device device) {
  auto net = makeNet(device);
  auto x = torch::rand({8, 4});
  moveTo(x, device);
  auto y = movedTo(torch::rand({8, 4}), device);
  auto output = net(x) + net(y);
  auto z = torch::rand({8, 4});
  moveUnseen(z);
  auto unknown = net(z);
}

// The parameter is a copy of the handle: the caller's tensor stays where it is.
void moveCopy(torch::Tensor x, torch::Device device) { x = x.to(device); }
void moved_copy_bad(torch::Device device) {
  auto net = makeNet(device);
  auto x = torch::rand({8, 4});
  moveCopy(x, device);
  auto output = net(x); // expect: ml-device-mismatch
}

class Trainer {
public:
  explicit Trainer(torch::Device device) : device(device), net(4, 1) { net->to(device); }

  void member_bad() {
    auto output = net(torch::rand({8, 4})); // expect: ml-device-mismatch
  }
  void member_ok() { auto output = net(torch::rand({8, 4}).to(device)); }
  void this_ok() { auto output = this->net->forward(torch::rand({8, 4}, this->device)); }
  void lambda_ok() {
    const auto move = [this](const torch::Tensor &x) { return x.to(device); };
    auto output = net(move(torch::rand({8, 4})));
  }
  void lambda_bad() {
    const auto forward = [this](const torch::Tensor &x) {
      return net(x); // expect: ml-device-mismatch (no fix)
    };
    auto output = forward(torch::rand({8, 4}));
  }

private:
  torch::Device device;
  Net net;
};

// Tensors kept from set-up do not follow the module.
class Masked {
public:
  explicit Masked(torch::Device device)
      : mask(torch::ones({8, 1})), moved(torch::ones({8, 1}).to(device)), net(4, 1) {
    net->to(device);
  }
  torch::Tensor cached_bad(torch::Tensor x, torch::Device device) {
    auto output = net(x.to(device));
    return output * mask; // expect: ml-device-mismatch
  }
  torch::Tensor cached_ok(torch::Tensor x, torch::Device device) {
    return net(x.to(device)) * moved;
  }

private:
  torch::Tensor mask, moved;
  Net net;
};

void every_network_moved_ok(std::vector<Net> &nets, torch::Device device) {
  for (auto &net : nets)
    net->to(device);
  auto x = torch::rand({8, 4}, device);
  for (auto &net : nets)
    x = net(x);
}

void only_one_moved_bad(torch::Device device) {
  Net first(4, 4), second(4, 1);
  first->to(device);
  auto hidden = first(torch::rand({8, 4}, device));
  auto output = second(hidden); // expect: ml-device-mismatch
}

void reference_ok(torch::Device device) {
  Net net(4, 1);
  auto &same = *net;
  same.to(device);
  auto output = net->forward(torch::rand({8, 4}, device));
}

// A module made of others is where these are.
void wrapped_ok(torch::Tensor x) {
  auto layer = std::make_shared<torch::nn::LinearImpl>(4, 4);
  layer->to(torch::kCUDA);
  torch::nn::Sequential net(layer);
  net->forward(x.to(torch::kCUDA)).sum().backward();
}
