// Devices that texts name, elements of lists, and tensors that a forward pass takes besides.
#include <torch/torch.h>

#include <string>
#include <vector>

using torch::Tensor;

// ---- texts

void choice_bad(Tensor x) {
  torch::Device device(torch::cuda::is_available() ? "cuda" : "cpu");
  torch::nn::Linear net(2, 1);
  net->to(device);
  net(torch::zeros({3, 2})).print(); // expect: ml-device-mismatch: one on the CPU, one on 'device'
}

void variable_bad() {
  std::string name = "cpu";
  if (torch::cuda::is_available())
    name = "cuda:0";
  torch::Device device(name);
  torch::nn::Linear net(2, 1);
  net->to(device);
  net(torch::zeros({3, 2})).print(); // expect: ml-device-mismatch: one on the CPU, one on 'device'
}

void always_cpu_ok() {
  const std::string name = "cpu";
  torch::Device device(name);
  torch::nn::Linear net(2, 1);
  net->to(device);
  net(torch::zeros({3, 2})).print();
}

// Whoever asks for a name leaves the choice to others.
void given_bad(const std::string &name) {
  torch::Device device(name);
  torch::nn::Linear net(2, 1);
  net->to(device);
  net(torch::zeros({3, 2})).print(); // expect: ml-device-mismatch: one on the CPU, one on 'device'
}

void given_by_default_ok(const std::string &name = "cpu") {
  torch::Device device(name);
  torch::nn::Linear net(2, 1);
  net->to(device);
  net(torch::zeros({3, 2})).print();
}

void everything_moved_ok() {
  torch::Device device(torch::cuda::is_available() ? "cuda" : "cpu");
  torch::nn::Linear net(2, 1);
  net->to(device);
  net(torch::zeros({3, 2}).to(device)).print();
  net(torch::zeros({3, 2}, device)).print();
}

// ---- parts of tensors

void parts_bad(torch::Device device) {
  Tensor data = torch::zeros({10, 3});
  torch::nn::Linear net(3, 1);
  net->to(device);
  net(data.index({torch::indexing::Slice(0, 3)})).print(); // expect: ml-device-mismatch: one on the CPU, one on 'device'
  net(data[0].unsqueeze(0)).print();                       // expect: ml-device-mismatch: one on the CPU, one on 'device'
  (torch::zeros({3}, device) + data[0]).print();           // expect: ml-device-mismatch: one on the CPU, one on 'device'
}

// A number of the CPU is welcome everywhere.
void numbers_ok(torch::Device device) {
  Tensor weights = torch::zeros({10});
  (torch::zeros({3}, device) * weights[0]).print();
  (torch::zeros({3}, device) * weights.index({1})).print();
}

// Indices may be on the CPU, whatever is on the GPU.
void indices_ok(Tensor given, torch::Device device) {
  Tensor x = given.to(device), rows = torch::arange(4);
  x.index({rows, torch::zeros({4}, device)}).print();
  x.index_put_({rows, torch::zeros({4}, device)}, x).print();
}

// ---- lists

void reserved_bad(torch::Device device) {
  std::vector<Tensor> parts;
  parts.reserve(8);
  parts.push_back(torch::zeros({9}));
  (torch::zeros({1, 9}, device) + torch::stack(parts)).print(); // expect: ml-device-mismatch: one on the CPU, one on 'device'
}

void filled_bad(torch::Device device) {
  std::vector<Tensor> parts(8);
  for (int i = 0; i < 8; ++i)
    parts[i] = torch::zeros({9});
  (torch::zeros({8, 9}, device) + torch::stack(parts)).print(); // expect: ml-device-mismatch: one on the CPU, one on 'device'
}

void filled_there_ok(torch::Device device) {
  std::vector<Tensor> parts(8);
  for (int i = 0; i < 8; ++i)
    parts[i] = torch::zeros({9}).to(device);
  (torch::zeros({8, 9}, device) + torch::stack(parts)).print();
}

void moved_one_by_one_ok(torch::Device device) {
  std::vector<Tensor> parts(8);
  for (int i = 0; i < 8; ++i)
    parts[i] = torch::zeros({9});
  for (Tensor &part : parts)
    part = part.to(device);
  (torch::zeros({8, 9}, device) + torch::stack(parts)).print();
}

Tensor madeElsewhere(int number);

void filled_by_others_ok(torch::Device device) {
  std::vector<Tensor> parts(8);
  parts[0] = torch::zeros({9});
  for (int i = 0; i < 8; ++i)
    parts[i] = madeElsewhere(i);
  (torch::zeros({8, 9}, device) + torch::stack(parts)).print();
}

// ---- what a forward pass takes besides

struct MaskedImpl : torch::nn::Module {
  MaskedImpl() : layer(register_module("layer", torch::nn::Linear(4, 4))) {}
  Tensor forward(Tensor x, Tensor mask) { return layer(x) + mask; }
  torch::nn::Linear layer;
};
TORCH_MODULE(Masked);

struct PackedImpl : torch::nn::Module {
  PackedImpl() : layer(register_module("layer", torch::nn::Linear(4, 4))) {}
  Tensor forward(Tensor x, Tensor lengths) {
    return layer(x) * lengths[0].item<float>();
  }
  torch::nn::Linear layer;
};
TORCH_MODULE(Packed);

struct MovingImpl : torch::nn::Module {
  MovingImpl() : layer(register_module("layer", torch::nn::Linear(4, 4))) {}
  Tensor forward(Tensor x, Tensor mask) {
    mask = mask.to(x.device());
    return layer(x) + mask;
  }
  torch::nn::Linear layer;
};
TORCH_MODULE(Moving);

void mask_bad(torch::Device device) {
  Masked net;
  net->to(device);
  Tensor x = torch::zeros({4, 4}), mask = torch::zeros({4, 4});
  net->forward(x.to(device), mask).print(); // expect: ml-device-mismatch: one on the CPU, one on 'device'
}

void packed_lengths_ok(torch::Device device) {
  Packed net;
  net->to(device);
  Tensor x = torch::zeros({4, 4}), lengths = torch::zeros({4});
  net->forward(x.to(device), lengths).print();
}

// Through the holder, too.
void called_lengths_ok(torch::Device device) {
  Packed net;
  net->to(device);
  Tensor x = torch::zeros({4, 4}), lengths = torch::zeros({4});
  net(x.to(device), lengths).print();
}

void moved_inside_ok(torch::Device device) {
  Moving net;
  net->to(device);
  Tensor x = torch::zeros({4, 4}), mask = torch::zeros({4, 4});
  net->forward(x.to(device), mask).print();
}

// ---- texts of the command line

void argument_bad(int count, char **arguments) {
  torch::Device device(count > 1 ? arguments[1] : "cpu");
  torch::nn::Linear net(2, 1);
  net->to(device);
  net(torch::zeros({3, 2})).print(); // expect: ml-device-mismatch: one on the CPU, one on 'device'
}
