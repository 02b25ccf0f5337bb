// Autograd: gradients against finite differences, in-place changes, guards, and the errors.
#include "Expect.h"

#include <cmath>
#include <thread>

using torch::Tensor;

namespace {

Tensor leaf(const Tensor &values) { return values.clone().set_requires_grad(true); }

#define UNARY(expression)                                                                          \
  {#expression, [](const std::vector<Tensor> &in) {                                                \
     const Tensor &x = in[0];                                                                      \
     return expression;                                                                            \
   }}
#define BINARY(expression)                                                                         \
  {#expression, [](const std::vector<Tensor> &in) {                                                \
     const Tensor &x = in[0], &y = in[1];                                                          \
     return expression;                                                                            \
   }}

struct Case {
  const char *text;
  Function function;
};

} // namespace

TEST_CASE("gradients of functions of one tensor agree with finite differences") {
  namespace F = torch::nn::functional;
  using namespace torch::indexing;
  torch::manual_seed(1);
  Tensor positive = torch::rand({3, 4}, torch::kDouble) + 0.3;
  Tensor any = torch::randn({3, 4}, torch::kDouble);
  const Case onPositive[] = {UNARY(x.log()),
                             UNARY(x.sqrt()),
                             UNARY(x.rsqrt()),
                             UNARY(x.reciprocal()),
                             UNARY(x.log1p()),
                             UNARY(x.pow(2.5)),
                             UNARY(x.pow(-1)),
                             UNARY(2.0 / x),
                             UNARY(torch::kl_div(x.log(), x)),
                             UNARY((x / 2).clamp(0.01, 0.99).log())};
  const Case onAny[] = {
      UNARY(x.exp()),
      UNARY(x.expm1()),
      UNARY(x.sin() * x.cos()),
      UNARY(x.tanh()),
      UNARY(x.sigmoid()),
      UNARY(x.relu()),
      UNARY(x.abs()),
      UNARY(x.erf()),
      UNARY(-x * 3 - 1),
      UNARY(1 - x),
      UNARY(x.square()),
      UNARY(x.pow(3)),
      UNARY(x.clamp(-0.5, 0.5)),
      UNARY(x.clamp_min(0.1)),
      UNARY(torch::leaky_relu(x, 0.1)),
      UNARY(torch::elu(x)),
      UNARY(torch::gelu(x)),
      UNARY(torch::silu(x)),
      UNARY(torch::softplus(x)),
      UNARY(torch::log_sigmoid(x)),
      UNARY(x.remainder(0.7)),
      UNARY(x.sum(0)),
      UNARY(x.sum()),
      UNARY(x.mean(1, true)),
      UNARY(x.var()),
      UNARY(x.std(1)),
      UNARY(x.norm()),
      UNARY(x.norm(2, 0)),
      UNARY(x.norm(1)),
      UNARY(x.norm(3)),
      UNARY(x.prod()),
      UNARY(x.max()),
      UNARY(std::get<0>(x.max(1))),
      UNARY(std::get<0>(x.min(0))),
      UNARY(x.cumsum(1)),
      UNARY(x.logsumexp(1)),
      UNARY(std::get<0>(x.sort(1))),
      UNARY(std::get<0>(x.topk(2, 0))),
      UNARY(x.softmax(1)),
      UNARY(x.log_softmax(0)),
      UNARY(x.view({4, 3})),
      UNARY(x.t().reshape({2, 6})),
      UNARY(x.permute({1, 0}).exp()),
      UNARY(x.unsqueeze(1).squeeze(1)),
      UNARY(x.unsqueeze(0).expand({2, 3, 4})),
      UNARY(x.select(1, 2)),
      UNARY(x.slice(1, 1, 4, 2)),
      UNARY(x.narrow(0, 1, 2)),
      UNARY(x.diagonal()),
      UNARY(x.as_strided({2, 2}, {1, 1})),
      UNARY(x.unfold(1, 2, 1)),
      UNARY(x.repeat({2, 1})),
      UNARY(x.flip({1})),
      UNARY(x.tril()),
      UNARY(x.contiguous().clone()),
      UNARY(torch::cat({x, x.slice(0, 0, 1)})),
      UNARY(torch::stack({x, x * 2}, 1)),
      UNARY(x.chunk(2, 1)[1]),
      UNARY(x.index({torch::tensor({0, 0, 2})})),
      UNARY(x.index({x.detach() > 0})),
      UNARY(x.index({Slice(), torch::tensor({3, 1})})),
      UNARY(x.index_select(1, torch::tensor({1, 1}))),
      UNARY(x.gather(1, torch::tensor({{0, 0}, {1, 3}, {2, 2}}))),
      UNARY(x.masked_fill(x.detach() > 0, 2)),
      UNARY(torch::where(x.detach() > 0, x * 2, x * 3)),
      UNARY(x.to(torch::kFloat).to(torch::kDouble) * 0 + x),
      UNARY(F::cross_entropy(x, torch::tensor({1, 3, 0}))),
      UNARY(torch::nll_loss(x, torch::tensor({1, 3, 0}), torch::arange(1, 5, torch::kDouble))),
      UNARY(torch::nll_loss(x * x, torch::tensor({1, 3, 0}), {}, torch::Reduction::Sum, 3)),
      UNARY(torch::nll_loss(x[0], torch::tensor(2))),
      UNARY(torch::nll_loss2d(x.view({1, 2, 3, 2}), torch::tensor({{{1, 0}, {0, 0}, {1, 1}}}), {},
                              torch::Reduction::None)),
      UNARY(F::cross_entropy(x, torch::tensor({1, -100, 0}),
                             F::CrossEntropyFuncOptions().label_smoothing(0.2))),
      UNARY(torch::binary_cross_entropy(x.sigmoid(), torch::full({3, 4}, 0.3, torch::kDouble))),
      UNARY(torch::binary_cross_entropy_with_logits(x, torch::full({3, 4}, 0.3, torch::kDouble), {},
                                                    torch::full({4}, 2.0, torch::kDouble))),
      UNARY(torch::smooth_l1_loss(x * 2, torch::zeros({3, 4}, torch::kDouble))),
      UNARY(torch::layer_norm(x, {4})),
      UNARY(torch::batch_norm(x, {}, {}, {}, {}, true, 0.1, 1e-5, false)),
      UNARY(F::normalize(x))};
  for (const Case &test : onPositive)
    SECTION(test.text) { checkGradients(test.function, {positive}); }
  for (const Case &test : onAny)
    SECTION(test.text) { checkGradients(test.function, {any}); }
}

