// Operations: results, shapes, types, views, indexing, errors. Values marked "LibTorch" were
// printed by LibTorch for the same program.
#include "Expect.h"

#include <cmath>
#include <limits>
#include <sstream>
#include <thread>

using torch::Tensor;
using namespace torch::indexing;

namespace {

std::vector<double> values(const Tensor &x) {
  Tensor flat = x.detach().to(torch::kCPU, torch::kDouble).contiguous();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

using Doubles = std::vector<double>;

/// Whether the values are these up to the rounding of float32.
bool near(const Tensor &x, const Doubles &expected) {
  return torch::allclose(x.reshape({-1}).to(torch::kDouble),
                         torch::tensor(expected, torch::kDouble), 1e-5, 1e-6);
}

} // namespace

TEST_CASE("arithmetic broadcasts from the last dimension") {
  Tensor a = torch::tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  Tensor b = torch::tensor({10.0, 20.0, 30.0});
  CHECK(values(a + b) == Doubles{11, 22, 33, 14, 25, 36});
  CHECK(values(a * a.select(1, 0).unsqueeze(1)) == Doubles{1, 2, 3, 16, 20, 24});
  CHECK((torch::zeros({4, 1, 3}) + torch::zeros({2, 1})).sizes() == torch::IntArrayRef({4, 2, 3}));
  CHECK(values(a.t() - torch::tensor({1.0, 2.0})) == Doubles{0, 2, 1, 3, 2, 4});
  CHECK(values(2 / torch::tensor({1.0, 4.0})) == Doubles{2, 0.5});
  CHECK(values(torch::tensor({-3, 3, 5}).remainder(2)) == Doubles{1, 1, 1});
  CHECK((torch::zeros({0, 3}) + 1).numel() == 0);
  CHECK(values(torch::mul(torch::add(torch::ones({1}), 2, 3), 0.5)) == Doubles{3.5});
  CHECK(values(torch::ge(torch::div(torch::sub(a[0], 1), 2), 0.5)) == Doubles{0, 1, 1});
}

TEST_CASE("quotients are rounded down or towards zero") {
  Tensor whole = torch::tensor({-7, -6, 6, 7}), x = whole / 2.0;
  CHECK(values(torch::div(whole, 4, "floor")) == Doubles{-2, -2, 1, 1});
  CHECK(values(whole.div(4, "trunc")) == Doubles{-1, -1, 1, 1});
  CHECK(whole.floor_divide(4).dtype() == torch::kLong);
  CHECK(torch::div(whole, 4, std::nullopt).dtype() == torch::kFloat);
  CHECK(values(x.div(-1.5, "floor")) == Doubles{2, 2, -2, -3});
  CHECK(values(torch::fmod(whole, 4)) == Doubles{-3, -2, 2, 3});
  CHECK(values(torch::remainder(whole, torch::tensor(4))) == Doubles{1, 2, 2, 3});
  // LibTorch, too, has one less than floor(1 / 0.1).
  CHECK(values(torch::ones({1}, torch::kDouble).div(0.1, "floor")) == Doubles{9});
  Tensor least = torch::full({1}, std::numeric_limits<int32_t>::min(), torch::kInt);
  CHECK(values(least.remainder(-1)) == Doubles{0});
  whole.div_(4, "floor").fmod_(2).remainder_(3).floor_divide_(2);
  CHECK(values(whole) == Doubles{0, 0, 0, 0});
  CHECK(errorOf([&] { x.div(2, "up"); }) ==
        "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'");
  Tensor leaf = x.clone().set_requires_grad(true);
  (leaf.fmod(2) + leaf.div(2, "floor")).sum().backward();
  CHECK(values(leaf.grad()) == Doubles{1, 1, 1, 1});
  CHECK_THROWS_WITH(leaf.floor_divide(2).sum().backward(),
                    Catch::StartsWith("derivative for aten::floor_divide is not implemented"));
}

TEST_CASE("an operation on permuted memory keeps its order") {
  Tensor x = torch::arange(6).view({2, 3}).t();
  CHECK((x + 1).strides() == torch::IntArrayRef({1, 3}));
  CHECK(x.clone().strides() == torch::IntArrayRef({1, 3}));
  CHECK(x.to(torch::kFloat).strides() == torch::IntArrayRef({1, 3}));
  CHECK(x.contiguous().strides() == torch::IntArrayRef({2, 1}));
  CHECK(values(x + 1) == Doubles{1, 4, 2, 5, 3, 6});
}

TEST_CASE("types promote by kind: tensor, 0-dim tensor, number") {
  Tensor i = torch::ones({2}, torch::kLong), f = torch::ones({2}),
         d = torch::ones({2}, torch::kF64);
  CHECK((i + f).dtype() == torch::kFloat);
  CHECK((f + d).dtype() == torch::kDouble);
  CHECK((i + 1).dtype() == torch::kLong);
  CHECK((i + 1.5).dtype() == torch::kFloat);
  CHECK((f + torch::tensor(1.0, torch::kDouble)).dtype() == torch::kFloat);
  CHECK((i + torch::tensor(1.0, torch::kDouble)).dtype() == torch::kDouble);
  CHECK((i / 2).dtype() == torch::kFloat);
  CHECK((i == 1).dtype() == torch::kBool);
  CHECK((torch::ones({2}, torch::kByte) * i).dtype() == torch::kLong);
  CHECK(torch::ones({2}, torch::kBool).sum().dtype() == torch::kLong);
  CHECK(i.exp().dtype() == torch::kFloat);
}

TEST_CASE("factories choose LibTorch's types") {
  CHECK(torch::tensor({1.0, 2.0}).dtype() == torch::kFloat);
  CHECK(torch::tensor(std::vector<double>{1, 2}).dtype() == torch::kFloat);
  CHECK(torch::tensor({1, 2}).dtype() == torch::kLong);
  CHECK(torch::tensor({true, false}).dtype() == torch::kBool);
  CHECK(torch::tensor(3).dim() == 0);
  CHECK(torch::full({2}, 1).dtype() == torch::kLong);
  CHECK(torch::full({2}, 1.5).dtype() == torch::kFloat);
  CHECK(torch::arange(5).dtype() == torch::kLong);
  CHECK(torch::arange(0, 1, 0.25).dtype() == torch::kFloat);
  CHECK(values(torch::arange(5, 0, -2)) == Doubles{5, 3, 1});
  CHECK(values(torch::eye(2)) == Doubles{1, 0, 0, 1});
  CHECK(values(torch::linspace(0, 1, 5)) == Doubles{0, 0.25, 0.5, 0.75, 1});
  double memory[] = {1, 2};
  CHECK(torch::from_blob(memory, {2}).dtype() == torch::kFloat);
  CHECK(values(torch::from_blob(memory, {2}, torch::kDouble)) == Doubles{1, 2});
  bool freed = false;
  {
    torch::from_blob(memory, {2}, [&](void *) { freed = true; }, torch::kDouble).view({1, 2});
  }
  CHECK(freed);
  CHECK(torch::zeros({2}, torch::dtype(torch::kDouble).requires_grad(true)).requires_grad());
  Tensor x = torch::zeros({2}, torch::kDouble);
  CHECK(torch::ones_like(x).dtype() == torch::kDouble);
  CHECK(x.new_zeros({3}).dtype() == torch::kDouble);
  CHECK(torch::rand({2}, x.options()).dtype() == torch::kDouble);
}

TEST_CASE("reductions") {
  Tensor x = torch::tensor({{1.0, 5.0, 2.0}, {7.0, 0.0, 4.0}});
  CHECK(x.sum().item<float>() == 19);
  CHECK(values(x.sum(0)) == Doubles{8, 5, 6});
  CHECK(values(x.sum({0, 1})) == Doubles{19});
  CHECK(x.sum(1, true).sizes() == torch::IntArrayRef({2, 1}));
  CHECK(near(x.t().mean(0), {8.0 / 3, 11.0 / 3}));
  auto [highest, where] = x.max(1);
  CHECK(values(highest) == Doubles{5, 7});
  CHECK(values(where) == Doubles{1, 0});
  CHECK(std::get<0>(torch::min(x, 0, true)).sizes() == torch::IntArrayRef({1, 3}));
  CHECK(x.argmax().item<int64_t>() == 3);
  CHECK(values(x.argmax(0)) == Doubles{1, 0, 1});
  CHECK(x.var().item<double>() == Approx(6.9666667));
  CHECK(near(x.std(1, false), {1.6996732, 2.8674417}));
  CHECK(x.norm().item<double>() == Approx(std::sqrt(95.0)));
  CHECK(x.norm(1).item<double>() == 19);
  CHECK(x.norm(std::numeric_limits<double>::infinity()).item<double>() == 7);
  CHECK(x.prod().item<double>() == 0);
  CHECK(values(x.cumsum(1)) == Doubles{1, 6, 8, 7, 7, 11});
  CHECK(std::isnan(torch::zeros({0}).mean().item<double>()));
  CHECK((x > 0).any().item<bool>());
  CHECK_FALSE((x > 0).all().item<bool>());
  auto [sorted, order] = x.sort(1, true);
  CHECK(values(sorted) == Doubles{5, 2, 1, 7, 4, 0});
  CHECK(values(order) == Doubles{1, 2, 0, 0, 2, 1});
  CHECK(values(std::get<1>(x.topk(1, 1))) == Doubles{1, 0});
  CHECK(x.logsumexp(1)[0].item<double>() == Approx(5.0658841));
}

TEST_CASE("NaN is the extremum of a fold, the first one of all") {
  for (int64_t length : {7, 300, 20000}) {
    Tensor x = torch::arange(length, torch::kDouble);
    x[length - 1] = x[length / 2] = std::nan("");
    CHECK(x.argmax().item<int64_t>() == length / 2);
    CHECK(x.argmin().item<int64_t>() == length / 2);
    CHECK(x.amax().isnan().item<bool>());
    CHECK(x.norm(HUGE_VAL).isnan().item<bool>());
    CHECK(x.narrow(0, 0, length / 2).amax().item<double>() == length / 2 - 1);
  }
}

TEST_CASE("the median is the lower one of two in the middle") {
  Tensor x = torch::tensor({{1.0, 5.0, 2.0}, {7.0, 0.0, 4.0}});
  CHECK(x.median().item<float>() == 2);
  auto [middle, where] = torch::median(x, 1);
  CHECK(values(middle) == Doubles{2, 4});
  CHECK(values(where) == Doubles{2, 2});
  CHECK(std::get<0>(x.median(0, true)).sizes() == torch::IntArrayRef({1, 3}));
  CHECK(std::get<1>(torch::tensor({3, 1, 1, 2, 1, 3}).median(0)).item<int64_t>() == 4); // LibTorch
  x[0][1] = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isnan(x.median().item<float>()));
  CHECK(values(std::get<1>(x.median(1))) == Doubles{1, 2});
  Tensor leaf = torch::tensor({1.0, 2.0, 2.0, 5.0}).set_requires_grad(true);
  leaf.median().backward();
  CHECK(values(leaf.grad()) == Doubles{0, 0.5, 0.5, 0});
  CHECK(errorOf([] { torch::zeros({0, 2}).median(0); }) ==
        "median(): Expected reduction dim 0 to have non-zero size.");
}

