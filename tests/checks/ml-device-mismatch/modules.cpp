// Modules of the user's own, on the CPU where they were made, and input that was moved.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() { linear = register_module("linear", torch::nn::Linear(4, 2)); }
  torch::Tensor forward(torch::Tensor x) { return linear(x); }
  torch::nn::Linear linear{nullptr};
};
TORCH_MODULE(Net);

struct RecurrentImpl : torch::nn::Module {
  RecurrentImpl();
  torch::Tensor forward(torch::Tensor x, torch::Tensor lengths);
};
TORCH_MODULE(Recurrent);

void forgotten_bad(torch::Device device, torch::Tensor x) {
  Net net;
  auto y = net->forward(x.to(device)); // expect: ml-device-mismatch
}

void forgotten_operator_bad(torch::Device device, torch::Tensor x) {
  Net net;
  auto y = net(x.to(device)); // expect: ml-device-mismatch
}

void moved_ok(torch::Device device, torch::Tensor x) {
  Net net;
  net->to(device);
  auto y = net->forward(x.to(device));
}

// Lengths of sequences are wanted on the CPU.
void lengths_ok(torch::Device device, torch::Tensor x) {
  Recurrent net;
  net->to(device);
  auto y = net->forward(x.to(device), torch::ones({4}, torch::kLong));
}

class Agent {
public:
  Agent() {
    if (torch::cuda::is_available())
      device = torch::kCUDA;
    policy->to(device);
  }
  void learn(torch::Tensor states) {
    states = states.to(device);
    auto values = policy->forward(states);
    auto next = target->forward(states); // expect: ml-device-mismatch
    torch::mse_loss(values, next.detach()).backward();
  }

private:
  Net policy, target;
  torch::Device device{torch::kCPU};
};

// What has nothing in it is nowhere.
struct FlattenImpl : torch::nn::Module {
  torch::Tensor forward(const torch::Tensor &x) { return x.view({x.size(0), -1}); }
};
TORCH_MODULE(Flatten);

struct PoolNet : torch::nn::Module {
  PoolNet() { linear = register_module("linear", torch::nn::Linear(4, 2)); }
  torch::Tensor forward(torch::Tensor x) { return linear(Flatten()->forward(x)); }
  torch::nn::Linear linear{nullptr};
};

void nothing_to_move_ok(torch::Device device, torch::Tensor x) {
  PoolNet net;
  net.to(device);
  FlattenImpl flatten;
  auto y = net.forward(flatten.forward(x.to(device)));
  auto z = torch::mse_loss(flatten.forward(y), x.to(device));
}

// Tensors among its settings are the caller's.
struct View {
  torch::Tensor background, pose;
};
struct Renderer : torch::nn::Module {
  explicit Renderer(View view) : view(view) {}
  torch::Tensor forward(torch::Tensor points) { return points.matmul(view.pose) + view.background; }
  View view;
};
torch::Tensor rendered_ok(View view, torch::Tensor points) {
  Renderer renderer(view);
  return renderer.forward(points.to(torch::kCUDA));
}

// What is done to a module is done to its parts, by whatever name they go.
struct Wrapper : torch::nn::Module {
  explicit Wrapper(std::shared_ptr<NetImpl> net) { register_module("net", net); }
};
torch::Tensor part_of_sequential_ok(Net net, torch::Tensor x) {
  Net part;
  torch::nn::Sequential whole(part, torch::nn::Linear(2, 1));
  whole->to(torch::kCUDA);
  return part->forward(x.to(torch::kCUDA));
}
torch::Tensor part_of_wrapper_ok(torch::Tensor x) {
  Net part;
  auto whole = std::make_shared<Wrapper>(part.ptr());
  whole->to(torch::kCUDA);
  return part->forward(x.to(torch::kCUDA));
}
torch::Tensor part_of_list_ok(torch::Tensor x) {
  Net part;
  torch::nn::Sequential whole;
  whole->push_back(part);
  whole->to(torch::kCUDA);
  return part->forward(x.to(torch::kCUDA));
}
torch::Tensor no_part_bad(torch::Tensor x) {
  Net part, other;
  torch::nn::Sequential whole(part, torch::nn::Linear(2, 1));
  whole->to(torch::kCUDA);
  return other->forward(x.to(torch::kCUDA)); // expect: ml-device-mismatch
}
