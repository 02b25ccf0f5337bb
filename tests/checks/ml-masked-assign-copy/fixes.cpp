// What index_put_ can do.
#include <torch/torch.h>

using torch::indexing::Slice;

void assigned_bad(torch::Tensor x, torch::Tensor v) {
  x.index({x > 0}) = v;                // expect: ml-masked-assign-copy
  x.index({x < 0}) = v.index({x < 0}); // expect: ml-masked-assign-copy
  x.index({x == v}) = 2 * v.sum();     // expect: ml-masked-assign-copy
}

void filled_bad(torch::Tensor x, torch::Tensor v) {
  x.index({x > 0}).fill_(1);                // expect: ml-masked-assign-copy
  x.index({Slice(0, 2), v > 0}).fill_(0.5); // expect: ml-masked-assign-copy
  x.index({x < 0}).copy_(v);                // expect: ml-masked-assign-copy
}

void pointed_at_bad(torch::Tensor *x) {
  x->index({*x > 0}) = 0; // expect: ml-masked-assign-copy
}
