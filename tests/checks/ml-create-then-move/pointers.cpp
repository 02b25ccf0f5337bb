// Tensors that are made on the CPU for the host to fill, through a pointer.
#include <torch/torch.h>

#include <vector>

static const torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);

void filled_ok(torch::nn::Linear net, const std::vector<std::vector<float>> &rows) {
  torch::NoGradGuard guard;
  net->to(device);
  for (const std::vector<float> &row : rows) {
    torch::Tensor x = torch::empty({1, 8});
    float *memory = x.data<float>();
    for (const float number : row)
      *memory++ = number;
    net(x.to(device)).print();
  }
}