TEST_CASE("sums, products and extrema run along a dimension") {
  Tensor x = torch::tensor({{1.0, 2.0, 0.0}, {3.0, 3.0, -1.0}});
  CHECK(values(x.cumprod(1)) == Doubles{1, 2, 0, 3, 9, -9});
  CHECK(values(torch::cumsum(x, 0)) == Doubles{1, 2, 0, 4, 5, -1});
  CHECK(torch::cumsum(x, 0, torch::kLong).dtype() == torch::kLong);
  auto [largest, places] = torch::cummax(x, 1);
  CHECK(values(largest) == Doubles{1, 2, 2, 3, 3, 3});
  CHECK(values(places) == Doubles{0, 1, 1, 0, 1, 1});
  CHECK(values(std::get<0>(x.cummin(1))) == Doubles{1, 1, 0, 3, 3, -1});
  CHECK(values(torch::prod(x, 1, true)) == Doubles{0, -9});
  CHECK(values(torch::count_nonzero(x, torch::IntArrayRef(1))) == Doubles{2, 3});
  auto [variance, mean] = torch::var_mean(x, 1, false);
  CHECK(near(variance, {2.0 / 3, 32.0 / 9}));
  CHECK(near(mean, {1, 5.0 / 3}));
}

TEST_CASE("products have gradients where factors are 0") {
  Tensor x = torch::tensor({2.0, 0.0, 3.0}, torch::kDouble).requires_grad_();
  x.prod().backward();
  CHECK(values(x.grad()) == Doubles{0, 6, 0});
  x.mutable_grad() = {};
  x.cumprod(0).sum().backward(); // 2 + 0 + 0
  CHECK(values(x.grad()) == Doubles{1, 2 + 6, 0});
}

