// Templates that the unit never instantiates: names tell what their parameters are.
#include <torch/torch.h>

template <typename Net> double test_bad(Net &net, const std::vector<torch::Tensor> &batches) {
  double sum = 0;
  for (auto &x : batches)
    sum += net.forward(x).sum().template item<double>(); // expect: ml-missing-no-grad
  return sum;
}
template <typename Net> double test_ok(Net &net, const std::vector<torch::Tensor> &batches) {
  torch::NoGradGuard noGrad;
  double sum = 0;
  for (auto &x : batches)
    sum += net.forward(x).sum().template item<double>();
  return sum;
}
template <typename Net, typename Loader, typename Optimizer>
void train_ok(Net &net, Loader &loader, Optimizer &optimizer) {
  for (auto &batch : *loader) {
    auto output = net->forward(batch.data);
    auto loss = torch::nll_loss(output, batch.target);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}
