// Checkpoints of models in training.
#include <torch/torch.h>

using Net = torch::nn::Linear;
using Tensors = std::vector<torch::Tensor>;

void resumed_bad(Net net, const Tensors &inputs) {
  torch::optim::Adam optimizer(net->parameters(), 1e-3);
  torch::load(net, "model.pt"); // note: the program goes on from one here
  for (int epoch = 0; epoch < 100; ++epoch) {
    for (const auto &x : inputs) {
      optimizer.zero_grad();
      net(x).mean().backward();
      optimizer.step(); // note: the optimizer steps here
    }
    torch::save(net, "model.pt"); // expect: ml-incomplete-checkpoint (level 1): not the state of its optimizer
  }
}

void resumed_if_wanted_bad(Net net, const Tensors &inputs, bool resume, int every) {
  torch::optim::AdamW optimizer(net->parameters(), 1e-3);
  if (resume)
    torch::load(net, "model.pt"); // note: the program goes on from one here
  for (int epoch = 0; epoch < 100; ++epoch) {
    for (const auto &x : inputs) {
      optimizer.zero_grad();
      net(x).mean().backward();
      optimizer.step(); // note: the optimizer steps here
    }
    if (epoch % every == 0)
      torch::save(net, "epoch-" + std::to_string(epoch) + ".pt"); // expect: ml-incomplete-checkpoint (level 1)
  }
}

void not_resumed_bad(Net net, const Tensors &inputs) {
  torch::optim::Adam optimizer(net->parameters(), 1e-3);
  for (int epoch = 0; epoch < 100; ++epoch) {
    for (const auto &x : inputs) {
      optimizer.zero_grad();
      net(x).mean().backward();
      optimizer.step(); // note: the optimizer steps here
    }
    torch::save(net, "model.pt"); // expect: ml-incomplete-checkpoint (level 2)
  }
}

void at_the_end_ok(Net net, const Tensors &inputs) {
  torch::optim::Adam optimizer(net->parameters(), 1e-3);
  for (const auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
  }
  torch::save(net, "model.pt");
}

void best_ok(Net net, const Tensors &inputs) {
  torch::optim::Adam optimizer(net->parameters(), 1e-3);
  double best = 1e9;
  for (const auto &x : inputs) {
    optimizer.zero_grad();
    auto loss = net(x).mean();
    loss.backward();
    optimizer.step();
    if (loss.item<double>() < best) {
      best = loss.item<double>();
      torch::save(net, "best.pt");
    }
  }
}

void sgd_ok(Net net, const Tensors &inputs) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  torch::load(net, "model.pt");
  for (const auto &x : inputs) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
    torch::save(net, "model.pt");
  }
}

void tensors_ok(Net net, const Tensors &inputs) {
  torch::optim::Adam optimizer(net->parameters(), 1e-3);
  for (const auto &x : inputs) {
    optimizer.zero_grad();
    auto output = net(x);
    output.mean().backward();
    optimizer.step();
    torch::save(output, "output.pt");
  }
}

void evaluated_ok(Net net, const Tensors &inputs) {
  torch::load(net, "model.pt");
  for (const auto &x : inputs)
    torch::save(net, "copy.pt");
}
