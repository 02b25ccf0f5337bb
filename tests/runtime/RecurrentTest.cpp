// Recurrent layers and cells, packed sequences, einsum, and operations with gradients of their own.
#include "Expect.h"

using torch::Tensor;
namespace nn = torch::nn;
namespace rnn = torch::nn::utils::rnn;

namespace {

template <class Holder> Holder made(Holder holder) {
  holder->to(torch::kDouble);
  int64_t at = 0;
  torch::NoGradGuard guard;
  for (Tensor &parameter : holder->parameters())
    parameter.copy_(wave(parameter.sizes(), 0.1 * static_cast<double>(++at)) * 0.5);
  return holder;
}

nn::LSTM lstm(nn::LSTMOptions options) { return made(nn::LSTM(options)); }
nn::GRU gru(nn::GRUOptions options) { return made(nn::GRU(options)); }
nn::RNN plain(nn::RNNOptions options) { return made(nn::RNN(options)); }

Tensor state(torch::IntArrayRef sizes) { return torch::cos(wave(sizes).detach()); }

/// Output and last states of a layer as one row.
template <class... Parts> Tensor row(const Parts &...parts) {
  return torch::cat({parts.reshape({-1})...});
}
Tensor row(const std::tuple<Tensor, Tensor> &result) {
  return row(std::get<0>(result), std::get<1>(result));
}
Tensor row(const std::tuple<Tensor, std::tuple<Tensor, Tensor>> &result) {
  return row(std::get<0>(result), std::get<0>(std::get<1>(result)),
             std::get<1>(std::get<1>(result)));
}
Tensor row(const std::tuple<rnn::PackedSequence, std::tuple<Tensor, Tensor>> &result) {
  return row(std::get<0>(result).data(), std::get<0>(std::get<1>(result)),
             std::get<1>(std::get<1>(result)));
}
Tensor row(const std::tuple<rnn::PackedSequence, Tensor> &result) {
  return row(std::get<0>(result).data(), std::get<1>(result));
}

/// On the host, whatever the device of the sequences.
Tensor lengths(std::vector<int64_t> values) { return torch::tensor(values, torch::kCPU); }

} // namespace

TEST_CASE("recurrent layers give LibTorch's values and gradients") {
  const Marked rows[] = {
      MARKED(row(lstm(nn::LSTMOptions(3, 4))(x)), -0.5396375084, 0.209560917),
      MARKED(row(lstm(nn::LSTMOptions(3, 2).num_layers(2).bidirectional(true))(x)), -2.029226258,
             0.0006899171096),
      MARKED(row(lstm(nn::LSTMOptions(3, 4).bias(false).batch_first(true))(
                 x, std::make_tuple(state({1, 4, 4}), state({1, 4, 4})))),
             -0.2892198707, -0.03431341747),
      MARKED(row(lstm(nn::LSTMOptions(3, 4).proj_size(2))(x)), -1.797594579, 0.1572902865),
      MARKED(row(gru(nn::GRUOptions(3, 4))(x, state({1, 5, 4}))), -0.8017004864, -0.07291329),
      MARKED(row(gru(nn::GRUOptions(3, 2).num_layers(2).bidirectional(true).batch_first(true))(x)),
             -1.727898619, -0.4611711463),
      MARKED(row(plain(nn::RNNOptions(3, 4))(x)), -3.097636946, -0.5879669363),
      MARKED(row(plain(nn::RNNOptions(3, 4).nonlinearity(torch::kReLU).num_layers(2))(x)),
             -3.366831219, -1.402817358),
  };
  for (const Marked &test : rows)
    checkMarks(test, {4, 5, 3});
}

TEST_CASE("dropout between recurrent layers is LibTorch's for the same seed", "[host]") {
  checkMarks(MARKED(row(lstm(nn::LSTMOptions(3, 2).num_layers(3).dropout(0.5))(x)), -0.2386548514,
                    0.0174259277),
             {4, 5, 3});
}

