// Optimizers: their arithmetic, what they skip, groups, schedules, clipping.
#include "Expect.h"

#include <sstream>

using torch::Tensor;
namespace optim = torch::optim;

namespace {

/// The parameter after `steps` steps on the loss p^2, from p = 1.
template <class Optimizer, class Options> double descend(const Options &options, int steps) {
  Tensor p = torch::ones({1}, torch::dtype(torch::kDouble).requires_grad(true));
  Optimizer optimizer({p}, options);
  for (int i = 0; i < steps; ++i) {
    optimizer.zero_grad();
    (p * p).sum().backward();
    optimizer.step();
  }
  return p.item<double>();
}

} // namespace

TEST_CASE("optimizers follow LibTorch's arithmetic") {
  CHECK(descend<optim::SGD>(optim::SGDOptions(0.1), 3) == Approx(0.512));
  // v: 2, 0.9*2 + 1.6 = 3.4, 0.9*3.4 + 0.92 = 3.98; p: 0.8, 0.46, 0.062
  CHECK(descend<optim::SGD>(optim::SGDOptions(0.1).momentum(0.9), 3) == Approx(0.062));
  // gradients 2.5 p: p (1 - 0.25)^3
  CHECK(descend<optim::SGD>(optim::SGDOptions(0.1).weight_decay(0.5), 3) == Approx(0.421875));
  // change = g + 0.9 v: 3.8, then v = 0.9*2 + 1.24 = 3.04 and change 1.24 + 2.736
  CHECK(descend<optim::SGD>(optim::SGDOptions(0.1).momentum(0.9).nesterov(true), 2) ==
        Approx(1 - 0.38 - 0.3976));
  // The first step of Adam is lr whatever the gradient.
  CHECK(descend<optim::Adam>(optim::AdamOptions(0.1), 1) == Approx(0.9));
  CHECK(descend<optim::Adam>(optim::AdamOptions(0.1), 3) == Approx(0.7015862729));
  CHECK(descend<optim::Adam>(optim::AdamOptions(0.1).weight_decay(0.5).amsgrad(true), 3) ==
        Approx(0.7015862726));
  CHECK(descend<optim::AdamW>(optim::AdamWOptions(0.1).weight_decay(0.5), 1) == Approx(0.85));
  // v = 0.04: the step is 0.1 * 2 / sqrt(0.04)
  CHECK(descend<optim::RMSprop>(optim::RMSpropOptions(0.1), 1) == Approx(0.0).margin(1e-6));
  CHECK(descend<optim::Adagrad>(optim::AdagradOptions(0.1), 1) == Approx(0.9));
  CHECK(descend<optim::Adagrad>(optim::AdagradOptions(0.1), 2) ==
        Approx(0.9 - 0.1 * 1.8 / std::sqrt(4 + 3.24)));
}

TEST_CASE("parameters of all types and memory orders take the same step") {
  auto stepped = [](Tensor parameter, const Tensor &gradient) {
    parameter.requires_grad_();
    parameter.mutable_grad() = gradient;
    optim::Adam adam({parameter}, optim::AdamOptions(0.5).amsgrad(true));
    adam.step();
    optim::SGD sgd({parameter}, optim::SGDOptions(0.25).momentum(0.5).weight_decay(0.125));
    sgd.step();
    sgd.step();
    return parameter.detach().clone();
  };
  Tensor x = torch::arange(12, torch::kFloat).view({3, 4}), g = x.remainder(5) - 2;
  Tensor expected = stepped(x.clone(), g);
  CHECK(agree(stepped(x.t().contiguous().t(), g), expected));
  CHECK(agree(stepped(x.clone(), g.t().contiguous().t()), expected));
  Tensor part = torch::stack({x, x}, -1).select(-1, 1).detach(); // every second element of memory
  CHECK(agree(stepped(part, g), expected));
  CHECK(torch::allclose(stepped(x.to(torch::kBFloat16), g.to(torch::kBFloat16)).to(torch::kFloat),
                        expected, 0.02, 0.02));
  Tensor wide = x.to(torch::kDouble).requires_grad_(), narrow = x.clone().requires_grad_();
  wide.mutable_grad() = g.to(torch::kDouble);
  narrow.mutable_grad() = g;
  Tensor empty = torch::empty({0}).requires_grad_();
  empty.mutable_grad() = torch::empty({0});
  optim::AdamW together({narrow, wide, empty}, 0.1);
  together.step();
  CHECK(torch::allclose(wide.to(torch::kFloat), narrow));
  CHECK(narrow._version() > 0);
}

