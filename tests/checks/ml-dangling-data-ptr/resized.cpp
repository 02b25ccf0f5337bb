// A tensor that has just been given a size is contiguous: there is no copy.
#include <torch/torch.h>

char *resized_ok(torch::Tensor &memory, int64_t size) {
  memory.resize_({size});
  return static_cast<char *>(memory.contiguous().data_ptr());
}

char *returned_bad(torch::Tensor &memory) {
  return static_cast<char *>(memory.contiguous().data_ptr()); // expect: ml-dangling-data-ptr (no fix)
}