TEST_CASE("unique elements and slices") {
  auto [elements, inverse, counts] =
      torch::_unique2(torch::tensor({{3, 1}, {2, 3}}), true, true, true);
  CHECK(values(elements) == Doubles{1, 2, 3});
  CHECK(values(inverse) == Doubles{2, 0, 1, 2});
  CHECK(inverse.sizes() == torch::IntArrayRef({2, 2}));
  CHECK(values(counts) == Doubles{1, 1, 2});
  auto [rows, where, often] =
      torch::unique_dim(torch::tensor({{2, 1}, {1, 5}, {2, 1}}), 0, true, true, true);
  CHECK(values(rows) == Doubles{1, 5, 2, 1});
  CHECK(values(where) == Doubles{1, 0, 1});
  CHECK(values(often) == Doubles{1, 2});
}

TEST_CASE("bits of integers and truth values") {
  Tensor x = torch::tensor({6, 5}), truth = torch::tensor({true, false});
  CHECK(values(x & 3) == Doubles{2, 1});
  CHECK(values(x | torch::tensor({1, 2})) == Doubles{7, 7});
  CHECK(values(x ^ x) == Doubles{0, 0});
  CHECK(values(~x) == Doubles{-7, -6});
  CHECK((~truth).dtype() == torch::kBool);
  CHECK(values(~truth | (1.5 > x)) == Doubles{0, 1});
  truth &= x.eq(5);
  CHECK(values(truth) == Doubles{0, 0});
  CHECK(errorOf([&] { x &torch::ones(2); }) == "\"bitwise_and_cpu\" not implemented for 'Float'");
}

