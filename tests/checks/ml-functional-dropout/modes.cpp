// What the calls in methods of modules say of the mode.
#include <torch/torch.h>

namespace F = torch::nn::functional;
using torch::nn::functional::dropout2d;

struct BadImpl : torch::nn::Module {
  torch::Tensor no_options_bad(torch::Tensor x) {
    return F::dropout(x); // expect: ml-functional-dropout (no fix): is on in evaluation
  }
  torch::Tensor empty_braces_bad(torch::Tensor x) {
    return F::dropout(x, {}); // expect: ml-functional-dropout (no fix): does not ask whether
  }
  torch::Tensor rate_only_bad(torch::Tensor x) {
    return F::dropout(x, F::DropoutFuncOptions().p(0.3)); // expect: ml-functional-dropout: too
  }
  torch::Tensor default_options_bad(torch::Tensor x) {
    return F::dropout(x, F::DropoutFuncOptions()); // expect: ml-functional-dropout
  }
  torch::Tensor braces_bad(torch::Tensor x) {
    return F::dropout(x, F::DropoutFuncOptions{}.p(0.3)); // expect: ml-functional-dropout
  }
  torch::Tensor in_place_bad(torch::Tensor x) {
    F::dropout(x, F::DropoutFuncOptions().p(rate).inplace(true)); // expect: ml-functional-dropout
    return x;
  }
  torch::Tensor explicit_bad(torch::Tensor x) {
    return F::dropout(x, // expect: ml-functional-dropout: it does not ask whether the module
                      F::DropoutFuncOptions().p(0.3).training(true));
  }
  torch::Tensor explicit_first_bad(torch::Tensor x) {
    x = F::dropout(x, F::DropoutFuncOptions().training(true)); // expect: ml-functional-dropout
    return F::dropout(x, // expect: ml-functional-dropout
                      F::DropoutFuncOptions().training(true).p(0.3));
  }
  torch::Tensor channels_bad(torch::Tensor x) {
    x = dropout2d(x, F::Dropout2dFuncOptions().p(0.2)); // expect: ml-functional-dropout
    return F::dropout3d(x, F::Dropout3dFuncOptions().p(0.2)); // expect: ml-functional-dropout
  }
  torch::Tensor alpha_bad(torch::Tensor x) {
    x = F::alpha_dropout( // expect: ml-functional-dropout
        x, F::AlphaDropoutFuncOptions().p(0.2).training(true));
    return F::feature_alpha_dropout( // expect: ml-functional-dropout
        x, F::FeatureAlphaDropoutFuncOptions().training(true));
  }
  torch::Tensor literal_bad(torch::Tensor x) {
    x = torch::dropout(x, 0.5, true);         // expect: ml-functional-dropout
    x = torch::dropout(x, rate, /*train=*/true); // expect: ml-functional-dropout
    x = at::dropout(x, 0.5, true);            // expect: ml-functional-dropout
    x = torch::feature_dropout(x, 0.5, true); // expect: ml-functional-dropout
    x = torch::alpha_dropout(x, 0.5, true);   // expect: ml-functional-dropout
    return torch::feature_alpha_dropout(x, 0.5, true); // expect: ml-functional-dropout
  }
  torch::Tensor literal_in_place_bad(torch::Tensor x) {
    torch::dropout_(x, 0.5, true); // expect: ml-functional-dropout
    return x;
  }
  torch::Tensor in_an_expression_bad(torch::Tensor x) {
    return first(torch::relu(torch::dropout(x, 0.5, true))) + x; // expect: ml-functional-dropout
  }
  // It asks about something else.
  torch::Tensor other_condition_bad(torch::Tensor x) {
    if (rate > 0)
      x = F::dropout(x, F::DropoutFuncOptions().p(rate)); // expect: ml-functional-dropout: on in evaluation
    return x;
  }
  // Here the mode counts for one of two.
  torch::Tensor one_of_two_bad(torch::Tensor x) {
    if (is_training())
      x = torch::dropout(x, 0.5, true);
    return torch::dropout(x, 0.1, true); // expect: ml-functional-dropout
  }

