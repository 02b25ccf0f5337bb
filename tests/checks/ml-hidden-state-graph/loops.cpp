// States that are handed from one round to the next.
#include <torch/torch.h>

using Optimizer = torch::optim::Optimizer;
using Tensors = std::vector<torch::Tensor>;

void structured_bad(torch::nn::GRU gru, Optimizer &optimizer, const Tensors &inputs) {
  auto h = torch::zeros({1, 8, 16});
  for (const auto &x : inputs) {
    auto [output, next] = gru(x, h); // expect: ml-hidden-state-graph: 'h' still has the graph of the last round
    auto loss = output.pow(2).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    h = next;
  }
}

void tied_bad(torch::nn::GRU gru, Optimizer &optimizer, const Tensors &inputs) {
  torch::Tensor output, h = torch::zeros({1, 8, 16});
  for (size_t i = 0; i < inputs.size(); ++i) {
    optimizer.zero_grad();
    std::tie(output, h) = gru->forward(inputs[i], h); // expect: ml-hidden-state-graph
    output.pow(2).mean().backward();
    optimizer.step();
  }
}

void cell_bad(torch::nn::GRUCell cell, Optimizer &optimizer, const Tensors &inputs) {
  torch::Tensor h = torch::zeros({8, 16});
  for (const auto &x : inputs) {
    optimizer.zero_grad();
    h = cell(x, h); // expect: ml-hidden-state-graph
    h.pow(2).mean().backward();
    optimizer.step();
  }
}

void epochs_bad(torch::nn::GRUCell cell, Optimizer &optimizer, const Tensors &inputs) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    auto h = torch::zeros({8, 16});
    for (const auto &x : inputs) {
      h = cell(x, h); // expect: ml-hidden-state-graph
      auto loss = h.pow(2).mean();
      optimizer.zero_grad();
      loss.backward();
      optimizer.step();
    }
  }
}

void pair_of_states_bad(torch::nn::LSTM lstm, Optimizer &optimizer, const Tensors &inputs) {
  auto h = torch::zeros({1, 8, 16}), c = torch::zeros({1, 8, 16});
  for (const auto &x : inputs) {
    auto [output, state] = lstm(x, std::make_tuple(h, c)); // expect: ml-hidden-state-graph
    std::tie(h, c) = state;
    optimizer.zero_grad();
    output.pow(2).mean().backward();
    optimizer.step();
  }
}

void tuple_of_states_bad(torch::nn::LSTM lstm, Optimizer &optimizer, const Tensors &inputs) {
  std::tuple<torch::Tensor, torch::Tensor> state =
      std::make_tuple(torch::zeros({1, 8, 16}), torch::zeros({1, 8, 16}));
  for (const auto &x : inputs) {
    auto result = lstm->forward(x, state); // expect: ml-hidden-state-graph (no fix)
    state = std::get<1>(result);
    optimizer.zero_grad();
    std::get<0>(result).pow(2).mean().backward();
    optimizer.step();
  }
}

void one_of_two_detached_bad(torch::nn::LSTM lstm, Optimizer &optimizer, const Tensors &inputs) {
  auto h = torch::zeros({1, 8, 16}), c = torch::zeros({1, 8, 16});
  for (const auto &x : inputs) {
    auto [output, state] = lstm(x, std::make_tuple(h, c)); // expect: ml-hidden-state-graph
    h = std::get<0>(state).detach();
    c = std::get<1>(state);
    optimizer.zero_grad();
    output.pow(2).mean().backward();
    optimizer.step();
  }
}

void retained_bad(torch::nn::GRUCell cell, Optimizer &optimizer, const Tensors &inputs) {
  auto h = torch::zeros({8, 16});
  for (const auto &x : inputs) {
    h = cell(x, h); // expect: ml-hidden-state-graph (level 1): goes through all of them
    auto loss = h.pow(2).mean();
    optimizer.zero_grad();
    loss.backward({}, true);
    optimizer.step();
  }
}

