// Who moves his batches to the device he was given was also given a model that is there.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl();
  void init();
  torch::Tensor forward(torch::Tensor x);
  torch::Tensor forward(torch::Tensor x, torch::Tensor lengths);
};
TORCH_MODULE(Net);
struct Loss {
  torch::Tensor operator()(torch::Tensor x, torch::Tensor y);
};
using Batch = std::tuple<torch::Tensor, torch::Tensor>;
struct Loader {
  bool operator()(Batch &batch);
};
void validate(Net &net, torch::Device &device);

void train_bad(Net &net, Loader &loader, torch::Device &device) {
  Batch batch;
  Loss loss;
  for (int epoch = 0; epoch < 10; ++epoch) {
    if (epoch > 0)
      torch::load(net, "net.pt", device);
    else
      net->init();
    while (loader(batch)) {
      auto x = std::get<0>(batch);
      auto y = std::get<1>(batch).to(device);
      auto output = net->forward(x); // expect: ml-device-mismatch
      loss(output, y).backward();
    }
    validate(net, device);
  }
}
void train_ok(Net &net, Loader &loader, torch::Device &device) {
  Batch batch;
  Loss loss;
  while (loader(batch)) {
    auto x = std::get<0>(batch).to(device);
    auto y = std::get<1>(batch).to(device);
    loss(net->forward(x), y).backward();
  }
}

// Nobody says that the model is on a GPU.
void train_nowhere_ok(Net &net, Loader &loader) {
  Batch batch;
  Loss loss;
  while (loader(batch))
    loss(net->forward(std::get<0>(batch)), std::get<1>(batch)).backward();
}

// Lengths of packed sequences have to be on the host.
void lengths_ok(Net &net, Loader &loader, torch::Device &device) {
  Batch batch;
  while (loader(batch)) {
    auto x = std::get<0>(batch).to(device);
    auto lengths = std::get<1>(batch) - 1;
    net->forward(x, lengths).sum().backward();
  }
}

// Who asks where tensors are puts others there.
torch::Tensor asked_ok(torch::Tensor x, torch::Tensor y) {
  auto a = torch::zeros({4});
  if (x.is_cuda())
    a = a.cuda();
  auto b = torch::zeros({4});
  if (y.is_cuda())
    b = b.cuda();
  return a + b;
}
