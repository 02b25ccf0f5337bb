// Functions that compute more than dropout, and are told a rate. LibTorch 1.13 has none.
#include <torch/torch.h>

using torch::Tensor;

struct Options {
  double dropout = 0.1;
};

struct Attention : torch::nn::Module {
  Tensor member_bad(Tensor q, Tensor k, Tensor v) {
    return torch::scaled_dot_product_attention(q, k, v, {}, options.dropout, true); // expect: ml-functional-dropout (no fix) (level 1): drops in evaluation, too
  }
  Tensor number_bad(Tensor q, Tensor k, Tensor v) {
    return torch::scaled_dot_product_attention(q, k, v, {}, 0.1); // expect: ml-functional-dropout (no fix) (level 1)
  }
  Tensor named_bad(Tensor q, Tensor k, Tensor v) {
    const double rate = rate_;
    return torch::scaled_dot_product_attention(q, k, v, {}, rate); // expect: ml-functional-dropout (no fix) (level 1)
  }
  Tensor asked_ok(Tensor q, Tensor k, Tensor v) {
    return torch::scaled_dot_product_attention(q, k, v, {}, is_training() ? rate_ : 0.0, true);
  }
  Tensor branch_ok(Tensor q, Tensor k, Tensor v) {
    if (is_training())
      return torch::scaled_dot_product_attention(q, k, v, {}, rate_);
    return torch::scaled_dot_product_attention(q, k, v);
  }
  Tensor chosen_ok(Tensor q, Tensor k, Tensor v) {
    const double rate = is_training() ? rate_ : 0.0;
    return torch::scaled_dot_product_attention(q, k, v, {}, rate, true);
  }
  Tensor given_ok(Tensor q, Tensor k, Tensor v, double rate) {
    return torch::scaled_dot_product_attention(q, k, v, {}, rate);
  }
  Tensor zero_ok(Tensor q, Tensor k, Tensor v) {
    return torch::scaled_dot_product_attention(q, k, v, {}, 0.0, true);
  }
  Options options;
  double rate_ = 0.1;
};