void window_in_each_round_bad(torch::nn::GRUCell cell, Optimizer &optimizer,
                              const std::vector<Tensors> &windows) {
  auto h = torch::zeros({8, 16});
  for (const auto &window : windows) {
    auto loss = torch::zeros({});
    for (const auto &x : window) {
      h = cell(x, h); // miss: ml-hidden-state-graph: the rounds of the inner loop are one graph
      loss = loss + h.pow(2).mean();
    }
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

void detached_ok(torch::nn::GRU gru, Optimizer &optimizer, const Tensors &inputs) {
  auto h = torch::zeros({1, 8, 16});
  for (const auto &x : inputs) {
    auto [output, next] = gru(x, h);
    optimizer.zero_grad();
    output.pow(2).mean().backward();
    optimizer.step();
    h = next.detach();
  }
}

void detached_before_ok(torch::nn::GRUCell cell, Optimizer &optimizer, const Tensors &inputs) {
  auto h = torch::zeros({8, 16});
  for (const auto &x : inputs) {
    h = h.detach();
    h = cell(x, h);
    optimizer.zero_grad();
    h.pow(2).mean().backward();
    optimizer.step();
  }
}

void detached_in_place_ok(torch::nn::GRUCell cell, Optimizer &optimizer, const Tensors &inputs) {
  auto h = torch::zeros({8, 16});
  for (const auto &x : inputs) {
    h = cell(x, h);
    optimizer.zero_grad();
    h.pow(2).mean().backward();
    optimizer.step();
    h.detach_();
  }
}

void both_detached_ok(torch::nn::LSTM lstm, Optimizer &optimizer, const Tensors &inputs) {
  auto h = torch::zeros({1, 8, 16}), c = torch::zeros({1, 8, 16});
  for (const auto &x : inputs) {
    auto [output, state] = lstm(x, std::make_tuple(h, c));
    optimizer.zero_grad();
    output.pow(2).mean().backward();
    optimizer.step();
    h = std::get<0>(state).detach();
    c = std::get<1>(state).detach();
  }
}

void parts_of_a_tuple_detached_ok(torch::nn::LSTM lstm, Optimizer &optimizer,
                                  const Tensors &inputs) {
  auto state = std::make_tuple(torch::zeros({1, 8, 16}), torch::zeros({1, 8, 16}));
  for (const auto &x : inputs) {
    auto result = lstm->forward(x, state);
    state = std::get<1>(result);
    std::get<0>(state) = std::get<0>(state).detach();
    std::get<1>(state) = std::get<1>(state).detach();
    optimizer.zero_grad();
    std::get<0>(result).pow(2).mean().backward();
    optimizer.step();
  }
}

void parts_detached_in_place_ok(torch::nn::LSTM lstm, Optimizer &optimizer,
                                const Tensors &inputs) {
  auto state = std::make_tuple(torch::zeros({1, 8, 16}), torch::zeros({1, 8, 16}));
  for (const auto &x : inputs) {
    std::get<0>(state).detach_();
    std::get<1>(state).detach_();
    torch::Tensor output;
    std::tie(output, state) = lstm->forward(x, state);
    optimizer.zero_grad();
    output.pow(2).mean().backward();
    optimizer.step();
  }
}

void anew_each_time_ok(torch::nn::GRUCell cell, Optimizer &optimizer, const Tensors &inputs) {
  for (const auto &x : inputs) {
    auto h = torch::zeros({8, 16});
    for (int t = 0; t < 10; ++t)
      h = cell(x, h);
    optimizer.zero_grad();
    h.pow(2).mean().backward();
    optimizer.step();
  }
}

void assigned_anew_ok(torch::nn::GRUCell cell, Optimizer &optimizer, const Tensors &inputs) {
  torch::Tensor h;
  for (const auto &x : inputs) {
    h = torch::zeros({8, 16});
    h = cell(x, h);
    optimizer.zero_grad();
    h.pow(2).mean().backward();
    optimizer.step();
  }
}

void one_backward_over_all_ok(torch::nn::GRUCell cell, Optimizer &optimizer,
                              const Tensors &inputs) {
  auto h = torch::zeros({8, 16}), loss = torch::zeros({});
  for (const auto &x : inputs) {
    h = cell(x, h);
    loss = loss + h.pow(2).mean();
  }
  optimizer.zero_grad();
  loss.backward();
  optimizer.step();
}

void truncated_ok(torch::nn::GRUCell cell, Optimizer &optimizer, const Tensors &inputs) {
  auto h = torch::zeros({8, 16}), loss = torch::zeros({});
  for (size_t i = 0; i < inputs.size(); ++i) {
    h = cell(inputs[i], h);
    loss = loss + h.pow(2).mean();
    if ((i + 1) % 20 == 0) {
      optimizer.zero_grad();
      loss.backward();
      optimizer.step();
      h = h.detach();
      loss = torch::zeros({});
    }
  }
}

void now_and_then_anew_ok(torch::nn::GRUCell cell, Optimizer &optimizer, const Tensors &inputs) {
  torch::Tensor h;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i % 4 == 0)
      h = torch::zeros({8, 16});
    h = cell(inputs[i], h);
    if (i % 4 == 3) {
      optimizer.zero_grad();
      h.pow(2).mean().backward();
      optimizer.step();
    }
  }
}

