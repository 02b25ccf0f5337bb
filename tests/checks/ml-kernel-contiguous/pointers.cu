// A kernel that gets a pointer knows no strides.
#include <torch/torch.h>

#include <cuda_runtime.h>

__global__ void square(const float *x, float *y) {}
__global__ void squareStrided(const float *x, int64_t stride, float *y) {}
__global__ void half(torch::PackedTensorAccessor32<float, 1> x) {}

struct Library {
  template <typename Function> void def(const char *name, Function function);
};

void check_input(const torch::Tensor &x);

torch::Tensor made_ok(torch::Tensor x) {
  x = x.contiguous();
  torch::Tensor y = torch::empty({256}, x.options());
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

torch::Tensor named_ok(torch::Tensor input) {
  const torch::Tensor x = input.contiguous();
  torch::Tensor y = torch::empty({256}, x.options());
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

torch::Tensor asked_ok(torch::Tensor x) {
  if (!x.is_contiguous())
    throw 0;
  torch::Tensor y = torch::empty({256}, x.options());
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

torch::Tensor checked_ok(torch::Tensor x) {
  check_input(x);
  torch::Tensor y = torch::empty({256}, x.options());
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

torch::Tensor strided_ok(torch::Tensor x) {
  torch::Tensor y = torch::empty({256}, x.options());
  squareStrided<<<1, 256>>>(x.data_ptr<float>(), x.stride(0), y.data_ptr<float>());
  return y;
}

void accessor_ok(torch::Tensor x) { half<<<1, 256>>>(x.packed_accessor32<float, 1>()); }

static torch::Tensor launch_ok(torch::Tensor x) {
  torch::Tensor y = torch::empty({256}, x.options());
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

torch::Tensor forward_ok(torch::Tensor x) { return launch_ok(x.contiguous()); }

torch::Tensor bound_bad(torch::Tensor x) {
  torch::Tensor y = torch::empty({256}, x.options());
  square<<<1, 256>>>(x.data_ptr<float>(), // expect: ml-kernel-contiguous: 'x', and nobody knows
                     y.data_ptr<float>());
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

// Another tensor is asked.
torch::Tensor oneOfTwo_bad(torch::Tensor x, torch::Tensor y) {
  if (!x.is_contiguous())
    throw 0;
  float *to = y.data_ptr<float>(); // expect: ml-kernel-contiguous: 'y'
  square<<<1, 256>>>(x.data_ptr<float>(), to);
  return y;
}

torch::Tensor transposed_bad() {
  torch::Tensor x = torch::ones({16, 16}, torch::kCUDA);
  torch::Tensor columns = x.t(); // note: rearranged here
  torch::Tensor y = torch::empty({256}, torch::kCUDA);
  square<<<1, 256>>>(columns.data_ptr<float>(), // expect: ml-kernel-contiguous: 'columns', which is not
                     y.data_ptr<float>());
  return y;
}

// A copy was made in order, and is not what the kernel gets.
torch::Tensor unusedCopy_bad(torch::Tensor x) {
  torch::Tensor packed = x.contiguous();
  torch::Tensor y = torch::empty({256}, packed.options());
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-contiguous
  return y;
}

// Its callers are not known, and may check.
torch::Tensor unknown_bad(torch::Tensor x) {
  torch::Tensor y = torch::empty({256}, x.options());
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-contiguous (level 2)
  return y;
}

void bind(Library &library) {
  library.def("made", &made_ok);
  library.def("unused_copy", &unusedCopy_bad);
  library.def("named", &named_ok);
  library.def("asked", &asked_ok);
  library.def("checked", &checked_ok);
  library.def("strided", &strided_ok);
  library.def("accessor", &accessor_ok);
  library.def("forward", &forward_ok);
  library.def("bound", &bound_bad);
  library.def("one_of_two", &oneOfTwo_bad);
}

torch::Tensor chosen_bad(torch::Tensor x, bool columns) {
  x = columns ? x.t() : x.contiguous(); // note: rearranged here
  torch::Tensor y = torch::empty({256}, x.options());
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-contiguous: 'x', which is not
  return y;
}

torch::Tensor arranged_ok(torch::Tensor x) {
  x = x.t().contiguous();
  torch::Tensor y = torch::empty({256}, x.options());
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

torch::Tensor each_ok(const torch::Tensor &x, const torch::Tensor &y) {
  for (const torch::Tensor &input : {x, y})
    if (!input.is_contiguous())
      throw 1;
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

torch::Tensor other_bad(const torch::Tensor &x, const torch::Tensor &y, const torch::Tensor &z) {
  for (const torch::Tensor &input : {y, z})
    if (!input.is_contiguous())
      throw 1;
  square<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-contiguous (no fix) (level 2)
  return y;
}

// Who sees to one tensor does not leave the other to callers.
torch::Tensor half_bad(const torch::Tensor &x, const torch::Tensor &starts) {
  const torch::Tensor packed = x.contiguous();
  torch::Tensor y = torch::empty({256}, x.options());
  square<<<1, 256>>>(packed.data_ptr<float>(), y.data_ptr<float>());
  square<<<1, 256>>>(starts.data_ptr<float>(), y.data_ptr<float>()); // expect: ml-kernel-contiguous (no fix) (level 1)
  return y;
}

// What the function writes to, it need not make contiguous.
torch::Tensor &written_bad(const torch::Tensor &x, torch::Tensor &out) {
  const torch::Tensor packed = x.contiguous();
  square<<<1, 256>>>(packed.data_ptr<float>(), out.data_ptr<float>()); // expect: ml-kernel-contiguous (no fix) (level 2)
  return out;
}
