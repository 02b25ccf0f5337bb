// What evaluations see of their samples.
#include <torch/torch.h>

#include <random>

namespace data = torch::data;
using Net = torch::nn::Linear;
using Size = decltype(std::declval<data::datasets::MNIST>().size()); // Of LibTorch's own optional.

struct Points : data::datasets::Dataset<Points> {
  torch::Tensor x, y;

  data::Example<> get(size_t index) override { return {x[index], y[index]}; }
  Size size() const override { return x.size(0); }
};

// Mirrors half of the samples.
struct Mirrored : data::datasets::Dataset<Mirrored> {
  torch::Tensor x, y;
  std::mt19937 engine{1};

  data::Example<> get(size_t index) override {
    std::uniform_real_distribution<float> coin(0, 1);
    bool isMirrored = coin(engine) < 0.5; // expect: ml-eval-loader (level 2): random numbers
    return {isMirrored ? x[index].flip(0) : x[index], y[index]};
  }
  Size size() const override { return x.size(0); }
};

struct Noise : data::transforms::TensorTransform<> {
  torch::Tensor operator()(torch::Tensor x) override {
    return x + torch::randn({2}); // expect: ml-eval-loader
  }
};

// Only while it trains.
struct Chosen : data::datasets::Dataset<Chosen> {
  torch::Tensor x, y;
  bool isTraining = false;

  data::Example<> get(size_t index) override {
    if (isTraining && torch::rand({1}).item<float>() < 0.5)
      return {x[index].flip(0), y[index]};
    return {x[index], y[index]};
  }
  Size size() const override { return x.size(0); }
};
struct Left : data::datasets::Dataset<Left> {
  torch::Tensor x, y;
  bool isTraining = false;

  data::Example<> get(size_t index) override {
    if (!isTraining)
      return {x[index], y[index]};
    return {x[index] + torch::randn({2}), y[index]};
  }
  Size size() const override { return x.size(0); }
};

// The same numbers each time.
struct Seeded : data::datasets::Dataset<Seeded> {
  torch::Tensor x, y;

  data::Example<> get(size_t index) override {
    std::mt19937 engine(index);
    return {engine() % 2 ? x[index].flip(0) : x[index], y[index]};
  }
  Size size() const override { return x.size(0); }
};

template <typename Loader> void train(Net net, Loader &loader, torch::optim::Optimizer &optimizer) {
  net->train();
  for (auto &batch : loader) {
    optimizer.zero_grad();
    torch::mse_loss(net(batch.data), batch.target).backward();
    optimizer.step();
  }
}

template <typename Loader> float evaluate(Net net, Loader &loader) {
  torch::NoGradGuard guard;
  net->eval();
  float sum = 0;
  for (auto &batch : loader)
    sum += torch::mse_loss(net(batch.data), batch.target).template item<float>();
  return sum;
}

void drops_bad(Net net, torch::optim::Optimizer &optimizer, Points points, Points others) {
  auto loader = data::make_data_loader(
      points.map(data::transforms::Stack<>()),
      data::DataLoaderOptions().batch_size(64).drop_last(true)); // The training may.
  auto tests = data::make_data_loader(others.map(data::transforms::Stack<>()),
                                      data::DataLoaderOptions().batch_size(64).drop_last(
                                          true)); // expect: ml-eval-loader: last batch
  for (int epoch = 0; epoch < 10; ++epoch) {
    train(net, *loader, optimizer);
    evaluate(net, *tests);
  }
}

void mirrors_bad(Net net, Mirrored mirrored) {
  auto loader = data::make_data_loader(mirrored.map(data::transforms::Stack<>()), 64);
  evaluate(net, *loader);
}

void adds_noise_bad(Net net, Points points) {
  auto loader = data::make_data_loader(points.map(Noise()).map(data::transforms::Stack<>()), 64);
  evaluate(net, *loader);
}

void plain_ok(Net net, Points points) {
  auto loader = data::make_data_loader<data::samplers::SequentialSampler>(
      points.map(data::transforms::Stack<>()), 64);
  evaluate(net, *loader);
}

void drops_nothing_ok(Net net, Points points) {
  auto loader = data::make_data_loader(points.map(data::transforms::Stack<>()),
                                       data::DataLoaderOptions().batch_size(64).drop_last(false));
  evaluate(net, *loader);
}

void chosen_ok(Net net, Chosen chosen, Left left, Seeded seeded) {
  auto first = data::make_data_loader(chosen.map(data::transforms::Stack<>()), 64);
  evaluate(net, *first);
  auto second = data::make_data_loader(left.map(data::transforms::Stack<>()), 64);
  evaluate(net, *second);
  auto third = data::make_data_loader(seeded.map(data::transforms::Stack<>()), 64);
  evaluate(net, *third);
}

struct Augmented : data::datasets::Dataset<Augmented> {
  torch::Tensor x, y;

  data::Example<> get(size_t index) override { return {x[index] + torch::randn({2}), y[index]}; }
  Size size() const override { return x.size(0); }
};

// How well it does on what it is trained with, as it is trained with that.
void of_the_training_ok(Net net, torch::optim::Optimizer &optimizer, Augmented augmented) {
  auto loader = data::make_data_loader(augmented.map(data::transforms::Stack<>()),
                                       data::DataLoaderOptions().batch_size(64).drop_last(true));
  for (int epoch = 0; epoch < 10; ++epoch) {
    train(net, *loader, optimizer);
    evaluate(net, *loader);
  }
}

template <typename Loader> void fit(Net net, Loader &loader);
void of_others_ok(Net net, Augmented augmented) {
  auto loader = data::make_data_loader(augmented.map(data::transforms::Stack<>()),
                                       data::DataLoaderOptions().batch_size(64).drop_last(true));
  fit(net, *loader);
  evaluate(net, *loader);
}

// No model looks at them.
void statistics_ok(Augmented augmented) {
  auto loader = data::make_data_loader(augmented.map(data::transforms::Stack<>()),
                                       data::DataLoaderOptions().batch_size(64).drop_last(true));
  auto sum = torch::zeros({2});
  for (auto &batch : *loader)
    sum += batch.data.sum(0);
}
