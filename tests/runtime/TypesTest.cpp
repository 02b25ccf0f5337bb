// The floating point types of 16 bits: conversion, promotion, operations, gradients. Values marked
// "LibTorch" were printed by LibTorch for the same program.
#include "Expect.h"

#include <cmath>
#include <functional>
#include <limits>
#include <sstream>

using torch::kBFloat16;
using torch::kHalf;
using torch::Tensor;

namespace {

float through(torch::Dtype type, double value) {
  return torch::full({1}, value, torch::kDouble).to(type).item<float>();
}

/// The difference of neighbouring numbers around 1.
double epsilon(torch::Dtype type) { return type == kHalf ? 0x1p-10 : 0x1p-7; }

} // namespace

TEST_CASE("numbers of 16 bits round to the nearest") {
  CHECK(through(kHalf, 1.0 / 3) == 0.333251953125F);
  CHECK(through(kHalf, 1 + 0x1p-11) == 1); // the middle goes to even
  CHECK(through(kHalf, 1 + 3 * 0x1p-11) == 1 + 0x1p-9F);
  CHECK(through(kHalf, 65519) == 65504);
  CHECK(std::isinf(through(kHalf, 65520)));
  CHECK(through(kHalf, 0x1p-24) == 0x1p-24F);
  CHECK(through(kHalf, 0x1p-25) == 0);
  CHECK(through(kHalf, -3 * 0x1p-25) == -2 * 0x1p-24F);
  CHECK(through(kBFloat16, 1.0 / 3) == 0.333984375F);
  CHECK(through(kBFloat16, 1 + 0x1p-8) == 1);
  CHECK(through(kBFloat16, 1 + 3 * 0x1p-8) == 1 + 0x1p-6F);
  CHECK(through(kBFloat16, 1e38) == Approx(1e38).epsilon(0.01));
  for (auto type : {kHalf, kBFloat16}) {
    CHECK(std::isnan(through(type, std::nan(""))));
    CHECK(through(type, -std::numeric_limits<double>::infinity()) ==
          -std::numeric_limits<float>::infinity());
    CHECK(std::signbit(through(type, -0.0)));
    // Every number comes through unchanged.
    Tensor all = torch::arange(-2048, 2049).to(torch::kFloat) / 64;
    Tensor rounded = all.to(type);
    CHECK(rounded.to(torch::kFloat).to(type).equal(rounded));
    CHECK((rounded.to(torch::kFloat) - all).abs().max().item<float>() <= 16 * epsilon(type));
  }
  CHECK(float(c10::Half(0.1F)) == 0.0999755859375F);
  CHECK(float(c10::BFloat16(0.1F)) == 0.10009765625F);
  CHECK(torch::ones({2}, kHalf).cpu().data_ptr<at::Half>()[1] == 1.0F);
}

TEST_CASE("types of 16 bits have their names and sizes") {
  Tensor h = torch::zeros({2}, kHalf), b = torch::zeros({2}, torch::kBFloat16);
  CHECK(h.element_size() == 2);
  CHECK(b.nbytes() == 4);
  CHECK(h.toString() == typeName("Half"));
  CHECK(b.toString() == typeName("BFloat16"));
  CHECK(h.is_floating_point());
  CHECK(torch::kFloat16 == kHalf);
  std::ostringstream text;
  text << h.dtype() << ' ' << b.dtype() << ' ' << b.scalar_type();
  CHECK(text.str() == "c10::Half c10::BFloat16 BFloat16");
}

TEST_CASE("types of 16 bits promote") {
  Tensor h = torch::ones({2}, kHalf), b = torch::ones({2}, kBFloat16);
  CHECK((h + b).dtype() == torch::kFloat);
  CHECK((h + torch::ones({2}, torch::kLong)).dtype() == kHalf);
  CHECK((b * torch::ones({2}, torch::kBool)).dtype() == kBFloat16);
  CHECK((h + torch::ones({2})).dtype() == torch::kFloat);
  CHECK((h + torch::ones({})).dtype() == kHalf);
  CHECK((b * 2.5).dtype() == kBFloat16);
  CHECK((h / 3).dtype() == kHalf);
  CHECK(torch::ones({2}, torch::kInt).div(h).dtype() == kHalf);
  CHECK(torch::promote_types(kHalf, torch::kDouble) == torch::kDouble);
  CHECK(h.sum().dtype() == kHalf);
  CHECK(h.mean().dtype() == kHalf);
  CHECK((h > 0).dtype() == torch::kBool);
  CHECK(torch::cat({h, b}).dtype() == torch::kFloat);
  h.add_(torch::ones({2}));
  CHECK(h.dtype() == kHalf);
  CHECK(h.eq(2).all().item<bool>());
}

