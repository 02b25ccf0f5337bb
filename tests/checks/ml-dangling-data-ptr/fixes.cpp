// The tensor gets a name.
#include <torch/torch.h>

void use(const float *values);

void fixes(torch::Tensor x) {
  const float *p = x.exp().data_ptr<float>(); // expect: ml-dangling-data-ptr
  use(p);
  auto *hostValues = (x + 1).data_ptr<float>(); // expect: ml-dangling-data-ptr
  use(hostValues);
  if (x.defined()) {
    auto q = x.clone().view({-1}).data_ptr<float>(); // expect: ml-dangling-data-ptr
    use(q);
  }
  const float *r = nullptr;
  r = x.exp().data_ptr<float>(); // expect: ml-dangling-data-ptr (no fix)
  use(r);
}
