// The driver takes its time for what it gives and takes back, and waits for the GPU.
#include <torch/torch.h>

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cublas_v2.h>

#define CHECK_CUDA(call)                                                                           \
  do {                                                                                             \
    if (cudaError_t error = (call); error != cudaSuccess)                                          \
      throw error;                                                                                 \
  } while (0)

__global__ void square(const float *x, float *y) {}
__global__ void add(const float *x, float *y) {}

torch::Tensor scratch_bad(torch::Tensor x) {
  torch::Tensor y = torch::empty_like(x);
  float *partial;
  cudaMalloc(&partial, 1024); // expect: ml-driver-resource (no fix) (level 1): every call gets 'partial' by cudaMalloc() and gives it back by cudaFree(), which waits for all work on the GPU; use the memory of a tensor
  square<<<1, 256>>>(x.data_ptr<float>(), partial);
  add<<<1, 256>>>(partial, y.data_ptr<float>());
  cudaFree(partial); // note: it is given back here
  return y;
}

// As C has it, and in macros; said once for all of the function.
torch::Tensor several_bad(torch::Tensor x) {
  float *a = nullptr;
  void *b = NULL;
  CHECK_CUDA(cudaMalloc((void **)&a, 1024)); // expect: ml-driver-resource
  CHECK_CUDA(cudaMalloc(&b, 1024)); // note: 1 more of this function
  square<<<1, 256>>>(x.data_ptr<float>(), a);
  add<<<1, 256>>>(a, static_cast<float *>(b));
  CHECK_CUDA(cudaFree(a)); // note: it is given back here
  CHECK_CUDA(cudaFree(b));
  return x;
}

// Another name of the same memory, and a part of it.
void named_bad(const std::vector<torch::Tensor> &inputs) {
  void *memory;
  if (cudaMalloc(&memory, 1024) != cudaSuccess) // expect: ml-driver-resource
    throw 1;
  float *first = static_cast<float *>(memory);
  float *second = first + 128;
  for (const torch::Tensor &x : inputs)
    square<<<1, 128>>>(x.data_ptr<float>(), second);
  cudaFree(first); // note: it is given back here
}

torch::Tensor pinned_bad(torch::Tensor x) {
  float *numbers;
  cudaMallocHost((void **)&numbers, 1024); // expect: ml-driver-resource: by cudaFreeHost()
  numbers[0] = 1;
  *numbers = numbers[1];
  cudaFreeHost(numbers); // note: it is given back here
  return x;
}

torch::Tensor empty_bad(torch::Tensor x) {
  float *numbers{};
  cudaMalloc(&numbers, 1024); // expect: ml-driver-resource
  square<<<1, 256>>>(x.data_ptr<float>(), numbers);
  if (numbers)
    cudaFree(numbers); // note: it is given back here
  numbers = NULL;
  return x;
}

torch::Tensor stream_bad(torch::Tensor x) {
  cudaStream_t stream;
  cudaStreamCreate(&stream); // expect: ml-driver-resource: takes longer than many kernels; create it once and keep it
  square<<<1, 256, 0, stream>>>(x.data_ptr<float>(), x.data_ptr<float>());
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream); // note: it is given back here
  return x;
}

torch::Tensor handle_bad(torch::Tensor a, torch::Tensor x) {
  torch::Tensor y = torch::empty_like(x);
  cublasHandle_t handle;
  cublasCreate(&handle); // expect: ml-driver-resource: every call gets 'handle'
  cublasSetStream(handle, at::cuda::getCurrentCUDAStream());
  const float one = 1, zero = 0;
  cublasSgemv(handle, CUBLAS_OP_N, 4, 4, &one, a.data_ptr<float>(), 4, x.data_ptr<float>(), 1,
              &zero, y.data_ptr<float>(), 1);
  cublasDestroy(handle); // note: it is given back here
  return y;
}

