// Small trainings, each with one bug that only its run shows, and its right twin. Which one runs is
// named by the first argument. Marks name the check and the program: "// CHECK in NAME".
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include <unistd.h>

using namespace torch;
namespace F = torch::nn::functional;

namespace {

Tensor inputs() { return torch::randn({64, 8}); }
Tensor labels(int64_t classes) { return torch::arange(64).remainder(classes); }
Tensor sums(const Tensor &x) { return x.sum(1, /*keepdim=*/true); }

template <typename Loss>
void train(nn::Sequential model, double rate, int steps, const Loss &loss) {
  optim::SGD optimizer(model->parameters(), rate);
  for (int step = 0; step < steps; ++step) {
    optimizer.zero_grad();
    auto last = loss(model, step);
    last.backward(); // run-gradient-scale in exploding, run-not-finite in broken-data
    optimizer.step();
  }
}

void divide(double least) {
  train(nn::Sequential(nn::Linear(8, 4)), 0.01, 10, [&](nn::Sequential &model, int step) {
    auto y = model->forward(torch::ones({64, 8}));
    auto divisor = torch::full({64, 4}, step < 3 ? 1.0 : least);
    auto share = y / divisor; // run-not-finite in division
    return (share * 0.0 + share.tanh()).mean();
  });
}

void distance(double least) {
  train(nn::Sequential(nn::Linear(8, 4)), 0.01, 10, [&](nn::Sequential &model, int step) {
    auto y = model->forward(torch::ones({64, 8}));
    auto difference = step < 3 ? y : y - y.detach();
    auto squares = difference.pow(2).sum(1) + least;
    return squares.sqrt().mean(); // run-not-finite in root
  });
}

void attend(int64_t first) {
  auto x = inputs();
  train(nn::Sequential(nn::Linear(8, 8)), 0.01, 10, [&](nn::Sequential &model, int) {
    auto mask = torch::ones({64, 8}).triu(first).to(kBool);
    auto scores = model->forward(x).masked_fill(mask, -INFINITY);
    return (scores.softmax(1) * x).mean(); // run-not-finite in masked-row
  });
}

void rectify(double bias) {
  auto x = inputs();
  nn::Linear hidden(8, 32);
  {
    NoGradGuard guard;
    hidden->bias.fill_(bias);
  }
  train(nn::Sequential(hidden), 0.01, 40, [&](nn::Sequential &, int) {
    return mse_loss(torch::relu(hidden(x)), torch::ones({64, 32})); // run-dead-units in dead
  });
}

void deepen(bool isSmooth) {
  auto x = inputs();
  nn::Sequential model;
  for (int i = 0; i < 12; ++i) {
    model->push_back(nn::Linear(8, 8)); // run-gradient-scale in vanishing
    if (isSmooth)
      model->push_back(nn::Sigmoid());
    else
      model->push_back(nn::LeakyReLU());
  }
  model->push_back(nn::Linear(8, 1));
  train(model, 0.01, 30,
        [&](nn::Sequential &all, int) { return mse_loss(all->forward(x), sums(x)); });
}

void descend(double rate, int steps) {
  auto x = inputs();
  train(nn::Sequential(nn::Linear(8, 1)), rate, steps,
        [&](nn::Sequential &model, int) { return mse_loss(model->forward(x), sums(x)); });
}

void readData(double value) {
  auto x = inputs();
  x[3][3] = value;
  train(nn::Sequential(nn::Linear(8, 1)), 0.01, 10,
        [&](nn::Sequential &model, int) { return model->forward(x).pow(2).mean(); });
}

void classify(int64_t classes, int64_t ignored) {
  auto x = inputs();
  train(nn::Sequential(nn::Linear(8, 3)), 0.01, 10, [&](nn::Sequential &model, int) {
    auto options = F::CrossEntropyFuncOptions().ignore_index(ignored);
    auto y = model->forward(x);
    return F::cross_entropy(y, labels(classes), options); // run-label-range in labels
  });
}

void decide(int64_t classes) {
  auto x = inputs();
  train(nn::Sequential(nn::Linear(8, 1)), 0.01, 10, [&](nn::Sequential &model, int) {
    auto targets = labels(classes).to(kFloat).unsqueeze(1);
    auto y = model->forward(x);
    return F::binary_cross_entropy_with_logits(y, targets); // run-label-range in targets
  });
}

void embed(int64_t first) {
  nn::Embedding table(4, 8);
  train(nn::Sequential(table, nn::Linear(8, 1)), 0.01, 10, [&](nn::Sequential &model, int) {
    auto rows = labels(4) + first;
    return model->forward(rows).pow(2).mean(); // run-label-range in rows
  });
}

void score(bool isLogarithm) {
  auto x = inputs();
  train(nn::Sequential(nn::Linear(8, 8), nn::Tanh(), nn::Linear(8, 4)), 0.01, 10,
        [&](nn::Sequential &model, int) {
          auto y = model->forward(x);
          if (isLogarithm)
            y = y.log_softmax(1);
          return nll_loss(y.view({64, 4}) * 1.0, labels(4)); // ml-loss-activation in scores
        });
}

void bound(bool isProbability) {
  auto x = inputs();
  train(nn::Sequential(nn::Linear(8, 1)), 0.01, 10, [&](nn::Sequential &model, int) {
    auto y = model->forward(x);
    if (isProbability)
      y = y.sigmoid();
    return F::binary_cross_entropy(y, sums(x).gt(0).to(kFloat)); // ml-loss-activation in no-sigmoid
  });
}

void boundTwice(bool isProbability) {
  auto x = inputs();
  train(nn::Sequential(nn::Linear(8, 1)), 0.01, 10, [&](nn::Sequential &model, int) {
    auto y = model->forward(x);
    if (isProbability)
      y = y.sigmoid();
    auto targets = sums(x).gt(0).to(kFloat).squeeze(1);
    y = y.squeeze(1);
    return F::binary_cross_entropy_with_logits(y, targets); // ml-loss-activation in two-sigmoids
  });
}

void diverge(bool isLogarithm) {
  auto x = inputs();
  train(nn::Sequential(nn::Linear(8, 4)), 0.01, 10, [&](nn::Sequential &model, int) {
    auto y = model->forward(x);
    auto targets = torch::full({64, 4}, 0.25);
    y = isLogarithm ? y.log_softmax(1) : y.softmax(1);
    auto options = F::KLDivFuncOptions().reduction(torch::kBatchMean);
    return F::kl_div(y, targets, options); // ml-loss-activation in divergence
  });
}

struct NetImpl : nn::Module {
  explicit NetImpl(bool detaches)
      : detaches(detaches),
        encoder(
            register_module("encoder", nn::Linear(8, 8))), // run-unchanged-parameters in detached
        head(register_module("head", nn::Linear(8, 1))) {}
  Tensor forward(const Tensor &x) {
    auto features = encoder(x).tanh();
    return head(detaches ? features.detach() : features);
  }
  bool detaches;
  nn::Linear encoder, head;
};
TORCH_MODULE(Net);

void encode(bool detaches, bool isFrozen) {
  auto x = inputs();
  Net net(detaches);
  if (isFrozen)
    for (auto &parameter : net->encoder->parameters())
      parameter.requires_grad_(false);
  optim::SGD optimizer(net->parameters(), 0.01);
  for (int step = 0; step < 20; ++step) {
    optimizer.zero_grad();
    mse_loss(net(x), sums(x)).backward();
    optimizer.step();
  }
}

struct PairImpl : nn::Module {
  PairImpl()
      : body(register_module("body", nn::Linear(8, 8))), // ml-unused-gradients in head-alone
        head(register_module("head", nn::Linear(8, 1))) {}
  Tensor forward(const Tensor &x) { return head(body(x).tanh()); }
  nn::Linear body, head;
};
TORCH_MODULE(Pair);

void tune(bool isWhole) {
  auto x = inputs();
  Pair pair;
  optim::SGD optimizer(isWhole ? pair->parameters() : pair->head->parameters(), 0.01);
  for (int step = 0; step < 20; ++step) {
    pair->zero_grad();
    mse_loss(pair(x), sums(x)).backward();
    optimizer.step();
  }
}

/// A module that no pointer holds.
struct Plain : nn::Module {
  Tensor forward(const Tensor &x) { return torch::dropout(layer(x), 0.5, is_training()); }
  nn::Linear layer = register_module("layer", nn::Linear(8, 1));
};

void evaluate() {
  auto x = inputs();
  Plain net;
  optim::SGD optimizer(net.parameters(), 0.01);
  for (int step = 0; step < 10; ++step) {
    net.train();
    optimizer.zero_grad();
    mse_loss(net.forward(x), sums(x)).backward();
    optimizer.step();
    net.eval();
    NoGradGuard guard;
    net.forward(x);
  }
}

void schedule(unsigned size) {
  auto x = inputs();
  nn::Linear model(8, 1);
  optim::SGD optimizer(model->parameters(), 0.01);
  optim::StepLR scheduler(optimizer, size); // ml-scheduler-order in still
  for (int step = 0; step < 60; ++step) {
    optimizer.zero_grad();
    mse_loss(model(x), sums(x)).backward();
    optimizer.step();
    scheduler.step();
  }
}

struct NormedImpl : nn::Module {
  NormedImpl()
      : layer(register_module("layer", nn::Linear(8, 1))),
        norm(register_module("norm", nn::BatchNorm1d(8))) {}
  Tensor forward(const Tensor &x) { return layer(norm(x)); }
  nn::Linear layer;
  nn::BatchNorm1d norm;
};
TORCH_MODULE(Normed);

void saveParts(bool hasBuffers) {
  auto x = inputs();
  Normed net;
  optim::SGD optimizer(net->parameters(), 0.01);
  for (int step = 0; step < 3; ++step) {
    optimizer.zero_grad();
    mse_loss(net(x), sums(x)).backward();
    optimizer.step();
  }
  serialize::OutputArchive archive;
  for (const auto &item : net->named_parameters())
    archive.write(item.key(), item.value()); // ml-missing-buffers in parts
  if (hasBuffers)
    for (const auto &item : net->named_buffers())
      archive.write(item.key(), item.value(), /*is_buffer=*/true);
  std::ostringstream file;
  archive.save_to(file);
}

void follow(bool hasBuffers) {
  Normed net, average;
  average->eval();
  optim::SGD optimizer(net->parameters(), 0.01);
  for (int step = 0; step < 40; ++step) {
    auto x = inputs();
    optimizer.zero_grad();
    mse_loss(net(x), sums(x)).backward();
    optimizer.step();
    NoGradGuard guard;
    auto to = average->parameters(), from = net->parameters();
    for (size_t i = 0; i < to.size(); ++i)
      to[i].lerp_(from[i], 0.1); // ml-missing-buffers in average
    if (hasBuffers)
      for (size_t i = 0; i < net->buffers().size(); ++i)
        average->buffers()[i].copy_(net->buffers()[i]);
  }
}

void restart(bool isKept) {
  auto x = inputs();
  nn::Linear model(8, 1);
  std::unique_ptr<optim::Adam> optimizer;
  for (int epoch = 0; epoch < 6; ++epoch) {
    const auto all = model->parameters();
    if (!optimizer || !isKept)
      optimizer = std::make_unique<optim::Adam>(all, 1e-3); // ml-optimizer-recreated in restarted
    for (int step = 0; step < 4; ++step) {
      optimizer->zero_grad();
      mse_loss(model(x), sums(x)).backward();
      optimizer->step();
    }
  }
}

void readElements(bool isSum) {
  auto x = torch::randn({64, 64});
  float most = 0;
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 64; ++j) {
      auto element =
          isSum ? (x.slice(0, i, i + 8) * 2 + 1).abs().tanh().sin().cos().sum() : x[i][j];
      most = std::max(most, element.item<float>()); // ml-elementwise-access in elements
    }
}