TEST_CASE("gradients of functions of two tensors agree with finite differences") {
  torch::manual_seed(2);
  Tensor a = torch::randn({3, 4}, torch::kDouble), b = torch::randn({3, 4}, torch::kDouble);
  Tensor row = torch::randn({4}, torch::kDouble),
         column = torch::rand({3, 1}, torch::kDouble) + 0.5;
  Tensor number = torch::rand({}, torch::kDouble) + 0.5;
  const Case sameShape[] = {
      BINARY(x + y),
      BINARY(x.add(y, 2)),
      BINARY(x.sub(y, 3)),
      BINARY(x * y),
      BINARY(x / y.exp()),
      BINARY(torch::maximum(x, y)),
      BINARY(torch::minimum(x, y)),
      BINARY(x.mm(y.t())),
      BINARY(x.addcmul(x, y, 0.5)),
      BINARY(x.addcdiv(x, y.exp(), 0.5)),
      BINARY(x.lerp(y, 0.3)),
      BINARY(torch::mse_loss(x, y)),
      BINARY(torch::l1_loss(x, y)),
      BINARY(x.exp().pow(y)),
      BINARY(torch::stack({x, y}).matmul(torch::stack({y.t(), x.t()}))),
      BINARY(x.clone().scatter(1, torch::tensor({{0}, {1}, {2}}), y.slice(1, 0, 1))),
      BINARY(x.clone().index_put_({torch::tensor({0, 2})}, y.slice(0, 0, 2)) * 2)};
  for (const Case &test : sameShape)
    SECTION(test.text) { checkGradients(test.function, {a, b}); }
  const Case broadcast[] = {BINARY(x + y),
                            BINARY(x - y),
                            BINARY(x * y),
                            BINARY(y * x),
                            BINARY(x / y),
                            BINARY(y / x.exp()),
                            BINARY(torch::where(x.detach() > 0, x, y))};
  for (const Case &test : broadcast) {
    SECTION(std::string("row ") + test.text) { checkGradients(test.function, {a, row}); }
    SECTION(std::string("column ") + test.text) { checkGradients(test.function, {a, column}); }
    SECTION(std::string("number ") + test.text) { checkGradients(test.function, {a, number}); }
  }
  SECTION("linear") {
    checkGradients([](const std::vector<Tensor> &in) { return torch::linear(in[0], in[1], in[2]); },
                   {a, torch::randn({2, 4}, torch::kDouble), torch::randn({2}, torch::kDouble)});
  }
  SECTION("addmm") {
    checkGradients(
        [](const std::vector<Tensor> &in) { return torch::addmm(in[0], in[1], in[2], 0.5, 2); },
        {torch::randn({3}, torch::kDouble), a, torch::randn({4, 3}, torch::kDouble)});
  }
  SECTION("embedding") {
    checkGradients(
        [](const std::vector<Tensor> &in) {
          return torch::embedding(in[0], torch::tensor({{0, 2}, {2, 1}}));
        },
        {a});
  }
}

