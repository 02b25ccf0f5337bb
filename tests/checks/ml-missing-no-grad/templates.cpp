// Templates that the unit never instantiates: names tell what their parameters are.
#include <torch/torch.h>

template <typename Net> double test_bad(Net &net, const std::vector<torch::Tensor> &batches) {
  double sum = 0;
  for (auto &x : batches)
    sum += net.forward(x).sum().template item<double>(); // expect: ml-missing-no-grad
  return sum;
}
template <typename Net> double test_ok(Net &net, const std::vector<torch::Tensor> &batches) {
  torch::NoGradGuard noGrad;
  double sum = 0;
  for (auto &x : batches)
    sum += net.forward(x).sum().template item<double>();
  return sum;
}
template <typename Net, typename Loader, typename Optimizer>
void train_ok(Net &net, Loader &loader, Optimizer &optimizer) {
  for (auto &batch : *loader) {
    auto output = net->forward(batch.data);
    auto loss = torch::nll_loss(output, batch.target);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

// What comes back is known, be the input of whatever type.
struct ActorImpl : torch::nn::Module {
  std::pair<torch::Tensor, torch::Tensor> forward(torch::Tensor x) {
    auto scores = second(first(x));
    return {scores, scores.max()};
  }
  torch::nn::Linear first = register_module("first", torch::nn::Linear(4, 4));
  torch::nn::Linear second = register_module("second", torch::nn::Linear(4, 2));
};
TORCH_MODULE(Actor);

template <typename Game> void play_bad(Actor actor, Game &game) {
  while (game.goesOn()) {
    auto result = actor->forward(game.state()); // expect: ml-missing-no-grad (no fix)
    game.step(result.first.argmax().template item<int>());
  }
}
template <typename Game> void elements_bad(Actor actor, Game &game) {
  while (game.goesOn()) {
    auto [scores, value] = actor->forward(game.state()); // expect: ml-missing-no-grad (no fix)
    game.step(scores[0][1].template item<float>());
  }
}
template <typename Game> void pointer_bad(Actor actor, Game &game) {
  while (game.goesOn()) {
    auto [scores, value] = actor->forward(game.state()); // expect: ml-missing-no-grad (no fix)
    auto *p = scores.template data_ptr<float>();
    game.step(p[0]);
  }
}
template <typename Game> void accessor_bad(Actor actor, Game &game) {
  while (game.goesOn()) {
    auto [scores, value] = actor->forward(game.state()); // expect: ml-missing-no-grad (no fix)
    auto rows = scores.template accessor<float, 2>();
    game.step(rows[0][1]);
  }
}
template <typename Game> void script_bad(torch::jit::Module actor, Game &game) {
  while (game.goesOn()) {
    auto scores = actor.forward({game.state()}).toTensor(); // expect: ml-missing-no-grad (no fix)
    game.step(scores[1].template item<float>());
  }
}
template <typename Game> void kept_ok(Actor actor, Game &game) {
  while (game.goesOn()) {
    auto result = actor->forward(game.state());
    game.learn(result.first);
  }
}

// Class templates, too, and what is instantiated of them is not looked at twice.
template <typename Game> class Player {
public:
  void play_bad();
  void watch_bad() {
    while (game.goesOn())
      game.step(actor->forward(input).first.template item<int>()); // expect: ml-missing-no-grad
  }
  template <typename Judge> void judge_bad(Judge &judge) {
    while (game.goesOn())
      judge(actor->forward(input).first.template item<int>()); // expect: ml-missing-no-grad
  }
  void train_ok(torch::optim::Adam &optimizer) {
    while (game.goesOn()) {
      optimizer.zero_grad();
      actor->forward(input).first.mean().backward();
      optimizer.step();
    }
  }

private:
  Actor actor;
  Game game;
  torch::Tensor input;
};
template <typename Game> void Player<Game>::play_bad() {
  torch::GradMode::set_enabled(true);
  while (game.goesOn())
    game.step(actor->forward(input).first.template item<int>()); // expect: ml-missing-no-grad
}

struct Chess {
  bool goesOn();
  void step(int move);
};
template <typename Game> class Watcher {
public:
  void watch_bad() {
    while (game.goesOn())
      game.step(actor->forward(input).first.template item<int>()); // expect: ml-missing-no-grad
  }
  void unused_bad() {
    while (game.goesOn())
      game.step(actor->forward(input).first.template item<int>()); // expect: ml-missing-no-grad
  }

private:
  Actor actor;
  Game game;
  torch::Tensor input;
};
void watch(Watcher<Chess> &watcher) { watcher.watch_bad(); }
