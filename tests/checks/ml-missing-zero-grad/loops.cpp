// Every kind of loop brings the step round again.
#include <torch/torch.h>

void for_bad(torch::nn::Linear net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    auto loss = torch::mse_loss(net(x), y);
    loss.backward();
    optimizer.step(); // expect: ml-missing-zero-grad: gradients left over from before the previous step
  }
}

void for_ok(torch::nn::Linear net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net(x), y);
    loss.backward();
    optimizer.step();
  }
}

void endless_bad(torch::nn::Linear net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (;;) {
    auto loss = torch::mse_loss(net(x), y);
    loss.backward();
    optimizer.step(); // expect: ml-missing-zero-grad
    if (loss.item<double>() < 0.01)
      break;
  }
}

void while_bad(torch::nn::Linear net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  double last = 1;
  while (last > 0.01) {
    auto loss = torch::mse_loss(net(x), y);
    loss.backward();
    optimizer.step(); // expect: ml-missing-zero-grad
    last = loss.item<double>();
  }
}

void while_ok(torch::nn::Linear net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  double last = 1;
  while (last > 0.01) {
    auto loss = torch::mse_loss(net(x), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    last = loss.item<double>();
  }
}

void do_bad(torch::nn::Linear net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  int i = 0;
  do {
    torch::mse_loss(net(x), y).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  } while (++i < 100);
}

void do_ok(torch::nn::Linear net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  int i = 0;
  do {
    optimizer.zero_grad();
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
  } while (++i < 100);
}

void data_loader_bad(torch::nn::Linear net) {
  auto loader = torch::data::make_data_loader(
      torch::data::datasets::MNIST("data").map(torch::data::transforms::Stack<>()), 64);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 10; ++epoch) {
    for (auto &batch : *loader) {
      auto loss = torch::nll_loss(net(batch.data), batch.target);
      loss.backward();
      optimizer.step(); // expect: ml-missing-zero-grad
    }
  }
}

void data_loader_ok(torch::nn::Linear net) {
  auto loader = torch::data::make_data_loader(
      torch::data::datasets::MNIST("data").map(torch::data::transforms::Stack<>()), 64);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 10; ++epoch) {
    for (auto &batch : *loader) {
      optimizer.zero_grad();
      auto loss = torch::nll_loss(net(batch.data), batch.target);
      loss.backward();
      optimizer.step();
    }
  }
}

void cleared_once_per_epoch_bad(torch::nn::Linear net,
                                const std::vector<torch::data::Example<>> &batches) {
  torch::optim::Adam optimizer(net->parameters());
  for (int epoch = 0; epoch < 10; ++epoch) {
    optimizer.zero_grad();
    for (const auto &batch : batches) {
      auto loss = torch::mse_loss(net(batch.data), batch.target);
      loss.backward();
      optimizer.step(); // expect: ml-missing-zero-grad
    }
  }
}

void cleared_before_the_loop_bad(torch::nn::Linear net, torch::Tensor x, torch::Tensor y) {
  torch::optim::Adam optimizer(net->parameters());
  optimizer.zero_grad();
  for (int i = 0; i < 100; ++i) {
    torch::mse_loss(net(x), y).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}

void cleared_after_the_loop_bad(torch::nn::Linear net, torch::Tensor x, torch::Tensor y) {
  torch::optim::Adam optimizer(net->parameters());
  for (int i = 0; i < 100; ++i) {
    torch::mse_loss(net(x), y).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
  optimizer.zero_grad();
}

// The step of one epoch uses what the step of the epoch before has used.
void step_once_per_epoch_bad(torch::nn::Linear net,
                             const std::vector<torch::data::Example<>> &batches) {
  torch::optim::Adam optimizer(net->parameters());
  for (int epoch = 0; epoch < 10; ++epoch) {
    for (const auto &batch : batches)
      torch::mse_loss(net(batch.data), batch.target).backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}

void step_once_per_epoch_ok(torch::nn::Linear net,
                            const std::vector<torch::data::Example<>> &batches) {
  torch::optim::Adam optimizer(net->parameters());
  for (int epoch = 0; epoch < 10; ++epoch) {
    optimizer.zero_grad();
    for (const auto &batch : batches)
      torch::mse_loss(net(batch.data), batch.target).backward();
    optimizer.step();
  }
}

// Clearing right before the step leaves it nothing (that is ml-cleared-gradients), but nothing old
// either.
void cleared_before_the_step_ok(torch::nn::Linear net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    torch::mse_loss(net(x), y).backward();
    optimizer.zero_grad();
    optimizer.step();
  }
}

void no_loop_bad(torch::nn::Linear net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  torch::mse_loss(net(x), y).backward();
  optimizer.step();
  torch::mse_loss(net(x), y).backward();
  optimizer.step(); // expect: ml-missing-zero-grad
}

void one_step_ok(torch::nn::Linear net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  torch::mse_loss(net(x), y).backward();
  optimizer.step();
}

void goto_bad(torch::nn::Linear net, torch::Tensor x, torch::Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  int i = 0;
again:
  net->train();
  torch::mse_loss(net(x), y).backward();
  optimizer.step(); // expect: ml-missing-zero-grad
  if (++i < 100)
    goto again;
}

// Everything is made anew in each round.
void local_to_the_loop_ok(torch::Tensor x, torch::Tensor y) {
  for (double rate : {0.1, 0.01}) {
    torch::nn::Linear net(4, 1);
    torch::optim::SGD optimizer(net->parameters(), rate);
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
  }
}
