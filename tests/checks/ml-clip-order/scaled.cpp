// Gradients of a loss that was scaled, so that they do not vanish in 16 bits.
#include <torch/torch.h>

using Net = torch::nn::Linear;
using torch::nn::utils::clip_grad_norm_;

class Scaler {
public:
  torch::Tensor scaled(const torch::Tensor &loss) const { return loss * factor; }
  void unscale(Net &net) {
    for (auto &each : net->parameters())
      each.mutable_grad().div_(factor);
  }
  void step(torch::optim::Optimizer &optimizer, Net &net) {
    unscale(net);
    optimizer.step();
  }

private:
  double factor = 65536;
};

void clipped_first_bad(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  Scaler scaler;
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto loss = net(x).mean();
    scaler.scaled(loss).backward();          // note: of the scaled loss
    clip_grad_norm_(net->parameters(), 1.0); // expect: ml-clip-order (no fix): the loss was scaled
    scaler.step(optimizer, net);             // note: divided by the scale only here
  }
}

void by_hand_bad(Net net, torch::Tensor x, float scale) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto loss = scale * net(x).mean();
    loss.backward();                         // note: of the scaled loss
    clip_grad_norm_(net->parameters(), 1.0); // expect: ml-clip-order (no fix)
    for (auto &each : net->parameters())
      each.mutable_grad().div_(scale); // note: divided by the scale only here
    optimizer.step();
  }
}

void unscaled_first_ok(Net net, torch::Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  Scaler scaler;
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    scaler.scaled(net(x).mean()).backward();
    scaler.unscale(net);
    clip_grad_norm_(net->parameters(), 1.0);
    optimizer.step();
  }
}

// The weight of a loss stays in its gradients.
void weighted_ok(Net net, torch::Tensor x, double weight) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    (net(x).mean() * weight).backward();
    clip_grad_norm_(net->parameters(), 1.0);
    optimizer.step();
  }
}
