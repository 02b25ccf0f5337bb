// A launch gives nothing back: who wants to know whether it has failed has to ask.
#include <torch/torch.h>

#include <c10/cuda/CUDAException.h>

__global__ void square(const float *x, float *y) {}

torch::Tensor checked_ok(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  square<<<1, 256>>>(y.data_ptr<float>(), y.data_ptr<float>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

torch::Tensor asked_ok(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  if (cudaPeekAtLastError() != cudaSuccess)
    y.zero_();
  return y;
}

// What waits for the GPU says whether anything has failed.
torch::Tensor waited_ok(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  C10_CUDA_CHECK(cudaDeviceSynchronize());
  return y;
}

void cudaCheckError(const char *where);

torch::Tensor helper_ok(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  cudaCheckError("square");
  return y;
}

static void launch_ok(torch::Tensor x, torch::Tensor y) {
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
}

torch::Tensor byCaller_ok(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  launch_ok(x, y);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

torch::Tensor unchecked_bad(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-unchecked: has failed
  return y;
}

torch::Tensor onlyFirst_bad(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  square<<<1, 256>>>(y.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-unchecked
  return y;
}

// It waits, and does not look.
torch::Tensor waited_bad(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-unchecked
  cudaDeviceSynchronize();
  return y;
}

// A launcher on plain pointers, which gets those of a row.
void launch(const float *x, float *y, int rows) {
  square<<<rows, 256>>>(x, y); // expect: ml-kernel-unchecked
  if (rows > 1)
    launch(x, y + 1, rows / 2);
}

torch::Tensor row_bad(torch::Tensor x, int row) {
  torch::Tensor y = torch::zeros_like(x);
  launch(x.data_ptr<float>() + row * x.size(1), y.data_ptr<float>() + row * x.size(1), 1);
  return y;
}

// One question for all launches, which the first stands for.
torch::Tensor two_bad(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-unchecked
  square<<<1, 256>>>(y.data_ptr<float>(), x.data_ptr<float>());
  return y;
}

static void launchFor_ok(torch::Tensor x, torch::Tensor y) {
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
}

// Who launches by way of closures asks behind them.
torch::Tensor dispatched_ok(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  [&] { [&] { launchFor_ok(x, y); }(); }();
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

// The host has min() and max() of nvcc without a namespace.
torch::Tensor bounded_bad(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  const int blocks = max(1, min(64, static_cast<int>(x.numel())));
  square<<<blocks, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-unchecked
  return y;
}

// A helper asks, whatever it is called.
static torch::Tensor whole(torch::Tensor y) {
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

torch::Tensor byHelper_ok(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return whole(y);
}

torch::Tensor beforeHelper_bad(torch::Tensor x) {
  torch::Tensor y = whole(torch::zeros_like(x));
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-unchecked
  return y;
}
