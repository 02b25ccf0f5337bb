// Training and evaluation in one program: modules start in training mode and return to it.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() {
    hidden = register_module("hidden", torch::nn::Linear(784, 64));
    dropout = register_module("dropout", torch::nn::Dropout(0.5));
    output = register_module("output", torch::nn::Linear(64, 10));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = dropout(torch::relu(hidden(x.view({-1, 784}))));
    return torch::log_softmax(output(x), 1);
  }
  torch::nn::Linear hidden{nullptr}, output{nullptr};
  torch::nn::Dropout dropout{nullptr};
};
TORCH_MODULE(Net);

auto makeLoader(torch::data::datasets::MNIST::Mode mode) {
  return torch::data::make_data_loader(
      torch::data::datasets::MNIST("data", mode).map(torch::data::transforms::Stack<>()), 64);
}
const auto train = torch::data::datasets::MNIST::Mode::kTrain;
const auto test = torch::data::datasets::MNIST::Mode::kTest;

void test_after_training_bad() {
  auto trainLoader = makeLoader(train), testLoader = makeLoader(test);
  Net net;
  torch::optim::Adam optimizer(net->parameters());
  for (auto &batch : *trainLoader) {
    optimizer.zero_grad();
    torch::nll_loss(net(batch.data), batch.target).backward();
    optimizer.step();
  }
  torch::NoGradGuard noGrad;
  int64_t correct = 0;
  for (auto &batch : *testLoader) {
    auto predicted = net(batch.data).argmax(1); // expect: ml-missing-eval-mode
    correct += predicted.eq(batch.target).sum().item<int64_t>();
  }
}

void test_after_training_ok() {
  auto trainLoader = makeLoader(train), testLoader = makeLoader(test);
  Net net;
  torch::optim::Adam optimizer(net->parameters());
  for (auto &batch : *trainLoader) {
    optimizer.zero_grad();
    torch::nll_loss(net(batch.data), batch.target).backward();
    optimizer.step();
  }
  torch::NoGradGuard noGrad;
  net->eval();
  int64_t correct = 0;
  for (auto &batch : *testLoader) {
    auto predicted = net(batch.data).argmax(1);
    correct += predicted.eq(batch.target).sum().item<int64_t>();
  }
}

void validation_in_every_epoch_bad() {
  auto trainLoader = makeLoader(train), testLoader = makeLoader(test);
  auto net = std::make_shared<NetImpl>();
  torch::optim::Adam optimizer(net->parameters());
  for (int epoch = 0; epoch < 10; ++epoch) {
    net->train();
    for (auto &batch : *trainLoader) {
      optimizer.zero_grad();
      torch::nll_loss(net->forward(batch.data), batch.target).backward();
      optimizer.step();
    }
    torch::NoGradGuard noGrad;
    double validationLoss = 0;
    for (auto &batch : *testLoader) {
      auto output = net->forward(batch.data); // expect: ml-missing-eval-mode
      validationLoss += torch::nll_loss(output, batch.target).item<double>();
    }
  }
}

void validation_in_every_epoch_ok() {
  auto trainLoader = makeLoader(train), testLoader = makeLoader(test);
  auto net = std::make_shared<NetImpl>();
  torch::optim::Adam optimizer(net->parameters());
  for (int epoch = 0; epoch < 10; ++epoch) {
    net->train();
    for (auto &batch : *trainLoader) {
      optimizer.zero_grad();
      torch::nll_loss(net->forward(batch.data), batch.target).backward();
      optimizer.step();
    }
    net->train(false);
    torch::NoGradGuard noGrad;
    double validationLoss = 0;
    for (auto &batch : *testLoader) {
      auto output = net->forward(batch.data);
      validationLoss += torch::nll_loss(output, batch.target).item<double>();
    }
  }
}

// eval() was called, and undone by the training that follows.
void eval_before_the_training_bad() {
  auto trainLoader = makeLoader(train), testLoader = makeLoader(test);
  Net net;
  net->eval();
  torch::optim::Adam optimizer(net->parameters());
  for (int epoch = 0; epoch < 10; ++epoch) {
    net->train();
    for (auto &batch : *trainLoader) {
      optimizer.zero_grad();
      torch::nll_loss(net(batch.data), batch.target).backward();
      optimizer.step();
    }
  }
  torch::NoGradGuard noGrad;
  for (auto &batch : *testLoader)
    auto predicted = net(batch.data).argmax(1); // expect: ml-missing-eval-mode
}

// Both calls come too late.
void eval_after_the_forward_bad() {
  auto testLoader = makeLoader(test);
  Net net;
  torch::load(net, "net.pt");
  torch::NoGradGuard noGrad;
  for (auto &batch : *testLoader) {
    auto predicted = net(batch.data).argmax(1); // expect: ml-missing-eval-mode
    auto accuracy = predicted.eq(batch.target).sum().item<int64_t>();
  }
  net->eval();
}

void loaded_bad(torch::Tensor image) {
  Net net;
  torch::load(net, "net.pt");
  torch::NoGradGuard noGrad;
  auto prediction = net(image).argmax(1); // expect: ml-missing-eval-mode
}

void loaded_ok(torch::Tensor image) {
  Net net;
  torch::load(net, "net.pt");
  net->eval();
  torch::NoGradGuard noGrad;
  auto prediction = net(image).argmax(1);
}

void by_value_bad(torch::Tensor image) {
  NetImpl net;
  torch::NoGradGuard noGrad;
  auto prediction = net.forward(image).argmax(1); // expect: ml-missing-eval-mode
}

void by_value_ok(torch::Tensor image) {
  NetImpl net;
  net.eval();
  torch::NoGradGuard noGrad;
  auto prediction = net.forward(image).argmax(1);
}
