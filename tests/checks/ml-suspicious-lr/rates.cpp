// How large and how small.
#include <torch/torch.h>

using Net = torch::nn::Linear;
namespace optim = torch::optim;

static void train(Net net, optim::Optimizer &optimizer) {
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(torch::ones({1, 4})).mean().backward();
    optimizer.step();
  }
}

// ---- too large

void adam_bad(Net net) {
  torch::optim::Adam optimizer(net->parameters(), 5); // expect: ml-suspicious-lr: rate of 5 is
  train(net, optimizer);
}

void adam_options_bad(Net net) {
  optim::Adam optimizer(
      net->parameters(),
      optim::AdamOptions(1.0)); // expect: ml-suspicious-lr (level 1): of 1 is far too large
  train(net, optimizer);
}

void adam_setter_bad(Net net) {
  optim::Adam optimizer(net->parameters(),
                        optim::AdamOptions().lr(2.5)); // expect: ml-suspicious-lr: of 2.5 is far
  train(net, optimizer);
}

// The last one counts.
void adam_both_bad(Net net) {
  optim::Adam optimizer(net->parameters(),
                        optim::AdamOptions(1e-3).lr(3)); // expect: ml-suspicious-lr: of 3 is
  train(net, optimizer);
}

void adam_more_options_bad(Net net) {
  optim::Adam optimizer(
      net->parameters(),
      optim::AdamOptions(2) // expect: ml-suspicious-lr: of 2 is far too large for Adam
          .betas({0.9, 0.95})
          .weight_decay(1e-4));
  train(net, optimizer);
}

void adamw_bad(Net net) {
  optim::AdamW optimizer(net->parameters(), 1.5); // expect: ml-suspicious-lr: too large for AdamW
  train(net, optimizer);
}

void rmsprop_bad(Net net) {
  optim::RMSprop optimizer(net->parameters(), 10.0); // expect: ml-suspicious-lr: for RMSprop
  train(net, optimizer);
}

void sgd_bad(Net net) {
  optim::SGD optimizer(net->parameters(), 10); // expect: ml-suspicious-lr (level 1): large for SGD
  train(net, optimizer);
}

void sgd_options_bad(Net net) {
  optim::SGD optimizer(net->parameters(),
                       optim::SGDOptions(100.).momentum(0.9)); // expect: ml-suspicious-lr: of 100
  train(net, optimizer);
}

void adagrad_bad(Net net) {
  optim::Adagrad optimizer(net->parameters(), 12); // expect: ml-suspicious-lr: for Adagrad
  train(net, optimizer);
}

// ---- large for Adam and its kin

void mild_adam_bad(Net net) {
  optim::Adam optimizer(net->parameters(), 0.1); // expect: ml-suspicious-lr (level 2): of 0.1 is
  train(net, optimizer);
}

void mild_adamw_bad(Net net) {
  optim::AdamW optimizer(net->parameters(),
                         optim::AdamWOptions(0.5)); // expect: ml-suspicious-lr (level 1): of 0.5
  train(net, optimizer);
}

void mild_rmsprop_bad(Net net) {
  optim::RMSprop optimizer(net->parameters(), 0.9); // expect: ml-suspicious-lr (level 1)
  train(net, optimizer);
}

// ---- too small

void small_adam_bad(Net net) {
  optim::Adam optimizer(net->parameters(), 1e-9); // expect: ml-suspicious-lr (level 1): of 1e-09
  train(net, optimizer);
}

void small_sgd_bad(Net net) {
  optim::SGD optimizer(net->parameters(), 1e-8); // expect: ml-suspicious-lr: nothing is learned
  train(net, optimizer);
}

void small_adagrad_bad(Net net) {
  optim::Adagrad optimizer(net->parameters(), 1e-10); // expect: ml-suspicious-lr: is so small
  train(net, optimizer);
}

// ---- constants by name

constexpr double kRate = 4;
void constexpr_bad(Net net) {
  optim::Adam optimizer(net->parameters(), kRate); // expect: ml-suspicious-lr: of 4 is far
  train(net, optimizer);
}

void const_bad(Net net) {
  const double rate = 3e-9;
  optim::SGD optimizer(net->parameters(), rate); // expect: ml-suspicious-lr: of 3e-09
  train(net, optimizer);
}

void never_changed_bad(Net net) {
  double learning_rate = 1;
  optim::Adam optimizer(net->parameters(),
                        optim::AdamOptions(learning_rate)); // expect: ml-suspicious-lr: of 1 is
  train(net, optimizer);
}

void float_bad(Net net) {
  const float rate = 2.0F;
  optim::Adam optimizer(net->parameters(), rate); // expect: ml-suspicious-lr: of 2 is
  train(net, optimizer);
}

void unique_pointer_bad(Net net) {
  auto optimizer = std::make_unique<optim::Adam>(
      net->parameters(), optim::AdamOptions(5)); // expect: ml-suspicious-lr: of 5 is far too large
  train(net, *optimizer);
}

class Trainer {
public:
  explicit Trainer(Net net)
      : net(net), optimizer(net->parameters(), optim::AdamOptions(5)) {} // expect: ml-suspicious-lr
  void run() { train(net, optimizer); }

private:
  Net net;
  optim::Adam optimizer;
};

// ---- what is usual