TEST_CASE("gradients have gradients") {
  Tensor x = leaf(torch::tensor({1.0, 2.0, 3.0}, torch::kDouble));
  Tensor y = (x.pow(3) * x.exp()).sum();
  Tensor first = torch::autograd::grad({y}, {x}, {}, true, true)[0];
  Tensor second = torch::autograd::grad({first.sum()}, {x})[0];
  Tensor v = x.detach();
  CHECK(torch::allclose(second, (v.pow(3) + 6 * v.pow(2) + 6 * v) * v.exp()));
  auto loss = [](const std::vector<Tensor> &in) {
    Tensor x = in[0].requires_grad() ? in[0] : leaf(in[0]);
    torch::AutoGradMode mode(true);
    Tensor loss = torch::nll_loss(x * x, torch::tensor({2, 0}),
                                  torch::tensor({1.0, 2.0, 3.0}, torch::kDouble));
    return torch::autograd::grad({loss * loss + x.pow(3).mean()}, {x}, {}, true, true)[0]
        .pow(2)
        .mean();
  };
  checkGradients(loss, {torch::tensor({{1.0, 2.0, 3.0}, {-1.0, 0.5, 2.0}}, torch::kDouble)});
  // A gradient penalty through a layer.
  torch::manual_seed(0);
  checkGradients(
      [](const std::vector<Tensor> &in) {
        Tensor x = in[0].requires_grad() ? in[0] : leaf(in[0]);
        torch::AutoGradMode mode(true);
        Tensor out = torch::tanh(torch::linear(x, torch::ones({2, 3}, torch::kDouble))).sum();
        return torch::autograd::grad({out}, {x}, {}, true, true)[0].pow(2).sum();
      },
      {torch::randn({2, 3}, torch::kDouble)});
}

TEST_CASE("gradients add up in leaves until they are cleared") {
  Tensor x = leaf(torch::ones({2}));
  CHECK_FALSE(x.grad().defined());
  (x * 3).sum().backward();
  (x * 3).sum().backward();
  CHECK(x.grad()[0].item<float>() == 6);
  x.mutable_grad().reset();
  CHECK_FALSE(x.grad().defined());
  (x * 3).sum().backward();
  x.grad().zero_();
  CHECK(x.grad()[0].item<float>() == 0);
  Tensor a = leaf(torch::ones({2})), b = leaf(torch::ones({2}));
  (a + b).sum().backward();
  a.grad().fill_(5);
  CHECK(b.grad()[0].item<float>() == 1); // not shared
}

TEST_CASE("a tensor used twice receives both gradients") {
  Tensor x = leaf(torch::tensor({2.0}));
  Tensor y = x * x;
  Tensor z = y + y * x;
  z.backward();
  CHECK(x.grad().item<float>() == 4 + 3 * 4);
  auto [h] = std::tuple(leaf(torch::tensor({2.0})));
  Tensor k = h * 3;
  k.retain_grad();
  (k * k).backward();
  CHECK(k.grad().item<float>() == 12);
}