TEST_CASE("operations on 16 bits give the rounded result") {
  using Operation = std::function<Tensor(const Tensor &)>;
  const std::pair<const char *, Operation> operations[] = {
      {"add", [](const Tensor &x) { return x.add(x, 3); }},
      {"mul", [](const Tensor &x) { return x * x; }},
      {"div", [](const Tensor &x) { return x / (x + 1); }},
      {"pow", [](const Tensor &x) { return x.pow(2.5); }},
      {"remainder", [](const Tensor &x) { return x.remainder(0.75); }},
      {"exp", [](const Tensor &x) { return x.exp(); }},
      {"log", [](const Tensor &x) { return x.log(); }},
      {"sqrt", [](const Tensor &x) { return x.sqrt(); }},
      {"tanh", [](const Tensor &x) { return x.tanh(); }},
      {"sigmoid", [](const Tensor &x) { return x.sigmoid(); }},
      {"gelu", [](const Tensor &x) { return torch::gelu(x); }},
      {"relu", [](const Tensor &x) { return (x - 1).relu(); }},
      {"clamp", [](const Tensor &x) { return x.clamp(0.5, 1.25); }},
      {"floor", [](const Tensor &x) { return (x * 4).floor(); }},
      {"maximum", [](const Tensor &x) { return torch::maximum(x, x.flip(0)); }},
      {"where", [](const Tensor &x) { return torch::where(x > 1, x, -x); }},
      {"sum", [](const Tensor &x) { return x.sum(1); }},
      {"mean", [](const Tensor &x) { return x.mean(0); }},
      {"var", [](const Tensor &x) { return x.var(1); }},
      {"norm", [](const Tensor &x) { return x.norm(); }},
      {"prod", [](const Tensor &x) { return x.prod(); }},
      {"max", [](const Tensor &x) { return x.max(); }},
      {"cumsum", [](const Tensor &x) { return x.cumsum(1); }},
      {"logsumexp", [](const Tensor &x) { return x.logsumexp({1}); }},
      {"sort", [](const Tensor &x) { return std::get<0>(x.sort(1, true)); }},
      {"softmax", [](const Tensor &x) { return x.softmax(1); }},
      {"log_softmax", [](const Tensor &x) { return x.log_softmax(0); }},
      {"mm", [](const Tensor &x) { return x.mm(x.t()); }},
      {"bmm", [](const Tensor &x) { return x.expand({2, 4, 3}).bmm(x.t().expand({2, 3, 4})); }},
      {"layer_norm", [](const Tensor &x) { return torch::layer_norm(x, {3}); }},
      {"mse_loss", [](const Tensor &x) { return torch::mse_loss(x, x.flip(1)); }},
      {"index", [](const Tensor &x) { return x.index({torch::tensor({3, 1})}); }},
      {"gather", [](const Tensor &x) { return x.gather(1, x.argsort(1, false)); }},
      {"cat", [](const Tensor &x) { return torch::cat({x, x}, 1); }},
  };
  Tensor numbers = ((torch::arange(12) * 7).remainder(12) + 1).view({4, 3});
  for (auto type : {kHalf, kBFloat16}) {
    Tensor exact = (numbers.to(torch::kFloat) / 7).to(type).to(torch::kFloat);
    for (const auto &[name, operation] : operations) {
      INFO(name << " of " << type);
      Tensor x = exact.to(type).requires_grad_(), y = exact.clone().requires_grad_();
      Tensor result = operation(x), expected = operation(y);
      CHECK(result.dtype() == type);
      CHECK(torch::allclose(result.to(torch::kFloat), expected, 2 * epsilon(type), epsilon(type)));
      result.sum().backward();
      expected.sum().backward();
      CHECK(x.grad().dtype() == type);
      CHECK(torch::allclose(x.grad().to(torch::kFloat), y.grad(), 8 * epsilon(type),
                            8 * epsilon(type)));
    }
  }
}

TEST_CASE("sums of 16 bits overflow, means do not") {
  Tensor x = torch::full({100}, 10000.0, kHalf);
  CHECK(std::isinf(x.sum().item<float>()));
  CHECK(x.mean().item<float>() == 10000);
}

