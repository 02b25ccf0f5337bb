// Tensors that may be on a GPU: to write their elements one by one takes even longer there.
#include <torch/torch.h>

#include <vector>

using torch::Tensor;

Tensor written_anywhere_bad(const std::vector<std::vector<float>> &values, torch::Device device) {
  auto batch = torch::empty({64, 128}, device);
  for (size_t i = 0; i < values.size(); ++i)
    for (size_t j = 0; j < values[i].size(); ++j)
      batch[i][j] = values[i][j]; // expect: ml-elementwise-access (no fix)
  return batch;
}
