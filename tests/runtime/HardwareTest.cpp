// What must hold on every device, real ones too: the tests run with GRADTIDY_DEVICE=sim, and
// script/hardware runs this program with GRADTIDY_DEVICE=cuda.
#include "DeviceOperations.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <catch2/catch.hpp>
#include <gradtidy/CapturedStep.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

using torch::kCPU;
using torch::kCUDA;
using torch::Tensor;

namespace {

[[maybe_unused]] const bool simulatedUnlessSaid = setenv("GRADTIDY_DEVICE", "sim", 0) == 0;
[[maybe_unused]] const bool exact = (at::globalContext().setAllowTF32CuDNN(false), true);

/// Whether a device's numbers are those of the host, up to the order of sums; if not, a test that
/// fails says how far they are.
bool close(const Tensor &host, const Tensor &device, double tolerance) {
  if (host.sizes() != device.sizes() || host.dtype() != device.dtype()) {
    UNSCOPED_INFO(device.toString()
                  << device.sizes() << ", not " << host.toString() << host.sizes());
    return false;
  }
  if (torch::allclose(device.cpu(), host, tolerance, tolerance, /*equal_nan=*/true))
    return true;
  const Tensor here = host.detach().to(torch::kDouble).flatten(),
               there = device.detach().cpu().to(torch::kDouble).flatten();
  Tensor distance = (there - here).abs().nan_to_num(INFINITY);
  distance.masked_fill_(there.eq(here).logical_or(there.isnan().logical_and(here.isnan())), 0);
  const auto worst = distance.argmax().item<int64_t>();
  UNSCOPED_INFO(host.toString() << host.sizes() << ", element " << worst << ": "
                                << there[worst].item<double>() << ", not "
                                << here[worst].item<double>() << "; tolerance " << tolerance);
  return false;
}

/// The losses of some steps with a model whose parameters are the same on every device.
template <class Model, class Optimizer>
std::vector<double> train(Model model, const Tensor &x, const Tensor &labels, Optimizer optimizer,
                          torch::Device device) {
  model->to(device);
  std::vector<double> losses;
  for (int step = 0; step < 5; ++step) {
    optimizer.zero_grad();
    Tensor loss = torch::cross_entropy_loss(model(x.to(device)), labels.to(device));
    loss.backward();
    optimizer.step();
    losses.push_back(loss.item<double>());
  }
  return losses;
}

/// Training with make(), on the host and on a device.
template <class Make> void checkTraining(const Tensor &x, const Tensor &labels, Make make) {
  std::vector<double> losses[2];
  for (torch::Device device : {torch::Device(kCPU), torch::Device(kCUDA)}) {
    torch::manual_seed(3);
    auto [model, optimizer] = make();
    losses[device.is_cuda()] = train(model, x, labels, std::move(optimizer), device);
  }
  CHECK(losses[0].back() < losses[0].front());
  for (std::size_t step = 0; step < losses[0].size(); ++step)
    CHECK(losses[1][step] == Approx(losses[0][step]).epsilon(1e-3));
}

} // namespace

// Here tensors say where they lie, and what an operation makes of its own must follow them; in
// runtime-test everything is made on the device.
TEST_CASE("operations and their gradients are close to the host's") {
  torch::manual_seed(11);
  Tensor a = torch::rand({3, 4}) * 0.8 + 0.2, b = torch::rand({3, 4}) * 0.8 + 0.2;
  for (const DeviceOperation &row : deviceOperations())
    DYNAMIC_SECTION(row.name) {
      for (auto type : {torch::kFloat, torch::kDouble}) {
        auto run = [&](torch::Device device) {
          Tensor x = a.to(device, type).clone().requires_grad_();
          Tensor y = b.to(device, type).clone().requires_grad_();
          Tensor out = row.operation(x, y);
          if (out.requires_grad())
            (out * out).sum().backward();
          return std::vector<Tensor>{out, x.grad(), y.grad()};
        };
        const std::vector<Tensor> host = run(kCPU), device = run(kCUDA);
        for (std::size_t i = 0; i < host.size(); ++i) {
          REQUIRE(host[i].defined() == device[i].defined());
          if (host[i].defined())
            CHECK(close(host[i], device[i], type == torch::kFloat ? 1e-4 : 1e-9));
        }
      }
    }
}

TEST_CASE("matrices are multiplied wherever they lie, in all types") {
  torch::manual_seed(12);
  for (auto [type, tolerance] : {std::pair{torch::kFloat, 1e-4},
                                 {torch::kDouble, 1e-9},
                                 {torch::kHalf, 2e-2},
                                 {torch::kBFloat16, 1e-1}}) {
    Tensor a = torch::rand({33, 65}).to(type), b = torch::rand({17, 65}).to(type),
           row = torch::rand({17}).to(type), batch = torch::rand({5, 65, 9}).to(type);
    auto both = [&](auto operation) {
      Tensor host = operation(a, b, row, batch);
      Tensor device = operation(a.to(kCUDA), b.to(kCUDA), row.to(kCUDA), batch.to(kCUDA));
      CHECK(close(host, device, tolerance));
    };
    both([](auto a, auto b, auto, auto) { return a.mm(b.t()); });
    both([](auto a, auto b, auto, auto) { return b.t().contiguous().t().mm(a.t()); });
    both([](auto a, auto b, auto row, auto) { return torch::linear(a, b, row); });
    both([](auto a, auto b, auto row, auto) { return torch::addmm(row, a, b.t(), 2, 0.5); });
    both([](auto a, auto, auto, auto batch) { return torch::matmul(a, batch); });
    both([](auto, auto, auto, auto batch) { return batch.bmm(batch.transpose(1, 2)); });
    both([](auto a, auto b, auto, auto) {
      return a.slice(1, 0, 64, 2).mm(b.slice(1, 1, 65, 2).t()); // no elements are neighbours
    });
  }
}

TEST_CASE("products with what follows them are those of the host, and so are their gradients") {
  namespace nn = torch::nn;
  torch::manual_seed(36);
  for (auto [type, tolerance] : {std::pair{torch::kFloat, 1e-4},
                                 {torch::kDouble, 1e-9},
                                 {torch::kHalf, 2e-2},
                                 {torch::kBFloat16, 1e-1}})
    for (int64_t width : {16, 12})
      for (const std::vector<int64_t> &sizes :
           std::vector<std::vector<int64_t>>{{9, 10}, {3, 4, 10}}) {
        const Tensor x = torch::randn(sizes), weight = torch::rand({width, 10}) * 0.2;
        nn::Sequential model(nn::Linear(10, width), nn::GELU(nn::GELUOptions().approximate("tanh")),
                             nn::Linear(width, 5), nn::ReLU());
        { // away from where ReLU bends, which rounding may decide
          const torch::NoGradGuard guard;
          model->ptr<nn::LinearImpl>(2)->bias.copy_(torch::tensor({4., -4., 5., -5., 6.}));
        }
        auto run = [&, type = type](torch::Device device) {
          model->to(device, type);
          model->zero_grad();
          const Tensor in = x.to(device, type).clone().requires_grad_(),
                       columns = weight.to(device, type).clone().requires_grad_();
          const Tensor out = model->forward(in);
          // A weight by columns, too, and gradients of gradients.
          const Tensor row = torch::addmm(model->ptr<nn::LinearImpl>(0)->bias, in.flatten(0, -2),
                                          columns.t().contiguous());
          (out.sum() + (row * row).mean()).backward();
          std::vector<Tensor> all{out, in.grad(), columns.grad()};
          for (const Tensor &parameter : model->parameters())
            all.push_back(parameter.grad().clone());
          const Tensor slope =
              torch::autograd::grad({model->forward(in).square().sum()}, {in}, {}, true, true)[0];
          all.push_back(torch::autograd::grad({slope.square().mean()}, {in})[0]);
          const torch::NoGradGuard guard;
          all.push_back(model->forward(in));
          return all;
        };
        // The host's 16 bits are rounded in each operation.
        std::vector<Tensor> host = run(kCPU);
        const std::vector<Tensor> device = run(kCUDA);
        for (std::size_t i = 0; i < host.size(); ++i) {
          const double largest = 1 + host[i].abs().max().item<double>();
          CHECK(close(host[i] / largest, device[i].cpu() / largest, tolerance));
        }
      }
  // That of cuBLAS would make 0 of it.
  nn::Sequential model(nn::Linear(4, 8), nn::ReLU(), nn::Linear(8, 8),
                       nn::GELU(nn::GELUOptions().approximate("tanh")));
  model->to(kCUDA);
  CHECK(model->forward(torch::full({2, 4}, std::nan(""), kCUDA)).isnan().all().item<bool>());
}

