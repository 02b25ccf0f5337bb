// What may be the same tensor.
#include <torch/torch.h>

void use(const float *values);

void notes(torch::Tensor x) {
  auto p = x.cpu().data_ptr<float>(); // expect: ml-dangling-data-ptr // note: unless the
  use(p);
  auto q = x.contiguous().data_ptr<float>(); // expect: ml-dangling-data-ptr // note: unless
  use(q);
  auto r = x.exp().data_ptr<float>(); // expect: ml-dangling-data-ptr // note: made here
  use(r);
}
