// data<T>(), the older name of data_ptr<T>().
#include <torch/torch.h>

float first_bad(torch::nn::Linear net) {
  net->to(torch::kCUDA);
  torch::Tensor y = net(torch::ones({1, 8}, torch::kCUDA));
  return y.data<float>()[0]; // expect: ml-host-access: on GPU
}

float first_ok(torch::nn::Linear net) {
  net->to(torch::kCUDA);
  torch::Tensor y = net(torch::ones({1, 8}, torch::kCUDA)).cpu();
  return y.data<float>()[0];
}
