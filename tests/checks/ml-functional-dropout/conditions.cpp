// Conditions that cannot be the mode, and others; options in variables.
#include <torch/torch.h>

namespace F = torch::nn::functional;

struct NumbersImpl : torch::nn::Module {
  explicit NumbersImpl(double rate) : rate(rate) {}
  torch::Tensor rate_bad(torch::Tensor x) {
    if (rate > 0.0 && depth != 1)
      x = F::dropout(x, F::DropoutFuncOptions().p(rate)); // expect: ml-functional-dropout: on in evaluation
    return x;
  }
  torch::Tensor between_bad(torch::Tensor x) {
    for (size_t i = 0; i < layers->size(); ++i) {
      x = torch::relu(x);
      if (i + 1 < layers->size())
        x = torch::dropout(x, 0.5, true); // expect: ml-functional-dropout
    }
    return x;
  }
  torch::Tensor between_list_bad(torch::Tensor x) {
    for (int i = 0; i < 3; ++i) {
      x = torch::relu(x);
      if (!(i == 2)) {
        x = torch::dropout(x, 0.5, true); // expect: ml-functional-dropout
      }
    }
    return x;
  }
  torch::Tensor local_bad(torch::Tensor x) {
    const int last = depth - 1;
    for (int i = 0; i < depth; ++i)
      if (i < last)
        if (rate > 0)
          x = torch::dropout(x, 0.5, true); // expect: ml-functional-dropout
    return x;
  }

  // What others may set for the one or the other mode.
  torch::Tensor parameter_ok(torch::Tensor x, double p) {
    if (p > 0)
      x = torch::dropout(x, p, true);
    return x;
  }
  torch::Tensor set_ok(torch::Tensor x) {
    if (chosen > 0)
      x = torch::dropout(x, 0.5, true);
    return x;
  }
  void choose(double p) { chosen = p; }
  torch::Tensor flag_ok(torch::Tensor x) {
    if (drops)
      x = torch::dropout(x, 0.5, true);
    return x;
  }
  torch::Tensor flag_and_number_ok(torch::Tensor x) {
    if (rate > 0 && drops)
      x = torch::dropout(x, 0.5, true);
    return x;
  }
  torch::Tensor named_ok(torch::Tensor x) {
    if (mode == 1)
      x = torch::dropout(x, 0.5, true);
    return x;
  }
  torch::Tensor counted_ok(torch::Tensor x) {
    int active = 0;
    if (is_training())
      active = 1;
    if (active > 0)
      x = torch::dropout(x, 0.5, true);
    return x;
  }
  torch::Tensor chosen_ok(torch::Tensor x) {
    const int active = is_training() ? 1 : 0;
    if (active > 0)
      x = torch::dropout(x, 0.5, true);
    return x;
  }
  torch::Tensor targets_ok(torch::Tensor x, torch::Tensor targets) {
    if (targets.defined())
      x = torch::dropout(x, 0.5, true);
    if (targets.numel() > 0)
      x = torch::dropout(x, 0.5, true);
    return x;
  }
  torch::Tensor list_ok(torch::Tensor x, std::vector<torch::Tensor> targets) {
    if (targets.size() > 0)
      x = torch::dropout(x, 0.5, true);
    return x;
  }
  torch::Tensor inner_ok(torch::Tensor x) {
    if (rate > 0)
      x = is_training() ? torch::dropout(x, 0.5, true) : x;
    return x;
  }
  torch::Tensor outer_ok(torch::Tensor x) {
    if (is_training())
      if (rate > 0)
        x = torch::dropout(x, 0.5, true);
    return x;
  }
  torch::Tensor early_ok(torch::Tensor x) {
    if (!is_training())
      return x;
    if (rate > 0)
      x = torch::dropout(x, 0.5, true);
    return x;
  }
  torch::Tensor other_branch_ok(torch::Tensor x) {
    if (is_training() || rate == 0)
      x = torch::relu(x);
    else if (rate > 0)
      x = torch::dropout(x, 0.5, true);
    return x;
  }
  torch::Tensor skipped_ok(torch::Tensor x) {
    for (int i = 0; i < 3; ++i) {
      if (!is_training())
        continue;
      if (i < 2)
        x = torch::dropout(x, 0.5, true);
    }
    return x;
  }

  double rate, chosen = 0.5;
  int depth = 2, mode = 1;
  bool drops = true;
  torch::nn::ModuleList layers;
};
TORCH_MODULE(Numbers);

// The number is what the mode sets.
struct OwnModeImpl : torch::nn::Module {
  void train(bool on = true) override;
  torch::Tensor rate_ok(torch::Tensor x) {
    if (rate > 0)
      x = torch::dropout(x, 0.5, true);
    return x;
  }
  double rate = 0.5;
};
TORCH_MODULE(OwnMode);

struct OptionsImpl : torch::nn::Module {
  torch::Tensor local_bad(torch::Tensor x) {
    auto options = F::DropoutFuncOptions().p(0.3);
    return F::dropout(x, options); // expect: ml-functional-dropout (no fix): on in evaluation
  }
  torch::Tensor twice_bad(torch::Tensor x) {
    const auto options = F::DropoutFuncOptions().p(0.3).training(true);
    x = F::dropout(x, options);                // expect: ml-functional-dropout (no fix)
    return F::dropout(torch::relu(x), options); // expect: ml-functional-dropout (no fix)
  }

  torch::Tensor told_ok(torch::Tensor x) {
    auto options = F::DropoutFuncOptions().p(0.3).training(is_training());
    return F::dropout(x, options);
  }
  torch::Tensor told_later_ok(torch::Tensor x) {
    F::DropoutFuncOptions options;
    options.p(0.3).training(is_training());
    return F::dropout(x, options);
  }
  torch::Tensor told_by_others_ok(torch::Tensor x) {
    auto options = F::DropoutFuncOptions().p(0.3);
    tell(options);
    return F::dropout(x, options);
  }
  torch::Tensor assigned_ok(torch::Tensor x) {
    auto options = F::DropoutFuncOptions().p(0.3);
    if (!is_training())
      options = F::DropoutFuncOptions().training(false);
    return F::dropout(x, options);
  }
  torch::Tensor told_copy_ok(torch::Tensor x) {
    auto options = F::DropoutFuncOptions().p(0.3);
    auto copy = options;
    copy.training(is_training());
    return F::dropout(x, copy);
  }
  torch::Tensor told_through_ok(torch::Tensor x) {
    auto options = F::DropoutFuncOptions().p(0.3);
    auto &same = options;
    same.training(is_training());
    return F::dropout(x, options);
  }
  torch::Tensor off_ok(torch::Tensor x) {
    auto options = F::DropoutFuncOptions().p(0.);
    return F::dropout(x, options);
  }
  void tell(F::DropoutFuncOptions &options) { options.training(is_training()); }
};
TORCH_MODULE(Options);
