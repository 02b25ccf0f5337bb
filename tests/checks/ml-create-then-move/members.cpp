// Objects that compute with tensors of their own.
#include <torch/torch.h>

using torch::Tensor;

class Normal {
public:
  Normal(Tensor mean, Tensor deviation, torch::Device device)
      : mean(mean), deviation(deviation), device(device) {}

  Tensor sample() const {
    auto noise = torch::randn(mean.sizes()).to(device); // expect: ml-create-then-move
    return mean + noise * deviation;
  }

  // It computes nothing with what the object has.
  Tensor start_ok() const { return torch::zeros({10}).to(device); }

private:
  Tensor mean, deviation;
  torch::Device device;
};

void uses_it(torch::nn::Linear net) { net->to(torch::kCUDA); }