void evaluation_ok(torch::nn::GRUCell cell, const Tensors &inputs) {
  torch::NoGradGuard guard;
  auto h = torch::zeros({8, 16});
  for (const auto &x : inputs)
    h = cell(x, h);
}

void only_looked_at_ok(torch::nn::GRUCell cell, torch::nn::Linear other, Optimizer &optimizer,
                       const Tensors &inputs) {
  auto h = torch::zeros({8, 16});
  for (const auto &x : inputs) {
    h = cell(x, h);
    optimizer.zero_grad();
    other(x).mean().backward();
    optimizer.step();
  }
}

void logged_ok(torch::nn::GRUCell cell, torch::nn::Linear other, const Tensors &inputs) {
  for (const auto &x : inputs) {
    auto h = cell(x, torch::zeros({8, 16}));
    h.mean().backward();
    std::printf("%f\n", other(h).mean().item<double>());
  }
}

std::tuple<torch::Tensor, torch::Tensor> repackage(std::tuple<torch::Tensor, torch::Tensor> state) {
  return {std::get<0>(state).detach(), std::get<1>(state).detach()};
}
void repackaged_ok(torch::nn::LSTM lstm, Optimizer &optimizer, const Tensors &inputs) {
  auto state = std::make_tuple(torch::zeros({1, 8, 16}), torch::zeros({1, 8, 16}));
  for (const auto &x : inputs) {
    state = repackage(state);
    auto [output, next] = lstm(x, state);
    optimizer.zero_grad();
    output.pow(2).mean().backward();
    optimizer.step();
    state = next;
  }
}

std::tuple<torch::Tensor, torch::Tensor> unseen(std::tuple<torch::Tensor, torch::Tensor> state);
void unseen_code_ok(torch::nn::LSTM lstm, Optimizer &optimizer, const Tensors &inputs) {
  auto state = std::make_tuple(torch::zeros({1, 8, 16}), torch::zeros({1, 8, 16}));
  for (const auto &x : inputs) {
    auto [output, next] = lstm(x, state);
    optimizer.zero_grad();
    output.pow(2).mean().backward();
    optimizer.step();
    state = unseen(next);
  }
}

void swapped_ok(torch::nn::GRUCell cell, Optimizer &optimizer, const Tensors &inputs) {
  auto a = torch::zeros({8, 16}), b = torch::zeros({8, 16});
  for (const auto &x : inputs) {
    std::swap(a, b);
    auto h = cell(x, a.detach());
    h.mean().backward();
    b = h;
  }
}
