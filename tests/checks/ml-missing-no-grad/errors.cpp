// Forward passes on the way to an exception.
#include <torch/torch.h>

#include <stdexcept>

using torch::Tensor;

void shown_before_giving_up_ok(torch::nn::Linear net, torch::optim::SGD &optimizer, Tensor input) {
  for (int step = 0; step < 10; ++step) {
    Tensor loss = net->forward(input).mean();
    if (loss.item<float>() > 100) {
      std::cout << net->forward(input).item<float>() << '\n';
      throw std::runtime_error("the loss is too large");
    }
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

void shown_bad(torch::nn::Linear net, torch::optim::SGD &optimizer, Tensor input) {
  for (int step = 0; step < 10; ++step) {
    Tensor loss = net->forward(input).mean();
    if (loss.item<float>() > 100) {
      std::cout << net->forward(input).item<float>() << '\n'; // expect: ml-missing-no-grad
    }
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}
