// Functions with a backward of their own.
#include <torch/torch.h>

#include <optional>
#include <vector>

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

struct TooFew_bad : public Function<TooFew_bad> {
  static Tensor forward(AutogradContext *ctx, Tensor x, Tensor w, double slope) {
    ctx->save_for_backward({x, w});
    return x.matmul(w) * slope;
  }
  static variable_list backward(AutogradContext *ctx, variable_list gradients) {
    auto saved = ctx->get_saved_variables();
    auto of_x = gradients[0].matmul(saved[1].t());
    auto of_w = saved[0].t().matmul(gradients[0]);
    return {of_x, of_w}; // expect: ml-custom-function (level 0): returns 2 gradients
  }
};

struct OnlyOne_bad : public Function<OnlyOne_bad> {
  static variable_list forward(AutogradContext *ctx, int64_t n, Tensor x) {
    ctx->saved_data["n"] = static_cast<double>(n);
    return {x * n};
  }
  static variable_list backward(AutogradContext *ctx, variable_list gradients) {
    return {gradients[0] * 2}; // expect: ml-custom-function: has 2 inputs
  }
};

struct TooMany_bad : public Function<TooMany_bad> {
  static Tensor forward(AutogradContext *ctx, Tensor x) { return x.relu(); }
  static variable_list backward(AutogradContext *ctx, variable_list gradients) {
    auto g = gradients[0];
    return {g.clone(), g.mul(2)}; // expect: ml-custom-function: returns 2 gradients
  }
};

struct Misplaced_bad : public Function<Misplaced_bad> {
  static Tensor forward(AutogradContext *ctx, double slope, Tensor x) { return x * slope; }
  static variable_list backward(AutogradContext *ctx, variable_list gradients) {
    auto g = gradients[0];
    return {g.mul(2), Tensor()}; // expect: ml-custom-function (level 0): input 1 of forward()
  }
};

struct KeepsOutput_bad : public Function<KeepsOutput_bad> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    auto y = x.exp();
    ctx->saved_data["y"] = y; // expect: ml-custom-function (level 0): the context keeps the output
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list gradients) {
    return {gradients[0] * ctx->saved_data["y"].toTensor()};
  }
};

struct InPlace_bad : public Function<InPlace_bad> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    x.mul_(2.0); // expect: ml-custom-function (level 1): call mark_dirty()
    return x;
  }
  static variable_list backward(AutogradContext *ctx, variable_list gradients) {
    return {gradients[0] * 2};
  }
};

// --- silent

struct Whole_ok : public Function<Whole_ok> {
  static Tensor forward(AutogradContext *ctx, Tensor x, Tensor w, std::optional<Tensor> bias,
                        double slope) {
    ctx->save_for_backward({x, w});
    auto y = x.matmul(w) * slope;
    return y;
  }
  static variable_list backward(AutogradContext *ctx, variable_list gradients) {
    auto saved = ctx->get_saved_variables();
    auto of_x = gradients[0].matmul(saved[1].t());
    return {of_x, saved[0].t().matmul(gradients[0]), Tensor(), Tensor()};
  }
};

struct Undefined_ok : public Function<Undefined_ok> {
  static Tensor forward(AutogradContext *ctx, Tensor x) { return x.relu(); }
  static variable_list backward(AutogradContext *ctx, variable_list gradients) {
    torch::autograd::Variable none;
    return {gradients[0], none, {}};
  }
};

struct Lists_ok : public Function<Lists_ok> {
  static Tensor forward(AutogradContext *ctx, Tensor x, const std::vector<Tensor> &others) {
    return x.relu();
  }
  static variable_list backward(AutogradContext *ctx, variable_list gradients) {
    return {gradients[0], gradients[0], gradients[0]};
  }
};

struct Built_ok : public Function<Built_ok> {
  static Tensor forward(AutogradContext *ctx, Tensor x, Tensor y) { return x + y; }
  static variable_list backward(AutogradContext *ctx, variable_list gradients) {
    variable_list result;
    for (int i = 0; i < 2; ++i)
      result.push_back(gradients[0]);
    return result;
  }
};

struct Marked_ok : public Function<Marked_ok> {
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    x.mul_(2.0);
    ctx->mark_dirty({x});
    return x;
  }
  static variable_list backward(AutogradContext *ctx, variable_list gradients) {
    return {gradients[0] * 2};
  }
};

struct Copied_ok : public Function<Copied_ok> {
  static Tensor forward(AutogradContext *ctx, Tensor x, Tensor buffer) {
    x = x.clone();
    x.mul_(2.0);
    buffer.add_(1.0);
    ctx->saved_data["slope"] = 0.5;
    ctx->saved_data["y"] = x.detach();
    return x;
  }
  static variable_list backward(AutogradContext *ctx, variable_list gradients) {
    return {gradients[0] * 2, Tensor()};
  }
};

struct NoFunction {
  static Tensor forward(AutogradContext *ctx, Tensor x, Tensor y) {
    x.mul_(2.0);
    return x;
  }
  static variable_list backward(AutogradContext *ctx, variable_list gradients) {
    return {gradients[0] * 2};
  }
};

// --- what becomes of the gradients ------------------------------------------------------------------------

static Tensor ones_for(const Tensor &gradient) { return torch::ones_like(gradient); }

struct Ignored_bad : public Function<Ignored_bad> {
  static Tensor forward(AutogradContext *ctx, Tensor x, Tensor y) { return x + y; }
  static variable_list backward(AutogradContext *ctx, variable_list gradients) {
    auto gradient = ones_for(gradients[0]);
    return {gradient, gradient}; // expect: ml-custom-function (level 1): ignores the values of the gradients
  }
};

struct Halved_ok : public Function<Halved_ok> {
  static Tensor forward(AutogradContext *ctx, Tensor x) { return x * 0.5; }
  static Tensor halved(const Tensor &gradient) { return gradient * 0.5; }
  static variable_list backward(AutogradContext *ctx, variable_list gradients) {
    auto gradient = gradients[0];
    return {halved(gradient)};
  }
};

// What gives no gradient on purpose.
struct Stopped_ok : public Function<Stopped_ok> {
  static Tensor forward(AutogradContext *ctx, Tensor x) { return x.sign(); }
  static variable_list backward(AutogradContext *ctx, variable_list gradients) {
    return {torch::zeros_like(gradients[0])};
  }
};

void add(const float *from, float *to, int64_t count);

struct Pointed_ok : public Function<Pointed_ok> {
  static Tensor forward(AutogradContext *ctx, Tensor x) { return x + 1; }
  static variable_list backward(AutogradContext *ctx, variable_list gradients) {
    auto given = gradients[0].contiguous();
    auto result = torch::empty_like(given);
    add(given.data_ptr<float>(), result.data_ptr<float>(), given.numel());
    return {result};
  }
};
