// Copies of the options of an optimizer.
#include <torch/torch.h>

using torch::optim::Adam;
using torch::optim::AdamOptions;
using torch::optim::Optimizer;
using torch::optim::SGD;
using torch::optim::SGDOptions;

void groups_bad(Optimizer &optimizer, double rate) {
  for (auto group : optimizer.param_groups()) // expect: ml-options-ignored: 'group' is a copy: the
    group.options().set_lr(rate);
}

void cast_bad(Adam &optimizer, double rate) {
  for (auto group : optimizer.param_groups()) // expect: ml-options-ignored
    static_cast<AdamOptions &>(group.options()).lr(rate);
}

void asked_bad(std::unique_ptr<SGD> &optimizer, double rate) {
  for (auto group : optimizer->param_groups()) { // expect: ml-options-ignored
    if (group.has_options()) {
      auto &options = static_cast<SGDOptions &>(group.options());
      options.lr(options.lr() * rate);
    }
  }
}

void pointer_bad(SGD &optimizer, double rate) {
  for (auto group : optimizer.param_groups()) { // expect: ml-options-ignored
    auto *options = static_cast<SGDOptions *>(&group.options());
    options->lr(rate);
  }
}

void first_bad(SGD &optimizer, double rate) {
  auto group = optimizer.param_groups()[0]; // expect: ml-options-ignored
  group.options().set_lr(rate);
}

void list_bad(SGD &optimizer, double rate) {
  auto groups = optimizer.param_groups(); // expect: ml-options-ignored: 'groups' is a copy
  groups[0].options().set_lr(rate);
}

void looped_list_bad(SGD &optimizer, double rate) {
  auto groups = optimizer.param_groups(); // expect: ml-options-ignored
  for (auto &group : groups)
    group.options().set_lr(rate);
}

void options_bad(Adam &optimizer, double rate) {
  auto options = static_cast<AdamOptions &>(optimizer.param_groups()[0].options()); // expect: ml-options-ignored
  options.lr(rate);
}

void named_options_bad(Adam &optimizer, double rate) {
  for (auto &group : optimizer.param_groups()) {
    AdamOptions options = static_cast<AdamOptions &>(group.options()); // expect: ml-options-ignored
    options.lr(options.lr() * rate);
  }
}

void assigned_bad(Adam &optimizer, double rate) {
  for (auto &group : optimizer.param_groups()) {
    auto options = static_cast<AdamOptions &>(group.options()); // expect: ml-options-ignored
    options.lr() = rate;
  }
}

class Trainer {
public:
  void decay() {
    for (auto group : optimizer.param_groups()) // expect: ml-options-ignored
      group.options().set_lr(group.options().get_lr() / 2);
  }

private:
  torch::nn::Linear model{2, 2};
  SGD optimizer{model->parameters(), 0.1};
};

template <typename Options> void decay_bad(Optimizer &optimizer, double rate) {
  for (auto group : optimizer.param_groups()) // expect: ml-options-ignored
    static_cast<Options &>(group.options()).lr(rate);
}
template void decay_bad<SGDOptions>(Optimizer &, double);

// ---- by reference

void groups_ok(Optimizer &optimizer, double rate) {
  for (auto &group : optimizer.param_groups())
    group.options().set_lr(rate);
  for (auto &&group : optimizer.param_groups())
    static_cast<SGDOptions &>(group.options()).lr(rate);
  optimizer.param_groups()[0].options().set_lr(rate);
  auto &first = optimizer.param_groups().front();
  first.options().set_lr(rate);
  auto &options = static_cast<SGDOptions &>(first.options());
  options.lr(rate);
  auto *pointer = dynamic_cast<AdamOptions *>(&first.options());
  pointer->lr(rate);
}

// ---- what is done with the copy

double read_ok(Optimizer &optimizer) {
  auto group = optimizer.param_groups()[0];
  return group.options().get_lr();
}

void printed_ok(Optimizer &optimizer, double &rate) {
  for (auto group : optimizer.param_groups())
    rate += group.options().get_lr();
}

SGD another_ok(SGD &optimizer, std::vector<torch::Tensor> parameters) {
  auto options = static_cast<SGDOptions &>(optimizer.defaults());
  options.lr(0.5);
  return SGD(parameters, options);
}

void use(const torch::optim::OptimizerParamGroup &group);
void use_groups(std::vector<torch::optim::OptimizerParamGroup> groups);

void handed_on_ok(SGD &optimizer, double rate) {
  auto group = optimizer.param_groups()[0];
  group.options().set_lr(rate);
  use(group);
  auto groups = optimizer.param_groups();
  groups[0].options().set_lr(rate);
  use_groups(groups);
}

void parameters_ok(SGD &optimizer) {
  for (auto group : optimizer.param_groups())
    for (auto &parameter : group.params())
      parameter.data().mul_(0.5);
}

void kept_ok(SGD &optimizer, double rate) {
  auto group = optimizer.param_groups()[0];
  const auto set = [&] { group.options().set_lr(rate); };
  set();
  use(group);
}

// What is called is not known before there is an instance.
template <class Make> void unresolved_ok(SGD &optimizer, Make make) {
  for (auto group : optimizer.param_groups()) {
    group.options().set_lr(0.1);
    make(group);
  }
}
