// One guard that is missing is one finding.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  torch::nn::Linear layer = register_module("layer", torch::nn::Linear(4, 2));
  torch::Tensor forward(torch::Tensor x) { return layer(x); }
};
TORCH_MODULE(Net);
struct Loss : torch::nn::Module {
  explicit Loss(torch::Tensor anchors) : anchors(anchors) {}
  torch::Tensor forward(torch::Tensor x, torch::Tensor y) { return torch::mse_loss(x, y * anchors); }
  torch::Tensor anchors;
};
// A loss whose weights are learned.
struct WeightedLoss : torch::nn::Module {
  WeightedLoss() { weight = register_parameter("weight", torch::ones({2})); }
  torch::Tensor forward(torch::Tensor x, torch::Tensor y) { return torch::mse_loss(x, y * weight); }
  torch::Tensor weight;
};

void validate_bad(Net &net, Loss &loss, torch::Tensor x, torch::Tensor y) {
  auto output = net->forward(x); // expect: ml-missing-no-grad (level 1)
  std::cout << loss.forward(output, y).item<float>();
}
void loss_alone_bad(WeightedLoss &loss, torch::Tensor x, torch::Tensor y) {
  std::cout << loss.forward(x, y).item<float>(); // expect: ml-missing-no-grad (level 1)
}
void encode_and_decode_bad(Net &encoder, Net &decoder, torch::Tensor x) {
  auto code = encoder->forward(x).relu(); // expect: ml-missing-no-grad (level 1)
  std::cout << decoder->forward(code).sum().item<float>();
}
// Each guard has to end before the training.
void two_models_bad(Net &a, Net &b, torch::optim::SGD &optimizer, torch::Tensor x) {
  {
    std::cout << a->forward(x).sum().item<float>(); // expect: ml-missing-no-grad (level 1)
  }
  {
    std::cout << b->forward(x).sum().item<float>(); // expect: ml-missing-no-grad (level 1)
  }
  optimizer.zero_grad();
  b->forward(x).sum().backward();
  optimizer.step();
}
void behind_the_guard_bad(Net &encoder, Net &decoder, torch::optim::SGD &optimizer,
                          torch::Tensor x) {
  torch::Tensor code;
  {
    code = encoder->forward(x); // expect: ml-missing-no-grad (level 1)
  }
  auto output = decoder->forward(code); // expect: ml-missing-no-grad (no fix) (level 1)
  std::cout << output.sum().item<float>();
  optimizer.zero_grad();
  decoder->forward(x).sum().backward();
  optimizer.step();
}

void swapped_ok(torch::nn::Linear net, torch::Tensor x) {
  torch::Tensor output = net(x), loss;
  std::swap(output, loss);
  loss.mean().backward();
}