TEST_CASE("diagonals, rotations and dimensions that move") {
  Tensor x = torch::arange(1, 7).view({2, 3});
  CHECK(values(torch::diag(torch::tensor({1, 2}), 1)) == Doubles{0, 1, 0, 0, 0, 2, 0, 0, 0});
  CHECK(values(x.diag()) == Doubles{1, 5});
  CHECK(values(torch::trace(x)) == Doubles{6});
  CHECK(torch::diag_embed(torch::ones({4, 2}), 0, 0, 2).sizes() == torch::IntArrayRef({2, 4, 2}));
  CHECK(values(torch::rot90(x)) == Doubles{3, 6, 2, 5, 1, 4});
  CHECK(values(x.rot90(-1)) == Doubles{4, 1, 5, 2, 6, 3});
  CHECK(torch::zeros({2, 3, 4}).movedim(0, -1).sizes() == torch::IntArrayRef({3, 4, 2}));
  CHECK(torch::zeros({6, 2}).unflatten(0, {2, -1}).sizes() == torch::IntArrayRef({2, 3, 2}));
  CHECK(values(x.tile({2})) == Doubles{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6});
  CHECK(torch::hstack({x, x}).sizes() == torch::IntArrayRef({2, 6}));
  CHECK(torch::vstack({x, x[0]}).sizes() == torch::IntArrayRef({3, 3}));
  CHECK(x.t().ravel().is_contiguous());
  CHECK(errorOf([&] { x.unflatten(1, {2, 2}); }) ==
        "unflatten: Provided sizes [2, 2] don't multiply up to the size of dim 1 (3) in the input "
        "tensor");
}

TEST_CASE("distances, cross products and linear systems") {
  Tensor x = torch::tensor({{3.0, 0.0}, {0.0, 4.0}}), y = torch::tensor({{0.0, 0.0}});
  CHECK(values(torch::cdist(x, y)) == Doubles{3, 4});
  CHECK(values(torch::cdist(x, x, 1)) == Doubles{0, 7, 7, 0});
  CHECK(values(torch::cross(torch::tensor({1.0, 0.0, 0.0}), torch::tensor({0.0, 1.0, 0.0}))) ==
        Doubles{0, 0, 1});
  CHECK(torch::det(x + 1).item<double>() == Catch::Detail::Approx(19));
  CHECK(near(torch::inverse(x), {1 / 3.0, 0, 0, 0.25}));
  CHECK(near(torch::linalg_solve(x, torch::tensor({6.0, 2.0})), {2, 0.5}));
  CHECK(near(torch::linalg_cholesky(torch::tensor({{4.0, 2.0}, {2.0, 5.0}})), {2, 0, 1, 2}));
  CHECK(errorOf([] { torch::inverse(torch::ones({2, 2})); }) ==
        "linalg.inv: The diagonal element 2 is zero, the inversion could not be completed because "
        "the input matrix is singular.");
  CHECK(errorOf([] {
          torch::linalg_cholesky(-torch::eye(2));
        }).find("the leading minor of order 1 is not positive-definite") != std::string::npos);
}

TEST_CASE("attention looks where its mask lets it") {
  Tensor q = torch::randn({2, 3, 4}), k = torch::randn({2, 5, 4}), v = torch::randn({2, 5, 2});
  Tensor all = torch::softmax(q.matmul(k.transpose(1, 2)) / 2, -1).matmul(v);
  CHECK(torch::allclose(torch::scaled_dot_product_attention(q, k, v), all, 1e-4, 1e-6));
  Tensor causal = torch::scaled_dot_product_attention(q, k, v, {}, 0, true);
  CHECK(torch::allclose(causal.select(1, 0), v.select(1, 0), 1e-4, 1e-6));
  Tensor nothing = torch::zeros({3, 5}, torch::kBool);
  CHECK(torch::scaled_dot_product_attention(q, k, v, nothing).eq(0).all().item<bool>());
}

TEST_CASE("softmax is safe for large logits") {
  Tensor x = torch::tensor({{1000.0, 1000.0}, {-1000.0, 0.0}});
  CHECK(values(torch::softmax(x, 1)) == Doubles{0.5, 0.5, 0, 1});
  CHECK(near(x.log_softmax(1), {-std::log(2), -std::log(2), -1000, 0}));
  CHECK(values(x.softmax(0).sum(0)) == Doubles{1, 1});
}

TEST_CASE("products of matrices") {
  Tensor a = torch::arange(6, torch::kFloat).view({2, 3});
  Tensor b = torch::arange(12, torch::kFloat).view({3, 4});
  CHECK(values(a.mm(b)) == Doubles{20, 23, 26, 29, 56, 68, 80, 92});
  CHECK(values(torch::matmul(b.t(), a.t())) == values(a.mm(b).t()));
  CHECK(values(a.matmul(torch::ones({3}))) == Doubles{3, 12});
  CHECK(torch::ones({2}).dot(torch::tensor({3.0, 4.0})).item<double>() == 7);
  Tensor batch = torch::stack({a, a + 1});
  CHECK(values(batch.matmul(b)[1]) == values((a + 1).mm(b)));
  CHECK(torch::matmul(torch::ones({5, 1, 2, 3}), torch::ones({4, 3, 6})).sizes() ==
        torch::IntArrayRef({5, 4, 2, 6}));
  CHECK(values(torch::linear(a, torch::ones({1, 3}), torch::tensor({0.5}))) == Doubles{3.5, 12.5});
}