TEST_CASE("a product and its activation are one function, without a gradient") {
  torch::manual_seed(37);
  for (auto [type, tolerance] :
       {std::pair{torch::kFloat, 1e-4}, {torch::kDouble, 1e-9}, {torch::kHalf, 2e-2}})
    for (bool row : {true, false}) {
      const Tensor a = torch::randn({9, 10}).to(type), b = torch::randn({10, 16}).to(type),
                   bias = (row ? torch::randn({16}) : torch::randn({9, 16})).to(type);
      const Tensor product = torch::addmm(bias, a, b);
      auto on = [](const Tensor &x) { return x.to(kCUDA); };
      CHECK(close(product.relu(), at::_addmm_activation(on(bias), on(a), on(b)), tolerance));
      const Tensor gelu = at::_addmm_activation(on(bias), on(a), on(b), 1, 1, true);
      // By tanh on real devices, as with LibTorch.
      CHECK(close(torch::gelu(product), gelu, std::max(tolerance, 1e-3)));
    }
}

TEST_CASE("convolutions and their gradients are close to the host's, by cuDNN and by products") {
  torch::manual_seed(17);
  for (auto [type, tolerance] : {std::pair{torch::kFloat, 1e-4},
                                 {torch::kDouble, 1e-9},
                                 {torch::kHalf, 5e-2},
                                 {torch::kBFloat16, 3e-1}}) {
    Tensor x = torch::rand({3, 4, 9, 8}).to(type), w = torch::rand({6, 2, 3, 2}).to(type),
           b = torch::rand({6}).to(type), v = torch::rand({4, 3, 3, 2}).to(type);
    auto run = [&](torch::Device device) {
      std::vector<Tensor> in;
      for (const Tensor &each : {x, w, b, v})
        in.push_back(each.to(device).clone().requires_grad_());
      Tensor y = torch::conv2d(in[0], in[1], in[2], {2, 1}, {1, 2}, {1, 3}, 2);
      Tensor z = torch::conv_transpose2d(in[0], in[3], {}, 2, 1, 1);
      Tensor line = torch::conv1d(in[0].select(2, 0), in[1].select(2, 0), {}, 1, 1, 1, 2);
      (y.mean() + z.mean() + line.mean()).backward();
      return std::vector<Tensor>{y,           z, line, in[0].grad(), in[1].grad(), in[2].grad(),
                                 in[3].grad()};
    };
    const std::vector<Tensor> host = run(kCPU);
    for (bool library : {true, false}) {
      at::globalContext().setUserEnabledCuDNN(library);
      const std::vector<Tensor> device = run(kCUDA);
      for (std::size_t i = 0; i < host.size(); ++i)
        CHECK(close(host[i], device[i], tolerance));
    }
    at::globalContext().setUserEnabledCuDNN(true);
  }
}

TEST_CASE("convolutions take operands from the middle of others") {
  torch::manual_seed(39);
  for (auto [type, tolerance] : {std::pair{torch::kFloat, 1e-4}, {torch::kHalf, 2e-2}}) {
    const Tensor x = torch::rand({3, 3, 3, 3}).to(type), w = torch::rand({3, 3, 2, 2}).to(type),
                 g = torch::rand({3, 2, 2, 2}).to(type);
    auto run = [&](torch::Device device) {
      Tensor in = x.to(device).clone().requires_grad_(), by = w.to(device).clone().requires_grad_();
      Tensor out = torch::conv2d(in.slice(0, 1), by.slice(0, 1));
      out.backward(g.to(device).slice(0, 1));
      return std::vector<Tensor>{out, in.grad(), by.grad()};
    };
    const auto host = run(kCPU), device = run(kCUDA);
    for (std::size_t i = 0; i < host.size(); ++i)
      CHECK(close(host[i], device[i], tolerance));
  }
}

TEST_CASE("maxima of windows and their gradients are those of the host") {
  torch::manual_seed(41);
  using Pooled = std::tuple<Tensor, Tensor>;
  const std::vector<std::function<Pooled(const Tensor &)>> pools = {
      [](const Tensor &x) { return torch::max_pool2d_with_indices(x, 2); },
      [](const Tensor &x) { return torch::max_pool2d_with_indices(x, 3, 1, 1, {2, 3}); },
      [](const Tensor &x) {
        return torch::max_pool2d_with_indices(x, {5, 2}, {2, 3}, {2, 0}, 1, true);
      },
      [](const Tensor &x) { return torch::max_pool3d_with_indices(x, 2, 1, 1); },
      [](const Tensor &x) { return torch::max_pool1d_with_indices(x.flatten(2), 7, 3, 2, 4); },
      [](const Tensor &x) { return torch::max_pool1d_with_indices(x.flatten(2), 2, 1LL << 40); },
      [](const Tensor &x) { return torch::adaptive_max_pool1d(x.flatten(2), 41); },
      [](const Tensor &x) { return torch::adaptive_max_pool2d(x, {4, 15}); },
      [](const Tensor &x) { return torch::adaptive_max_pool3d(x, {2, 5, 20}); },
  };
  Tensor input = torch::randn({3, 4, 17, 13});
  input[1][2][3][4] = input[1][2][5][4] = std::nanf("");
  for (auto type : {torch::kFloat, torch::kBFloat16, torch::kLong})
    for (const auto &pool : pools) {
      auto run = [&](torch::Device device) {
        Tensor x = (type == torch::kLong ? input.nan_to_num() * 2 : input).to(device, type).clone();
        x.set_requires_grad(type != torch::kLong);
        auto [values, indices] = pool(x);
        if (type == torch::kLong)
          return std::vector<Tensor>{values, indices};
        values.backward(
            torch::arange(values.numel(), device).remainder(19).view(values.sizes()).to(type));
        return std::vector<Tensor>{values, indices, x.grad()};
      };
      const auto host = run(kCPU), device = run(kCUDA);
      for (std::size_t i = 0; i < host.size(); ++i)
        CHECK(close(host[i], device[i], 0));
    }
}

TEST_CASE("long and wide sums are close to the host's") {
  torch::manual_seed(13);
  Tensor x = torch::rand({300, 5000});
  const Tensor device = x.to(kCUDA);
  CHECK(close(x.sum(), device.sum(), 1e-4));
  CHECK(close(x.sum(0), device.sum(0), 1e-4));
  CHECK(close(x.sum(1), device.sum(1), 1e-4));
  CHECK(close(x.softmax(1), device.softmax(1), 1e-4));
  CHECK(close(x.argmax(1), device.argmax(1), 0));
  CHECK(close(x.t().var(1), device.t().var(1), 1e-3));
}

