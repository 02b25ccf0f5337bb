// Kernels that programs launch themselves, on simulated devices: where they run, in what order, and
// what of a launch is refused.
#include "Expect.h"

#include "runtime/backends/sim/Simulator.h"
#include "runtime/toolkit/cuda_runtime.h"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cstdlib>

using Catch::Contains;
using gradtidy::runtime::launcher;
using torch::kCUDA;
using torch::Tensor;

namespace {

[[maybe_unused]] const bool simulated = setenv("GRADTIDY_DEVICE", "sim", 1) == 0;

__global__ void square(const float *x, float *y, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i];
}

/// Each block puts its numbers into the order of the other end.
__global__ void reverse(const float *x, float *y) {
  __shared__ float numbers[64];
  numbers[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  y[blockIdx.x * blockDim.x + threadIdx.x] = numbers[blockDim.x - 1 - threadIdx.x];
}

__global__ void place(float *y) {
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x,
                 row = blockIdx.y * blockDim.y + threadIdx.y;
  y[row * gridDim.x * blockDim.x + column] = static_cast<float>(10 * row + column);
}

__global__ void append(float *numbers, float *count) {
  numbers[static_cast<int>(atomicAdd(count, 1.0F))] = static_cast<float>(blockIdx.x);
}

} // namespace

TEST_CASE("a kernel reaches the memory of its tensors") {
  Tensor x = torch::arange(1000, kCUDA).to(torch::kFloat), y = torch::zeros_like(x);
  launcher(square, 4, 256)(x.data_ptr<float>(), y.data_ptr<float>(), 1000);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(y.equal(x * x));
}

TEST_CASE("threads wait at a barrier, and know where they are") {
  Tensor x = torch::randn({4, 64}, kCUDA), y = torch::empty_like(x);
  launcher(reverse, 4, 64)(x.data_ptr<float>(), y.data_ptr<float>());
  CHECK(y.equal(x.flip({1})));
  Tensor places = torch::empty({4, 6}, kCUDA);
  launcher(place, dim3(3, 2), dim3(2, 2))(places.data_ptr<float>());
  CHECK(places.equal(
      torch::arange(4, kCUDA).mul(10).unsqueeze(1).add(torch::arange(6, kCUDA)).to(torch::kFloat)));
}

TEST_CASE("the first block runs last") {
  Tensor numbers = torch::zeros({3}, kCUDA), count = torch::zeros({1}, kCUDA);
  launcher(append, 3, 1)(numbers.data_ptr<float>(), count.data_ptr<float>());
  CHECK(numbers.cpu().equal(torch::tensor({2.0F, 1.0F, 0.0F})));
}

TEST_CASE("a kernel runs when its stream comes to it") {
  Tensor x = torch::zeros({1 << 20}, kCUDA), y = torch::zeros_like(x);
  torch::cuda::synchronize();
  const auto other = c10::cuda::getStreamFromPool();
  {
    const c10::cuda::CUDAStreamGuard guard(other);
    for (int i = 0; i < 20; ++i)
      x.add_(1); // The device has more to do for it than the host.
  }
  launcher(square, 1, 1)(x.data_ptr<float>(), y.data_ptr<float>(), 1);
  launcher(square, 1, 1, 0, other)(x.data_ptr<float>(), y.data_ptr<float>() + 1, 1 << 20);
  CHECK(cudaStreamSynchronize(nullptr) == cudaSuccess);
  CHECK(cudaStreamSynchronize(other) == cudaSuccess);
  CHECK(y[0].item<float>() < 400);
  CHECK(y[1].item<float>() == 400);
}

TEST_CASE("streams have handles, of which the default one's is null") {
  CHECK(c10::cuda::getDefaultCUDAStream().stream() == nullptr);
  const auto first = c10::cuda::getStreamFromPool(), second = c10::cuda::getStreamFromPool();
  CHECK(first.stream() != nullptr);
  CHECK(first.stream() == static_cast<cudaStream_t>(first));
  CHECK(first.stream() != second.stream());
}

TEST_CASE("what CUDA refuses is told by the one who asks, and else by the next operation") {
  Tensor x = torch::ones({4}, kCUDA), y = torch::zeros({4}, kCUDA);
  const auto error = [&](dim3 grid, dim3 block, std::size_t bytes = 0,
                         cudaStream_t stream = nullptr) {
    launcher(square, grid, block, bytes, stream)(x.data_ptr<float>(), y.data_ptr<float>(), 4);
    const cudaError_t before = cudaPeekAtLastError();
    CHECK(cudaGetLastError() == before);
    CHECK(cudaGetLastError() == cudaSuccess);
    return before;
  };
  CHECK(error(1, 1025) == cudaErrorInvalidConfiguration);
  CHECK(error(0, 64) == cudaErrorInvalidConfiguration);
  CHECK(error(1, 64, 1 << 20) == cudaErrorInvalidValue);
  CHECK(error(1, 64, 0, c10::cuda::getStreamFromPool(false, 1)) == cudaErrorInvalidResourceHandle);
  CHECK(cudaSetDevice(7) == cudaErrorInvalidDevice);
  CHECK_THROWS_WITH(C10_CUDA_KERNEL_LAUNCH_CHECK(), Contains("CUDA error: invalid device ordinal"));
  CHECK(y.sum().item<float>() == 0);

  launcher(square, 1, 1025)(x.data_ptr<float>(), y.data_ptr<float>(), 4);
  CHECK_THROWS_WITH(x + y, Contains("CUDA error: invalid configuration argument"));
  CHECK(error(1, 64) == cudaSuccess);
  CHECK((x + y).sum().item<float>() == 8);
}

TEST_CASE("a program gets memory from the driver, which waits for the device to take it back") {
  const Tensor x = torch::arange(1000, kCUDA).to(torch::kFloat), y = torch::zeros_like(x);
  float *squares = nullptr;
  REQUIRE(cudaMalloc(&squares, 1000 * sizeof(float)) == cudaSuccess);
  launcher(square, 4, 256)(x.data_ptr<float>(), squares, 1000);
  launcher(square, 4, 256)(squares, y.data_ptr<float>(), 1000);
  const double before = gradtidy::runtime::simulatedHostTime();
  CHECK(cudaFree(squares) == cudaSuccess);
  CHECK(c10::cuda::getCurrentCUDAStream().query());
  CHECK(gradtidy::runtime::simulatedHostTime() > before + 2e-5);
  CHECK(y.equal((x * x) * (x * x)));

  CHECK(cudaFree(nullptr) == cudaSuccess);
  CHECK(cudaFree(squares) == cudaErrorInvalidValue);
  CHECK(cudaMalloc(&squares, std::size_t{1} << 50) == cudaErrorMemoryAllocation);
  CHECK(squares == nullptr);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
}

TEST_CASE("a guard makes the device of a tensor current") {
  const Tensor x = torch::ones({4}, torch::Device(kCUDA, 1));
  {
    const c10::cuda::OptionalCUDAGuard guard(device_of(x));
    CHECK(c10::cuda::current_device() == 1);
  }
  CHECK(c10::cuda::current_device() == 0);
  const c10::cuda::OptionalCUDAGuard none(device_of(Tensor())), host(device_of(torch::ones({1})));
  CHECK(c10::cuda::current_device() == 0);
}
