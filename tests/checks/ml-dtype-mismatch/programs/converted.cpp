// A module of another type.
#include <torch/torch.h>

void train_ok(std::vector<double> &values) {
  torch::nn::Linear net(4, 2);
  net->to(torch::kFloat64);
  net(torch::from_blob(values.data(), {8, 4}, torch::kFloat64));
}
