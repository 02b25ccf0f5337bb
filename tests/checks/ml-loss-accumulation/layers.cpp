// A chain of layers is one forward pass, whose graph ends with the value it gives.
#include <torch/torch.h>

#include <vector>

torch::Tensor through_all_ok(torch::Tensor x, std::vector<torch::nn::Sequential> blocks) {
  for (auto &block : blocks)
    x = block->forward(x);
  return x;
}

torch::Tensor by_index_ok(torch::Tensor x, std::vector<torch::nn::Linear> &layers) {
  for (size_t i = 0; i < layers.size(); ++i)
    x = layers[i](x);
  return x;
}

// One module again and again, for as long as the program runs.
void simulated_bad(torch::nn::Linear &next, torch::Tensor state) {
  for (int i = 0; i < 100000; ++i)
    state = next(state); // expect: ml-loss-accumulation: 'state' keeps the graph
}

double summed_bad(std::vector<torch::nn::Linear> &layers, torch::Tensor x) {
  torch::Tensor total = torch::zeros({1});
  for (int i = 0; i < 1000; ++i)
    total = total + layers[i % 4](x).sum(); // expect: ml-loss-accumulation: 'total' keeps the graph
  return total.item<double>();
}
