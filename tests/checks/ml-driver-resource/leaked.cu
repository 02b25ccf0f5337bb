// What the driver has given is never given back.
#include <torch/torch.h>

#include <ATen/cuda/CUDAContext.h>
#include <cublas_v2.h>

#include <memory>
#include <vector>

__global__ void square(const float *x, float *y) {}

torch::Tensor memory_bad(torch::Tensor x) {
  float *partial;
  cudaMalloc(&partial, 1024); // expect: ml-driver-resource (no fix) (level 1): every call gets 'partial' by cudaMalloc() and never gives it back, until memory runs out
  square<<<1, 256>>>(x.data_ptr<float>(), partial);
  cudaMemset(partial, 0, 1024);
  return x;
}

torch::Tensor several_bad(torch::Tensor x) {
  cudaEvent_t start, end;
  cudaEventCreate(&start); // expect: ml-driver-resource: every call gets 'start' by cudaEventCreate() and never gives it back
  cudaEventCreate(&end); // note: 1 more of this function
  cudaEventRecord(start);
  square<<<1, 256>>>(x.data_ptr<float>(), x.data_ptr<float>());
  cudaEventRecord(end);
  return x;
}

torch::Tensor pooled_bad(torch::Tensor x) {
  void *memory;
  cudaMallocAsync(&memory, 1024, nullptr); // expect: ml-driver-resource
  square<<<1, 256>>>(x.data_ptr<float>(), static_cast<float *>(memory));
  return x;
}

torch::Tensor handle_bad(torch::Tensor x) {
  cublasHandle_t handle;
  cublasCreate(&handle); // expect: ml-driver-resource
  cublasSetStream(handle, at::cuda::getCurrentCUDAStream());
  return x;
}

// Who gets it does not give it back, either.
static void fill(float *memory, int n) {
  if (memory)
    square<<<1, n>>>(memory, memory);
}
torch::Tensor handed_bad(torch::Tensor x) {
  float *memory;
  cudaMalloc(&memory, 1024); // expect: ml-driver-resource
  fill(memory, 256);
  square<<<1, 256>>>(memory, x.data_ptr<float>());
  return x;
}

// A tensor over memory frees none.
torch::Tensor wrapped_bad(torch::Tensor x) {
  float *memory;
  cudaMalloc(&memory, 1024); // expect: ml-driver-resource
  square<<<1, 256>>>(x.data_ptr<float>(), memory);
  return torch::from_blob(memory, {256}).clone();
}

// --- silent

torch::Tensor deleter_ok(torch::Tensor x) {
  float *memory;
  cudaMalloc(&memory, 1024);
  square<<<1, 256>>>(x.data_ptr<float>(), memory);
  return torch::from_blob(memory, {256}, [](void *memory) { cudaFree(memory); });
}

static void freeMemory(void *memory) { cudaFree(memory); }
torch::Tensor namedDeleter_ok(torch::Tensor x) {
  float *memory;
  cudaMalloc(&memory, 1024);
  square<<<1, 256>>>(x.data_ptr<float>(), memory);
  return torch::from_blob(memory, {256}, freeMemory);
}

float *returned_ok(torch::Tensor x) {
  float *memory;
  cudaMalloc(&memory, 1024);
  square<<<1, 256>>>(x.data_ptr<float>(), memory);
  return memory;
}

struct Buffers {
  float *memory;
};
static std::vector<float *> kept;
static float *last;
void stored_ok(torch::Tensor x, float **out, Buffers &buffers) {
  float *a, *b, *c, *d;
  cudaMalloc(&a, 1024);
  kept.push_back(a);
  cudaMalloc(&b, 1024);
  last = b;
  cudaMalloc(&c, 1024);
  *out = c;
  cudaMalloc(&d, 1024);
  buffers = {d};
  square<<<1, 256>>>(x.data_ptr<float>(), d);
}

struct Owner {
  Owner(float *memory) : memory(memory) {}
  ~Owner() { cudaFree(memory); }
  float *memory;
};
void owned_ok(torch::Tensor x) {
  float *a, *b;
  cudaMalloc(&a, 1024);
  const Owner owner(a);
  cudaMalloc(&b, 1024);
  const std::unique_ptr<float, void (*)(void *)> pointer(b, freeMemory);
  square<<<1, 256>>>(a, x.data_ptr<float>());
  square<<<1, 256>>>(b, x.data_ptr<float>());
}

template <typename Action> struct AtExit {
  Action action;
  ~AtExit() { action(); }
};
template <typename Action> AtExit(Action) -> AtExit<Action>;
void captured_ok(torch::Tensor x) {
  float *memory;
  cudaMalloc(&memory, 1024);
  const AtExit release{[&] { cudaFree(memory); }};
  square<<<1, 256>>>(x.data_ptr<float>(), memory);
}

static void release(float *memory) {
  if (memory)
    freeMemory(memory);
}
void elsewhere(float *memory);
void handed_ok(torch::Tensor x) {
  float *a, *b;
  cudaMalloc(&a, 1024);
  cudaMalloc(&b, 1024);
  square<<<1, 256>>>(a, x.data_ptr<float>());
  square<<<1, 256>>>(b, x.data_ptr<float>());
  release(a);
  elsewhere(b);
}

void given_ok(torch::Tensor x, float **memory) {
  cudaMalloc(memory, 1024);
  square<<<1, 256>>>(x.data_ptr<float>(), *memory);
}

void others_ok(int n) {
  float *memory;
  cudaMalloc(&memory, n);
  square<<<1, 256>>>(memory, memory);
}
