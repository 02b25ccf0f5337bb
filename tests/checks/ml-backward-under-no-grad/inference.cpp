// What is made under a guard for inference cannot be saved for a backward.
#include <torch/torch.h>

using torch::Tensor;

struct Encoder {
  Tensor encode(const Tensor &x) {
    torch::InferenceMode guard; // expect: ml-backward-under-no-grad (no fix)
    return net->forward(x).mean(1);
  }
  torch::nn::Sequential net;
};

void head_bad(Encoder &encoder, torch::nn::Linear head, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(head->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    auto features = encoder.encode(x);
    optimizer.zero_grad();
    auto loss = torch::mse_loss(head->forward(features), y);
    loss.backward();
    optimizer.step();
  }
}

void view_bad(torch::nn::Sequential net, torch::nn::Linear head, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(head->parameters(), 0.1);
  Tensor features;
  {
    torch::InferenceMode guard; // expect: ml-backward-under-no-grad (no fix)
    features = net->forward(x);
  }
  optimizer.zero_grad();
  torch::mse_loss(head->forward(features.unsqueeze(0)), y).backward();
  optimizer.step();
}

void made_bad(torch::nn::Linear head, Tensor y) {
  torch::optim::SGD optimizer(head->parameters(), 0.1);
  Tensor features;
  {
    torch::InferenceMode guard; // expect: ml-backward-under-no-grad (no fix)
    features = torch::ones({4, 8}).contiguous();
  }
  optimizer.zero_grad();
  torch::mse_loss(head->forward(features), y).backward();
  optimizer.step();
}

void copied_ok(torch::nn::Sequential net, torch::nn::Linear head, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(head->parameters(), 0.1);
  Tensor features;
  {
    torch::InferenceMode guard;
    features = net->forward(x);
  }
  optimizer.zero_grad();
  torch::mse_loss(head->forward(features.clone()), y).backward();
  optimizer.step();
}

void computed_ok(torch::nn::Sequential net, torch::nn::Linear head, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(head->parameters(), 0.1);
  Tensor features;
  {
    torch::InferenceMode guard;
    features = net->forward(x);
  }
  optimizer.zero_grad();
  torch::mse_loss(head->forward(features * 2), y).backward();
  optimizer.step();
}

void noGrad_ok(torch::nn::Sequential net, torch::nn::Linear head, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(head->parameters(), 0.1);
  Tensor features;
  {
    torch::NoGradGuard guard;
    features = net->forward(x);
  }
  optimizer.zero_grad();
  torch::mse_loss(head->forward(features), y).backward();
  optimizer.step();
}

double evaluated_ok(torch::nn::Sequential net, torch::nn::Linear head, Tensor x, Tensor y) {
  torch::InferenceMode guard;
  auto features = net->forward(x);
  return torch::mse_loss(head->forward(features), y).item<double>();
}
