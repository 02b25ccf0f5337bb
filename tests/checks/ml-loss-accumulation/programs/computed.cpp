// Objects that are none of the standard library and give a tensor for the one that they get.
#include <torch/torch.h>

#include <vector>

// In the framework's namespace, as some write what it lacks.
namespace torch::amp {
class GradScaler {
public:
  Tensor scale(Tensor loss);
};
} // namespace torch::amp

void scaled_ok(torch::nn::Linear net, torch::optim::Optimizer &optimizer, torch::amp::GradScaler &scaler,
               const std::vector<torch::Tensor> &batches) {
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto scaled = scaler.scale(net(batch).mean());
    scaled.backward();
    optimizer.step();
  }
}

void listed_bad(torch::nn::Linear net, torch::optim::Optimizer &optimizer,
                const std::vector<torch::Tensor> &batches) {
  std::vector<torch::Tensor> losses;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto loss = net(batch).mean();
    loss.backward();
    optimizer.step();
    losses.emplace_back(loss); // expect: ml-loss-accumulation
  }
}