TEST_CASE("packed sequences give LibTorch's values and gradients") {
  const Marked rows[] = {
      MARKED(rnn::pack_padded_sequence(x, lengths({4, 4, 2, 1, 1})).data(), -0.1506433429,
             11.95326738),
      MARKED(rnn::pack_padded_sequence(x, lengths({2, 5, 1, 3}), true, false).data(), 0.02286705614,
             -2.865410816),
      MARKED(
          std::get<0>(rnn::pad_packed_sequence(
              rnn::pack_padded_sequence(x, lengths({1, 3, 2, 4, 2}), false, false), true, 0.5, 6)),
          0.04959782648, -5.082859599),
      MARKED(rnn::pad_sequence({x[0], x[1].narrow(0, 0, 2)}, true, 7), -9.078853013, 10.00288074),
      MARKED(row(lstm(nn::LSTMOptions(3, 2).num_layers(2).bidirectional(true))
                     ->forward_with_packed_input(
                         rnn::pack_padded_sequence(x, lengths({4, 3, 3, 1, 1})))),
             -0.3154267651, 0.1647970797),
      MARKED(row(gru(nn::GRUOptions(3, 2).bidirectional(true))
                     ->forward_with_packed_input(
                         rnn::pack_padded_sequence(x, lengths({1, 4, 2, 3, 3}), false, false),
                         state({2, 5, 2}))),
             -2.276677788, -0.1921758059),
  };
  for (const Marked &test : rows)
    checkMarks(test, {4, 5, 3});
  auto [padded, sizes] =
      rnn::pad_packed_sequence(rnn::pack_sequence({torch::ones({3}), torch::ones({1})}));
  CHECK(torch::equal(padded, torch::tensor({{1.0, 1.0}, {1.0, 0.0}, {1.0, 0.0}})));
  CHECK(torch::equal(sizes, lengths({3, 1})));
}

TEST_CASE("cells give LibTorch's values and gradients") {
  const Marked rows[] = {
      MARKED(row(made(nn::LSTMCell(3, 4))(x)), -0.7371152725, 0.1818186711),
      MARKED(row(made(nn::LSTMCell(3, 4))(x, std::make_tuple(state({5, 4}), state({5, 4})))),
             -1.8930674, 0.2752303731),
      MARKED(made(nn::GRUCell(3, 4))(x, state({5, 4})), 0.009355719221, 0.159091876),
      MARKED(made(nn::RNNCell(3, 4))(x), -0.6572845304, -0.03989555586),
  };
  for (const Marked &test : rows)
    checkMarks(test, {5, 3});
}

TEST_CASE("recurrent layers start with LibTorch's values for the same seed", "[host]") {
  torch::manual_seed(3);
  nn::LSTM layer(nn::LSTMOptions(3, 4).num_layers(2).bidirectional(true));
  CHECK(layer->named_parameters().keys()[5] == "weight_hh_l0_reverse");
  CHECK(layer->all_weights().size() == 16);
  double sum = 0;
  for (const Tensor &parameter : layer->parameters())
    sum += mark(parameter);
  CHECK(sum == Approx(7.0107938));
  nn::GRUCell cell(2, 3);
  CHECK(mark(cell->bias_hh) == Approx(0.3964718));
}

TEST_CASE("misuse of recurrent layers is explained in LibTorch's words") {
  nn::LSTM layer(3, 4);
  CHECK(errorOf([&] { layer(torch::zeros({2, 3})); }) == "input must have 3 dimensions, got 2");
  CHECK(errorOf([&] { layer(torch::zeros({2, 1, 5})); }) ==
        "input.size(-1) must be equal to input_size. Expected 3, got 5");
  CHECK(errorOf([&] {
          layer(torch::zeros({2, 1, 3}),
                std::make_tuple(torch::zeros({1, 2, 4}), torch::zeros({1, 1, 4})));
        }) == "Expected hidden[0] size 1 1 4, got [1, 2, 4]");
  CHECK(errorOf([&] {
          rnn::pack_padded_sequence(torch::zeros({3, 2}), lengths({1, 3}));
        }).find("`lengths` array must be sorted in decreasing order") == 0);
  CHECK(errorOf([&] { nn::GRU(nn::GRUOptions(1, 1).dropout(2)); }) ==
        "dropout should be a number in range [0, 1] representing the probability of an element "
        "being zeroed");
}

