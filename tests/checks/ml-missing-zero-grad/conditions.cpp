// What branches make of the order of clear, backward and step.
#include <torch/torch.h>

using Net = torch::nn::Linear;
torch::Tensor lossOf(Net &net);

void not_in_the_first_iteration_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    if (i > 0)
      optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
  }
}

void first_iteration_flag_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  bool first = true;
  for (int i = 0; i < 100; ++i) {
    if (!first)
      optimizer.zero_grad();
    first = false;
    lossOf(net).backward();
    optimizer.step();
  }
}

void under_its_own_condition_ok(Net net, bool fresh) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    if (fresh)
      optimizer.zero_grad();
    lossOf(net).backward();
    optimizer.step();
  }
}

void in_both_branches_ok(Net net, bool whole) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    if (whole)
      optimizer.zero_grad();
    else
      net->zero_grad();
    lossOf(net).backward();
    optimizer.step();
  }
}

void optional_optimizer_ok(Net net, torch::optim::Optimizer *optimizer) {
  for (int i = 0; i < 100; ++i) {
    if (optimizer)
      optimizer->zero_grad();
    auto loss = lossOf(net);
    if (optimizer) {
      loss.backward();
      optimizer->step();
    }
  }
}

void training_flag_ok(Net net, torch::optim::Optimizer &optimizer, bool train) {
  for (int i = 0; i < 100; ++i) {
    if (train)
      optimizer.zero_grad();
    auto loss = lossOf(net);
    if (train) {
      loss.backward();
      optimizer.step();
    }
  }
}

void training_flag_bad(Net net, torch::optim::Optimizer &optimizer, bool train) {
  for (int i = 0; i < 100; ++i) {
    auto loss = lossOf(net);
    if (train) {
      loss.backward();
      optimizer.step(); // expect: ml-missing-zero-grad
    }
  }
}

void skipped_batch_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto loss = lossOf(net);
    if (loss.item<double>() > 1e3)
      continue;
    loss.backward();
    optimizer.step();
  }
}

// The clear is left out on the way round.
void clear_is_skipped_bad(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    auto loss = lossOf(net);
    loss.backward();
    optimizer.step(); // miss: ml-missing-zero-grad: a clear under a condition may be the right one
    if (loss.item<double>() > 1e3)
      continue;
    optimizer.zero_grad();
  }
}

void early_exit_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    lossOf(net).backward();
    optimizer.step();
    if (i == 50)
      break;
    optimizer.zero_grad();
  }
}

void early_return_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    auto loss = lossOf(net);
    loss.backward();
    optimizer.step();
    if (loss.item<double>() < 0.01)
      return;
    optimizer.zero_grad();
  }
}

void breaks_after_the_step_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    if (i < 50)
      continue;
    lossOf(net).backward();
    optimizer.step();
    break;
  }
}

void switch_ok(Net net, int phase) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    switch (phase) {
    case 0:
      optimizer.zero_grad();
      break;
    default:
      net->zero_grad();
    }
    lossOf(net).backward();
    optimizer.step();
  }
}

void conditional_operator_ok(Net net, torch::Tensor x, torch::Tensor y, bool square) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    auto loss = square ? torch::mse_loss(net(x), y) : torch::nll_loss(net(x), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

void conditional_operator_bad(Net net, torch::Tensor x, torch::Tensor y, bool square) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    auto loss = square ? torch::mse_loss(net(x), y) : torch::nll_loss(net(x), y);
    loss.backward();
    optimizer.step(); // expect: ml-missing-zero-grad
  }
}

void exception_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    try {
      optimizer.zero_grad();
      lossOf(net).backward();
      optimizer.step();
    } catch (...) {
      continue;
    }
  }
}

// Two names of one condition.
void same_condition_twice_bad(Net net, bool train) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    auto loss = lossOf(net);
    if (!train)
      optimizer.zero_grad();
    if (train) {
      loss.backward();
      optimizer.step(); // expect: ml-missing-zero-grad
    }
  }
}
