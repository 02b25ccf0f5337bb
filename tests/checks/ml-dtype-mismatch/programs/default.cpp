// The program has another default.
#include <torch/torch.h>

torch::Tensor read(std::vector<double> &values) {
  return torch::from_blob(values.data(), {4}).clone();
}

int main() {
  torch::set_default_dtype(torch::scalarTypeToTypeMeta(torch::kDouble));
  torch::nn::Linear net(4, 1);
  std::vector<double> values(4);
  net(read(values));
  net(torch::zeros({4}, torch::kFloat64));
}
