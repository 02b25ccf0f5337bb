// What squeeze() may take from a batch.
#include <torch/torch.h>

using torch::Tensor;

struct NetImpl : torch::nn::Module {
  Tensor forward(Tensor x) {
    auto y = out(torch::relu(in(x)));
    return y.squeeze(); // expect: ml-squeeze-batch (level 2): a batch of one sample
  }
  Tensor probability(Tensor x) {
    auto p = torch::sigmoid(out(in(x)));
    return p.squeeze(); // expect: ml-squeeze-batch (level 2)
  }
  Tensor forward_ok(Tensor x) { return out(in(x)).squeeze(1); }
  Tensor weight_ok() { return in->weight.squeeze(); }
  Tensor given_ok(Tensor x) { return x.squeeze(); }
  float number_ok(Tensor x) { return out(in(x)).squeeze().item<float>(); }

  torch::nn::Linear in{register_module("in", torch::nn::Linear(4, 8))};
  torch::nn::Linear out{register_module("out", torch::nn::Linear(8, 1))};
};
TORCH_MODULE(Net);

template <typename Loader> void train(Net net, torch::optim::SGD &optimizer, Loader &loader) {
  for (auto &batch : *loader) {
    optimizer.zero_grad();
    auto prediction = net->forward_ok(batch.data);
    auto raw = net->out(batch.data);
    auto other = raw.squeeze(); // expect: ml-squeeze-batch (level 2)
    auto loss = torch::mse_loss(prediction, batch.target) + other.mean();
    loss.backward();
    optimizer.step();
  }
}

void start(Net net, torch::optim::SGD &optimizer) {
  auto loader = torch::data::make_data_loader(
      torch::data::datasets::MNIST("data").map(torch::data::transforms::Stack<>()), 64);
  train(net, optimizer, loader);
}

Tensor once_ok(Net net, Tensor image) {
  torch::NoGradGuard guard;
  return torch::sigmoid(net->out(image)).squeeze();
}