TEST_CASE("backward twice needs retain_graph where tensors were saved") {
  Tensor x = leaf(torch::ones({2}));
  Tensor loss = (x * x).sum();
  loss.backward({}, true);
  loss.backward();
  CHECK(x.grad()[0].item<float>() == 4);
  CHECK(errorOf([&] {
          loss.backward();
        }).starts_with("Trying to backward through the graph a second time"));
  Tensor sums = (x + x).sum(); // nothing saved
  sums.backward();
  sums.backward();
  CHECK(x.grad()[0].item<float>() == 8);
}

TEST_CASE("what cannot be differentiated says so") {
  CHECK(errorOf([] { torch::ones({2}).sum().backward(); }) ==
        "element 0 of tensors does not require grad and does not have a grad_fn");
  Tensor x = leaf(torch::ones({2}));
  CHECK(errorOf([&] { (x * 2).backward(); }) ==
        "grad can be implicitly created only for scalar outputs");
  (x * 2).backward(torch::tensor({1.0, 10.0}));
  CHECK(x.grad()[1].item<float>() == 20);
  CHECK(errorOf([&] { torch::zeros({2}, torch::kLong).requires_grad_(); }) ==
        "Only Tensors of floating point and complex dtype can require gradients");
  Tensor y = leaf(torch::ones({2}));
  CHECK(errorOf([&] { torch::autograd::grad({(x * 2).sum()}, {y}); }) ==
        "element 0of the differentiated Tensors appears to not have been used in the graph. Set "
        "allow_unused=True if this is the desired behavior.");
  CHECK_FALSE(torch::autograd::grad({(x * 2).sum()}, {y}, {}, nullptr == nullptr, false, true)[0]
                  .defined());
}

TEST_CASE("in-place changes are checked") {
  Tensor x = leaf(torch::ones({3}));
  CHECK(errorOf([&] { x += 1; }) ==
        "a leaf Variable that requires grad is being used in an in-place operation.");
  CHECK(errorOf([&] { x[0] = 5; }) ==
        "a view of a leaf Variable that requires grad is being used in an in-place operation.");
  Tensor y = x.exp();
  Tensor z = y * 2;
  y.add_(1);
  CHECK(errorOf([&] { (z + y).sum().backward(); }) ==
        "one of the variables needed for gradient computation has been modified by an inplace "
        "operation: [" +
            typeName("Float") +
            " [3]], which is output 0 of Exp, is at version 1; "
            "expected version 0 instead. Hint: enable anomaly detection to find the operation that "
            "failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, "
            "check_nan=False).");
  {
    torch::NoGradGuard guard;
    x += 1;
    x[0] = 5;
  }
  CHECK(x[0].item<float>() == 5);
  Tensor s = torch::zeros({3});
  CHECK(errorOf([&] {
          s.expand({2, 3}) += 1;
        }).starts_with("unsupported operation: more than one element of the written-to tensor"));
  CHECK(errorOf([&] {
          s.slice(0, 1) += s.slice(0, 0, 2);
        }).starts_with("unsupported operation: some elements of the input tensor"));
}

TEST_CASE("views count versions with their base") {
  Tensor x = torch::zeros({4});
  Tensor head = x.slice(0, 0, 2), apart = x.detach(), data = x.data();
  CHECK(x._version() == 0);
  head.fill_(1);
  CHECK(x._version() == 1);
  CHECK(apart._version() == 1);
  CHECK(data._version() == 0);
  data.fill_(2);
  CHECK(x._version() == 1);
  CHECK(x[3].item<float>() == 2);
  CHECK(head.is_view());
}