TEST_CASE("a step skips parameters without a gradient") {
  Tensor p = torch::ones({1}).requires_grad_();
  optim::SGD optimizer({p}, optim::SGDOptions(0.1).momentum(0.9).weight_decay(0.1));
  (p * 2).backward();
  optimizer.step();
  float after = p.item<float>();
  optimizer.zero_grad();
  optimizer.step();
  CHECK(p.item<float>() == after); // undefined gradient: nothing happens
  (p * 0).backward();
  optimizer.zero_grad(false);
  CHECK(p.grad().defined());
  optimizer.step();
  CHECK(p.item<float>() != after); // zeros: momentum and decay act
}

TEST_CASE("groups have options of their own") {
  Tensor a = torch::ones({1}).requires_grad_(), b = torch::ones({1}).requires_grad_();
  optim::OptimizerParamGroup slow({b}, std::make_unique<optim::SGDOptions>(0.01));
  optim::SGD optimizer({optim::OptimizerParamGroup({a}), slow}, optim::SGDOptions(0.1));
  CHECK(optimizer.size() == 2);
  (a + b).backward();
  optimizer.step();
  CHECK(a.item<float>() == Approx(0.9));
  CHECK(b.item<float>() == Approx(0.99));
  static_cast<optim::SGDOptions &>(optimizer.param_groups()[0].options()).lr(1.0);
  optimizer.defaults().set_lr(5); // too late: the groups have theirs
  optimizer.step();
  CHECK(a.item<float>() == Approx(-0.1));
  CHECK(errorOf([&] { optim::SGD({a * 2}, 0.1); }) == "can't optimize a non-leaf Tensor");
  CHECK(errorOf([&] { optim::SGD({a}, -1.0); }).starts_with("Invalid learning rate: -1"));
}

TEST_CASE("a closure is evaluated with gradients on") {
  Tensor p = torch::ones({1}).requires_grad_();
  optim::SGD optimizer({p}, 0.1);
  torch::NoGradGuard guard;
  Tensor loss = optimizer.step([&] {
    optimizer.zero_grad();
    Tensor loss = (p * p).sum();
    loss.backward();
    return loss;
  });
  CHECK(loss.item<float>() == 1);
  CHECK(p.item<float>() == Approx(0.8));
}

TEST_CASE("StepLR and gradient clipping") {
  Tensor p = torch::ones({2}).requires_grad_();
  optim::SGD optimizer({p}, 1.0);
  optim::StepLR scheduler(optimizer, 2, 0.1);
  std::vector<double> rates;
  for (int i = 0; i < 5; ++i) {
    rates.push_back(optimizer.param_groups()[0].options().get_lr());
    scheduler.step();
  }
  CHECK(rates[1] == Approx(1));
  CHECK(rates[4] == Approx(0.1));
  CHECK(torch::nn::utils::clip_grad_norm_(optimizer.param_groups()[0].params(), 1.0) == 0);
  (p * torch::tensor({3.0, 4.0})).sum().backward();
  CHECK(torch::nn::utils::clip_grad_norm_({p}, 1.0) == Approx(5));
  CHECK(p.grad().norm().item<float>() == Approx(1).epsilon(1e-4));
  torch::nn::utils::clip_grad_value_({p}, 0.7);
  CHECK(p.grad()[1].item<float>() == Approx(0.7));
}

TEST_CASE("an optimizer keeps its parameters through Module::to") {
  torch::nn::Linear layer(1, 1);
  optim::SGD optimizer(layer->parameters(), 0.1);
  layer->to(torch::kDouble);
  layer(torch::ones({1, 1}, torch::kDouble)).sum().backward();
  Tensor before = layer->weight.detach().clone();
  optimizer.step();
  CHECK(layer->weight.item<double>() == Approx(before.item<double>() - 0.1));
}

namespace {

/// Where LBFGS ends on Rosenbrock's valley, and how often it looked.
std::pair<std::vector<double>, int> descendValley(optim::LBFGSOptions options, int steps) {
  Tensor p = torch::tensor({-1.5, 2.0}, torch::dtype(torch::kDouble).requires_grad(true));
  optim::LBFGS optimizer({p}, options);
  int looks = 0;
  for (int i = 0; i < steps; ++i)
    optimizer.step([&] {
      ++looks;
      optimizer.zero_grad();
      Tensor loss = (1 - p[0]).pow(2) + 100 * (p[1] - p[0] * p[0]).pow(2);
      loss.backward();
      return loss;
    });
  return {{p[0].item<double>(), p[1].item<double>()}, looks};
}

} // namespace