TEST_CASE("products of matrices of integers", "[host]") { // as LibTorch's, CUDA devices have none
  Tensor a = torch::arange(4).view({2, 2});
  CHECK(values(a.mm(a)) == Doubles{2, 3, 6, 11});
  Tensor b = torch::arange(6).view({2, 3}), c = torch::arange(12).view({3, 4});
  CHECK(values(b.mm(c)) == Doubles{20, 23, 26, 29, 56, 68, 80, 92});
}

TEST_CASE("views share memory, copies do not") {
  Tensor x = torch::zeros({2, 3});
  x.select(0, 1).fill_(1);
  x.slice(1, 0, 1) += 5;
  CHECK(values(x) == Doubles{5, 0, 0, 6, 1, 1});
  x.view({6})[5] = 9;
  x.t()[1][0] = 7;
  CHECK(values(x) == Doubles{5, 7, 0, 6, 1, 9});
  x.reshape({3, 2}).permute({1, 0}).squeeze().unsqueeze(0).fill_(3);
  CHECK(values(x) == Doubles{3, 3, 3, 3, 3, 3});
  x.t().reshape({6}).fill_(8); // needs a copy
  CHECK(x[0][0].item<float>() == 3);
  x.clone().fill_(4);
  CHECK(x[0][0].item<float>() == 3);
  CHECK(torch::arange(6).view({2, -1}).diagonal().sum().item<int64_t>() == 4);
  CHECK(values(torch::arange(5).unfold(0, 3, 2)) == Doubles{0, 1, 2, 2, 3, 4});
  CHECK(torch::ones({2, 1}).expand({-1, 3}).strides() == torch::IntArrayRef({1, 0}));
  CHECK(torch::zeros({2, 1, 3, 1}).squeeze().sizes() == torch::IntArrayRef({2, 3}));
  CHECK(torch::zeros({2, 3, 4}).flatten(1).sizes() == torch::IntArrayRef({2, 12}));
}