void overwrite(bool isTwo) {
  nn::Linear model(8, 1);
  optim::Adam optimizer(model->parameters(), 1e-3);
  const std::string file = std::string(std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "/tmp") +
                           "/gradtidy-sights-" + std::to_string(getpid());
  torch::save(model, file);
  const std::string second = file + (isTwo ? "-optimizer" : "");
  torch::save(optimizer, second); // ml-overwritten-checkpoint in one-file
  std::remove(file.c_str());
  std::remove(second.c_str());
}

void changeSaved(bool isCopy) {
  auto x = torch::ones({4}, torch::requires_grad());
  auto y = x.exp();
  auto z = y * y;
  (isCopy ? y.clone() : y).add_(x); // ml-saved-tensor-overwritten in changed
  z.sum().backward();
}

void mixTypes(bool isSame) {
  nn::Linear model(8, 1);
  auto x = torch::randn({4, 8}, isSame ? kFloat : kDouble);
  model(x); // ml-dtype-mismatch in types
}

void count(bool isSmooth) {
  auto x = inputs();
  nn::Linear model(8, 1);
  auto y = model(x);
  auto loss = isSmooth ? y.sigmoid().mean() : (y > 0).to(kFloat).mean();
  loss.backward(); // ml-loss-without-gradient in counted
}

