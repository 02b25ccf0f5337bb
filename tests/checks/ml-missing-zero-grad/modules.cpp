// However the module is held, and where there is none.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() { hidden = register_module("hidden", torch::nn::Linear(4, 1)); }
  torch::Tensor forward(torch::Tensor x) { return torch::sigmoid(hidden(x)); }
  torch::nn::Linear hidden{nullptr};
};
TORCH_MODULE(Net);

void by_value_bad(torch::Tensor x, torch::Tensor y) {
  NetImpl net;
  torch::optim::SGD optimizer(net.parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    torch::mse_loss(net.forward(x), y).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}

void by_value_ok(torch::Tensor x, torch::Tensor y) {
  NetImpl net;
  torch::optim::SGD optimizer(net.parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    net.zero_grad();
    torch::mse_loss(net.forward(x), y).backward();
    optimizer.step();
  }
}

void shared_pointer_bad(torch::Tensor x, torch::Tensor y) {
  auto net = std::make_shared<NetImpl>();
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    torch::mse_loss(net->forward(x), y).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}

void shared_pointer_ok(torch::Tensor x, torch::Tensor y) {
  auto net = std::make_shared<NetImpl>();
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    net->zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    optimizer.step();
  }
}

void holder_bad(torch::Tensor x, torch::Tensor y) {
  Net net;
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    torch::mse_loss(net(x), y).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}

void holder_ok(torch::Tensor x, torch::Tensor y) {
  Net net;
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    net->zero_grad();
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
  }
}

void reference_bad(NetImpl &net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net.parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    torch::mse_loss(net.forward(x), y).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}

void reference_to_the_held_ok(Net net, torch::Tensor x, torch::Tensor y) {
  auto &inner = *net;
  torch::optim::SGD optimizer(inner.parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    net->zero_grad();
    torch::mse_loss(inner.forward(x), y).backward();
    optimizer.step();
  }
}

void copied_holder_ok(Net net, torch::Tensor x, torch::Tensor y) {
  Net same = net;
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    same->zero_grad();
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
  }
}

void sequential_bad(torch::Tensor x, torch::Tensor y) {
  torch::nn::Sequential net(torch::nn::Linear(4, 8), torch::nn::ReLU(), torch::nn::Linear(8, 1));
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    torch::mse_loss(net->forward(x), y).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}

void sequential_ok(torch::Tensor x, torch::Tensor y) {
  torch::nn::Sequential net(torch::nn::Linear(4, 8), torch::nn::ReLU(), torch::nn::Linear(8, 1));
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    net->zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    optimizer.step();
  }
}

void elements_ok(std::vector<Net> &nets, std::vector<torch::Tensor> params, torch::Tensor x,
                 torch::Tensor y) {
  torch::optim::SGD optimizer(params, 0.1);
  for (int i = 0; i < 100; ++i) {
    for (auto &net : nets)
      net->zero_grad();
    torch::mse_loss(nets[0](x), y).backward();
    optimizer.step();
  }
}

void submodule_only_bad(Net net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  torch::nn::Linear other(4, 1);
  for (int i = 0; i < 100; ++i) {
    other->zero_grad(); // Another module.
    torch::mse_loss(net(x), y).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}

void leaf_tensors_bad(torch::Tensor x, torch::Tensor y) {
  auto weight = torch::zeros({4, 1}).requires_grad_();
  torch::optim::SGD optimizer({weight}, 0.1);
  for (int i = 0; i < 100; ++i) {
    torch::mse_loss(x * weight, y).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}

void leaf_tensors_ok(torch::Tensor x, torch::Tensor y) {
  auto weight = torch::zeros({4, 1}).requires_grad_();
  torch::optim::SGD optimizer({weight}, 0.1);
  for (int i = 0; i < 100; ++i) {
    torch::mse_loss(x * weight, y).backward();
    optimizer.step();
    weight.mutable_grad() = torch::Tensor();
  }
}

void two_modules_one_optimizer_bad(Net encoder, Net decoder, torch::Tensor x, torch::Tensor y) {
  auto parameters = encoder->parameters();
  for (auto &parameter : decoder->parameters())
    parameters.push_back(parameter);
  torch::optim::Adam optimizer(parameters);
  for (int i = 0; i < 100; ++i) {
    torch::mse_loss(decoder(encoder(x)), y).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}

void two_modules_one_optimizer_ok(Net encoder, Net decoder, torch::Tensor x, torch::Tensor y) {
  auto parameters = encoder->parameters();
  auto more = decoder->parameters();
  parameters.insert(parameters.end(), more.begin(), more.end());
  torch::optim::Adam optimizer(parameters);
  for (int i = 0; i < 100; ++i) {
    encoder->zero_grad();
    decoder->zero_grad();
    torch::mse_loss(decoder(encoder(x)), y).backward();
    optimizer.step();
  }
}

void only_one_of_two_modules_cleared_bad(Net encoder, Net decoder, torch::Tensor x,
                                         torch::Tensor y) {
  auto parameters = encoder->parameters();
  auto more = decoder->parameters();
  parameters.insert(parameters.end(), more.begin(), more.end());
  torch::optim::Adam optimizer(parameters);
  for (int i = 0; i < 100; ++i) {
    encoder->zero_grad();
    torch::mse_loss(decoder(encoder(x)), y).backward();
    optimizer.step(); // miss: ml-missing-zero-grad: the parts of an optimizer are not told apart
  }
}

template <typename Model> void template_bad(Model &model, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    torch::mse_loss(model->forward(x), y).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}
void instantiates(torch::Tensor x, torch::Tensor y) {
  Net net;
  template_bad(net, x, y);
  torch::nn::Linear linear(4, 1);
  template_bad(linear, x, y);
}

// The members of an object that no constructor of the user makes.
struct Trainer {
  void train_bad(int epochs, torch::Tensor x) {
    torch::optim::Adam optimizer(model->parameters(), 1e-3);
    for (int epoch = 0; epoch < epochs; ++epoch) {
      model->forward(x).mean().backward();
      optimizer.step(); // expect: ml-missing-zero-grad
    }
  }
  torch::nn::Linear model{2, 2};
};
void train_with_trainer(torch::Tensor x) {
  Trainer trainer;
  trainer.train_bad(3, x);
}