  torch::Tensor statistics_bad(torch::Tensor x) {
    return torch::batch_norm( // expect: ml-functional-dropout: changes the running statistics
        x, weight, bias, mean, variance, true, 0.1, 1e-5, true);
  }
  torch::Tensor statistics_by_options_bad(torch::Tensor x) {
    return F::batch_norm( // expect: ml-functional-dropout: by the batch in evaluation, too
        x, mean, variance, F::BatchNormFuncOptions().training(true));
  }
  // Each sample, or batch, by its own statistics: there are no others.
  torch::Tensor no_statistics_ok(torch::Tensor x) {
    x = torch::batch_norm(x, weight, bias, {}, {}, true, 0.0, 1e-5, true);
    return torch::batch_norm(x, weight, bias, torch::Tensor(), torch::Tensor(), true, 0.0, 1e-5, true);
  }
  torch::Tensor asked_statistics_ok(torch::Tensor x) {
    x = torch::batch_norm(x, weight, bias, mean, variance, is_training(), 0.1, 1e-5, true);
    return torch::batch_norm(x, weight, bias, mean, variance, false, 0.1, 1e-5, true);
  }

  double rate = 0.5;
  torch::nn::Linear first{nullptr};
  torch::Tensor weight, bias, mean, variance;
};
TORCH_MODULE(Bad);

// Modules by other base classes.
struct CloneableImpl : torch::nn::Cloneable<CloneableImpl> {
  void reset() {}
  torch::Tensor forward_bad(torch::Tensor x) {
    return F::dropout(x, F::DropoutFuncOptions().p(0.3)); // expect: ml-functional-dropout
  }
};
struct DerivedImpl : BadImpl {
  torch::Tensor forward_bad(torch::Tensor x) const {
    return torch::dropout(x, 0.3, true); // expect: ml-functional-dropout
  }
};
struct DefinedOutsideImpl : torch::nn::Module {
  torch::Tensor forward_bad(torch::Tensor x);
};
torch::Tensor DefinedOutsideImpl::forward_bad(torch::Tensor x) {
  x = torch::relu(x);
  return F::dropout(x, F::DropoutFuncOptions().p(0.3)); // expect: ml-functional-dropout
}

F::DropoutFuncOptions optionsFor(bool training);

struct GoodImpl : torch::nn::Module {
  torch::Tensor asks_ok(torch::Tensor x) {
    return F::dropout(x, F::DropoutFuncOptions().p(0.3).training(is_training()));
  }
  torch::Tensor asks_first_ok(torch::Tensor x) {
    return F::dropout(x, F::DropoutFuncOptions().training(this->is_training()).p(0.3));
  }
  torch::Tensor asks_another_ok(torch::Tensor x) {
    return F::dropout(x, F::DropoutFuncOptions().p(0.3).training(inner->is_training()));
  }
  torch::Tensor asks_function_ok(torch::Tensor x) {
    return torch::dropout(torch::dropout(x, 0.5, is_training()), 0.1, inner->is_training());
  }
  torch::Tensor kin_ok(torch::Tensor x) {
    x = dropout2d(x, F::Dropout2dFuncOptions().training(is_training()));
    x = torch::feature_dropout(x, 0.2, is_training());
    return F::alpha_dropout(x, F::AlphaDropoutFuncOptions().training(is_training()));
  }
  torch::Tensor flag_ok(torch::Tensor x, bool train) {
    x = F::dropout(x, F::DropoutFuncOptions().training(train));
    return torch::dropout(x, 0.5, train);
  }
  torch::Tensor member_ok(torch::Tensor x) {
    x = F::dropout(x, F::DropoutFuncOptions().training(drops));
    return torch::dropout(x, 0.5, drops);
  }
  torch::Tensor local_ok(torch::Tensor x) {
    const bool train = is_training();
    return F::dropout(x, F::DropoutFuncOptions().p(0.5).training(train));
  }
  torch::Tensor computed_ok(torch::Tensor x, bool sample) {
    x = torch::dropout(x, 0.5, sample || is_training());
    return F::dropout(x, F::DropoutFuncOptions().training(is_training() && !frozen()));
  }
  torch::Tensor off_ok(torch::Tensor x) {
    x = F::dropout(x, F::DropoutFuncOptions().training(false));
    return torch::dropout(x, 0.5, false);
  }
  torch::Tensor variable_ok(torch::Tensor x) {
    auto options = F::DropoutFuncOptions().p(0.3);
    options.training(is_training());
    return F::dropout(x, options);
  }
  torch::Tensor options_member_ok(torch::Tensor x) { return F::dropout(x, options); }
  torch::Tensor options_of_a_function_ok(torch::Tensor x) {
    return F::dropout(x, optionsFor(is_training()));
  }
  torch::Tensor options_parameter_ok(torch::Tensor x, const F::DropoutFuncOptions &options) {
    return F::dropout(x, options);
  }
  torch::Tensor rate_of_zero_ok(torch::Tensor x) {
    x = F::dropout(x, F::DropoutFuncOptions().p(0));
    x = F::dropout(x, F::DropoutFuncOptions().p(0.0).training(true));
    return torch::dropout(x, 0., true);
  }
  // Other than the others, these two do nothing unless they are told to.
  torch::Tensor alpha_default_ok(torch::Tensor x) {
    x = F::alpha_dropout(x);
    x = F::alpha_dropout(x, F::AlphaDropoutFuncOptions().p(0.2));
    return F::feature_alpha_dropout(x, F::FeatureAlphaDropoutFuncOptions().p(0.2));
  }
  torch::Tensor module_ok(torch::Tensor x) { return dropout(x); }
  torch::Tensor module_arrow_ok(torch::Tensor x) { return dropout->forward(x); }

