// A model and its optimizer, in a struct that a function makes.
#include <torch/torch.h>

#include <memory>

struct Pack {
  torch::nn::Linear model{nullptr};
  std::shared_ptr<torch::optim::Optimizer> optimizer;
};

static Pack create() {
  Pack pack;
  pack.model = torch::nn::Linear(4, 1);
  pack.optimizer = std::make_shared<torch::optim::SGD>(pack.model->parameters(), 0.1);
  return pack;
}

static void step(Pack &pack, torch::Tensor x) {
  pack.optimizer->zero_grad();
  auto loss = pack.model(x).pow(2).mean();
  loss.backward();
  pack.optimizer->step();
}

void returned_ok(torch::Tensor x) {
  auto pack = create();
  for (int i = 0; i < 10; ++i)
    step(pack, x);
}

void replaced_bad(torch::Tensor x) {
  auto pack = create();
  pack.model = torch::nn::Linear(4, 1); // expect: ml-stale-parameters: 'pack.model' is replaced, but the optimizer still has the parameters of the old one
  for (int i = 0; i < 10; ++i)
    step(pack, x);
}
