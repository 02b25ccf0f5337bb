// Options that the optimizer has copied before they are changed.
#include <torch/torch.h>

using torch::optim::Adam;
using torch::optim::AdamOptions;
using torch::optim::Optimizer;
using torch::optim::OptimizerParamGroup;
using torch::optim::SGD;
using torch::optim::SGDOptions;

void defaults_bad(Optimizer &optimizer, double rate) {
  optimizer.defaults().set_lr(rate); // expect: ml-options-ignored (no fix): has copied these
}

void cast_defaults_bad(Adam &optimizer, double rate) {
  static_cast<AdamOptions &>(optimizer.defaults()).lr(rate); // expect: ml-options-ignored (no fix)
}

void named_defaults_bad(Adam &optimizer, double rate) {
  auto &options = static_cast<AdamOptions &>(optimizer.defaults());
  options.lr(rate); // expect: ml-options-ignored (no fix): has copied these
}

void loop_bad(std::shared_ptr<SGD> optimizer, int epochs) {
  double rate = 0.1;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    rate *= 0.9;
    optimizer->defaults().set_lr(rate); // expect: ml-options-ignored (no fix)
  }
}

void made_with_bad(std::vector<torch::Tensor> parameters, int steps) {
  SGDOptions options(0.1);
  options.momentum(0.9);
  SGD optimizer(parameters, options);
  for (int step = 0; step < steps; ++step) {
    if (step == 100)
      options.lr(0.01); // expect: ml-options-ignored (no fix): does not see the change
    optimizer.step();
  }
}

void made_shared_bad(std::vector<torch::Tensor> parameters) {
  AdamOptions options;
  auto optimizer = std::make_unique<Adam>(parameters, options);
  options.weight_decay(0.1); // expect: ml-options-ignored (no fix)
  optimizer->step();
}

// ---- parameters that the optimizer gets later

void added_ok(SGD &optimizer, std::vector<torch::Tensor> parameters, double rate) {
  optimizer.defaults().set_lr(rate);
  optimizer.add_param_group(OptimizerParamGroup(parameters));
}

double read_ok(SGD &optimizer) { return optimizer.defaults().get_lr(); }

// ---- another optimizer

void each_ok(std::vector<std::vector<torch::Tensor>> lists) {
  SGDOptions options(0.1);
  for (auto &list : lists) {
    SGD optimizer(list, options);
    optimizer.step();
    options.lr(0.01);
  }
}

void two_ok(std::vector<torch::Tensor> some, std::vector<torch::Tensor> others) {
  SGDOptions options(0.1);
  SGD first(some, options);
  options.lr(0.01);
  SGD second(others, options);
  first.step();
  second.step();
}

void before_ok(std::vector<torch::Tensor> parameters) {
  auto options = SGDOptions(0.1).momentum(0.9);
  options.weight_decay(1e-4);
  SGD optimizer(parameters, options);
  optimizer.step();
}

void referred_ok(std::vector<torch::Tensor> parameters, SGDOptions &options) {
  SGD optimizer(parameters, options);
  options.lr(0.01);
  optimizer.step();
}

struct Settings {
  SGDOptions options{0.1};
};

void member_ok(std::vector<torch::Tensor> parameters, Settings &settings) {
  SGD optimizer(parameters, settings.options);
  settings.options.lr(0.01);
  optimizer.step();
}