TEST_CASE("folds of all shapes are those of the host") {
  torch::manual_seed(21);
  for (auto [outer, inner] : {std::pair{1, 1},
                              {3, 2},
                              {700, 7},
                              {40, 33},
                              {3, 260},
                              {700, 260},
                              {1, 20000},
                              {3, 9000},
                              {40, 9000}}) {
    const Tensor rows = torch::randint(-9, 10, {outer, inner}, torch::kDouble);
    const std::vector<Tensor (*)(const Tensor &)> layouts = {
        [](const Tensor &x) { return x; }, [](const Tensor &x) { return x.t().contiguous().t(); },
        [](const Tensor &x) { return x.unsqueeze(1).expand({x.size(0), 2, x.size(1)}); },
        [](const Tensor &x) { return x.t().contiguous().unsqueeze(1).permute({2, 1, 0}); }};
    for (auto layout : layouts) {
      const Tensor x = layout(rows), device = layout(rows.to(kCUDA));
      REQUIRE(device.sum(-1).cpu().equal(x.sum(-1)));
      REQUIRE(device.amax(-1).cpu().equal(x.amax(-1)));
      REQUIRE(device.argmin(-1).cpu().equal(x.argmin(-1)));
      REQUIRE(device.argmax().item<int64_t>() == x.argmax().item<int64_t>());
      REQUIRE(device.ne(9).all(-1).cpu().equal(x.ne(9).all(-1)));
      REQUIRE(device.eq(9).any().item<bool>() == x.eq(9).any().item<bool>());
      for (double p : {0.0, 1.0, 2.0, HUGE_VAL, -HUGE_VAL})
        REQUIRE(close(x.norm(p, -1), device.norm(p, -1), 1e-9));
      REQUIRE(device.sum().item<double>() == x.sum().item<double>());
      REQUIRE(close(x.std(0), device.std(0), 1e-9));
    }
  }
}

TEST_CASE("losses of classes and their gradients are those of the host") {
  torch::manual_seed(41);
  struct Shape {
    std::vector<int64_t> input, labels;
    int64_t classes;
  };
  const Shape shapes[] = {{{5}, {}, 5},
                          {{1, 3}, {1}, 3},
                          {{0, 3}, {0}, 3},
                          {{70, 3}, {70}, 3},
                          {{9000, 4}, {9000}, 4},
                          {{2, 3, 5}, {2, 5}, 3},
                          {{3, 4, 5, 2}, {3, 5, 2}, 4}};
  for (auto [type, tolerance] : {std::pair{torch::kFloat, 1e-5},
                                 {torch::kDouble, 1e-12},
                                 {torch::kHalf, 4e-3},
                                 {torch::kBFloat16, 3e-2}})
    for (const Shape &shape : shapes)
      for (int64_t reduction :
           {torch::Reduction::None, torch::Reduction::Mean, torch::Reduction::Sum})
        for (bool weighted : {false, true})
          for (bool lastly : {false, true}) { // classes are neighbours in memory
            const Tensor x = torch::randn(shape.input, type), factor = torch::rand({}, type),
                         weight = torch::rand(shape.classes, type),
                         labels = torch::randint(0, shape.classes, shape.labels);
            auto run = [&](torch::Device device) {
              Tensor in = x.to(device);
              if (lastly && in.dim() > 2)
                in = in.transpose(1, -1).contiguous().transpose(1, -1);
              in = in.detach().requires_grad_();
              const Tensor loss = torch::nll_loss(
                  in, labels.to(device), weighted ? weight.to(device) : Tensor(), reduction, 1);
              (loss * factor.to(device)).sum().backward();
              return std::pair{loss.detach(), in.grad()};
            };
            const auto host = run(kCPU), device = run(kCUDA);
            REQUIRE(close(host.first, device.first, tolerance));
            REQUIRE(close(host.second, device.second, tolerance));
          }
  const Tensor bytes = torch::tensor({2, 0}, torch::kByte), x = torch::rand({2, 3});
  CHECK(close(torch::nll_loss(x, bytes), torch::nll_loss(x.to(kCUDA), bytes.to(kCUDA)), 1e-6));
  // Of nothing that counts
  Tensor leaf = torch::rand({2, 3}, kCUDA).requires_grad_();
  const Tensor loss =
      torch::nll_loss(leaf, bytes.to(kCUDA).fill_(1), {}, torch::Reduction::Mean, 1);
  loss.backward();
  CHECK(loss.isnan().item<bool>());
  CHECK(leaf.grad().eq(0).all().item<bool>());
}

TEST_CASE("scans of long and short rows are those of the host") {
  torch::manual_seed(22);
  for (int64_t length : {1, 5, 255, 256, 257, 3000})
    for (int64_t dim : {0, 1}) {
      Tensor x = torch::randint(-3, 4, {5, length}, torch::kDouble);
      x = dim == 1 ? x : x.t().contiguous();
      if (length > 100)
        x[2][4] = std::nan("");
      const Tensor device = x.to(kCUDA);
      REQUIRE(torch::equal(device.cumsum(dim).nan_to_num(77).cpu(), x.cumsum(dim).nan_to_num(77)));
      const Tensor factors = x.abs().clamp(1, 1.01).nan_to_num(1);
      REQUIRE(close(factors.cumprod(dim), factors.to(kCUDA).cumprod(dim), 1e-9));
      REQUIRE(std::get<1>(device.cummax(dim)).cpu().equal(std::get<1>(x.cummax(dim))));
      REQUIRE(std::get<1>(device.cummin(dim)).cpu().equal(std::get<1>(x.cummin(dim))));
    }
}

TEST_CASE("rows are normalised as on the host, and so are their gradients") {
  torch::manual_seed(26);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (int64_t length : {1, 3, 8, 64, 257, 5000})
    for (auto type : {torch::kFloat, torch::kDouble}) {
      Tensor rows = torch::randn({2, 9, length}, type) * 3 + 100,
             weight = torch::rand({2, 9, length}, type);
      rows[1][2] = -infinity; // as masks leave it
      rows.select(2, 0).slice(1, 3, 6).fill_(-infinity);
      rows[0][7].select(0, length - 1) = infinity;
      rows[0][8].select(0, length / 2) = std::nan("");
      const Tensor finite = torch::randn({2, 9, length}, type) + 50;
      auto check = [&](auto operation, const Tensor &from, bool gradients) {
        auto run = [&](torch::Device device) {
          Tensor x = from.to(device).clone().requires_grad_();
          Tensor y = operation(x);
          (y * weight.to(device)).sum().backward();
          return std::vector<Tensor>{y, x.grad()};
        };
        const auto host = run(kCPU), device = run(kCUDA);
        const double tolerance = type == torch::kFloat ? 2e-4 : 1e-9;
        REQUIRE(close(host[0], device[0], tolerance));
        if (gradients)
          REQUIRE(close(host[1], device[1], tolerance));
      };
      for (const Tensor &from : {rows, finite}) {
        check([](const Tensor &x) { return x.softmax(-1); }, from, true);
        check([](const Tensor &x) { return x.log_softmax(-1); }, from, &from == &finite);
        check([](const Tensor &x) { return x.transpose(1, 2).softmax(1).transpose(1, 2); }, from,
              true);
      }
      if (length == 1) // of which the deviation is 0
        continue;
      check([&](const Tensor &x) { return torch::layer_norm(x, {length}); }, finite, true);
      check([&](const Tensor &x) { return torch::layer_norm(x, {9, length}); }, finite, true);
      check([&](const Tensor &x) { return torch::group_norm(x, 3); }, finite, true);
      check(
          [&](const Tensor &x) {
            return torch::instance_norm(x, {}, {}, {}, {}, true, 0.1, 1e-5, false);
          },
          finite, true);
    }
}