TEST_CASE("means of 16 bits are exact, and so are their gradients") {
  for (auto type : {kHalf, kBFloat16}) {
    Tensor x = torch::full({100000}, 3000, type);
    x.requires_grad_();
    CHECK(x.mean().item<double>() == x[0].item<double>());
    CHECK(x.sum(torch::kFloat).item<double>() == 1e5 * x[0].item<double>());
    x.mean().backward();
    CHECK(x.grad()[7].item<double>() == Approx(1e-5).epsilon(1e-2));
    const Tensor y = torch::ones({3, 4}, x.options().requires_grad(true));
    (y * y).mean(1).sum().backward();
    CHECK(y.grad().dtype() == type);
    CHECK(y.grad().eq(0.5).all().item<bool>());
  }
}

TEST_CASE("pooling and normalisation of 16 bits give the rounded result") {
  torch::manual_seed(2);
  Tensor x = torch::randn({2, 4, 6}).to(kHalf), wide = x.to(torch::kFloat);
  auto rounded = [](const Tensor &exact, const Tensor &result) {
    CHECK(result.dtype() == kHalf);
    CHECK(agree(result, exact.to(kHalf)));
  };
  rounded(torch::max_pool1d(wide, 3, 2, 1), torch::max_pool1d(x, 3, 2, 1));
  rounded(torch::avg_pool1d(wide, 3, 2, 1), torch::avg_pool1d(x, 3, 2, 1));
  CHECK(torch::avg_pool1d(torch::full({1, 1, 4}, 40000, kHalf), 4).item<float>() == 40000);
  CHECK(torch::allclose(torch::group_norm(x, 2).to(torch::kFloat), torch::group_norm(wide, 2), 1e-3,
                        1e-3));
}

TEST_CASE("random numbers of 16 bits are those of LibTorch", "[host]") {
  torch::manual_seed(1);
  CHECK(torch::rand({2}, kHalf)[0].item<float>() == 0.7578125F);
  torch::manual_seed(1);
  Tensor x = torch::randn({18}, kHalf);
  CHECK(x[2].item<float>() == Approx(-0.696777).epsilon(1e-3));
  CHECK(x[17].item<float>() == Approx(-0.131592).epsilon(1e-3));
  CHECK(torch::rand({1}).item<float>() == Approx(0.83003).epsilon(1e-5));
}

TEST_CASE("a module trains in bfloat16") {
  torch::manual_seed(1);
  torch::nn::Sequential model(torch::nn::Linear(4, 16), torch::nn::Tanh(),
                              torch::nn::Linear(16, 1));
  model->to(kBFloat16);
  Tensor x = torch::randn({64, 4}, kBFloat16), y = x.sum(1, true);
  torch::optim::SGD optimizer(model->parameters(), 0.05);
  float first = 0, last = 0;
  for (int step = 0; step < 100; ++step) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(model->forward(x), y);
    loss.backward();
    optimizer.step();
    last = loss.item<float>();
    first = step == 0 ? last : first;
  }
  CHECK(model->parameters()[0].dtype() == kBFloat16);
  CHECK(last < first / 5);
}

TEST_CASE("matrix products of every layout agree") {
  auto check = [](const Tensor &a, const Tensor &b) {
    Tensor expected = (a.unsqueeze(-1) * b.unsqueeze(0)).sum(1);
    CHECK(torch::allclose(a.mm(b).to(torch::kDouble), expected.to(torch::kDouble), 1e-5, 1e-6));
  };
  for (auto type : {torch::kFloat, torch::kDouble}) {
    Tensor a = torch::rand({5, 7}, type), b = torch::rand({7, 3}, type);
    check(a, b);
    check(b.t(), a.t());
    check(a, torch::rand({3, 7}, type).t());
    check(torch::rand({10, 14}, type).slice(0, 0, 10, 2).slice(1, 0, 14, 2), b);
    check(a.slice(1, 2, 6), b.slice(0, 2, 6));
    check(a.select(1, 0).unsqueeze(1), b.select(0, 0).unsqueeze(0));
    check(a.narrow(0, 1, 1), b.narrow(1, 1, 1));
    check(a.narrow(0, 0, 1).t().t(), b.t().contiguous().t());
    check(a[0].expand({4, 7}), b);
    check(torch::rand({7}, type).unsqueeze(1).expand({7, 5}).t(), b);
  }
  CHECK(torch::rand({3, 0}).mm(torch::rand({0, 2})).eq(0).all().item<bool>());
  CHECK(torch::rand({0, 3}).mm(torch::rand({3, 2})).numel() == 0);
  CHECK(torch::addmm(torch::ones({2}), torch::rand({3, 0}), torch::rand({0, 2}))
            .eq(1)
            .all()
            .item<bool>());
}
