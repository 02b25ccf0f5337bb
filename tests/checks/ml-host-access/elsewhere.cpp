// Pointers that go to code that runs on the GPU, and functions that ask where a tensor is.
#include <torch/torch.h>

#include <cstdio>
#include <iostream>

using torch::Tensor;

void launch(float *values, int64_t size);
int cudaMemcpy(void *target, const void *source, size_t size, int kind);
int ncclAllReduce(const void *source, void *target, size_t count);
int MPI_Send(const void *values, int count, int target);

void kernel_ok(Tensor x) {
  x = x.cuda();
  launch(x.data_ptr<float>(), x.numel());
}

void part_to_kernel_ok(Tensor x, torch::Device device) {
  x = x.to(device);
  launch(x.data_ptr<float>() + 4, x.numel() - 4);
}

void variable_to_kernel_ok(Tensor x) {
  x = x.cuda();
  float *values = x.data_ptr<float>();
  if (values != nullptr)
    launch(values, x.numel());
}

void copied_by_the_driver_ok(Tensor x, float *host) {
  auto y = x.cuda();
  cudaMemcpy(host, y.data_ptr<float>(), 40, 2);
  cudaMemcpy(y.data_ptr(), host, 40, 1);
}

void reduced_by_the_gpus_ok(Tensor x, torch::Device device) {
  auto y = x.to(device);
  ncclAllReduce(y.data_ptr(), y.data_ptr(), 10);
}

// MPI that knows of GPUs.
void sent_ok(Tensor x, torch::Device device) {
  auto y = x.to(device);
  MPI_Send(y.data_ptr<float>(), 10, 1);
}

struct Arguments {
  float *values;
  int64_t size;
};
void enqueue(Arguments arguments);
void in_a_struct_ok(Tensor x) {
  x = x.cuda();
  enqueue({x.data_ptr<float>(), x.numel()});
}

void list_of_pointers_ok(Tensor x, std::vector<void *> &bindings) {
  auto y = x.cuda();
  bindings[0] = y.data_ptr();
  bindings.push_back(y.data_ptr<float>());
}

// Memory that a tensor on the GPU shares.
Tensor shared_ok(Tensor x) {
  auto y = x.cuda();
  return torch::from_blob(y.data_ptr<float>(), {10}, y.options()) * 2;
}

// The address is read, not the memory.
void address_ok(Tensor x, torch::Device device) {
  x = x.to(device);
  std::cout << x.data_ptr() << "\n";
  std::printf("%p\n", x.data_ptr());
}

bool compared_ok(Tensor x) {
  auto y = x.cuda();
  auto z = y.detach();
  return y.data_ptr() == z.data_ptr() && z.data_ptr<float>() != nullptr;
}

float asked_ok(Tensor x, torch::Device device) {
  x = x.to(device);
  if (x.is_cpu())
    return *x.data_ptr<float>();
  return x.mean().item<float>();
}

float asked_for_gpu_ok(Tensor x, torch::Device device) {
  x = x.to(device);
  if (x.is_cuda())
    x = x.cpu();
  return *x.data_ptr<float>();
}

float not_on_gpu_ok(Tensor x, torch::Device device) {
  auto y = x.to(device);
  return !y.is_cuda() ? y.data_ptr<float>()[0] : y.cpu().data_ptr<float>()[0];
}

float device_compared_ok(Tensor x, torch::Device device) {
  x = x.to(device);
  if (device.type() == torch::kCPU)
    return *x.data_ptr<float>();
  return x.mean().item<float>();
}

float without_a_gpu_ok() {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  auto x = torch::ones({10}, device);
  if (!torch::cuda::is_available())
    return *x.data_ptr<float>();
  return x.mean().item<float>();
}

// What the device was chosen by tells where the tensor is.
float asked_again_ok(Tensor x, bool useGpu) {
  torch::Device device(useGpu ? torch::kCUDA : torch::kCPU);
  x = x.to(device);
  if (useGpu)
    x = x.to(torch::kCPU);
  return *x.data_ptr<float>();
}

float asked_something_else_bad(Tensor x, bool useGpu, bool isLast) {
  torch::Device device(useGpu ? torch::kCUDA : torch::kCPU);
  x = x.to(device);
  if (isLast)
    x = x * 2;
  return *x.data_ptr<float>(); // expect: ml-host-access: the host reads memory of 'x'
}

// --- devices by constant references -----------------------------------------------------------------

struct Buffer {
  torch::Tensor input;
  void resize(int64_t count, const torch::Device &device) {
    if (input.size(0) != count)
      input = torch::zeros({count, 4}, device);
    else
      input = input.to(device);
  }
};
void unseen();

struct Buffers {
  Buffer host, gpu;
  float load_ok(bool isFirst) {
    if (isFirst)
      host.resize(10, torch::kCPU);
    unseen();
    host.resize(12, torch::kCPU);
    gpu.resize(10, torch::kCUDA);
    return host.input.accessor<float, 2>()[0][0];
  }
};
