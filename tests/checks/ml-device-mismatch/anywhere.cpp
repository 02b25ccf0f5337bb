// Modules that work on every device, and functions that take the CPU's tensors, too.
#include <torch/torch.h>

using torch::Tensor;

struct Attention : torch::nn::Module {
  explicit Attention(torch::Device device)
      : weight(register_parameter("weight", torch::randn({3, 3}, device))) {}
  Tensor forward(Tensor x, bool train) {
    x = torch::matmul(x, weight);
    if (train) {
      torch::nn::Dropout dropout(0.3);
      x = dropout->forward(x);
    }
    return x;
  }
  Tensor weight;
};

void dropout_made_on_the_spot_ok() {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  Attention net(device);
  Tensor y = net.forward(torch::rand({5, 3}, device), true);
}

void layer_made_on_the_spot_bad() {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  torch::nn::Linear layer(3, 3); // note: on the CPU since here
  Tensor y = layer->forward(torch::rand({5, 3}, device)); // expect: ml-device-mismatch // note: on 'device' since here
}

void lengths_on_the_cpu_ok(Tensor scores, Tensor targets) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  Tensor loss = torch::ctc_loss(scores.to(device), targets.to(device), torch::full({4}, 50),
                                torch::full({4}, 10));
}

class LazyImpl : public torch::nn::Module {
public:
  Tensor forward(const Tensor &x) {
    if (!layer) {
      layer = register_module("layer", torch::nn::Linear(x.size(-1), 8));
      layer->to(x.device());
    }
    return layer->forward(x);
  }

private:
  torch::nn::Linear layer{nullptr};
};
TORCH_MODULE(Lazy);

void moves_its_layer_ok() {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  Lazy net;
  Tensor y = net->forward(torch::rand({5, 3}, device));
}

class BuiltImpl : public torch::nn::Module {
public:
  Tensor forward(const Tensor &x) {
    build(x);
    return layer->forward(x);
  }

private:
  void build(const Tensor &sample) {
    if (layer)
      return;
    layer = register_module("layer", torch::nn::Linear(sample.size(-1), 8));
    to(sample.device());
  }
  torch::nn::Linear layer{nullptr};
};
TORCH_MODULE(Built);

void moves_itself_ok() {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  Built net;
  Tensor x = torch::rand({5, 3}, device);
  Tensor y = net->forward(x) - x;
}