TEST_CASE("attention and its gradients are those of the host") {
  torch::manual_seed(27);
  struct Shape {
    int64_t queries, keys, width, valueWidth;
  };
  for (auto [queries, keys, width, valueWidth] : {Shape{1, 1, 1, 1},
                                                  {37, 70, 20, 33},
                                                  {65, 33, 64, 64},
                                                  {32, 32, 128, 5},
                                                  {5, 40, 160, 8}}) // wider than any kernel
    for (auto [type, tolerance] : {std::pair{torch::kFloat, 1e-4},
                                   {torch::kDouble, 1e-9},
                                   {torch::kHalf, 4e-3},
                                   {torch::kBFloat16, 3e-2}}) {
      // Neighbouring positions are those of other heads, and all batches have the same keys.
      const Tensor q = torch::randn({2, queries, 2, width}).to(type),
                   k = torch::randn({1, keys, 2, width}).to(type),
                   v = torch::randn({2, keys, 2, valueWidth}).to(type),
                   weight = torch::randn({2, queries, 2, valueWidth}).to(type);
      Tensor looks = torch::rand({2, 1, queries, keys}) > 0.3;
      looks.index_put_({0, 0, queries / 2}, false);
      const Tensor summands = torch::randn({queries, keys}).to(type),
                   padding = (torch::arange(keys) < (keys + 1) / 2).view({1, 1, 1, keys});
      auto check = [&](const torch::optional<Tensor> &mask, bool causal) {
        auto run = [&](torch::Device device, torch::ScalarType computed) {
          std::vector<Tensor> in;
          for (const Tensor &x : {q, k, v})
            in.push_back(x.to(device, computed).clone().requires_grad_());
          torch::optional<Tensor> seen;
          if (mask)
            seen = mask->to(device).to(mask->dtype() == torch::kBool ? torch::kBool : computed);
          Tensor out = torch::scaled_dot_product_attention(
              in[0].transpose(1, 2), in[1].transpose(1, 2), in[2].transpose(1, 2), seen, 0, causal);
          (out * weight.to(device, computed).transpose(1, 2)).sum().backward();
          return std::vector<Tensor>{out, in[0].grad(), in[1].grad(), in[2].grad()};
        };
        // The host rounds scores of 16 bits, the kernels do not.
        const auto host = run(kCPU, type == torch::kDouble ? type : torch::kFloat),
                   device = run(kCUDA, type), again = causal ? run(kCUDA, type) : device;
        for (std::size_t i = 0; i < host.size(); ++i) {
          const double largest = 1 + host[i].abs().max().item<double>();
          REQUIRE(device[i].dtype() == type);
          REQUIRE(close(host[i] / largest, device[i].cpu().to(host[i].dtype()) / largest,
                        i < 1 ? tolerance : 2 * tolerance));
          REQUIRE(device[i].equal(again[i]));
        }
      };
      check({}, false);
      check({}, true);
      check(looks, false);
      check(summands, false);
      check(padding, false);
    }
}

TEST_CASE("attention to keys all of which fit badly is that of the host") {
  torch::manual_seed(38);
  const Tensor q = torch::randint(1, 4, {2, 3, 37, 8}), k = torch::randint(-22, -19, {2, 3, 70, 8}),
               v = torch::randn({2, 3, 70, 8}), weight = torch::randn({2, 3, 37, 8}),
               hidden = torch::full({37, 70}, -1e3);
  for (auto type : {torch::kFloat, torch::kDouble})
    for (bool masked : {false, true}) {
      auto run = [&](torch::Device device) {
        std::vector<Tensor> in;
        for (const Tensor &x : {q, k, v})
          in.push_back(x.to(device, type).clone().requires_grad_());
        torch::optional<Tensor> mask;
        if (masked)
          mask = hidden.to(device, type);
        Tensor out = torch::scaled_dot_product_attention(in[0], in[1], in[2], mask, 0, false, 1.0);
        (out * weight.to(device, type)).sum().backward();
        return std::vector<Tensor>{out, in[0].grad(), in[1].grad(), in[2].grad()};
      };
      const auto host = run(kCPU), device = run(kCUDA);
      for (std::size_t i = 0; i < host.size(); ++i)
        CHECK(close(host[i], device[i], type == torch::kFloat ? 1e-3 : 1e-9));
    }
}

TEST_CASE("dropout of attention keeps the mean, and its gradients are those of what stays") {
  torch::manual_seed(34);
  std::vector<Tensor> host{torch::randn({2, 3, 40, 16}, torch::kDouble),
                           torch::randn({2, 3, 45, 16}, torch::kDouble),
                           torch::randn({2, 3, 45, 45}, torch::kDouble)},
      device;
  const Tensor weight = torch::randn({2, 3, 40, 45}).to(torch::kDouble);
  auto attended = [&](std::vector<Tensor> &in, const Tensor &values) {
    torch::manual_seed(35);
    return torch::scaled_dot_product_attention(in[0], in[1], values, {}, 0.3, false);
  };
  for (Tensor &x : host) {
    device.push_back(x.to(kCUDA).requires_grad_());
    x.requires_grad_();
  }
  // Against values of which each key has one alone, all weights show.
  const Tensor weights = (host[0].matmul(host[1].transpose(2, 3)) / 4).softmax(-1);
  const Tensor kept = attended(device, torch::eye(45, device[0].options().requires_grad(false)))
                          .detach()
                          .cpu()
                          .div(weights.detach());
  CHECK(kept.mean().item<double>() == Approx(1).epsilon(0.05));
  CHECK((kept * 0.7).sub(kept.gt(0).to(torch::kDouble)).abs().max().item<double>() < 1e-6);
  CHECK(close(weights.mul(kept).matmul(host[2]), attended(device, device[2]), 1e-9));
  auto slopes = [&](std::vector<Tensor> &in, const Tensor &out) {
    const auto first = torch::autograd::grad({(out * weight.to(out.device())).sum()},
                                             {in[0], in[1], in[2]}, {}, true, true);
    (first[0].square().sum() + first[1].square().sum() + first[2].square().sum()).backward();
    std::vector<Tensor> all{first[0], first[1], first[2]};
    for (const Tensor &x : in)
      all.push_back(x.grad());
    return all;
  };
  const auto expected = slopes(host, weights.mul(kept).matmul(host[2])),
             found = slopes(device, attended(device, device[2]));
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(close(expected[i], found[i], 1e-8));
  // By the kernels, too.
  for (Tensor &x : device)
    x.mutable_grad() = Tensor();
  (attended(device, device[2]) * weight.to(kCUDA)).sum().backward();
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(close(expected[i], device[i].grad(), 1e-9));
}

TEST_CASE("attention on a device takes what it takes on the host") {
  torch::manual_seed(28);
  auto both = [](auto operation) {
    const Tensor host = operation(torch::TensorOptions(kCPU));
    CHECK(close(host, operation(torch::TensorOptions(kCUDA)), 1e-5));
  };
  const std::vector<std::array<int64_t, 3>> emptyAndSmall = {
      {0, 3, 4}, {3, 0, 4}, {3, 4, 0}, {2, 3, 4}};
  for (auto [queries, keys, width] : emptyAndSmall)
    both([&](auto options) {
      return torch::scaled_dot_product_attention(torch::ones({2, queries, 4}, options),
                                                 torch::ones({1, keys, 4}, options),
                                                 torch::ones({keys, width}, options), {}, 0, true);
    });
  const Tensor x = torch::randn({4, 6, 5, 8}), y = torch::randn({4, 2, 5, 8});
  both([&](auto options) { // several heads that share one, five batches
    const Tensor q = x.to(options.device()).unsqueeze(0), k = y.to(options.device());
    return torch::scaled_dot_product_attention(q, k, k, {}, 0, true, 0.3, true);
  });
  both([&](auto options) { // a mask with batches of its own, one that wants a gradient
    const Tensor q = x[0].to(options.device());
    Tensor mask = torch::randn({3, 1, 5, 5}).fill_(0.5).to(options.device()).requires_grad_();
    Tensor out = torch::scaled_dot_product_attention(q, q, q, mask.detach()) +
                 torch::scaled_dot_product_attention(q, q, q, mask[0]);
    out.square().sum().backward();
    return mask.grad();
  });
  auto curvature = [&](torch::Device device) {
    std::vector<Tensor> in;
    for (double scale : {1.0, 0.5, 2.0})
      in.push_back((x.select(2, 0).to(torch::kDouble) * scale).to(device).requires_grad_());
    Tensor out = torch::scaled_dot_product_attention(in[0], in[1], in[2], {}, 0, true);
    const auto slopes =
        torch::autograd::grad({out.square().sum()}, {in[0], in[1], in[2]}, {}, true, true);
    (slopes[0].square().sum() + slopes[1].sum() + slopes[2].square().sum()).backward();
    return torch::stack({in[0].grad(), in[1].grad(), in[2].grad()});
  };
  CHECK(close(curvature(kCPU), curvature(kCUDA), 1e-9));
}

