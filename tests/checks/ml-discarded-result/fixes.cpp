// The result is assigned to what the call was made on.
#include <torch/torch.h>

struct Batch {
  torch::Tensor data;
};

void assigned_bad(torch::Tensor x, Batch &batch, torch::Device device) {
  x.to(device);          // expect: ml-discarded-result
  batch.data.to(device); // expect: ml-discarded-result
  torch::relu(x);        // expect: ml-discarded-result
}
