// Evaluation between epochs: training goes on in evaluation mode unless somebody calls train().
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() {
    hidden = register_module("hidden", torch::nn::Linear(4, 8));
    norm = register_module("norm", torch::nn::BatchNorm1d(8));
    dropout = register_module("dropout", torch::nn::Dropout(0.5));
  }
  torch::Tensor forward(torch::Tensor x) { return dropout(norm(hidden(x))); }
  torch::nn::Linear hidden{nullptr};
  torch::nn::BatchNorm1d norm{nullptr};
  torch::nn::Dropout dropout{nullptr};
};
TORCH_MODULE(Net);
struct Batch {
  torch::Tensor data, target;
};
using Batches = std::vector<Batch>;
using Optimizer = torch::optim::Optimizer;

void never_bad(Net net, Optimizer &optimizer, const Batches &batches, const Batches &validation) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    for (const auto &batch : batches) {
      optimizer.zero_grad();
      torch::mse_loss(net(batch.data), batch.target).backward();
      optimizer.step();
    }
    net->eval(); // expect: ml-train-mode-not-restored
    torch::NoGradGuard noGrad;
    for (const auto &batch : validation)
      torch::mse_loss(net(batch.data), batch.target).item<double>();
  }
}

void at_the_top_ok(Net net, Optimizer &optimizer, const Batches &batches,
                   const Batches &validation) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    net->train();
    for (const auto &batch : batches) {
      optimizer.zero_grad();
      torch::mse_loss(net(batch.data), batch.target).backward();
      optimizer.step();
    }
    net->eval();
    torch::NoGradGuard noGrad;
    for (const auto &batch : validation)
      torch::mse_loss(net(batch.data), batch.target).item<double>();
  }
}

void after_the_validation_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    optimizer.zero_grad();
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
    {
      torch::NoGradGuard noGrad;
      net->eval();
      torch::mse_loss(net(x), y).item<double>();
    }
    net->train();
  }
}

void with_an_argument_bad(NetImpl &net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    optimizer.zero_grad();
    torch::mse_loss(net.forward(x), y).backward();
    optimizer.step();
    net.train(false); // expect: ml-train-mode-not-restored
    torch::NoGradGuard noGrad;
    torch::mse_loss(net.forward(x), y).item<double>();
  }
}

// Before the loop is too early.
void once_before_the_loop_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  net->train();
  for (int epoch = 0; epoch < 10; ++epoch) {
    optimizer.zero_grad();
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
    net->eval(); // expect: ml-train-mode-not-restored
    torch::NoGradGuard noGrad;
    torch::mse_loss(net(x), y).item<double>();
  }
}

void every_tenth_epoch_bad(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 100; ++epoch) {
    optimizer.zero_grad();
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
    if (epoch % 10 == 0) {
      net->eval(); // expect: ml-train-mode-not-restored
      torch::NoGradGuard noGrad;
      torch::mse_loss(net(x), y).item<double>();
    }
  }
}

void every_tenth_epoch_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 100; ++epoch) {
    optimizer.zero_grad();
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
    if (epoch % 10 == 0) {
      net->eval();
      torch::NoGradGuard noGrad;
      torch::mse_loss(net(x), y).item<double>();
      net->train();
    }
  }
}

// Restored at the top of the epoch; the other batches of this one run in evaluation mode.
void within_the_epoch_bad(Net net, Optimizer &optimizer, const Batches &batches) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    net->train();
    for (size_t i = 0; i < batches.size(); ++i) {
      optimizer.zero_grad();
      torch::mse_loss(net(batches[i].data), batches[i].target).backward();
      optimizer.step();
      if (i % 100 == 0) {
        net->eval(); // expect: ml-train-mode-not-restored
        torch::NoGradGuard noGrad;
        torch::mse_loss(net(batches[0].data), batches[0].target).item<double>();
      }
    }
  }
}

void of_another_module_bad(Net net, Net other, Optimizer &optimizer, torch::Tensor x,
                           torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    other->train();
    optimizer.zero_grad();
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
    net->eval(); // expect: ml-train-mode-not-restored
    torch::NoGradGuard noGrad;
    torch::mse_loss(net(x), y).item<double>();
  }
}

void restored_as_it_was_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    optimizer.zero_grad();
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
    torch::NoGradGuard noGrad;
    const bool was = net->is_training();
    net->eval();
    torch::mse_loss(net(x), y).item<double>();
    net->train(was);
  }
}

// Nothing is trained afterwards.
void early_stop_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(x), y);
    loss.backward();
    optimizer.step();
    if (loss.item<double>() < 0.01) {
      net->eval();
      torch::NoGradGuard noGrad;
      torch::mse_loss(net(x), y).item<double>();
      break;
    }
  }
}

void after_the_training_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    optimizer.zero_grad();
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
  }
  net->eval();
  torch::NoGradGuard noGrad;
  for (int i = 0; i < 10; ++i)
    torch::mse_loss(net(x), y).item<double>();
}

void only_evaluation_ok(Net net, const Batches &batches) {
  torch::NoGradGuard noGrad;
  for (const auto &batch : batches) {
    net->eval();
    torch::mse_loss(net(batch.data), batch.target).item<double>();
  }
}