TEST_CASE("attention with many heads is that of the host, whatever hides keys") {
  namespace nn = torch::nn;
  torch::manual_seed(29);
  const Tensor x = torch::randn({7, 2, 12});
  Tensor padding = torch::zeros({2, 7}, torch::kBool);
  padding[1].slice(0, 4) = true;
  const Tensor later = torch::ones({7, 7}, torch::kBool).triu(1),
               summands = torch::randn({6, 7, 7});
  for (bool more : {false, true})
    for (const Tensor &mask : {Tensor(), later, summands})
      for (const Tensor &hidden : {Tensor(), padding}) {
        nn::MultiheadAttention layer(
            nn::MultiheadAttentionOptions(12, 3).add_zero_attn(more).add_bias_kv(more));
        auto run = [&](torch::Device device) {
          layer->to(device);
          layer->zero_grad();
          auto on = [&](const Tensor &y) { return y.defined() ? y.to(device) : y; };
          Tensor in = x.to(device).clone().requires_grad_();
          Tensor out = std::get<0>(layer(in, in, in, on(hidden), false, on(mask)));
          (out * out).sum().backward();
          std::vector<Tensor> all{out.detach().cpu(), in.grad().cpu()};
          for (const Tensor &parameter : layer->parameters())
            all.push_back(parameter.grad().cpu().clone());
          return all;
        };
        const auto host = run(kCPU), device = run(kCUDA);
        for (std::size_t i = 0; i < host.size(); ++i)
          CHECK(close(host[i], device[i], 1e-4));
      }
}

TEST_CASE("channels are normalised as on the host, and so are their gradients") {
  torch::manual_seed(30);
  for (auto [type, tolerance] : {std::pair{torch::kFloat, 1e-4},
                                 {torch::kDouble, 1e-9},
                                 {torch::kHalf, 1e-2},
                                 {torch::kBFloat16, 6e-2}})
    for (const std::vector<int64_t> &sizes : std::vector<std::vector<int64_t>>{
             {5, 3}, {900, 40}, {4, 7, 9}, {3, 6, 5, 4}, {2, 3, 70, 130}})
      for (bool lastly : {false, true})
        for (bool learns : {false, true}) {
          Tensor x = torch::randn(sizes) * 2 + 20;
          if (lastly && sizes.size() == 4)
            x = x.contiguous(torch::MemoryFormat::ChannelsLast);
          const Tensor weight = torch::randn(sizes), scale = torch::rand(sizes[1]),
                       shift = torch::rand(sizes[1]);
          const auto numbers = type == torch::kDouble ? type : torch::kFloat;
          auto run = [&](torch::Device device) {
            auto leaf = [&](const Tensor &from, torch::ScalarType to) {
              return from.to(device, to).clone().requires_grad_();
            };
            Tensor in = leaf(x, type), w, b, mean = torch::zeros(sizes[1], numbers).to(device),
                   variance = torch::ones(sizes[1], numbers).to(device);
            if (learns) {
              w = leaf(scale, lastly ? type : numbers);
              b = leaf(shift, lastly ? type : numbers);
            }
            Tensor out = torch::batch_norm(in, w, b, learns ? mean : Tensor(),
                                           learns ? variance : Tensor(), true, 0.3, 1e-5, true);
            (out * weight.to(device, type)).sum().backward();
            std::vector<Tensor> all{out, in.grad(), mean, variance};
            if (learns)
              all.insert(all.end(), {w.grad(), b.grad()});
            return all;
          };
          const auto host = run(kCPU), device = run(kCUDA);
          for (std::size_t i = 0; i < host.size(); ++i) {
            const double largest = 1 + host[i].abs().max().item<double>();
            REQUIRE(device[i].strides() == host[i].strides());
            REQUIRE(close(host[i] / largest, device[i] / largest, tolerance));
          }
        }
  const Tensor x = torch::randn({4, 3, 5}, torch::kDouble);
  auto curvature = [&](torch::Device device) {
    Tensor in = x.to(device).clone().requires_grad_(),
           w = x[0][0].slice(0, 0, 3).to(device).clone();
    w.requires_grad_();
    Tensor out = torch::batch_norm(in, w, {}, {}, {}, true, 0.1, 1e-5, false);
    const auto slopes = torch::autograd::grad({out.pow(3).sum()}, {in, w}, {}, true, true);
    (slopes[0].square().sum() + slopes[1].square().sum()).backward();
    return torch::cat({in.grad().flatten(), w.grad()});
  };
  CHECK(close(curvature(kCPU), curvature(kCUDA), 1e-9));
}

TEST_CASE("scales and shifts of normalised rows get the gradients of the host") {
  torch::manual_seed(31);
  const Tensor x = torch::randn({3, 6, 5, 4}) * 2 + 3;
  auto check = [&](const std::vector<int64_t> &shape, auto operation) {
    const Tensor scale = torch::rand(shape), shift = torch::rand(shape);
    auto run = [&](torch::Device device) {
      std::vector<Tensor> in;
      for (const Tensor &from : {x, scale, shift})
        in.push_back(from.to(device).clone().requires_grad_());
      operation(in[0], in[1], in[2]).pow(2).sum().backward();
      return std::vector<Tensor>{in[0].grad(), in[1].grad(), in[2].grad()};
    };
    const auto host = run(kCPU), device = run(kCUDA);
    for (std::size_t i = 0; i < host.size(); ++i)
      CHECK(close(host[i], device[i], 1e-3));
  };
  check({4}, [](auto x, auto w, auto b) { return torch::layer_norm(x, {4}, w, b); });
  check({5, 4}, [](auto x, auto w, auto b) { return torch::layer_norm(x, {5, 4}, w, b); });
  check({3, 6, 5, 4},
        [](auto x, auto w, auto b) { return torch::layer_norm(x, {3, 6, 5, 4}, w, b); });
  check({6}, [](auto x, auto w, auto b) { return torch::group_norm(x, 2, w, b); });
}

