// The notes tell what was there before, and what the file holds.
#include <torch/torch.h>

#include <string>
#include <vector>

void saved_before_bad(torch::Tensor x) {
  std::vector<torch::Tensor> state = {x};
  torch::save(state, "state.pt"); // note: there are some from here
  torch::load(state, "state.pt"); // expect: ml-load-mismatch
  state[0].print();
}

void in_a_loop_bad(const std::vector<std::string> &files) {
  std::vector<torch::Tensor> sample;
  for (const auto &file : files) {
    torch::load(sample, file); // expect: ml-load-mismatch // note: of the round before
    sample[0].print();
  }
}

void module_bad(torch::Tensor x) {
  torch::nn::Linear net(4, 1), half(4, 1);
  torch::save(net, "float.pt");     // note: the file is saved here
  half->to(torch::kHalf);           // note: they were made so here
  torch::load(half, "float.pt");    // expect: ml-load-mismatch
  half(x.to(torch::kHalf)).print(); // note: the module is used here
}
