// Modules that are loaded without a device and used with inputs on the one of the program.
#include <torch/torch.h>

#include <fstream>

using Net = torch::nn::Linear;

void moved_before_bad(torch::Tensor x, const std::string &path, torch::Device device) {
  Net net(4, 1);
  net->to(device);
  torch::load(net, path); // expect: ml-load-device: on the device that the file says
  net(x.to(device)).print();
}

void never_moved_bad(torch::Device device) {
  Net net(4, 1);
  torch::load(net, "net.pt"); // expect: ml-load-device: nothing moves them to that of the inputs
  net(torch::rand({8, 4}, device)).print();
}

void literal_bad(torch::Tensor x) {
  Net net(4, 1);
  torch::load(net, "net.pt"); // expect: ml-load-device
  net(x.to(torch::kCUDA)).print();
}

void to_the_gpu_bad(torch::Tensor x) {
  Net net(4, 1);
  torch::load(net, "net.pt"); // expect: ml-load-device
  net(x.cuda()).print();
}

void chosen_bad(torch::Tensor x) {
  torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  Net net(4, 1);
  net->to(device);
  torch::load(net, "net.pt"); // expect: ml-load-device
  auto input = x.to(device);
  net(input).print();
}

void chosen_by_condition_bad(torch::Tensor x) {
  torch::Device device(torch::kCPU);
  if (torch::cuda::is_available())
    device = torch::Device(torch::kCUDA, 0);
  torch::nn::Sequential net(torch::nn::Linear(4, 4), torch::nn::ReLU(), torch::nn::Linear(4, 1));
  net->to(device);
  torch::load(net, "net.pt"); // expect: ml-load-device
  net->eval();
  torch::NoGradGuard guard;
  net->forward(x.to(device)).print();
}

void training_goes_on_bad(const std::vector<torch::Tensor> &batches, torch::Device device) {
  Net net(4, 1);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  torch::load(net, "checkpoint.pt"); // expect: ml-load-device
  torch::load(optimizer, "optimizer.pt");
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    net(batch.to(device)).mean().backward();
    optimizer.step();
  }
}

void if_there_bad(torch::Device device) {
  Net net(4, 1);
  net->to(device);
  if (std::ifstream("net.pt").good())
    torch::load(net, "net.pt"); // expect: ml-load-device
  net(torch::rand({8, 4}, device)).print();
}

void stream_bad(std::istream &stream, torch::Device device) {
  Net net(4, 1);
  net->to(device);
  torch::load(net, stream); // expect: ml-load-device
  net(torch::rand({8, 4}, device)).print();
}

class ModelImpl : public torch::nn::Module {
public:
  ModelImpl() { last = register_module("last", torch::nn::Linear(4, 1)); }
  torch::Tensor forward(torch::Tensor x) { return last(x); }

private:
  torch::nn::Linear last{nullptr};
};
TORCH_MODULE(Model);

void shared_bad(torch::Device device) {
  auto model = std::make_shared<ModelImpl>();
  model->to(device);
  torch::load(model, "model.pt"); // expect: ml-load-device
  model->forward(torch::rand({8, 4}, device)).print();
}

void several_bad(const std::vector<std::string> &paths, torch::Tensor x, torch::Device device) {
  auto sum = torch::zeros({8, 1}, device);
  for (const auto &path : paths) {
    Model model;
    model->to(device);
    torch::load(model, path); // expect: ml-load-device
    torch::NoGradGuard guard;
    sum += model->forward(x.to(device));
  }
}

void restore(Model &model, const std::string &path) {
  torch::load(model, path); // expect: ml-load-device
}
void helper_bad(torch::Device device) {
  Model model;
  model->to(device);
  restore(model, "model.pt");
  model(torch::rand({8, 4}, device)).print();
}

// Of the two, one is moved.
void other_moved_bad(torch::Tensor x, torch::Device device) {
  Model first, second;
  torch::load(first, "first.pt");
  torch::load(second, "second.pt"); // expect: ml-load-device
  first->to(device);
  first(x.to(device)).print();
  second(x.to(device)).print();
}

void moved_too_late_bad(torch::Tensor x, torch::Device device) {
  Model model;
  torch::load(model, "model.pt"); // expect: ml-load-device
  model(x.to(device)).print();
  model->to(device);
}

// ---- nobody knows where the inputs are

torch::Tensor prompt(int number);
void if_given_bad(const std::string &path, torch::Device device) {
  Net net(4, 1);
  net->to(device);
  if (!path.empty())
    torch::load(net, path); // expect: ml-load-device
  for (int i = 0; i < 10; ++i)
    net(prompt(i)).print();
}

void moved_again_ok(const std::string &path, torch::Device device) {
  Net net(4, 1);
  net->to(device);
  if (!path.empty()) {
    torch::load(net, path);
    net->to(device);
  }
  net(prompt(1)).print();
}

void moved_behind_ok(const std::string &path, torch::Device device) {
  Net net(4, 1);
  net->to(device);
  if (!path.empty())
    torch::load(net, path);
  net->to(device);
  net(prompt(1)).print();
}

void told_ok(const std::string &path, torch::Device device) {
  Net net(4, 1);
  net->to(device);
  if (!path.empty())
    torch::load(net, path, device);
  net(prompt(1)).print();
}

// --- the optimizer's state -----------------------------------------------------------------------

void state_elsewhere_bad(Net net, torch::optim::Adam &optimizer, torch::Device device) {
  torch::load(net, "net.pt", device);
  torch::load(optimizer, "optimizer.pt"); // expect: ml-load-device (level 1): name the device here, too
}

void state_beside_ok(Net net, torch::optim::Adam &optimizer, torch::Device device) {
  torch::load(net, "net.pt", device);
  torch::load(optimizer, "optimizer.pt", device);
}