TEST_CASE("recurrent layers and their gradients are those of the host") {
  namespace nn = torch::nn;
  torch::manual_seed(32);
  const Tensor x = torch::randn({5, 3, 4}, torch::kDouble);
  auto check = [&](auto layer, auto operation) {
    layer->to(torch::kDouble);
    auto run = [&](torch::Device device) {
      layer->to(device);
      layer->zero_grad();
      Tensor in = x.to(device).clone().requires_grad_();
      Tensor out = operation(layer, in);
      out.square().sum().backward();
      std::vector<Tensor> all{out.detach().cpu(), in.grad().cpu()};
      for (const Tensor &parameter : layer->parameters())
        all.push_back(parameter.grad().cpu().clone());
      return all;
    };
    const auto host = run(kCPU), device = run(kCUDA);
    for (std::size_t i = 0; i < host.size(); ++i)
      CHECK(close(host[i], device[i], 1e-9));
  };
  auto outputAndState = [](auto &layer, const Tensor &in) {
    auto [out, state] = layer(in);
    return torch::cat({out.flatten(), std::get<0>(state).flatten(), std::get<1>(state).flatten()});
  };
  check(nn::LSTM(nn::LSTMOptions(4, 6).num_layers(2).bidirectional(true)), outputAndState);
  check(nn::LSTM(nn::LSTMOptions(4, 6).proj_size(3).bias(false)), outputAndState);
  check(nn::LSTM(4, 6), [](auto &layer, const Tensor &in) {
    namespace rnn = torch::nn::utils::rnn;
    const Tensor lengths = torch::tensor({5, 3, 1});
    return std::get<0>(layer->forward_with_packed_input(rnn::pack_padded_sequence(in, lengths)))
        .data();
  });
  check(nn::GRU(nn::GRUOptions(4, 6).num_layers(2).bidirectional(true)),
        [](auto &layer, const Tensor &in) { return std::get<0>(layer(in)); });
  // Gradients of gradients, and states of which one gets none.
  check(nn::LSTMCell(4, 6), [](auto &layer, const Tensor &in) {
    auto [h, c] = layer(in[0]);
    Tensor last = std::get<1>(layer(in[1], std::tuple(h, c)));
    Tensor slope = torch::autograd::grad({last.square().sum() + h.sum()}, {in}, {}, true, true)[0];
    return torch::cat({slope.flatten(), last.flatten()});
  });
  check(nn::GRUCell(4, 6), [](auto &layer, const Tensor &in) {
    Tensor last = layer(in[1], layer(in[0]));
    Tensor slope = torch::autograd::grad({last.square().sum()}, {in}, {}, true, true)[0];
    return torch::cat({slope.flatten(), last.flatten()});
  });
  for (auto [type, tolerance] : {std::pair{torch::kHalf, 2e-2}, {torch::kBFloat16, 1e-1}}) {
    nn::LSTMCell lstm(4, 6);
    nn::GRUCell gru(4, 6);
    auto run = [&, type = type](torch::Device device) {
      lstm->to(device, type);
      gru->to(device, type);
      const Tensor in = x[0].to(device, type);
      return torch::cat({std::get<1>(lstm(in)), gru(in)});
    };
    const Tensor host = run(kCPU);
    CHECK(close(host, run(kCUDA), tolerance));
  }
}

TEST_CASE("elements are found wherever they lie") {
  torch::manual_seed(23);
  const Tensor numbers = torch::randint(-9, 10, {4099}, torch::kLong);
  for (auto type :
       {torch::kFloat, torch::kDouble, torch::kHalf, torch::kLong, torch::kByte, torch::kBool}) {
    const Tensor host = numbers.to(type), device = host.to(kCUDA);
    for (int64_t from = 0; from < 5; ++from) // some of them on the boundaries of packs
      for (int64_t length : {0, 1, 3, 4, 1023, 4094}) {
        auto changed = [&](const Tensor &x) {
          Tensor part = x.narrow(0, from, length), target = torch::zeros_like(x);
          target.narrow(0, 4 - from, length)
              .copy_(part.eq(part.narrow(0, 0, length > 0)).logical_or(part));
          return target;
        };
        REQUIRE(changed(device).cpu().equal(changed(host)));
      }
  }
  const Tensor x = torch::rand({3, 5, 7, 2}), device = x.to(kCUDA);
  auto mixed = [](const Tensor &x) {
    return x.permute({3, 1, 0, 2}) * x.flip(1).permute({3, 1, 0, 2}).select(2, 1).unsqueeze(2) +
           x.slice(0, 1, 2).slice(1, 0, 5, 4).sum();
  };
  CHECK(close(mixed(x), mixed(device), 1e-5));
}

TEST_CASE("numbers of all types become those of all others as on the host") {
  const Tensor numbers = torch::tensor({-200.5, -3.0, -1.5, -0.25, 0.0, 0.75, 2.0, 100.5, 300.0});
  for (auto from : {torch::kFloat, torch::kDouble, torch::kHalf, torch::kBFloat16, torch::kInt,
                    torch::kLong, torch::kByte, torch::kBool})
    for (auto to : {torch::kFloat, torch::kDouble, torch::kHalf, torch::kBFloat16, torch::kInt,
                    torch::kLong, torch::kByte, torch::kBool}) {
      const Tensor host = numbers.to(torch::kLong).to(from), device = host.to(kCUDA);
      CHECK(close(host.to(to), device.to(to), 0));
    }
  const Tensor bytes = torch::tensor({3, 250}, torch::kByte);
  auto changed = [](const Tensor &x) {
    return torch::cat({x.add(x, -2), x.sub(x, -2), x.clamp_max(-1), x.addcmul(x, x, -1)});
  };
  CHECK(changed(bytes).equal(changed(bytes.to(kCUDA)).cpu()));
}

TEST_CASE("rows are sorted as on the host, equal elements in their order, NaN last") {
  torch::manual_seed(18);
  Tensor few = torch::randint(-3, 4, {70, 50}), wide = torch::randn({3, 20000});
  wide.index_put_({1, torch::indexing::Slice(0, 9)}, std::nan(""));
  for (auto type : {torch::kFloat, torch::kDouble, torch::kHalf, torch::kLong, torch::kByte})
    for (const Tensor &numbers : {few, wide}) {
      if (&numbers != &few && !torch::isFloatingType(type))
        continue;
      const Tensor host = numbers.to(type), device = host.to(kCUDA);
      for (bool descending : {false, true})
        for (int64_t dim : {0, 1}) {
          const auto [values, places] = host.sort(dim, descending);
          const auto [found, where] = device.sort(dim, descending);
          CHECK(close(values, found, 0));
          CHECK(places.equal(where.cpu()));
        }
      CHECK(std::get<1>(host.median(1)).sizes() == std::get<1>(device.median(1)).sizes());
      CHECK(close(std::get<0>(host.median(1)), std::get<0>(device.median(1)), 0));
      CHECK(close(std::get<0>(host.topk(5, 1)), std::get<0>(device.topk(5, 1)), 0));
    }
}

TEST_CASE("optimizers change many parameters as they do on the host") {
  auto trained = [](torch::Device device, auto make) {
    torch::manual_seed(19);
    std::vector<Tensor> parameters;
    for (int64_t i = 0; i < 150; ++i) // more than a kernel takes
      parameters.push_back(
          torch::randn({i % 7 * 3000 + 1, 3}).to(device).t().detach().requires_grad_());
    auto optimizer = make(parameters);
    for (int step = 0; step < 3; ++step) {
      for (Tensor &x : parameters) // away from zero, whose sign Adam makes much of
        x.mutable_grad() = x.detach().abs() * 2 + 1;
      optimizer.step();
    }
    return parameters;
  };
  auto check = [&](auto make) {
    const auto host = trained(kCPU, make), device = trained(kCUDA, make);
    for (std::size_t i = 0; i < host.size(); ++i)
      REQUIRE(close(host[i].detach(), device[i].detach(), 1e-5));
  };
  namespace optim = torch::optim;
  check([](auto &x) { return optim::SGD(x, 0.1); });
  check([](auto &x) {
    return optim::SGD(x, optim::SGDOptions(0.1).momentum(0.9).nesterov(true).weight_decay(0.1));
  });
  check([](auto &x) { return optim::Adam(x, optim::AdamOptions(0.1).weight_decay(0.1)); });
  check([](auto &x) { return optim::AdamW(x, optim::AdamWOptions(0.1).amsgrad(true)); });
}

