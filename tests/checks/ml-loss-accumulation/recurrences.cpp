// Values made of themselves that do not grow from one iteration to the next.
#include <torch/torch.h>

// What a recurrent forward pass makes is what its caller differentiates.
struct Sampler : torch::nn::Module {
  torch::nn::Linear layer{4, 4};
  torch::Tensor sampled(torch::Tensor x) {
    std::vector<torch::Tensor> steps;
    for (int i = 0; i < 10; ++i) {
      x = layer(x);
      steps.push_back(x);
    }
    return x;
  }
};

// Indices that are drawn have no graph.
void drawn_ok(torch::nn::Linear &layer, torch::Tensor image) {
  for (int i = 0; i < 10; ++i) {
    auto logits = layer(image);
    auto pixel = torch::softmax(logits, 1).multinomial(1);
    image.index_put_({i}, pixel);
  }
}

// The loop inside makes it anew in every round of the loop outside.
void shown_ok(torch::nn::Linear &layer, torch::optim::Optimizer &optimizer, torch::Tensor x,
              bool (*next)(torch::Tensor &)) {
  torch::Tensor fake;
  for (int epoch = 0; epoch < 10; ++epoch) {
    while (next(x)) {
      optimizer.zero_grad();
      fake = layer(x);
      fake.sum().backward();
      optimizer.step();
    }
    fake = fake.view({3, 3}).contiguous(); // expect: ml-loss-accumulation (level 2)
    auto shown = fake.detach();
  }
}

// Emptied now and then.
void rollouts(torch::nn::Linear &policy, torch::Tensor state) {
  std::vector<torch::Tensor> values;
  for (int step = 0; step < 1000; ++step) {
    values.push_back(policy(state)); // expect: ml-loss-accumulation (level 2): until it is emptied
    if (step % 100 == 99) {
      auto sum = values[0].item<double>();
      values.clear();
    }
  }
}

// What an unseen function puts into a struct may be detached.
struct Metrics {
  torch::Tensor loss, ratio;
};
Metrics compute(torch::Tensor output);
void metrics_ok(torch::nn::Linear &layer, torch::Tensor x) {
  std::vector<torch::Tensor> ratios;
  for (int i = 0; i < 10; ++i) {
    Metrics metrics = compute(layer(x));
    metrics.loss.backward();
    ratios.push_back(metrics.ratio);
  }
}
