// gradcheck and checkpoint, of which LibTorch has none: the behaviour of Python's.
#include "Expect.h"

#include <gradtidy/Checkpoint.h>
#include <gradtidy/GradCheck.h>
#include <gradtidy/MemoryTracker.h>

using torch::Tensor;
using Tensors = std::vector<Tensor>;

namespace {

/// x², whose gradient is x times `slope`; right is 2.
template <int slope> struct Square : torch::autograd::Function<Square<slope>> {
  static Tensor forward(torch::autograd::AutogradContext *context, Tensor x) {
    context->save_for_backward({x});
    return x * x;
  }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext *context,
                                               torch::autograd::tensor_list gradients) {
    return {gradients[0] * slope * context->get_saved_variables()[0]};
  }
};

Tensor doubles(torch::IntArrayRef sizes) {
  return torch::rand(sizes, torch::TensorOptions(torch::kDouble).requires_grad(true));
}

} // namespace

TEST_CASE("gradcheck accepts right gradients and finds wrong ones") {
  torch::manual_seed(1);
  auto product = [](const Tensors &in) { return in[0].matmul(in[1]).tanh(); };
  CHECK(gradtidy::gradcheck(product, {doubles({2, 3}), doubles({2, 3}).t()}));
  CHECK(gradtidy::gradcheck([](const Tensors &in) { return Square<2>::apply(in[0]); },
                            {doubles({3})}));
  auto wrong = [](const Tensors &in) { return Square<3>::apply(in[0]); };
  CHECK_FALSE(gradtidy::gradcheck(wrong, {doubles({3})}, {.raise_exception = false}));
  CHECK(errorOf([&] {
          gradtidy::gradcheck(wrong, {doubles({3})});
        }).find("Jacobian mismatch for output 0 with respect to input 0,\nnumerical:") == 0);
}

TEST_CASE("gradcheck takes several results, integers among them, and inputs without gradient") {
  auto function = [](const Tensors &in) {
    auto [values, places] = in[0].max(0);
    return Tensors{values, places, (in[0] * in[1]).sum()};
  };
  torch::manual_seed(1);
  CHECK(gradtidy::gradcheck(function, {doubles({3, 2}), torch::rand({3, 2})}));
}

TEST_CASE("gradcheck refuses what it cannot judge") {
  auto same = [](const Tensors &in) { return in[0] * 1; };
  CHECK(errorOf([&] { gradtidy::gradcheck(same, {torch::ones({2})}); }) ==
        "gradcheck expects at least one input tensor to require gradient, but none of the them "
        "have requires_grad=True.");
  CHECK(errorOf([&] {
          gradtidy::gradcheck(same, {torch::ones({2}, torch::requires_grad())});
        }).find("is not of double precision") != std::string::npos);
}

TEST_CASE("gradgradcheck judges gradients of gradients") {
  torch::manual_seed(1);
  auto cube = [](const Tensors &in) { return in[0].pow(3); };
  CHECK(gradtidy::gradgradcheck(cube, {doubles({4})}));
  // Its gradient is right, but says to be constant.
  auto frozen = [](const Tensors &in) {
    return in[0] * in[0].detach() * 2 - in[0].detach().pow(2);
  };
  CHECK_FALSE(gradtidy::gradgradcheck(frozen, {doubles({4})}, {.raise_exception = false}));
}

TEST_CASE("a checkpointed block has the gradients of the block, and computes it twice") {
  torch::manual_seed(2);
  torch::nn::Sequential block(torch::nn::Linear(4, 8), torch::nn::Dropout(0.5), torch::nn::Tanh(),
                              torch::nn::Linear(8, 3));
  Tensor x = torch::rand({5, 4}, torch::requires_grad());
  int calls = 0;
  auto forward = [&](Tensor in) {
    ++calls;
    return block->forward(in);
  };
  auto gradients = [&](const std::function<Tensor()> &call) {
    block->zero_grad();
    x.mutable_grad().reset();
    torch::manual_seed(7);
    call().pow(2).sum().backward();
    Tensors result{x.grad().clone(), torch::rand({1})};
    for (const Tensor &parameter : block->parameters())
      result.push_back(parameter.grad().clone());
    return result;
  };
  const Tensors plain = gradients([&] { return forward(x); });
  CHECK(calls == 1);
  const Tensors saved = gradients([&] { return gradtidy::checkpoint(forward, x); });
  CHECK(calls == 3);
  for (std::size_t i = 0; i < plain.size(); ++i)
    CHECK(torch::equal(plain[i], saved[i]));
}

TEST_CASE("parameters get gradients where no input of a checkpoint requires one") {
  torch::nn::Linear layer(2, 1);
  gradtidy::checkpoint([&](Tensor in) { return layer(in); }, torch::ones({1, 2})).sum().backward();
  CHECK(torch::equal(layer->weight.grad(), torch::ones({1, 2})));
  torch::NoGradGuard guard;
  CHECK_FALSE(gradtidy::checkpoint([&](Tensor in) { return layer(in); }, torch::ones({1, 2}))
                  .requires_grad());
}

TEST_CASE("a checkpoint may have several inputs and results") {
  Tensor a = torch::tensor({2.0}, torch::requires_grad());
  Tensor b = torch::tensor({3.0}, torch::requires_grad());
  Tensors out = gradtidy::checkpoint(
      [](const Tensors &in) { return Tensors{in[0] * in[1], in[0].detach(), in[1] + 1}; },
      Tensors{a, b});
  REQUIRE(out.size() == 3);
  (out[0] * out[2]).sum().backward(); // a b (b + 1)
  CHECK(a.grad().item<double>() == 12);
  CHECK(b.grad().item<double>() == 14);
}

TEST_CASE("checkpoints save memory") {
  auto peak = [](bool checkpointed) {
    Tensor x = torch::rand({1024}, torch::requires_grad());
    auto block = [](Tensor in) {
      for (int i = 0; i < 16; ++i)
        in = in.tanh();
      return in;
    };
    gradtidy::MemoryTracker memory;
    Tensor y = x;
    for (int i = 0; i < 8; ++i)
      y = checkpointed ? gradtidy::checkpoint(block, y) : block(y);
    y.sum().backward();
    return memory.peak();
  };
  CHECK(peak(true) < peak(false) / 3);
}
