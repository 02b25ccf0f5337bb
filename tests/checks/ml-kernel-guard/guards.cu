// A kernel runs on the current GPU: somebody has to make it that of the tensors.
#include <torch/torch.h>

#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime.h>

__global__ void square(const float *x, float *y) {}

struct Library {
  template <typename Function> void def(const char *name, Function function);
};

torch::Tensor guarded_ok(torch::Tensor x) {
  const c10::cuda::OptionalCUDAGuard guard(device_of(x));
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

torch::Tensor set_ok(torch::Tensor x) {
  cudaSetDevice(x.get_device());
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

class ScopedDeviceGuard {
public:
  explicit ScopedDeviceGuard(int device);
  ~ScopedDeviceGuard();
};

torch::Tensor ownGuard_ok(torch::Tensor x) {
  const ScopedDeviceGuard guard(x.get_device());
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

// The caller has a guard.
static torch::Tensor launch_ok(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

torch::Tensor forward_ok(torch::Tensor x) {
  const at::cuda::CUDAGuard guard(x.device());
  return launch_ok(x);
}

torch::Tensor bound_bad(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-guard: current GPU
  square<<<1, 256>>>(y.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

// One of its callers has none.
static torch::Tensor launch_bad(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-guard
  return y;
}

torch::Tensor backward_ok(torch::Tensor x) {
  const at::cuda::CUDAGuard guard(x.device());
  return launch_bad(x);
}

torch::Tensor backward_bad(torch::Tensor x) { return launch_bad(x); }

// A guard for gradients is none for devices. Its callers are not known, and may have one.
torch::Tensor unknown_bad(torch::Tensor x) {
  const torch::NoGradGuard guard;
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-guard (level 2)
  return y;
}

// The launcher gets pointers, and its callers know to what.
static void launchAll_bad(const float *x, float *y, int n) {
  square<<<n, 256>>>(x, y); // expect: ml-kernel-guard (no fix): current GPU
}

torch::Tensor pointers(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  float *result = y.data_ptr<float>();
  launchAll_bad(x.data_ptr<float>(), result, x.size(0));
  return y;
}

static void launchEach_ok(const float *x, float *y, int n) { square<<<n, 256>>>(x, y); }

torch::Tensor pointers_ok(torch::Tensor x) {
  const at::cuda::CUDAGuard guard(x.device());
  torch::Tensor y = torch::zeros_like(x);
  launchEach_ok(x.data_ptr<float>(), y.data_ptr<float>(), x.size(0));
  return y;
}

// Of no tensor, as far as one can see.
static void launchOwn_ok(const float *x, float *y, int n) { square<<<n, 256>>>(x, y); }

void own_ok(float *memory, int n) { launchOwn_ok(memory, memory + n, n); }

// Nor do those between them.
template <typename T> void launchBoth(cudaStream_t stream, const T *x, T *y, int n) {
  launchAll_bad(x, y, n);
}

torch::Tensor throughTwo(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  launchBoth<float>(0, x.data_ptr<float>() + 1, y.data_ptr<float>(), 1);
  return y;
}

static void launchThere_ok(const float *x, float *y, int device) {
  cudaSetDevice(device);
  square<<<1, 256>>>(x, y);
}

torch::Tensor there_ok(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  launchThere_ok(x.data_ptr<float>(), y.data_ptr<float>(), x.get_device());
  return y;
}

// What is bound may be a part of a type.
template <typename Function, Function *function> struct Bound {};

torch::Tensor inType_bad(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-guard (level 1)
  return y;
}

void bind(Library &library) {
  library.def("in_type", Bound<torch::Tensor(torch::Tensor), inType_bad>());
  library.def("through", &throughTwo);
  library.def("there", &there_ok);
  library.def("pointers", &pointers);
  library.def("guarded_pointers", &pointers_ok);
  library.def("guarded", &guarded_ok);
  library.def("set", &set_ok);
  library.def("own_guard", &ownGuard_ok);
  library.def("forward", &forward_ok);
  library.def("bound", &bound_bad);
  library.def("backward", &backward_bad);
}

template <class Launch> void repeat(const Launch &launch, const torch::Tensor &x) { launch(x); }

// Who gets it is the program's own.
void launchFor_bad(const torch::Tensor &x) {
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-guard (level 2)
}
void repeat_ok(const torch::Tensor &x) { repeat(launchFor_bad, x); }

// A guard that lives as long as the object whose method launches.
class Squared {
public:
  explicit Squared(torch::Tensor x) : guard(x.device()), x(x) {}
  torch::Tensor operator()() {
    torch::Tensor y = torch::zeros_like(x);
    square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
    return y;
  }

private:
  at::cuda::CUDAGuard guard;
  torch::Tensor x;
};

torch::Tensor object_ok(torch::Tensor x) { return Squared(x)(); }

void bindObject(Library &library) { library.def("object_ok", &object_ok); }

// The only caller has the tensor, and gets the guard.
static void launchLater_bad(const float *x, float *y) {
  square<<<1, 256>>>(x, y); // expect: ml-kernel-guard (level 1): current GPU
}

torch::Tensor later(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  launchLater_bad(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

void bindMore(Library &library) { library.def("later", &later); }

// Who looks at what it is given is the first: nobody has done so before, or chosen a GPU.
torch::Tensor entry_bad(torch::Tensor x) {
  if (!x.is_cuda())
    throw std::invalid_argument("x");
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-guard (level 1)
  return y;
}

struct Launching {
  c10::cuda::CUDAGuard device;
  explicit Launching(torch::Tensor x) : device(x.device()) {}
};

torch::Tensor held_ok(torch::Tensor x) {
  if (!x.is_cuda())
    throw std::invalid_argument("x");
  Launching launching(x);
  torch::Tensor y = torch::zeros_like(x);
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

// Who only asks what to do may have got it from somebody with a guard.
torch::Tensor choice_bad(torch::Tensor x) {
  torch::Tensor y = torch::zeros_like(x);
  if (x.is_cuda())
    square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-guard (level 2)
  return y;
}
