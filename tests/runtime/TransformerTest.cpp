// Attention, transformers and the less common activations: values, gradients and first parameters
// as LibTorch gives them.
#include "Expect.h"

using torch::Tensor;
namespace nn = torch::nn;
namespace F = torch::nn::functional;

namespace {

/// The module in double precision, with parameters that do not depend on random numbers.
template <class Holder> Holder made(Holder holder) {
  holder->to(torch::kDouble);
  holder->eval();
  torch::NoGradGuard guard;
  for (Tensor &parameter : holder->parameters())
    parameter.copy_(wave(parameter.sizes(), 0.3) * 0.4);
  return holder;
}

Tensor memory(torch::IntArrayRef sizes) { return torch::cos(wave(sizes).detach()); }

Tensor causal(int64_t size) {
  return nn::TransformerImpl::generate_square_subsequent_mask(size).to(torch::kDouble);
}

/// True for the last position of the first sample.
Tensor padding(int64_t batch, int64_t length) {
  Tensor mask = torch::zeros({batch, length}, torch::kBool);
  mask[0][length - 1] = true;
  return mask;
}

Tensor attend(nn::MultiheadAttentionOptions options, const Tensor &x, const Tensor &mask = {},
              const Tensor &paddingMask = {}) {
  auto [output, weights] = made(nn::MultiheadAttention(options))(x, x, x, paddingMask, true, mask);
  return torch::cat({output.reshape({-1}), weights.reshape({-1})});
}

double sumOfMarks(const nn::Module &module) {
  double sum = 0;
  for (const Tensor &parameter : module.parameters())
    sum += mark(parameter);
  return sum;
}

} // namespace

TEST_CASE("attention gives LibTorch's values and gradients") {
  using Options = nn::MultiheadAttentionOptions;
  const Marked rows[] = {
      MARKED(attend(Options(4, 2), x), -0.9068422652, -0.1276933425),
      MARKED(attend(Options(4, 2).bias(false), x, causal(3)), -0.02281281911, 0.3205495802),
      MARKED(attend(Options(4, 1), x, {}, padding(2, 3)), -0.5651670233, -0.148712862),
      MARKED(
          attend(Options(4, 2).add_bias_kv(true).add_zero_attn(true), x, causal(3), padding(2, 3)),
          -0.4581015491, -0.02817069312),
      MARKED(std::get<0>(made(nn::MultiheadAttention(Options(4, 2).kdim(3).vdim(3)))(
                 x, memory({6, 2, 3}), memory({6, 2, 3}))),
             -1.231551201, 0.01505309463),
  };
  for (const Marked &row : rows)
    checkMarks(row, {3, 2, 4});
}

TEST_CASE("transformers give LibTorch's values and gradients") {
  const Marked rows[] = {
      MARKED(made(nn::TransformerEncoderLayer(
                 nn::TransformerEncoderLayerOptions(4, 2).dim_feedforward(5)))(x),
             -0.1431038224, 0.5603087014),
      MARKED(made(nn::TransformerEncoderLayer(
                 nn::TransformerEncoderLayerOptions(4, 2).dim_feedforward(5).activation(
                     torch::kGELU)))(x, causal(3), padding(2, 3)),
             -0.1487213814, 0.5854151844),
      MARKED(made(nn::TransformerEncoder(nn::TransformerEncoderOptions(
                 nn::TransformerEncoderLayerOptions(4, 2).dim_feedforward(5), 2)))(x),
             -0.1163950899, 0.05864331299),
      MARKED(made(nn::TransformerDecoderLayer(
                 nn::TransformerDecoderLayerOptions(4, 2).dim_feedforward(5)))(x, memory({5, 2, 4}),
                                                                               causal(3)),
             -0.1312501712, 0.1677837973),
      MARKED(made(nn::Transformer(nn::TransformerOptions(4, 2, 1, 2).dim_feedforward(3)))(
                 memory({5, 2, 4}), x, Tensor(), causal(3)),
             -0.1340805708, 0.003180431166),
  };
  for (const Marked &row : rows)
    checkMarks(row, {3, 2, 4});
  CHECK(nn::Transformer(nn::TransformerOptions(4, 2, 1, 2))->parameters().size() == 52);
}

TEST_CASE("transformers start with LibTorch's values for the same seed", "[host]") {
  torch::manual_seed(4);
  nn::MultiheadAttention attention(8, 2);
  CHECK(sumOfMarks(*attention) == Approx(-1.5649009));
  nn::TransformerEncoderLayer layer(nn::TransformerEncoderLayerOptions(8, 2).dim_feedforward(6));
  CHECK(sumOfMarks(*layer) == Approx(-1.7572316));
  nn::Transformer transformer(nn::TransformerOptions(8, 2, 1, 1).dim_feedforward(6));
  CHECK(sumOfMarks(*transformer) == Approx(-0.90158661));
  Tensor x = torch::ones({3, 2, 8});
  CHECK(mark(transformer(x, x)) == Approx(3.5610645).epsilon(1e-4)); // with dropout
}

TEST_CASE("less common activations give LibTorch's values and gradients") {
  const Marked rows[] = {
      MARKED(F::glu(x), 0.107156128, -0.8936208648),
      MARKED(nn::GLU(1)(x), 0.307283411, 0.3162980762),
      MARKED(torch::prelu(x, torch::full({1}, 0.25, torch::kDouble)), -0.02237767271, 6.990111918),
      MARKED(torch::prelu(x, torch::tensor({0.1, 0.2}, torch::kDouble)), -0.09633331376,
             6.376132493),
      MARKED(torch::selu(x), -0.03837995053, 11.88165199),
      MARKED(torch::celu(x, 1.5), -0.0338533668, 9.60575724),
      MARKED(torch::hardtanh(x, -0.5, 0.25), -0.2098034433, 3.208957769),
      MARKED(torch::relu6(x * 10), 0.7784488157, 17.66880796),
      MARKED(torch::hardswish(x * 4), 0.2546763391, 23.79297969),
      MARKED(torch::mish(x), -0.0004863328447, 6.599436878),
      MARKED(torch::hardshrink(x, 0.5), -0.1390074839, 7.663902532),
      MARKED(torch::softshrink(x, 0.25), -0.02653397298, 9.53777597),
      MARKED(torch::threshold(x, 0.1, 20), -2.292292379, 5.497935472),
      MARKED(F::softsign(x), -0.04679885205, 5.017763382),
      MARKED(F::tanhshrink(x), -0.0001452880099, 3.673669775),
      MARKED(F::softmin(x, 1), -0.6041822114, -4.461378537),
  };
  for (const Marked &row : rows)
    checkMarks(row, {3, 2, 4});
  CHECK(torch::allclose(torch::hardsigmoid(torch::tensor({-4.0, 0.0, 1.5})),
                        torch::tensor({0.0, 0.5, 0.75})));
  Tensor edge = torch::tensor({0.0, 6.0, 3.0}, torch::requires_grad());
  torch::relu6(edge).sum().backward();
  CHECK(torch::equal(edge.grad(), torch::tensor({0.0, 0.0, 1.0})));
}