TEST_CASE("einsum and products of batches give LibTorch's values and gradients") {
  const Marked rows[] = {
      MARKED(torch::einsum("bij,bjk->bik", {x, state({2, 4, 3})}), 0.0009367908621, 2.355637327),
      MARKED(torch::einsum("bij,bkj->ki", {x, state({2, 5, 4})}), 0.3408631376, -0.391425101),
      MARKED(torch::einsum("bij->jb", {x}), -3.317547232, 0.03696416533),
      MARKED(torch::einsum("bij", {x}), -0.04743991362, 11.46664125),
      MARKED(torch::einsum("bij,bij", {x, state({2, 3, 4})}), -0.03029627297, -0.6263918049),
      MARKED(torch::einsum("bij,k->bk", {x, state({3})}), -0.767446698, 0.1673654157),
      MARKED(torch::einsum("bii->bi", {x.narrow(2, 0, 3)}), 1.520423631, -1.029477007),
      MARKED(torch::einsum("bij,bi,j->b", {x, state({2, 3}), state({4})}), 0.4486775755,
             -0.136132662),
      MARKED(torch::baddbmm(state({3, 2}), x, state({2, 4, 2}), 0.5, 2), -0.7330020529,
             -14.19316106),
      MARKED(x.repeat_interleave(2, 1), -0.04138468188, 1.845725271),
      MARKED(x.split({1, 3}, 2)[1], -0.2195259682, -0.2388123904),
      MARKED(x.amax({0, 2}), -0.8173359664, -0.7009802743),
      MARKED(x.clone().unsqueeze_(1).exp(), -1.123912815, 14.38862814),
  };
  for (const Marked &test : rows)
    checkMarks(test, {2, 3, 4});
}

namespace {

struct Cube : torch::autograd::Function<Cube> {
  static Tensor forward(torch::autograd::AutogradContext *ctx, Tensor x, double factor) {
    CHECK_FALSE(torch::GradMode::is_enabled());
    ctx->save_for_backward({x});
    ctx->saved_data["factor"] = factor;
    return x * x * x * factor;
  }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext *ctx,
                                               torch::autograd::tensor_list g) {
    Tensor x = ctx->get_saved_variables()[0];
    return {3 * x * x * g[0] * ctx->saved_data["factor"].toDouble(), Tensor()};
  }
};

struct Halves : torch::autograd::Function<Halves> {
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext *ctx, Tensor x) {
    Tensor sign = x.sign();
    ctx->mark_non_differentiable({sign});
    return {x * 2, x + 1, sign};
  }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext *,
                                               torch::autograd::tensor_list g) {
    CHECK(g.size() == 3);
    CHECK(g[1].defined()); // zeros where nothing came
    return {2 * g[0] + g[1]};
  }
};

struct Wrong : torch::autograd::Function<Wrong> {
  static Tensor forward(torch::autograd::AutogradContext *, Tensor x, Tensor y) { return x + y; }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext *,
                                               torch::autograd::tensor_list g) {
    return {g[0]};
  }
};

} // namespace

TEST_CASE("a program writes gradients itself") {
  Tensor x = torch::tensor({1.0, 2.0}, torch::requires_grad());
  Tensor y = Cube::apply(x, 0.5);
  CHECK(y.requires_grad());
  CHECK(y.grad_fn()->name().find("Cube") != std::string::npos);
  y.sum().backward();
  CHECK(torch::allclose(x.grad(), torch::tensor({1.5, 6.0})));
  CHECK(errorOf([&] {
          y.sum().backward();
        }).find("Trying to backward through the graph a second") == 0);
  auto gradient = torch::autograd::grad({Cube::apply(x, 1.0).sum()}, {x}, {}, true, true)[0];
  gradient.sum().backward(); // through the gradient
  CHECK(torch::allclose(x.grad(), torch::tensor({1.5 + 6, 6.0 + 12})));
  auto parts = Halves::apply(x);
  CHECK_FALSE(parts[2].requires_grad());
  parts[0].sum().backward();
  CHECK(torch::allclose(x.grad(), torch::tensor({9.5, 20.0})));
  CHECK(errorOf([&] {
          Wrong::apply(x, x).sum().backward();
        }).find("returned an incorrect number of gradients (expected 2, got 1)") !=
        std::string::npos);
  torch::NoGradGuard guard;
  CHECK_FALSE(Cube::apply(x, 1.0).requires_grad());
}
