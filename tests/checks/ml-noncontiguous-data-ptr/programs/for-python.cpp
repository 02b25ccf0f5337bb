// A library that another language calls: its tensors may be slices and transposes of any kind.
#include <torch/torch.h>

#include <vector>

struct Library {
  template <typename Function> void def(const char *name, Function function);
};

static void soften(float *values, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    values[i] *= 0.5f;
}

torch::Tensor halve(torch::Tensor x) {
  soften(x.data_ptr<float>(), x.numel()); // expect: ml-noncontiguous-data-ptr: who calls 'halve' from outside
  return x;
}

torch::Tensor halve_packed(torch::Tensor x) {
  x = x.contiguous();
  soften(x.data_ptr<float>(), x.numel());
  return x;
}

torch::Tensor halve_copy(torch::Tensor x) {
  auto result = torch::zeros({x.numel()});
  soften(result.data_ptr<float>(), result.numel());
  return result;
}

static void check(const torch::Tensor &x) {
  if (!x.is_contiguous())
    throw 1;
}

torch::Tensor halve_checked(torch::Tensor x) {
  check(x);
  soften(x.data_ptr<float>(), x.numel());
  return x;
}

// What an object holds the program has made itself.
struct Buffers {
  torch::Tensor values = torch::zeros({4});
};

void halve_held(Buffers &buffers) { soften(buffers.values.data_ptr<float>(), 4); }

static void scale(const float *from, float *to, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = from[i] * 0.5f;
}

// What is written is not read.
void halve_into(torch::Tensor x, torch::Tensor result) {
  scale(x.data_ptr<float>(), result.data_ptr<float>(), x.numel()); // expect: ml-noncontiguous-data-ptr: 'x' is read
}

// Nobody hands it on.
torch::Tensor halve_own(torch::Tensor x) {
  soften(x.data_ptr<float>(), x.numel());
  return x;
}

void init(Library &library) {
  library.def("halve", &halve);
  library.def("halve_packed", &halve_packed);
  library.def("halve_copy", halve_copy);
  library.def("halve_checked", &halve_checked);
  library.def("halve_held", &halve_held);
  library.def("halve_into", &halve_into);
  halve_own(torch::zeros({4}));
}
