// Lists of tensors that one forward pass gives.
#include <torch/torch.h>

#include <vector>

using torch::Tensor;

struct NetImpl : torch::nn::Module {
  std::vector<Tensor> forward(Tensor x) { return {first(x), second(x)}; }
  torch::nn::Linear first = register_module("first", torch::nn::Linear(2, 2));
  torch::nn::Linear second = register_module("second", torch::nn::Linear(2, 2));
};
TORCH_MODULE(Net);

struct Reference {
  std::vector<Tensor> products;
};

// What a loop goes over is computed once, before its first round.
void once_ok(Net net, const Tensor &style) {
  Reference reference;
  for (const auto &map : net->forward(style))
    reference.products.push_back(map.mm(map.t()));
}

void each_bad(Net net, const std::vector<Tensor> &styles) {
  Reference reference;
  for (const auto &style : styles)
    reference.products.push_back(net->forward(style)[0]); // expect: ml-loss-accumulation
}