TEST_CASE("gradients flow through in-place changes") {
  Tensor x = leaf(torch::tensor({1.0, 2.0, 3.0}));
  Tensor y = x * 2;
  y.mul_(x);         // 2 x^2
  y.add_(1).sub_(1); // the same
  y.sum().backward();
  CHECK(torch::allclose(x.grad(), 4 * x.detach(), 1e-4));

  SECTION("through a view into its base") {
    Tensor w = leaf(torch::tensor(2.0));
    Tensor base = torch::ones({3});
    base[1] = w * 3;
    CHECK(base.requires_grad());
    (base * torch::tensor({1.0, 10.0, 100.0})).sum().backward();
    CHECK(w.grad().item<float>() == 30);
  }
  SECTION("through a base into its views") {
    Tensor v = leaf(torch::tensor({1.0, 2.0, 3.0}));
    Tensor base = v * 1;
    Tensor tail = base.slice(0, 1);
    base.mul_(5);
    tail.sum().backward();
    CHECK(torch::equal(v.grad(), torch::tensor({0.0, 5.0, 5.0})));
  }
  SECTION("an overwritten part passes nothing on") {
    Tensor v = leaf(torch::ones({3}));
    Tensor base = v * 2;
    base.slice(0, 0, 2).zero_();
    base.sum().backward();
    CHECK(torch::equal(v.grad(), torch::tensor({0.0, 0.0, 2.0})));
  }
  SECTION("by index_put_") {
    Tensor v = leaf(torch::ones({3})), w = leaf(torch::ones({2}));
    Tensor base = v * 2;
    base.index_put_({torch::tensor({0, 2})}, w * 7);
    base.sum().backward();
    CHECK(torch::equal(v.grad(), torch::tensor({0.0, 2.0, 0.0})));
    CHECK(torch::equal(w.grad(), torch::tensor({7.0, 7.0})));
  }
}

TEST_CASE("guards switch recording off in their scope and thread") {
  Tensor x = leaf(torch::ones({1}));
  {
    torch::NoGradGuard guard;
    CHECK_FALSE((x * 2).requires_grad());
    bool other = false;
    std::thread([&] { other = (x * 2).requires_grad(); }).join();
    CHECK(other);
    torch::AutoGradMode on(true);
    CHECK((x * 2).requires_grad());
  }
  CHECK((x * 2).requires_grad());
  torch::GradMode::set_enabled(false);
  CHECK_FALSE((x * 2).requires_grad());
  torch::GradMode::set_enabled(true);
  Tensor inference;
  {
    torch::InferenceMode guard;
    inference = torch::ones({1});
  }
  CHECK(errorOf([&] {
          x *inference;
        }).starts_with("Inference tensors cannot be saved for backward."));
  CHECK(inference.view({1, 1}).is_inference());
  CHECK(errorOf([&] { inference._version(); }) ==
        "Inference tensors do not track version counter.");
  {
    torch::InferenceMode guard;
    inference.add_(1);
    CHECK_FALSE(x.view({1, 1}).is_inference());
  }
  Tensor loss = x * 2;
  {
    torch::NoGradGuard guard;
    loss.backward(); // what counts is the forward
  }
  CHECK(x.grad().item<float>() == 2);
}

TEST_CASE("detach and data leave the graph, hooks see its gradients") {
  Tensor x = leaf(torch::ones({1}));
  CHECK_FALSE((x * 2).detach().requires_grad());
  CHECK_FALSE((x * 2).data().requires_grad());
  float seen = 0;
  Tensor y = x * 2;
  y.register_hook([&](Tensor gradient) { seen = gradient.item<float>(); });
  x.register_hook([](Tensor gradient) { return gradient * 10; });
  (y * 3).backward();
  CHECK(seen == 3);
  CHECK(x.grad().item<float>() == 60);
  CHECK(x.is_leaf());
  CHECK_FALSE(y.is_leaf());
}

TEST_CASE("a very deep graph is freed without recursion", "[host]") {
  Tensor x = leaf(torch::ones({1}));
  Tensor y = x;
  for (int i = 0; i < 200000; ++i)
    y = y + 1;
  y.backward();
  CHECK(x.grad().item<float>() == 1);
  Tensor z = x;
  for (int i = 0; i < 200000; ++i)
    z = z * x; // saves its inputs
}

