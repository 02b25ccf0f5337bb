// Where the statement stands, and what the tensor belongs to.
#include <torch/torch.h>

struct Batch {
  torch::Tensor data, target;
};
using Batches = std::vector<Batch>;

void members_bad(Batches &batches, torch::Device device) {
  for (auto &batch : batches) {
    batch.data.to(device);   // expect: ml-discarded-result
    batch.target.to(device); // expect: ml-discarded-result
  }
}

void members_ok(Batches &batches, torch::Device device) {
  for (auto &batch : batches) {
    batch.data = batch.data.to(device);
    batch.target = batch.target.to(device);
  }
}

void loader_bad(torch::Device device) {
  auto loader = torch::data::make_data_loader(
      torch::data::datasets::MNIST("data").map(torch::data::transforms::Stack<>()), 64);
  for (auto &batch : *loader)
    batch.data.to(device); // expect: ml-discarded-result
}

void elements_bad(std::vector<torch::Tensor> &tensors, torch::Device device) {
  for (auto &tensor : tensors)
    tensor.to(device); // expect: ml-discarded-result
  for (size_t i = 0; i < tensors.size(); ++i)
    tensors[i].detach(); // expect: ml-discarded-result (no fix)
}

// Nothing to assign it to.
void constant_bad(const torch::Tensor &x, torch::Device device) {
  x.to(device); // expect: ml-discarded-result (no fix)
}

void branches_bad(torch::Tensor x) {
  if (torch::cuda::is_available())
    x.cuda(); // expect: ml-discarded-result
  else
    x.cpu(); // expect: ml-discarded-result
}

void lambda_bad(torch::Tensor x) {
  const auto prepare = [&] {
    x.unsqueeze(0); // expect: ml-discarded-result
  };
  prepare();
}

void used_ok(torch::Tensor x, std::vector<torch::Tensor> &all) {
  all.push_back(x.detach());
  auto half = x.clamp(0, 1) * 0.5;
  x.argmax(1).print();
  if (x.sum().item<double>() > 0)
    x = x.abs();
  const auto relu = [](const torch::Tensor &t) { return torch::relu(t); };
  x = relu(x);
}

torch::Tensor returned_ok(torch::Tensor x) { return x.unsqueeze(0); }

// Thrown away in so many words.
void cast_to_void_ok(torch::Tensor x) {
  (void)x.to(torch::kCPU);
  static_cast<void>(x.clone());
}

class Holder {
public:
  void moved_bad(torch::Device device) {
    state.to(device);       // expect: ml-discarded-result
    this->state.to(device); // expect: ml-discarded-result
  }
  void moved_ok(torch::Device device) { state = state.to(device); }

private:
  torch::Tensor state = torch::zeros({4});
};

struct NetImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    x.view({-1, 4}); // expect: ml-discarded-result
    torch::relu(x);  // expect: ml-discarded-result
    return linear(x);
  }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 1));
};
TORCH_MODULE(Net);