TEST_CASE("sums over repeated positions lose nothing") {
  Tensor positions = torch::arange(10000).remainder(7);
  for (auto type : {torch::kFloat, torch::kLong, torch::kInt}) {
    Tensor ones = torch::ones({10000}, type);
    auto sums = [&](torch::Device device) {
      return torch::zeros({7}, ones.options().device(device))
          .index_add_(0, positions.to(device), ones.to(device));
    };
    CHECK(sums(kCPU).equal(sums(kCUDA).cpu()));
  }
  // Of 16 bits, where they end at 256 on the host, and on devices that simulate it
  if (std::string(std::getenv("GRADTIDY_DEVICE")) == "sim")
    return;
  for (auto type : {torch::kHalf, torch::kBFloat16}) {
    const auto options = torch::TensorOptions(kCUDA).dtype(type);
    const Tensor there = positions.to(kCUDA), counts = torch::full({7}, 10000 / 7, options);
    auto nearly = [&](const Tensor &sums) { return torch::allclose(sums, counts, 1e-2); };
    Tensor weight = torch::zeros({7, 2}, options).requires_grad_();
    torch::embedding(weight, there).sum().backward();
    CHECK(weight.grad().dtype() == type);
    CHECK(nearly(weight.grad().select(1, 1)));
    Tensor rows = torch::full({2, 7}, 8, options).t(); // what is there counts
    rows.index_add_(0, there, torch::ones({10000, 2}, options));
    CHECK(nearly(rows.select(1, 0) - 8));
    Tensor x = torch::zeros(7, options).requires_grad_();
    x.gather(0, there).sum().backward();
    CHECK(nearly(x.grad()));
    Tensor few = torch::ones({100}, options);
    few.scatter_add_(0, torch::tensor({3, 3}).to(kCUDA), torch::ones({2}, options));
    CHECK(few.sum().item<double>() == 102);
  }
}

TEST_CASE("sums over repeated positions are the same in every run, if that is asked for") {
  torch::manual_seed(40);
  const Tensor positions = torch::randint(0, 5, {100, 300}), values = torch::rand({100, 300, 3});
  at::globalContext().setDeterministicAlgorithms(true);
  for (auto [type, tolerance] :
       {std::pair{torch::kFloat, 1e-4}, {torch::kDouble, 1e-9}, {torch::kHalf, 1e-1}})
    for (bool accumulates : {true, false}) {
      auto put = [&](torch::Device device) {
        Tensor target = torch::ones({6, 3}, torch::TensorOptions(device).dtype(type));
        target.index_put_(std::vector<torch::optional<Tensor>>{positions.to(device)},
                          values.to(device, type) / 100, accumulates);
        return target.cpu();
      };
      const Tensor host = put(kCPU), device = put(kCUDA);
      CHECK(close(host, device, accumulates ? tolerance : 0));
      CHECK(device.equal(put(kCUDA)));
    }
  auto gradients = [&](torch::Device device) {
    Tensor weight = torch::ones({5, 4}, device).requires_grad_(),
           x = torch::ones({5, 300}, device).requires_grad_();
    torch::embedding(weight, positions.to(device))
        .mul(values.to(device).narrow(2, 0, 1))
        .sum()
        .backward();
    x.gather(0, positions.to(device)).mul(values.to(device).select(2, 1)).sum().backward();
    return torch::cat({weight.grad().flatten(), x.grad().flatten()});
  };
  const Tensor device = gradients(kCUDA);
  CHECK(close(gradients(kCPU), device, 1e-3));
  CHECK(device.equal(gradients(kCUDA)));
  at::globalContext().setDeterministicAlgorithms(false);
}

TEST_CASE("a perceptron learns what it learns on the host") {
  torch::manual_seed(15);
  checkTraining(torch::randn({64, 20}), torch::randint(10, {64}), [] {
    torch::nn::Sequential model(torch::nn::Linear(20, 32), torch::nn::ReLU(),
                                torch::nn::Linear(32, 10));
    torch::optim::Adam optimizer(model->parameters(), 1e-2);
    return std::pair(model, std::move(optimizer));
  });
}

TEST_CASE("a convolutional network learns what it learns on the host") {
  torch::manual_seed(16);
  checkTraining(torch::randn({8, 1, 28, 28}), torch::randint(10, {8}), [] {
    torch::nn::Sequential model(
        torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 6, 5).padding(2)), torch::nn::ReLU(),
        torch::nn::MaxPool2d(2), torch::nn::Conv2d(6, 16, 5), torch::nn::BatchNorm2d(16),
        torch::nn::ReLU(), torch::nn::AvgPool2d(2), torch::nn::Flatten(),
        torch::nn::Linear(400, 84), torch::nn::ReLU(), torch::nn::Linear(84, 10));
    torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(0.05).momentum(0.9));
    return std::pair(model, std::move(optimizer));
  });
}

#if defined(GRADTIDY_NCCL)
TEST_CASE("a group of one rank that NCCL serves keeps its tensors") {
  auto store = c10::make_intrusive<c10d::HashStore>();
  if (std::string(std::getenv("GRADTIDY_DEVICE")) != "cuda") {
    CHECK_THROWS_WITH(c10d::ProcessGroupNCCL(store, 0, 1),
                      "ProcessGroupNCCL needs real devices: GRADTIDY_DEVICE=cuda");
    return;
  }
  c10d::ProcessGroupNCCL group(store, 0, 1);
  const Tensor x = torch::arange(5, kCUDA);
  std::vector<Tensor> tensors{x.clone()};
  group.allreduce(tensors)->wait();
  group.broadcast(tensors)->wait();
  std::vector<std::vector<Tensor>> outputs{{torch::zeros_like(x)}};
  group.allgather(outputs, tensors)->wait();
  group.barrier()->wait();
  CHECK(tensors[0].equal(x));
  CHECK(outputs[0][0].equal(x));
}
#endif

TEST_CASE("a captured step trains as one that is not") {
  torch::manual_seed(24);
  const Tensor inputs = torch::randn({12, 16, 6}), targets = torch::randn({12, 16, 1});
  auto losses = [&](bool captured, auto make) {
    torch::manual_seed(25);
    torch::nn::Sequential model(torch::nn::Linear(6, 8), torch::nn::Tanh(),
                                torch::nn::Linear(8, 1));
    model->to(kCUDA);
    auto optimizer = make(model->parameters());
    Tensor x = torch::zeros({16, 6}, kCUDA), y = torch::zeros({16, 1}, kCUDA);
    auto lossOf = [&] { return torch::mse_loss(model(x), y); };
    gradtidy::CapturedStep step(optimizer, lossOf, 2);
    std::vector<float> all;
    for (int64_t i = 0; i < inputs.size(0); ++i) {
      x.copy_(inputs[i]);
      y.copy_(targets[i]);
      if (captured) {
        all.push_back(step().template item<float>());
        if (i % 3 == 0)
          optimizer.zero_grad(); // the step does not mind
        c10::cuda::CUDACachingAllocator::emptyCache();
      } else {
        optimizer.zero_grad();
        Tensor loss = lossOf();
        loss.backward();
        optimizer.step();
        all.push_back(loss.item<float>());
      }
      if (i == 8)
        for (auto &group : optimizer.param_groups())
          group.options().set_lr(1e-3);
    }
    return all;
  };
  auto check = [&](auto make) {
    const auto eager = losses(false, make), replayed = losses(true, make);
    for (std::size_t i = 0; i < eager.size(); ++i)
      CHECK(replayed[i] == Approx(eager[i]).epsilon(1e-4));
  };
  check([](auto parameters) { return torch::optim::Adam(parameters, 0.02); });
  check([](auto parameters) {
    return torch::optim::SGD(parameters, torch::optim::SGDOptions(0.05).momentum(0.9));
  });
}

