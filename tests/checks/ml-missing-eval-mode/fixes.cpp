// Where eval() is put.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() {
    hidden = register_module("hidden", torch::nn::Linear(4, 3));
    dropout = register_module("dropout", torch::nn::Dropout());
  }
  torch::Tensor forward(torch::Tensor x) { return dropout(hidden(x)); }
  torch::nn::Linear hidden{nullptr};
  torch::nn::Dropout dropout{nullptr};
};
TORCH_MODULE(Net);

void predict_bad(torch::Tensor x) {
  Net net;
  torch::load(net, "net.pt");
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1); // expect: ml-missing-eval-mode
}

// In an epoch loop the training mode comes back.
void validate_in_epochs_bad(torch::Tensor x, torch::Tensor y) {
  NetImpl net;
  torch::optim::SGD optimizer(net.parameters(), 0.1);
  for (int epoch = 0; epoch < 10; ++epoch) {
    optimizer.zero_grad();
    torch::nll_loss(net.forward(x), y).backward();
    optimizer.step();
    torch::NoGradGuard noGrad;
    auto prediction = net.forward(x).argmax(1); // expect: ml-missing-eval-mode
  }
}
