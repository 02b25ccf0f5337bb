// Options that are taken from a tensor with a graph have none.
#include <torch/torch.h>

using torch::Tensor;

void gathered_ok(torch::nn::Linear net, Tensor input) {
  Tensor output = net->forward(input);
  Tensor copy = torch::zeros({4, 2}, output.options());
  for (int row = 0; row < 4; ++row)
    copy[row] = output[row];
}
