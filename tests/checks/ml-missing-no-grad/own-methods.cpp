// Methods of a module that run its forward pass for themselves: the guard belongs there.
#include <torch/torch.h>

#include <utility>
#include <vector>

using torch::Tensor;

struct WriterImpl : torch::nn::Module {
  WriterImpl() { layer = register_module("layer", torch::nn::Linear(4, 4)); }
  std::pair<Tensor, Tensor> forward(Tensor x) {
    Tensor scores = layer(x);
    return {scores, scores.sum()};
  }
  Tensor write(Tensor words, int count) {
    for (int i = 0; i < count; ++i) {
      auto [scores, loss] = forward(words); // expect: ml-missing-no-grad: no backward uses
      Tensor next = torch::softmax(scores, 1).argmax(1, true);
      words = torch::cat({words, next}, 1);
    }
    return words;
  }
  torch::nn::Linear layer{nullptr};
};
TORCH_MODULE(Writer);

void write_bad(Writer writer, torch::optim::Optimizer &optimizer, Tensor x) {
  for (int step = 0; step < 10; ++step) {
    optimizer.zero_grad();
    writer->forward(x).second.backward();
    optimizer.step();
  }
  writer->eval();
  writer->write(x, 5).print();
  writer->write(x, 9).print();
}

struct Memory {
  std::vector<Tensor> scores;
};

struct PlayerImpl : torch::nn::Module {
  PlayerImpl() { layer = register_module("layer", torch::nn::Linear(4, 4)); }
  Tensor forward(Tensor x) { return layer(x); }
  Tensor act(Tensor state, Memory &memory) {
    Tensor scores = forward(state); // expect: ml-missing-no-grad: its result is detached
    memory.scores.push_back(scores);
    return scores.argmax(-1);
  }
  // What it gives is trained with where others call it.
  Tensor rate(Tensor state) {
    Tensor scores = forward(state);
    last = scores.argmax(-1);
    return scores;
  }
  torch::nn::Linear layer{nullptr};
  Tensor last;
};
TORCH_MODULE(Player);

void play_bad(Player player, torch::optim::Optimizer &optimizer, Tensor state) {
  Memory memory;
  for (int step = 0; step < 100; ++step)
    state = torch::relu(player->act(state, memory));
  Tensor old = torch::stack(memory.scores).detach();
  Tensor loss = torch::mse_loss(player->forward(state), old);
  optimizer.zero_grad();
  loss.backward();
  optimizer.step();
}

void rate_bad(Player player, torch::optim::Optimizer &optimizer, Tensor state) {
  optimizer.zero_grad();
  player->rate(state).sum().backward();
  optimizer.step();
  player->eval();
  for (int i = 0; i < 10; ++i)
    player->rate(state).argmax(-1).print(); // expect: ml-missing-no-grad: no backward uses
}
