// Where a tensor is on a GPU, there is one: what would be different without does not matter.
#include <torch/torch.h>

using Net = torch::nn::Sequential;

float run(Net &net, torch::Tensor x) {
  auto data = x.to(torch::kCUDA);
  return net->forward(data).sum().item<float>();
}

float moved_where_possible_ok(torch::Tensor x) {
  Net net(torch::nn::Linear(4, 2));
  bool has_cuda = torch::cuda::is_available();
  if (has_cuda)
    std::cout << "CUDA";
  if (has_cuda)
    net->to(torch::kCUDA);
  return run(net, x);
}

// The user may have said no.
float moved_if_wanted_bad(torch::Tensor x, bool wanted) {
  Net net(torch::nn::Linear(4, 2));
  bool use_cuda = torch::cuda::is_available();
  use_cuda = use_cuda && wanted;
  if (use_cuda)
    std::cout << "CUDA";
  if (use_cuda)
    net->to(torch::kCUDA);
  auto data = x.to(torch::kCUDA);
  return net->forward(data).sum().item<float>(); // expect: ml-device-mismatch
}

// With a GPU, half of it is there.
float forgotten_bad(torch::Tensor x) {
  Net net(torch::nn::Linear(4, 2));
  bool has_cuda = torch::cuda::is_available();
  if (has_cuda)
    std::cout << "CUDA";
  if (has_cuda)
    x = x.to(torch::kCUDA);
  return net->forward(x).sum().item<float>(); // expect: ml-device-mismatch
}

// Who moves a tensor where something asks for that knows where the others are.
torch::Tensor moved_if_asked_ok(torch::Tensor x, int gpus) {
  x = x.to(torch::kCUDA);
  auto order = torch::arange(x.size(0));
  if (gpus > 0)
    order = order.cuda();
  return x * order;
}
