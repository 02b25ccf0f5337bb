// device-misuse access|assert|outside: misuses a simulated device in a way that nothing can go on
// after.
#include "runtime/toolkit/cuda_runtime.h"

#include <torch/torch.h>

#include <iostream>
#include <string>

__global__ void clear(float *x) { x[threadIdx.x] = 0; }

int main(int count, char **arguments) {
  const std::string misuse = count > 1 ? arguments[1] : "";
  if (misuse == "access") {
    auto x = torch::zeros({3}, torch::kCUDA);
    std::cout << x.data_ptr<float>()[1] << '\n';
  } else if (misuse == "assert") {
    auto rows = torch::zeros({3, 2}, torch::kCUDA), index = torch::tensor({5}, torch::kCUDA);
    auto busy = torch::ones({1024, 1024}, torch::kCUDA);
    try {
      busy.mm(busy);
      rows.index({index});
      std::cout << "the call returned" << std::endl;
      torch::cuda::synchronize();
    } catch (const c10::Error &error) {
      std::cout << error.what_without_backtrace() << std::endl;
    }
    try {
      torch::zeros({1}, torch::kCUDA);
    } catch (const c10::Error &error) {
      std::cout << "still: " << error.what_without_backtrace() << std::endl;
    }
  } else if (misuse == "outside") {
    auto x = torch::ones({3}, torch::Device(torch::kCUDA, 1));
    gradtidy::runtime::launcher(clear, 1, 3)(x.data_ptr<float>());
    const cudaError_t error = cudaDeviceSynchronize();
    std::cout << error << std::endl;
    try {
      torch::zeros({1}, torch::kCUDA);
    } catch (const c10::Error &failure) {
      std::cout << failure.what_without_backtrace() << std::endl;
    }
  }
}