// A function that gets pointers into tensors.
static void launchOn(const float *x, float *y) {
  float *partial;
  cudaMalloc(&partial, 1024); // expect: ml-driver-resource
  square<<<1, 256>>>(x, partial);
  add<<<1, 256>>>(partial, y);
  cudaFree(partial); // note: it is given back here
}
torch::Tensor launcher_ok(torch::Tensor x) {
  torch::Tensor y = torch::empty_like(x);
  launchOn(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

// What it is handed to changes nothing about that.
static void fill(float *memory) { square<<<1, 256>>>(memory, memory); }
torch::Tensor handed_bad(torch::Tensor x) {
  float *partial;
  cudaMalloc(&partial, 1024); // expect: ml-driver-resource
  fill(partial);
  add<<<1, 256>>>(partial, x.data_ptr<float>());
  cudaFree(partial); // note: it is given back here
  return x;
}

template <typename T> torch::Tensor generic_bad(torch::Tensor x) {
  T *partial;
  cudaMalloc(&partial, 1024 * sizeof(T)); // expect: ml-driver-resource
  add<<<1, 256>>>(partial, x.data_ptr<T>());
  cudaFree(partial); // note: it is given back here
  return x;
}
template torch::Tensor generic_bad<float>(torch::Tensor x);

torch::Tensor dispatched_bad(torch::Tensor x) {
  [&] {
    float *partial;
    cudaMalloc(&partial, 1024); // expect: ml-driver-resource
    add<<<1, 256>>>(partial, x.data_ptr<float>());
    cudaFree(partial); // note: it is given back here
  }();
  return x;
}

// --- silent

torch::Tensor tensor_ok(torch::Tensor x) {
  torch::Tensor partial = torch::empty({256}, x.options());
  square<<<1, 256>>>(x.data_ptr<float>(), partial.data_ptr<float>());
  return partial;
}

// Memory of a pool, and events, cost little.
torch::Tensor pooled_ok(torch::Tensor x) {
  void *partial;
  cudaMallocAsync(&partial, 1024, nullptr);
  add<<<1, 256>>>(static_cast<float *>(partial), x.data_ptr<float>());
  cudaFreeAsync(partial, nullptr);
  cudaEvent_t event;
  cudaEventCreate(&event);
  cudaEventRecord(event);
  cudaEventDestroy(event);
  return x;
}

// No tensor has anything to do with it.
void others_ok(int n) {
  float *memory;
  cudaMalloc(&memory, n);
  square<<<1, 256>>>(memory, memory);
  cudaFree(memory);
}

// Got once.
static cublasHandle_t shared;
torch::Tensor kept_ok(torch::Tensor x) {
  static float *scratch = nullptr;
  if (!scratch)
    cudaMalloc(&scratch, 1024);
  if (!shared)
    cublasCreate(&shared);
  square<<<1, 256>>>(x.data_ptr<float>(), scratch);
  return x;
}

struct Layer {
  explicit Layer(torch::Tensor x) {
    float *numbers;
    cudaMalloc(&numbers, 1024);
    square<<<1, 256>>>(x.data_ptr<float>(), numbers);
    cudaFree(numbers);
    cudaMalloc(&scratch, 1024);
  }
  torch::Tensor forward_ok(torch::Tensor x) {
    if (!handle)
      cublasCreate(&handle);
    square<<<1, 256>>>(x.data_ptr<float>(), scratch);
    return x;
  }
  ~Layer() { cudaFree(scratch); }
  float *scratch = nullptr;
  cublasHandle_t handle = nullptr;
};

// Only where the caller has none.
torch::Tensor optional_ok(torch::Tensor x, float *given) {
  float *scratch = given;
  if (!scratch)
    cudaMalloc(&scratch, 1024);
  square<<<1, 256>>>(x.data_ptr<float>(), scratch);
  if (scratch != given)
    cudaFree(scratch);
  return x;
}

// Given back where it is not kept.
bool keep(float *memory);
void failing_ok(torch::Tensor x, float **out) {
  float *memory;
  cudaMalloc(&memory, 1024);
  square<<<1, 256>>>(x.data_ptr<float>(), memory);
  if (cudaGetLastError() != cudaSuccess) {
    cudaFree(memory);
    return;
  }
  *out = memory;
}

int main() {
  torch::Tensor x = torch::ones({256}, torch::kCUDA);
  float *memory;
  cudaMalloc(&memory, 1024);
  square<<<1, 256>>>(x.data_ptr<float>(), memory);
  cudaFree(memory);
}