TEST_CASE("joining and splitting") {
  Tensor a = torch::arange(4).view({2, 2});
  CHECK(values(torch::cat({a, a + 4})) == Doubles{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(values(torch::cat({a, a + 4}, 1)) == Doubles{0, 1, 4, 5, 2, 3, 6, 7});
  CHECK(torch::stack({a, a}, -1).sizes() == torch::IntArrayRef({2, 2, 2}));
  auto parts = torch::arange(5).chunk(2);
  REQUIRE(parts.size() == 2);
  CHECK(values(parts[0]) == Doubles{0, 1, 2});
  CHECK(values(parts[1]) == Doubles{3, 4});
  CHECK(a.unbind(1).size() == 2);
  CHECK(values(a.repeat({1, 2})) == Doubles{0, 1, 0, 1, 2, 3, 2, 3});
  CHECK(values(a.flip({0})) == Doubles{2, 3, 0, 1});
  CHECK(values(torch::tril(torch::ones({2, 2}))) == Doubles{1, 0, 1, 1});
}

TEST_CASE("indexing") {
  Tensor x = torch::arange(12).view({3, 4});
  CHECK(values(x.index({1})) == Doubles{4, 5, 6, 7});
  CHECK(values(x.index({Slice(), 1})) == Doubles{1, 5, 9});
  CHECK(values(x.index({"...", Slice(None, None, 2)})) == Doubles{0, 2, 4, 6, 8, 10});
  CHECK(values(x.index({Slice(-2, None), Slice(1, 3)})) == Doubles{5, 6, 9, 10});
  CHECK(x.index({None, Ellipsis, 0}).sizes() == torch::IntArrayRef({1, 3}));
  CHECK(values(x.index({torch::tensor({2, 0})})) == Doubles{8, 9, 10, 11, 0, 1, 2, 3});
  CHECK(values(x.index({torch::tensor({0, 1}), torch::tensor({3, -1})})) == Doubles{3, 7});
  CHECK(values(x.index({x > 9})) == Doubles{10, 11});
  CHECK(values(x.index({Slice(), torch::tensor({true, false, false, true})})) ==
        Doubles{0, 3, 4, 7, 8, 11});
  Tensor cube = torch::arange(24).view({2, 3, 4});
  CHECK(cube.index({torch::tensor({0, 1}), Slice(), torch::tensor({1, 2})}).sizes() ==
        torch::IntArrayRef({2, 3}));
  CHECK(cube.index({Slice(), torch::tensor({{0, 1}, {2, 0}}), 0}).sizes() ==
        torch::IntArrayRef({2, 2, 2}));
  x.index_put_({x > 9}, -1);
  x.index({0, 0}) = 50;               // a view: x changes
  x.index({torch::tensor({1})}) = 60; // a copy: x does not
  CHECK(values(x) == Doubles{50, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -1});
  x.index_put_({Slice(1, 2), Slice(0, 2)}, torch::tensor({20, 21}));
  CHECK(x[1][1].item<int64_t>() == 21);
  CHECK(values(x.index_select(1, torch::tensor({3, 3}))) == Doubles{3, 3, 7, 7, -1, -1});
  CHECK(values(torch::gather(x, 1, torch::tensor({{1}, {0}, {2}}))) == Doubles{1, 20, -1});
  CHECK(values(torch::one_hot(torch::tensor({1, 0}), 3)) == Doubles{0, 1, 0, 1, 0, 0});
  CHECK(values(torch::zeros({3}).scatter_(0, torch::tensor({2}), 5)) == Doubles{0, 0, 5});
  CHECK(values(torch::zeros({2}).scatter_add_(0, torch::tensor({1, 1, 0}), torch::ones({3}))) ==
        Doubles{1, 2});
  CHECK(values(torch::zeros({2}).index_add_(0, torch::tensor({1, 1}), torch::ones({2}), 3)) ==
        Doubles{0, 6});
  CHECK(values(x.take(torch::tensor({{0, -1}}))) == Doubles{50, -1});
  CHECK(values(torch::roll(torch::arange(5), 2)) == Doubles{3, 4, 0, 1, 2});
  CHECK(values(torch::arange(6).view({2, 3}).roll({1, -1}, {0, 1})) == Doubles{4, 5, 3, 1, 2, 0});
  CHECK(values(torch::nonzero(torch::tensor({{0, 3}, {4, 0}}))) == Doubles{0, 1, 1, 0});
  CHECK(values(torch::where(x > 8, 1, 0).sum(1)) == Doubles{1, 2, 1});
}

TEST_CASE("losses agree with LibTorch") {
  Tensor logits = torch::tensor({{1.0, 2.0, 3.0}, {1.0, -1.0, 0.5}});
  Tensor labels = torch::tensor({2, 0});
  namespace F = torch::nn::functional;
  CHECK(F::cross_entropy(logits, labels).item<double>() == Approx(0.4812815));
  CHECK(F::nll_loss(logits.log_softmax(1), labels.to(torch::kByte)).item<double>() ==
        Approx(0.4812815));
  CHECK(F::cross_entropy(logits, torch::tensor({-100, 0})).item<double>() == Approx(0.5549570));
  CHECK(F::cross_entropy(logits, torch::softmax(logits, 1)).item<double>() == Approx(0.8584237));
  auto smooth = F::CrossEntropyFuncOptions().label_smoothing(0.1).reduction(torch::kSum);
  CHECK(F::cross_entropy(logits, labels, smooth).item<double>() == Approx(1.1458961));
  auto weighted = F::CrossEntropyFuncOptions().weight(torch::tensor({1.0, 2.0, 3.0}));
  CHECK(F::cross_entropy(logits, labels, weighted).item<double>() == Approx(0.4444437));
  Tensor p = torch::tensor({0.2, 0.9}), t = torch::tensor({0.0, 1.0});
  CHECK(torch::binary_cross_entropy(p, t).item<double>() == Approx(0.164252));
  CHECK(torch::binary_cross_entropy(torch::ones({1}), torch::zeros({1})).item<double>() == 100);
  CHECK(F::binary_cross_entropy_with_logits(logits[0], torch::tensor({0.0, 1.0, 1.0}))
            .item<double>() == Approx(0.496259));
  CHECK(torch::mse_loss(p, t).item<double>() == Approx(0.025));
  CHECK(near(F::mse_loss(p, t, F::MSELossFuncOptions(torch::kNone)), {0.04, 0.01}));
  CHECK(torch::l1_loss(p, t).item<double>() == Approx(0.15));
  CHECK(torch::smooth_l1_loss(p * 10, t).item<double>() == Approx(4.5));
  CHECK(torch::mse_loss(torch::tensor({1.5}), torch::tensor({1})).item<double>() == Approx(0.25));
}

TEST_CASE("random numbers are LibTorch's for the same seed", "[host]") {
  torch::manual_seed(42);
  CHECK(near(torch::rand({3}), {0.8822692633, 0.9150039554, 0.3828637600}));
  CHECK(near(torch::randn({2}), {-0.8293192, -1.6137069}));
}

TEST_CASE("a product and its activation are one function, without a gradient") {
  auto bias = torch::tensor({-1.0, 0.5, 0.25}, torch::kDouble),
       x = torch::tensor({{1.0, 2.0}, {-1.5, 0.5}}, torch::kDouble),
       y = torch::tensor({{0.3, -0.2, 1.0}, {0.7, 0.1, -0.9}}, torch::kDouble);
  auto is = [](const Tensor &found, const Tensor &expected, double tolerance = 1e-4) {
    return torch::allclose(found, expected.to(torch::kDouble), 0, tolerance);
  };
  CHECK(is(at::_addmm_activation(bias, x, y), torch::tensor({{0.7, 0.5, 0.0}, {0.0, 0.85, 0.0}})));
  CHECK(is(at::_addmm_activation(bias, x, y, 0.5, 2),
           torch::tensor({{2.9, 0.25, 0.0}, {0.0, 0.95, 0.0}})));
  CHECK(is(at::_addmm_activation(bias, x, y, 1, 1, true),
           torch::tensor({{0.5306, 0.3457, -0.1601}, {-0.1492, 0.6820, -0.0758}}),
           1e-3)); // by tanh on CUDA devices, as with LibTorch
  bias.requires_grad_();
  auto out = at::_addmm_activation(bias, x, y);
  CHECK(out.grad_fn()->name() == "torch::autograd::NotImplemented");
  CHECK(errorOf([&] { out.sum().backward(); }) ==
        "derivative for aten::_addmm_activation is not implemented");
}

TEST_CASE("errors say what LibTorch says") {
  auto x = torch::zeros({2, 3});
  CHECK(
      errorOf([&] { x + torch::zeros({4}); }) ==
      "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1");
  CHECK(errorOf([&] { x.index_add(0, torch::tensor({0}), x); }) ==
        "index_add_(): Number of indices (1) should be equal to source.size(dim): (2), for dim: 0");
  CHECK(errorOf([&] { x.roll({1, 2}, {0}); }) ==
        "shifts and dimensions must align. shifts: 2, dims:1");
  CHECK(errorOf([&] { x.mm(x); }) == "mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)");
  CHECK(errorOf([&] { x.view({4, 2}); }) == "shape '[4, 2]' is invalid for input of size 6");
  CHECK(errorOf([&] { x.t().view({6}); }) ==
        "view size is not compatible with input tensor's size and stride (at least one dimension "
        "spans across two contiguous subspaces). Use .reshape(...) instead.");
  CHECK(errorOf([&] { x.sum(2); }) ==
        "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
  CHECK(errorOf([&] { x.item(); }) == "a Tensor with 6 elements cannot be converted to Scalar");
  CHECK(errorOf([&] { x.data_ptr<double>(); }) == "expected scalar type Double but found Float");
  CHECK(errorOf([&] { x[2]; }) ==
        "select(): index 2 out of range for tensor of size [2, 3] at dimension 0");
  CHECK(errorOf([&] { torch::zeros({2}, torch::kLong) += 1.5; }) ==
        "result type Float can't be cast to the desired output type Long");
  CHECK(errorOf([&] { torch::zeros({3}) += x; }) ==
        "output with shape [3] doesn't match the broadcast shape [2, 3]");
  CHECK(errorOf([&] { torch::zeros({2}, torch::kLong).mean(); }) ==
        "mean(): could not infer output dtype. Input dtype must be either a floating point or "
        "complex dtype. Got: Long");
  CHECK(errorOf([&] { torch::nn::functional::nll_loss(x, torch::tensor({0})); }) ==
        "Expected input batch_size (2) to match target batch_size (1).");
  CHECK(errorOf([&] { torch::nll_loss(x, torch::tensor({{0}, {1}})); }) ==
        "0D or 1D target tensor expected, multi-target not supported");
  CHECK(errorOf([&] { torch::nll_loss(x, torch::zeros({2})); }) ==
        "expected target dtype to be Long or Byte, but got Float");
  CHECK(errorOf([&] { x.mm(torch::zeros({3, 2}, torch::kDouble)); }) ==
        "expected m1 and m2 to have the same dtype, but got: float != double");
  CHECK(errorOf([&] { Tensor() + 1; }) ==
        "Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #0 "
        "'self'");
  CHECK(errorOf([&] { torch::empty({-1}); }) ==
        "Trying to create tensor with negative dimension -1: [-1]");
  CHECK(errorOf([&] { torch::zeros({int64_t{1} << 40, int64_t{1} << 40}); }) != "no error");
  CHECK(errorOf([&] { torch::cat({x, torch::zeros({2, 2})}); }) ==
        "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 2 for "
        "tensor number 1 in the list.");
  CHECK(errorOf([&] { torch::Device("gpu"); }) != "no error");
}

TEST_CASE("kernels and machines without devices say what LibTorch says", "[host]") {
  Tensor x = torch::zeros({2, 3});
  CHECK(errorOf([&] { x.gather(0, torch::tensor({{-1}})); }) ==
        "index -1 is out of bounds for dimension 0 with size 2");
  CHECK(errorOf([&] { x.index({torch::tensor({5})}); }) ==
        "index 5 is out of bounds for dimension 0 with size 2");
  CHECK(errorOf([&] { torch::nll_loss(x, torch::tensor({0, 3})); }) ==
        "Target 3 is out of bounds.");
  CHECK(errorOf([] { torch::tensor({-7, 6}).fmod(torch::tensor({1, 0})); }) == "ZeroDivisionError");
  if (!torch::cuda::is_available())
    CHECK(errorOf([&] { x.to(torch::kCUDA); }) ==
          "PyTorch is not linked with support for cuda devices");
}

TEST_CASE("tensors print as LibTorch prints them") {
  auto text = [](const Tensor &x) {
    std::ostringstream out;
    out << x;
    return out.str();
  };
  CHECK(text(torch::tensor({1, 2})) == " 1\n 2\n[ " + typeName("Long") + "{2} ]");
  CHECK(text(torch::tensor({{1.5, 2.25}, {3.0, 4.0}})) ==
        " 1.5000  2.2500\n 3.0000  4.0000\n[ " + typeName("Float") + "{2,2} ]");
  CHECK(text(torch::tensor(3.5)) == "3.5\n[ " + typeName("Float") + "{} ]");
  CHECK(text(torch::zeros({1, 1, 2})) == "(1,.,.) = \n 0  0\n[ " + typeName("Float") + "{1,1,2} ]");
}

TEST_CASE("channels can be last in memory") {
  torch::Tensor x = torch::arange(24, torch::kFloat).view({1, 2, 3, 4});
  torch::Tensor last = x.contiguous(torch::MemoryFormat::ChannelsLast);
  CHECK(torch::equal(x, last));
  CHECK(last.strides() == torch::IntArrayRef({24, 1, 8, 2}));
  CHECK(last.is_contiguous(torch::MemoryFormat::ChannelsLast));
  CHECK_FALSE(last.is_contiguous());
  CHECK_FALSE(x.is_contiguous(torch::MemoryFormat::ChannelsLast));
  CHECK(last.to(torch::kCPU, torch::kDouble, false, false, torch::MemoryFormat::Contiguous)
            .is_contiguous());
  CHECK(last.clone().strides() == last.strides());
  CHECK(last.clone(torch::MemoryFormat::Contiguous).is_contiguous());
  CHECK(errorOf([&] { x[0].contiguous(torch::MemoryFormat::ChannelsLast); }) ==
        "required rank 4 tensor to use channels_last format");
  CHECK(torch::str("x", 1, ' ', 0.5) == "x1 0.5");
}

TEST_CASE("a tensor takes other shapes, and the memory of another one") {
  Tensor x = torch::arange(6, torch::kFloat);
  const float *before = x.data_ptr<float>();
  x.resize_({2, 2});
  CHECK(x.equal(torch::tensor({{0.0f, 1.0f}, {2.0f, 3.0f}})));
  CHECK(x.data_ptr<float>() == before);
  x.resize_({3, 4});
  CHECK(x[1][1].item<float>() == 5);
  Tensor y = torch::ones({2});
  y.set_(x);
  CHECK(y.is_alias_of(x));
  CHECK(y.is_same_size(x));
  CHECK_FALSE(y.is_complex());
  CHECK(errorOf([&] { torch::ones({2}).requires_grad_().resize_({1}); }) ==
        "cannot resize variables that require grad");
}

TEST_CASE("code for each element type, ranges of integers, errors") {
  int64_t sum = 0;
  for (auto i : c10::irange(2, 5))
    sum += i;
  for (auto i : c10::irange(3))
    sum += i;
  CHECK(sum == 12);
  std::size_t size = 0;
  AT_DISPATCH_FLOATING_TYPES(torch::ones({1}, torch::kDouble).scalar_type(), "size",
                             [&] { size = sizeof(scalar_t); });
  CHECK(size == 8);
  AT_DISPATCH_ALL_TYPES(torch::kInt, "size", [&] { size = sizeof(scalar_t); });
  CHECK(size == 4);
  CHECK(errorOf([] { AT_DISPATCH_FLOATING_TYPES(torch::kLong, "size", [&] {}); }) ==
        "\"size\" not implemented for 'Long'");
  CHECK(errorOf([] { AT_ERROR("number ", 3); }) == "number 3");
  CHECK(torch::result_type(torch::ones({1}, torch::kInt), torch::ones({}, torch::kDouble)) ==
        torch::kDouble);
}

TEST_CASE("random numbers have the distributions that are asked for") {
  torch::manual_seed(14);
  Tensor normal = torch::randn({100000}), uniform = torch::rand({100000});
  CHECK(std::abs(normal.mean().item<float>()) < 0.02);
  CHECK(normal.std().item<float>() == Approx(1).epsilon(0.02));
  CHECK(uniform.mean().item<float>() == Approx(0.5).epsilon(0.02));
  CHECK(uniform.ge(0).logical_and(uniform.lt(1)).all().item<bool>());
  Tensor kept = torch::dropout(torch::ones({100000}), 0.25, true);
  CHECK(kept.mean().item<float>() == Approx(1).epsilon(0.02));
  CHECK(kept.eq(0).sum().item<float>() == Approx(25000).epsilon(0.05));
  Tensor die = torch::randint(1, 7, {60000});
  CHECK(die.min().item<int64_t>() == 1);
  CHECK(die.max().item<int64_t>() == 6);
  CHECK(die.eq(3).sum().item<float>() == Approx(10000).epsilon(0.1));
  CHECK_FALSE(torch::rand({100}).equal(torch::rand({100})));
}

TEST_CASE("distributions that are drawn in place") {
  torch::manual_seed(3);
  Tensor x = torch::empty({20000}, torch::kDouble);
  CHECK(x.geometric_(0.25).mean().item<double>() == Approx(4).epsilon(0.05));
  CHECK(x.min().item<double>() == 1);
  CHECK(x.log_normal_(0, 0.5).log().std().item<double>() == Approx(0.5).epsilon(0.05));
  CHECK(x.cauchy_(3, 1).median().item<double>() == Approx(3).epsilon(0.05));
  CHECK(x.bernoulli_(torch::full({20000}, 0.3)).mean().item<double>() == Approx(0.3).epsilon(0.05));
  Tensor bytes = torch::empty({20000}, torch::kByte).random_();
  CHECK(bytes.max().item<int>() == 255);
}