  bool frozen() const;
  bool drops = true;
  F::DropoutFuncOptions options;
  torch::nn::Dropout dropout{0.5};
  torch::nn::Linear inner{nullptr};
};
TORCH_MODULE(Good);

// What a module's method does by conditions.
struct ConditionImpl : torch::nn::Module {
  torch::Tensor branch_ok(torch::Tensor x) {
    if (is_training())
      x = F::dropout(x);
    return x;
  }
  torch::Tensor block_ok(torch::Tensor x) {
    if (this->is_training()) {
      x = torch::relu(x);
      x = F::dropout(x, F::DropoutFuncOptions().p(rate));
    }
    return x;
  }
  torch::Tensor and_ok(torch::Tensor x) {
    if (rate > 0 && is_training())
      x = torch::dropout(x, rate, true);
    return x;
  }
  torch::Tensor nested_ok(torch::Tensor x) {
    if (is_training()) {
      for (int i = 0; i < 3; ++i)
        if (rate > 0.1 * i)
          x = torch::dropout(x, rate, true);
    }
    return x;
  }
  torch::Tensor else_ok(torch::Tensor x) {
    if (!is_training()) {
      x = x * (1 - rate);
    } else {
      x = torch::dropout(x, rate, true);
    }
    return x;
  }
  torch::Tensor choice_ok(torch::Tensor x) { return is_training() ? F::dropout(x) : x; }
  torch::Tensor choice_not_ok(torch::Tensor x) {
    return !is_training() ? x : torch::dropout(x, rate, true);
  }
  torch::Tensor early_return_ok(torch::Tensor x) {
    if (!is_training())
      return x;
    return torch::dropout(x, rate, true);
  }
  torch::Tensor early_return_with_more_ok(torch::Tensor x) {
    if (rate == 0 || !is_training())
      return x;
    return F::dropout(x, F::DropoutFuncOptions().p(rate));
  }
  torch::Tensor condition_variable_ok(torch::Tensor x) {
    const bool training = is_training();
    if (training)
      x = F::dropout(x, F::DropoutFuncOptions().p(rate));
    return x;
  }
  torch::Tensor condition_parameter_ok(torch::Tensor x, bool training) {
    return training ? torch::dropout(x, rate, true) : x;
  }

  double rate = 0.5;
};
TORCH_MODULE(Condition);
