// Batch normalisation in trainings that add gradients up.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() {
    fc = register_module("fc", torch::nn::Linear(4, 8));
    norm = register_module("norm", torch::nn::BatchNorm1d(8));
    head = register_module("head", torch::nn::Linear(8, 1));
  }
  torch::Tensor forward(torch::Tensor x) { return head(torch::relu(norm(fc(x)))); }
  torch::nn::Linear fc{nullptr}, head{nullptr};
  torch::nn::BatchNorm1d norm{nullptr};
};
TORCH_MODULE(Net);

void loader_bad(Net net) {
  torch::optim::Adam optimizer(net->parameters());
  auto loader = torch::data::make_data_loader( // note: a batch has 2 samples
      torch::data::datasets::MNIST("data").map(torch::data::transforms::Stack<>()),
      torch::data::DataLoaderOptions().batch_size(2));
  const int rounds = 16;
  int i = 0;
  for (auto &batch : *loader) {
    auto output = net(batch.data); // expect: ml-batchnorm-accumulation: statistics from 2 samples
    (torch::mse_loss(output, batch.target) / rounds).backward();
    if (++i % rounds == 0) {
      optimizer.step(); // note: the gradients of several batches add up to this step
      optimizer.zero_grad();
    }
  }
}

void shape_bad() {
  torch::nn::Sequential net(torch::nn::Linear(4, 8), torch::nn::BatchNorm1d(8));
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    auto x = torch::randn({4, 4});                  // note: a batch has 4 samples
    (net->forward(x).pow(2).mean() / 8).backward(); // expect: ml-batchnorm-accumulation: 4 samples
    if (i % 8 == 7) {
      optimizer.step(); // note: the gradients
      optimizer.zero_grad();
    }
  }
}

void inner_bad() {
  torch::nn::Sequential net(torch::nn::Linear(4, 8), torch::nn::BatchNorm1d(8));
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    for (int part = 0; part < 8; ++part) {
      auto x = torch::randn({2, 4});                  // note: a batch has 2 samples
      (net->forward(x).pow(2).mean() / 8).backward(); // expect: ml-batchnorm-accumulation
    }
    optimizer.step(); // note: the gradients
  }
}

// Enough samples.
void large_ok() {
  torch::nn::Sequential net(torch::nn::Linear(4, 8), torch::nn::BatchNorm1d(8));
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    auto x = torch::randn({32, 4});
    (net->forward(x).pow(2).mean() / 8).backward();
    if (i % 8 == 7) {
      optimizer.step();
      optimizer.zero_grad();
    }
  }
}

// Nobody knows how many.
void unknown_ok(const std::vector<torch::Tensor> &inputs) {
  torch::nn::Sequential net(torch::nn::Linear(4, 8), torch::nn::BatchNorm1d(8));
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (size_t i = 0; i < inputs.size(); ++i) {
    (net->forward(inputs[i]).pow(2).mean() / 8).backward();
    if (i % 8 == 7) {
      optimizer.step();
      optimizer.zero_grad();
    }
  }
}

// A step for each batch.
void each_ok() {
  torch::nn::Sequential net(torch::nn::Linear(4, 8), torch::nn::BatchNorm1d(8));
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    auto x = torch::randn({4, 4});
    optimizer.zero_grad();
    net->forward(x).pow(2).mean().backward();
    optimizer.step();
  }
}
void one_ok() {
  torch::nn::Sequential net(torch::nn::Linear(4, 8), torch::nn::BatchNorm1d(8));
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    auto x = torch::randn({4, 4});
    net->forward(x).pow(2).mean().backward();
    if (i % 1 == 0) {
      optimizer.step();
      optimizer.zero_grad();
    }
  }
}

// Norms that do without the batch.
void groups_ok() {
  torch::nn::Sequential net(torch::nn::Linear(4, 8),
                            torch::nn::GroupNorm(torch::nn::GroupNormOptions(2, 8)));
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    auto x = torch::randn({4, 4});
    (net->forward(x).pow(2).mean() / 8).backward();
    if (i % 8 == 7) {
      optimizer.step();
      optimizer.zero_grad();
    }
  }
}

// The norms keep their statistics.
void evaluation_ok() {
  torch::nn::Sequential net(torch::nn::Linear(4, 8), torch::nn::BatchNorm1d(8));
  net->eval();
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    auto x = torch::randn({4, 4});
    (net->forward(x).pow(2).mean() / 8).backward();
    if (i % 8 == 7) {
      optimizer.step();
      optimizer.zero_grad();
    }
  }
}