void usual_ok(Net net) {
  optim::Adam adam(net->parameters(), 1e-3);
  optim::AdamW adamW(net->parameters(), optim::AdamWOptions(3e-4).weight_decay(0.1));
  optim::RMSprop rmsprop(net->parameters(), 0.01);
  optim::SGD sgd(net->parameters(), optim::SGDOptions(0.1).momentum(0.9).weight_decay(5e-4));
  optim::Adagrad adagrad(net->parameters(), 1.0);
  for (optim::Optimizer *optimizer : std::initializer_list<optim::Optimizer *>{
           &adam, &adamW, &rmsprop, &sgd, &adagrad})
    train(net, *optimizer);
}

void defaults_ok(Net net) {
  optim::Adam adam(net->parameters());
  optim::AdamW adamW(net->parameters(), optim::AdamWOptions());
  train(net, adam);
  train(net, adamW);
}

void large_for_sgd_ok(Net net) {
  optim::SGD optimizer(net->parameters(), 5.0);
  optim::SGD another(net->parameters(), optim::SGDOptions(1));
  train(net, optimizer);
  train(net, another);
}

void fine_tuning_ok(Net net) {
  optim::Adam optimizer(net->parameters(), 1e-7);
  optim::SGD another(net->parameters(), 2e-8);
  train(net, optimizer);
  train(net, another);
}

void lbfgs_ok(Net net) {
  optim::LBFGS optimizer(net->parameters(), 1);
  optim::LBFGS another(net->parameters(), optim::LBFGSOptions(100).max_iter(5));
  for (optim::LBFGS *one : {&optimizer, &another})
    one->step([&] {
      one->zero_grad();
      auto loss = net(torch::ones({1, 4})).mean();
      loss.backward();
      return loss;
    });
}

// The numbers of other options.
void other_options_ok(Net net) {
  optim::Adam adam(net->parameters(), optim::AdamOptions(1e-3).eps(1e-8).weight_decay(1e-9));
  optim::Adam flat(net->parameters(), optim::AdamOptions(1e-3).eps(1).betas({0.5, 0.999}));
  optim::SGD sgd(net->parameters(), optim::SGDOptions(0.01).momentum(0.99).weight_decay(1e-10));
  optim::RMSprop rmsprop(net->parameters(), optim::RMSpropOptions(1e-3).eps(1e-10));
  train(net, adam);
  train(net, flat);
  train(net, sgd);
  train(net, rmsprop);
}

// The first one does not count.
void overwritten_ok(Net net) {
  optim::Adam optimizer(net->parameters(), optim::AdamOptions(5).lr(1e-3));
  train(net, optimizer);
}

// A frozen group, say.
void zero_ok(Net net) {
  optim::SGD optimizer(net->parameters(), 0.0);
  train(net, optimizer);
}

// ---- not a constant

void parameter_ok(Net net, double rate) {
  optim::Adam optimizer(net->parameters(), rate);
  train(net, optimizer);
}

void default_argument_ok(Net net, double rate = 10) {
  optim::Adam optimizer(net->parameters(), optim::AdamOptions(rate));
  train(net, optimizer);
}

struct Settings {
  double rate = 5;
};
void member_ok(Net net, const Settings &settings) {
  optim::Adam optimizer(net->parameters(), settings.rate);
  train(net, optimizer);
}

void changed_variable_ok(Net net, int tries) {
  double rate = 1;
  for (int i = 0; i < tries; ++i)
    rate /= 10;
  optim::Adam optimizer(net->parameters(), rate);
  train(net, optimizer);
}

void search_ok(Net net) {
  for (double rate = 10; rate > 1e-9; rate /= 10) {
    optim::Adam optimizer(net->parameters(), rate);
    train(net, optimizer);
  }
}

void list_ok(Net net) {
  for (const double rate : {1e-9, 1e-3, 10.0}) {
    optim::SGD optimizer(net->parameters(), rate);
    train(net, optimizer);
  }
}

void readSetting(double &setting);
void read_ok(Net net) {
  double rate = 5;
  readSetting(rate);
  optim::Adam optimizer(net->parameters(), rate);
  train(net, optimizer);
}

double rateFor(int64_t batchSize);
void computed_ok(Net net) {
  optim::Adam optimizer(net->parameters(), rateFor(64));
  train(net, optimizer);
}

double globalRate = 5;
void global_ok(Net net) {
  optim::Adam optimizer(net->parameters(), globalRate);
  train(net, optimizer);
}

// ---- options that no optimizer works with

double options_only_ok() {
  optim::AdamOptions options(5);
  return options.get_lr();
}

void options_corrected_ok(Net net) {
  optim::AdamOptions options(5);
  options.lr(1e-3);
  optim::Adam optimizer(net->parameters(), options);
  train(net, optimizer);
}

// Optimizers that are somebody else's.
namespace own {
struct Adam {
  Adam(std::vector<torch::Tensor> parameters, double rate);
  void step();
};
} // namespace own

void own_optimizer_ok(Net net) {
  own::Adam optimizer(net->parameters(), 5);
  optimizer.step();
}

// ---- given by callers

void fit(Net net, float rate) {
  optim::Adam optimizer(net->parameters(), optim::AdamOptions(rate));
  train(net, optimizer);
}

void fit_bad(Net net) {
  constexpr float rate = 0.5F; // expect: ml-suspicious-lr: of 0.5 is large for Adam
  fit(net, rate);
}

void fit_ok(Net net) { fit(net, 1e-3F); }

void fit_changed_ok(Net net, float rate) {
  rate /= 1000;
  optim::Adam optimizer(net->parameters(), optim::AdamOptions(rate));
  train(net, optimizer);
}

void changed_ok(Net net) { fit_changed_ok(net, 0.5F); }
