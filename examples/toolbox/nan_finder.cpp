// A loss with a logarithm of a probability that may be 0: after some steps the loss is NaN. The
// step is repeated with a finder.
#include <gradtidy/NanFinder.h>
#include <torch/torch.h>

#include <iostream>

int main() {
  torch::manual_seed(1);
  torch::nn::Sequential model(torch::nn::Linear(2, 16), torch::nn::ReLU(),
                              torch::nn::Linear(16, 2));
  torch::optim::SGD optimizer(model->parameters(), 2.0);
  auto input = torch::randn({16, 2}) * 10;
  auto target = torch::one_hot(input.select(1, 0).gt(0).to(torch::kLong), 2).to(torch::kFloat);
  auto loss = [&] {
    auto p = torch::softmax(model->forward(input), 1);
    return -(target * p.log()).sum(1).mean(); // log_softmax would be right
  };
  for (int step = 1; step <= 50; ++step) {
    optimizer.zero_grad();
    auto now = loss();
    if (torch::isnan(now).item<bool>()) {
      std::cout << "step " << step << ": the loss is NaN\n";
      gradtidy::NanFinder finder(*model);
      loss();
      std::cout << finder.text();
      return 0;
    }
    now.backward();
    optimizer.step();
  }
  std::cout << "no NaN in 50 steps\n";
}