TEST_CASE("captured steps have the kernels of attention, normalisation and recurrent layers") {
  namespace nn = torch::nn;
  const Tensor inputs = torch::randn({8, 5, 4, 12}), targets = torch::randn({8, 5, 4, 6});
  auto losses = [&](bool captured) {
    torch::manual_seed(33);
    nn::TransformerEncoderLayer encoder(
        nn::TransformerEncoderLayerOptions(12, 3).dim_feedforward(16).dropout(0));
    nn::BatchNorm1d norm(4);
    nn::GRU gru(12, 6);
    nn::LSTM lstm(6, 6);
    std::vector<Tensor> parameters;
    for (const std::shared_ptr<nn::Module> &module : std::vector<std::shared_ptr<nn::Module>>{
             encoder.ptr(), norm.ptr(), gru.ptr(), lstm.ptr()}) {
      module->to(kCUDA);
      for (const Tensor &parameter : module->parameters())
        parameters.push_back(parameter);
    }
    torch::optim::SGD optimizer(parameters, 0.1);
    Tensor x = torch::zeros({5, 4, 12}, kCUDA), y = torch::zeros({5, 4, 6}, kCUDA);
    auto lossOf = [&] {
      Tensor hidden = std::get<0>(gru(norm(encoder(x))));
      return torch::mse_loss(std::get<0>(lstm(hidden)), y);
    };
    gradtidy::CapturedStep step(optimizer, lossOf, 2);
    std::vector<float> all;
    for (int64_t i = 0; i < inputs.size(0); ++i) {
      x.copy_(inputs[i]);
      y.copy_(targets[i]);
      if (captured) {
        all.push_back(step().template item<float>());
        continue;
      }
      optimizer.zero_grad();
      Tensor loss = lossOf();
      loss.backward();
      optimizer.step();
      all.push_back(loss.item<float>());
    }
    all.push_back(norm->running_mean.sum().item<float>());
    return all;
  };
  const auto eager = losses(false), replayed = losses(true);
  for (std::size_t i = 0; i < eager.size(); ++i)
    CHECK(replayed[i] == Approx(eager[i]).epsilon(1e-4));
}

TEST_CASE("replays draw new random numbers, and refuse what they cannot do") {
  const c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool());
  at::cuda::CUDAGraph graph;
  if (std::string(std::getenv("GRADTIDY_DEVICE")) != "cuda") {
    CHECK_THROWS_WITH(graph.capture_begin(), Catch::Contains("CUDA graphs need a real device"));
    return;
  }
  Tensor kept = torch::zeros({1000}, kCUDA);
  {
    at::cuda::CUDAGraph waiting;
    waiting.capture_begin();
    CHECK_THROWS_WITH(kept.sum().item<float>(), Catch::Contains("when stream is capturing"));
    CHECK_THROWS_WITH(waiting.capture_end(), Catch::Contains("CUDA error"));
  }
  graph.capture_begin();
  kept.copy_(torch::rand({1000}, kCUDA));
  graph.capture_end();
  CHECK(kept.eq(0).all().item<bool>());
  std::vector<Tensor> drawn;
  for (int i = 0; i < 3; ++i) {
    graph.replay();
    drawn.push_back(kept.clone());
    CHECK(kept.mean().item<float>() == Approx(0.5).margin(0.05));
  }
  CHECK_FALSE(drawn[0].equal(drawn[1]));
  CHECK_FALSE(drawn[1].equal(drawn[2]));
  CHECK_THROWS_WITH(graph.capture_begin(), Catch::Contains("already owns a captured graph"));
  const c10::cuda::CUDAStreamGuard onDefault(c10::cuda::getDefaultCUDAStream());
  CHECK_THROWS_WITH(at::cuda::CUDAGraph().capture_begin(),
                    Catch::Contains("must be captured on a non-default stream"));
  CHECK_THROWS_WITH(at::cuda::CUDAGraph().replay(),
                    Catch::Contains("without a preceding successful capture"));
}

TEST_CASE("a graph has the work of streams that join it, and their memory") {
  if (std::string(std::getenv("GRADTIDY_DEVICE")) != "cuda")
    return;
  const c10::cuda::CUDAStream first = c10::cuda::getStreamFromPool(),
                              second = c10::cuda::getStreamFromPool();
  const c10::cuda::CUDAStreamGuard guard(first);
  const Tensor in = torch::arange(1000, kCUDA), out = torch::zeros_like(in);
  c10::Event forked(kCUDA), joined(kCUDA);
  at::cuda::CUDAGraph graph;
  graph.capture_begin();
  forked.record(first);
  forked.block(second);
  {
    Tensor sums;
    {
      const c10::cuda::CUDAStreamGuard onSecond(second);
      sums = in * in + 1;
      joined.record(second);
    }
    joined.block(first);
    out.copy_(sums);
  }
  graph.capture_end();
  std::vector<Tensor> others;
  {
    const c10::cuda::CUDAStreamGuard onSecond(second);
    for (int i = 0; i < 4; ++i)
      others.push_back(torch::full({1000}, 7, torch::TensorOptions(kCUDA).dtype(torch::kLong)));
  }
  torch::cuda::synchronize();
  graph.replay();
  CHECK(out.equal(in * in + 1));
  for (const Tensor &other : others)
    CHECK(other.eq(7).all().item<bool>());
}

TEST_CASE("work of two streams meets by events, and memory waits for both") {
  const c10::cuda::CUDAStream other = c10::cuda::getStreamFromPool();
  for (int round = 0; round < 20; ++round) {
    Tensor host = torch::full({1 << 16}, round).pin_memory(), sum;
    {
      c10::cuda::CUDAStreamGuard guard(other);
      Tensor x = host.to(kCUDA, /*non_blocking=*/true);
      host = Tensor();
      sum = x + x;
      x.record_stream(c10::cuda::getDefaultCUDAStream());
    }
    c10::Event done(kCUDA);
    done.record(other);
    done.block(c10::cuda::getDefaultCUDAStream());
    sum.record_stream(c10::cuda::getDefaultCUDAStream());
    // That memory is not free yet is no error, which CUB would take for its own.
    CHECK(std::get<0>(sum.sort()).eq(2 * round).all().item<bool>());
    CHECK((sum + 1).eq(2 * round + 1).all().item<bool>());
  }
}

TEST_CASE("a stream has no work left when the host has waited for it") {
  for (const c10::cuda::CUDAStream &stream :
       {c10::cuda::getDefaultCUDAStream(), c10::cuda::getStreamFromPool()}) {
    const c10::cuda::CUDAStreamGuard guard(stream);
    torch::ones({1000}, kCUDA).sum();
    stream.synchronize();
    CHECK(stream.query());
  }
}

TEST_CASE("page-locked memory that a graph copies from is nobody else's") {
  if (std::string(std::getenv("GRADTIDY_DEVICE")) != "cuda")
    return;
  const c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool());
  at::cuda::CUDAGraph graph;
  Tensor host = torch::full({1000}, 3.0).pin_memory(), copied = torch::zeros({1000}, kCUDA);
  graph.capture_begin();
  copied.copy_(host, /*non_blocking=*/true);
  host = Tensor();
  graph.capture_end();
  const Tensor other = torch::full({1000}, 5.0).pin_memory();
  graph.replay();
  CHECK(copied.eq(3).all().item<bool>());
}

TEST_CASE("memory that runs out comes back") {
  using namespace c10::cuda;
  const auto bytes = torch::TensorOptions(kCUDA).dtype(torch::kByte);
  CUDACachingAllocator::emptyCache();
  const auto before = CUDACachingAllocator::getDeviceStats(0);
  torch::zeros({int64_t{64} << 20}, bytes);
  CHECK_THROWS_AS(torch::empty({int64_t{1} << 50}, bytes), c10::OutOfMemoryError);
  CHECK(torch::zeros({1000}, bytes).sum().item<int64_t>() == 0);
  CUDACachingAllocator::emptyCache();
  const auto after = CUDACachingAllocator::getDeviceStats(0);
  CHECK(after.num_ooms == before.num_ooms + 1);
  CHECK(after.num_device_alloc > before.num_device_alloc);
  CHECK(after.reserved_bytes[0].current == before.reserved_bytes[0].current);
}