const std::map<std::string, std::function<void()>> programs = {
    {"division", [] { divide(0); }},
    {"no-division", [] { divide(0.5); }},
    {"root", [] { distance(0); }},
    {"no-root", [] { distance(1e-6); }},
    {"masked-row", [] { attend(0); }},
    {"no-masked-row", [] { attend(1); }},
    {"dead", [] { rectify(-20); }},
    {"no-dead", [] { rectify(0); }},
    {"vanishing", [] { deepen(true); }},
    {"no-vanishing", [] { deepen(false); }},
    {"exploding", [] { descend(2, 16); }},
    {"no-exploding", [] { descend(0.1, 100); }},
    {"broken-data", [] { readData(NAN); }},
    {"no-broken-data", [] { readData(1); }},
    {"labels", [] { classify(4, -100); }},
    {"no-labels", [] { classify(4, 3); }},
    {"targets", [] { decide(4); }},
    {"no-targets", [] { decide(2); }},
    {"rows", [] { embed(1); }},
    {"no-rows", [] { embed(0); }},
    {"scores", [] { score(false); }},
    {"no-scores", [] { score(true); }},
    {"no-sigmoid", [] { bound(false); }},
    {"no-no-sigmoid", [] { bound(true); }},
    {"two-sigmoids", [] { boundTwice(true); }},
    {"no-two-sigmoids", [] { boundTwice(false); }},
    {"divergence", [] { diverge(false); }},
    {"no-divergence", [] { diverge(true); }},
    {"detached", [] { encode(true, false); }},
    {"no-detached", [] { encode(false, false); }},
    {"frozen", [] { encode(true, true); }},
    {"no-pointer", [] { evaluate(); }},
    {"still", [] { schedule(1000); }},
    {"no-still", [] { schedule(10); }},
    {"parts", [] { saveParts(false); }},
    {"no-parts", [] { saveParts(true); }},
    {"average", [] { follow(false); }},
    {"no-average", [] { follow(true); }},
    {"restarted", [] { restart(false); }},
    {"no-restarted", [] { restart(true); }},
    {"elements", [] { readElements(false); }},
    {"no-elements", [] { readElements(true); }},
    {"one-file", [] { overwrite(false); }},
    {"no-one-file", [] { overwrite(true); }},
    {"changed", [] { changeSaved(false); }},
    {"no-changed", [] { changeSaved(true); }},
    {"types", [] { mixTypes(false); }},
    {"no-types", [] { mixTypes(true); }},
    {"counted", [] { count(false); }},
    {"no-counted", [] { count(true); }},
    {"head-alone", [] { tune(false); }},
    {"no-head-alone", [] { tune(true); }},
};

} // namespace

int main(int, char **arguments) {
  torch::manual_seed(1);
  programs.at(arguments[1])();
}