TEST_CASE("LBFGS takes LibTorch's steps") {
  auto [end, looks] = descendValley(optim::LBFGSOptions(0.1).max_iter(5), 4);
  CHECK(end[0] == Approx(-1.40437587114).epsilon(1e-7));
  CHECK(end[1] == Approx(1.9909841899).epsilon(1e-7));
  CHECK(looks == 20);
  std::tie(end, looks) =
      descendValley(optim::LBFGSOptions(1).max_iter(8).line_search_fn("strong_wolfe"), 2);
  CHECK(end[0] == Approx(-0.499331582437).epsilon(1e-7));
  CHECK(end[1] == Approx(0.197657592786).epsilon(1e-7));
  CHECK(looks == 20);
  std::tie(end, looks) =
      descendValley(optim::LBFGSOptions(1).history_size(4).line_search_fn("strong_wolfe"), 5);
  CHECK(end[0] == Approx(1));
}

TEST_CASE("ReduceLROnPlateau waits, reduces and cools down") {
  Tensor p = torch::ones({1}).requires_grad_();
  optim::SGD optimizer({p}, 1.0);
  using Scheduler = optim::ReduceLROnPlateauScheduler;
  Scheduler scheduler(optimizer, Scheduler::min, 0.5, 1, 1e-4, Scheduler::rel, 1, {0.2});
  std::vector<double> rates;
  for (float loss : {3.0f, 2.0f, 2.0f, 2.0f, 2.0f, 2.0f, 2.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f}) {
    scheduler.step(loss);
    rates.push_back(optimizer.param_groups()[0].options().get_lr());
  }
  CHECK(rates == std::vector<double>{1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.2f, 0.2f, 0.2f});
}

namespace {

// An optimizer as programs write them: with the members that LibTorch's have.

struct SignOptions : optim::OptimizerCloneableOptions<SignOptions> {
  SignOptions(double lr) : lr_(lr) {}
  TORCH_ARG(double, lr);

public:
  void serialize(torch::serialize::OutputArchive &archive) const override {
    _TORCH_OPTIM_SERIALIZE_TORCH_ARG(lr);
  }
  void serialize(torch::serialize::InputArchive &archive) override {
    _TORCH_OPTIM_DESERIALIZE_TORCH_ARG(double, lr);
  }
};

struct SignState : optim::OptimizerCloneableParamState<SignState> {
  TORCH_ARG(int64_t, step) = 0;

public:
  void serialize(torch::serialize::OutputArchive &archive) const override {
    _TORCH_OPTIM_SERIALIZE_TORCH_ARG(step);
  }
  void serialize(torch::serialize::InputArchive &archive) override {
    _TORCH_OPTIM_DESERIALIZE_TORCH_ARG(int64_t, step);
  }
};

class SignDescent : public optim::Optimizer {
public:
  SignDescent(std::vector<Tensor> parameters, SignOptions options)
      : Optimizer({optim::OptimizerParamGroup(std::move(parameters))},
                  std::make_unique<SignOptions>(options)) {}

  Tensor step(LossClosure closure = nullptr) override {
    torch::NoGradGuard guard;
    for (auto &group : param_groups_)
      for (auto &parameter : group.params()) {
        auto &state = state_[parameter.unsafeGetTensorImpl()];
        if (!state)
          state = std::make_unique<SignState>();
        auto &steps = static_cast<SignState &>(*state).step();
        ++steps;
        parameter.add_(parameter.grad().sign(),
                       -static_cast<SignOptions &>(group.options()).lr() / double(steps));
      }
    return {};
  }
  void save(torch::serialize::OutputArchive &archive) const override {
    optim::serialize<SignState, SignOptions>(archive, *this);
  }
  void load(torch::serialize::InputArchive &archive) override {
    optim::serialize<SignState, SignOptions>(archive, *this);
  }
};

} // namespace

TEST_CASE("programs write optimizers of their own") {
  Tensor p = torch::ones({2}).requires_grad_();
  SignDescent optimizer({p}, SignOptions(0.5));
  optim::StepLR schedule(optimizer, 1, 0.5);
  for (int i = 0; i < 2; ++i) {
    optimizer.zero_grad();
    p.sum().backward();
    optimizer.step();
  }
  CHECK(p[0].item<float>() == Approx(1 - 0.5 - 0.25));
  CHECK(optimizer.parameters().size() == 1);
  schedule.step();
  schedule.step();
  CHECK(optimizer.param_groups()[0].options().get_lr() == Approx(0.25));

  std::stringstream file;
  torch::save(optimizer, file);
  SignDescent loaded({p}, SignOptions(1));
  torch::load(loaded, file);
  CHECK(static_cast<SignOptions &>(loaded.param_groups()[0].options()).lr() == Approx(0.25));
  CHECK(static_cast<SignState &>(*loaded.state().at(p.unsafeGetTensorImpl())).step() == 2);
}
