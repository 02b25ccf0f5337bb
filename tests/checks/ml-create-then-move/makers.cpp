// Tensors that functions make of numbers alone, on the CPU, for others that move them.
#include <torch/torch.h>

#include <cmath>
#include <fstream>

using torch::Tensor;

Tensor gaussian(int size, double sigma) {
  Tensor values = torch::empty({size});
  for (int i = 0; i < size; ++i)
    values[i] = std::exp(-i * i / (2 * sigma * sigma));
  return values / values.sum();
}

Tensor window(int size, int64_t channels) {
  return gaussian(size, 1.5).unsqueeze(1).repeat({1, channels});
}

Tensor similarity_bad(const Tensor &a, const Tensor &b, int size = 11) {
  const int64_t channels = a.size(1);
  Tensor weights = window(size, channels);
  weights = weights.to(a.device()).to(torch::kFloat32); // expect: ml-create-then-move (no fix): 'window' makes the tensor on the CPU
  return (a * weights - b * weights).mean();
}

Tensor similarity_ok(const Tensor &a, const Tensor &b) {
  static const Tensor weights = window(11, 3).to(a.device());
  return (a * weights - b * weights).mean();
}

/// Other numbers, other elements.
Tensor embedded_ok(const Tensor &a, int step) { return a + gaussian(10, step).to(a.device()); }

Tensor mask(int64_t length) { return torch::ones({length, length}) * -1e9; }

Tensor masked_bad(const Tensor &a, int64_t length) {
  return a + mask(length).to(a.device()); // expect: ml-create-then-move (no fix): it can be made there, or once
}

/// Of the world, and of chance.
Tensor image(int number) {
  std::ifstream file(std::to_string(number));
  Tensor pixels = torch::empty({10, 10});
  for (int i = 0; i < 10; ++i)
    pixels[i] = file.get();
  return pixels;
}
Tensor noise(int size) { return torch::randn({size}); }
Tensor drawn(const Tensor &a) { return a + image(1).to(a.device()) + noise(10).to(a.device()); }

void train(torch::nn::Linear net, torch::optim::Optimizer &optimizer, torch::Device device, Tensor x) {
  net->to(device);
  x = x.to(device);
  for (int step = 0; step < 1000; ++step) {
    optimizer.zero_grad();
    Tensor y = net(x);
    Tensor loss = similarity_bad(y, x) + similarity_ok(y, x) + embedded_ok(y, step).mean();
    loss = loss + masked_bad(y, 10).mean() + drawn(y).mean();
    loss.backward();
    optimizer.step();
  }
}

// Once is enough.
void shown_ok(torch::nn::Linear net, torch::Device device) {
  net->to(device);
  Tensor weights = window(11, 3).to(device);
  net(weights);
}

// ---- loops that run modules

void evaluated_bad(torch::nn::Linear net, const std::vector<Tensor> &batches, torch::Device device) {
  net->to(device);
  for (const Tensor &batch : batches) {
    auto state = torch::zeros({batch.size(0), 10}).to(device); // expect: ml-create-then-move
    net(batch.to(device) + state);
  }
}

void reset_ok(torch::nn::Linear net, const std::vector<Tensor> &batches, torch::Device device) {
  net->to(device);
  auto state = torch::zeros({10}).to(device);
  for (const Tensor &batch : batches) {
    if (batch.size(0) == 0)
      state = torch::zeros({10}).to(device);
    state = net(batch.to(device) + state);
  }
}

// ---- methods that ask nothing of their object

struct DecoderImpl : torch::nn::Module {
  Tensor mask(int64_t length) { return torch::triu(torch::ones({length, length}), 1); }
  Tensor scaled(int64_t length) { return torch::triu(torch::ones({length, length}), 1) * scale; }
  Tensor forward(Tensor x) {
    auto ahead = mask(x.size(1)).to(x.device()); // expect: ml-create-then-move (no fix): 'mask' makes the tensor on the CPU
    auto own = scaled(x.size(1)).to(x.device());
    return layer(x) + ahead + own;
  }
  double scale = 1;
  torch::nn::Linear layer = register_module("layer", torch::nn::Linear(4, 4));
};
TORCH_MODULE(Decoder);

void decode(Decoder decoder, torch::optim::Optimizer &optimizer, const std::vector<Tensor> &batches) {
  decoder->to(torch::kCUDA);
  for (const Tensor &batch : batches) {
    optimizer.zero_grad();
    decoder(batch.to(torch::kCUDA)).mean().backward();
    optimizer.step();
  }
}
