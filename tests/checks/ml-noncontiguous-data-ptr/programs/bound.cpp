// A program with functions that another language may call, too.
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

// Handed on, but by no name.
torch::Tensor third(torch::Tensor x) {
  soften(x.data_ptr<float>(), x.numel());
  return x;
}

void each(std::vector<torch::Tensor> &all, torch::Tensor (*change)(torch::Tensor));

void bind(Library &library) { library.def("halve", &halve); }

int main() {
  std::vector<torch::Tensor> all = {torch::ones({4})};
  each(all, &third);
}
