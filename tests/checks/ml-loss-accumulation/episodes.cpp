// Lists of structs that hold what the loss of an episode is made of.
#include <torch/torch.h>

using torch::Tensor;

struct Turn {
  Tensor log_prob;
  float reward = 0;
};

void differentiated_ok(torch::nn::Linear policy, torch::optim::SGD &optimizer, Tensor state) {
  for (int episode = 0; episode < 100; ++episode) {
    std::vector<Turn> turns;
    for (int step = 0; step < 20; ++step)
      turns.push_back({policy->forward(state).sum(), 1});
    Tensor loss = torch::zeros({1});
    for (const Turn &turn : turns)
      loss = loss - turn.log_prob * turn.reward;
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

void of_the_last_ok(torch::nn::Linear policy, torch::optim::SGD &optimizer, Tensor state) {
  std::vector<Turn> turns;
  for (int step = 0; step < 20; ++step)
    turns.push_back({policy->forward(state).sum(), 1});
  Tensor loss = turns.back().log_prob;
  optimizer.zero_grad();
  loss.backward();
  optimizer.step();
}

void printed_bad(torch::nn::Linear policy, torch::optim::SGD &optimizer, Tensor state) {
  std::vector<Turn> turns;
  for (int step = 0; step < 20; ++step) {
    Tensor loss = policy->forward(state).sum();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    turns.push_back({loss, 1}); // expect: ml-loss-accumulation (no fix): 'turns' keeps the graph
  }
  for (const Turn &turn : turns)
    std::cout << turn.log_prob.item<float>() << '\n';
}