TEST_CASE("nodes are called as LibTorch calls them") {
  Tensor x = torch::ones({2}, torch::requires_grad());
  auto name = [](const Tensor &y) { return y.grad_fn()->name(); };
  CHECK(name(x + x) == "AddBackward0");
  CHECK(name(x + 2) == "AddBackward1");
  CHECK(name(3 * x) == "MulBackward1");
  CHECK(name(x * torch::tensor(2.0)) == "MulBackward0");
  CHECK(name(x - 1) == "SubBackward1");
  CHECK(name(2 / x) == "DivBackward0");
  CHECK(name(x / 2) == "DivBackward1");
  CHECK(name(x.sum()) == "SumBackward0");
  CHECK(name(torch::nll_loss(x, torch::tensor(1))) == "NllLossBackward0");
  CHECK(name(torch::nll_loss2d(x.view({1, 2, 1, 1}), torch::zeros({1, 1, 1}, torch::kLong))) ==
        "NllLoss2DBackward0");
}

TEST_CASE("hooks see gradients that are asked for, and can be taken away") {
  Tensor x = leaf(torch::tensor({1.0f, 2.0f}));
  unsigned hook = x.register_hook([](Tensor gradient) { return gradient * 10; });
  CHECK(torch::autograd::grad({(x * x).sum()}, {x})[0].equal(torch::tensor({20.0f, 40.0f})));
  x.sum().backward({}, false, false, std::vector<Tensor>{x});
  CHECK(x.grad().equal(torch::tensor({10.0f, 10.0f})));
  x.remove_hook(hook);
  CHECK(torch::autograd::grad({(x * x).sum()}, {x})[0].equal(torch::tensor({2.0f, 4.0f})));

  // A hook that takes itself away
  Tensor y = x * 2;
  int calls = 0;
  unsigned own = 0;
  own = y.register_hook([&](Tensor) {
    ++calls;
    y.remove_hook(own);
  });
  Tensor sum = y.sum();
  sum.backward({}, true);
  sum.backward();
  CHECK(calls == 1);
}

TEST_CASE("a view that was made without gradients is not changed with them") {
  Tensor x = leaf(torch::ones({2, 2}));
  Tensor view;
  {
    torch::NoGradGuard guard;
    view = x.view({4});
    view.mul_(2); // there it may be
  }
  CHECK(x.sum().item<float>() == 8);
  CHECK(errorOf([&] { view.add_(1); })
            .find("A view was created in no_grad mode and is being "
                  "modified inplace with grad mode enabled.") == 0);
}

TEST_CASE("a graph can be walked") {
  Tensor x = leaf(torch::ones({2}));
  auto sum = (x * 2).add(1).grad_fn();
  CHECK(sum->num_inputs() == 1);
  REQUIRE(sum->next_edges().size() == sum->num_outputs());
  CHECK(x.view({2, 1})._base().is_same(x));
  CHECK(errorOf([&] { x._base(); }) == "Can't get base of non-backward view Tensor");
  CHECK(errorOf([&] { x.set_data(torch::ones({2}, torch::kLong)); }) ==
        "data set to a tensor that requires gradients must be floating point or complex dtype");
}

TEST_CASE("what a normalisation without factors gives may be changed in place") {
  namespace nn = torch::nn;
  torch::manual_seed(6);
  Tensor values = torch::randn({2, 4, 3, 3}, torch::kDouble);
  const std::vector<std::function<Tensor(const Tensor &)>> layers = {
      [](const Tensor &x) { return nn::InstanceNorm2d(4)(x); },
      [](const Tensor &x) {
        nn::BatchNorm2d norm(nn::BatchNorm2dOptions(4).affine(false));
        norm->to(torch::kDouble);
        return norm(x);
      },
      [](const Tensor &x) { return torch::layer_norm(x, {3}); },
      [](const Tensor &x) { return torch::group_norm(x, 2); }};
  for (const auto &layer : layers) {
    checkGradients([&](const std::vector<Tensor> &in) { return layer(in[0]).relu_() * 2; },
                   {values});
    Tensor x = leaf(values), y = leaf(values);
    layer(x).relu_().pow(2).sum().backward();
    layer(y).relu().pow(2).sum().backward();
    CHECK(agree(x.grad(), y.grad()));
  }
}
