// What CUDA devices compute, as far as it can be told without one: the formulas that their threads
// share with the host, and how libraries see our matrices.
#include "runtime/backends/BlasLayout.h"
#include "runtime/backends/cuda/CublasLt.h"
#include "runtime/backends/cuda/Cudnn.h"
#include "runtime/core/Philox.h"
#include "runtime/ops/kernels/Divisor.h"
#include "runtime/ops/kernels/SortKey.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <vector>

using namespace gradtidy::runtime;

TEST_CASE("Philox gives the numbers of its authors") {
  // The known answers of Random123 1.09 for philox4x32-10.
  using Block = Philox::Block;
  CHECK(Philox::blockOf({0, 0, 0, 0}, {0, 0}) ==
        Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(Philox::blockOf({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) ==
        Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(
      Philox::blockOf({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
      Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("every sequence of Philox counts through its blocks") {
  Philox generator(uint64_t{7} << 32 | 5, uint64_t{3} << 32 | 2);
  for (uint32_t block = 0; block < 3; ++block)
    for (uint32_t expected : Philox::blockOf({block, 0, 2, 3}, {5, 7}))
      CHECK(generator.random() == expected);
}

TEST_CASE("numbers of Philox have the distributions that are asked for") {
  double sum = 0, squares = 0, uniform = 0;
  constexpr int count = 20000;
  for (int i = 0; i < count; ++i) { // one for each thread, as kernels draw them
    Philox generator(1, static_cast<uint64_t>(i));
    const double x = generator.normal();
    sum += x;
    squares += x * x;
    const float u = generator.uniformFloat();
    REQUIRE((u >= 0 && u < 1));
    uniform += u;
  }
  CHECK(sum / count == Approx(0).margin(0.02));
  CHECK(squares / count == Approx(1).margin(0.03));
  CHECK(uniform / count == Approx(0.5).margin(0.01));
}

namespace {

/// What a library that keeps columns at a stretch makes of such operands.
std::vector<double> multiplied(const MatrixProduct &p) {
  auto [first, second] = columnMajor(p);
  std::vector<double> c(static_cast<std::size_t>(p.batch * p.m * p.n));
  auto at = [](const ColumnMajor &x, int64_t batch, int64_t i, int64_t j) {
    if (x.transposed)
      std::swap(i, j);
    REQUIRE((i < x.rows && j < x.columns && x.rows <= x.leading));
    return static_cast<const double *>(x.data)[batch * x.batchStride + i + j * x.leading];
  };
  for (int64_t s = 0; s < p.batch; ++s)
    for (int64_t i = 0; i < p.n; ++i)
      for (int64_t j = 0; j < p.m; ++j)
        for (int64_t k = 0; k < p.k; ++k)
          c[s * p.m * p.n + j * p.n + i] += at(first, s, i, k) * at(second, s, k, j);
  return c;
}

/// Ways in which `rows` x `columns` numbers may lie.
std::vector<Matrix> layouts(const double *data, int64_t rows, int64_t columns) {
  return {{data, columns, 1, rows * columns},          // packed
          {data, 1, rows, rows * columns},             // transposed
          {data, columns + 3, 1, rows * columns + 40}, // part of a larger one
          {data, 1, rows + 2, 5},                      // batches that share elements
          {data, columns, 1, 0}};                      // one for all
}

} // namespace

TEST_CASE("numbers are sorted by keys that have their order") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto key = [](auto x, bool descending = false) {
    return static_cast<uint64_t>(SortKey{descending}(x));
  };
  const std::vector<double> ascending = {-infinity, -2, -1e-300,  0,
                                         1e-310,    1,  infinity, std::nan("")};
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    CHECK(key(ascending[i - 1]) < key(ascending[i]));
    CHECK(key(ascending[i - 1], true) > key(ascending[i], true));
  }
  CHECK(key(-0.0) == key(0.0));
  CHECK(key(-std::nan("")) == key(std::nan("")));
  CHECK(key(-1.5f) < key(0.25f));
  CHECK(key(std::numeric_limits<int64_t>::min()) < key(int64_t{-1}));
  CHECK(key(int64_t{-1}) < key(int64_t{0}));
  CHECK(key(uint8_t{200}) > key(uint8_t{100}));
  CHECK(key(true) > key(false));
}

TEST_CASE("products give the quotients of all numbers of 31 bits") {
  constexpr int64_t largest = INT32_MAX;
  auto check = [](int64_t size) {
    const Divisor<int32_t> divisor(size);
    for (int64_t number : {int64_t{0}, size - 1, size, 2 * size - 1, 2 * size,
                           largest / size * size - 1, largest / size * size, largest - 1, largest})
      if (number <= largest)
        REQUIRE(divisor.quotientOf(static_cast<int32_t>(number)) == number / size);
  };
  for (int64_t size = 1; size < 5000; ++size)
    check(size);
  for (int bit = 13; bit < 31; ++bit)
    for (int64_t size = (int64_t{1} << bit) - 3; size < (int64_t{1} << bit) + 4; ++size)
      check(size);
  check(largest);
}

TEST_CASE("a library for columns multiplies our matrices wherever they lie") {
  std::vector<double> numbers(400);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = std::sin(static_cast<double>(i));
  for (auto [m, n, k] :
       {std::array<int64_t, 3>{3, 4, 5}, {1, 4, 5}, {3, 1, 5}, {3, 4, 1}, {1, 1, 1}})
    for (const Matrix &a : layouts(numbers.data(), m, k))
      for (const Matrix &b : layouts(numbers.data() + 7, k, n)) {
        const MatrixProduct p{ScalarType::Double, 2, m, n, k, a, b, nullptr, {}};
        const std::vector<double> c = multiplied(p);
        for (int64_t s = 0; s < 2; ++s)
          for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j) {
              double expected = 0;
              for (int64_t x = 0; x < k; ++x)
                expected += static_cast<const double *>(
                                a.data)[s * a.batchStride + i * a.rowStride + x * a.columnStride] *
                            static_cast<const double *>(
                                b.data)[s * b.batchStride + x * b.rowStride + j * b.columnStride];
              REQUIRE(c[s * m * n + i * n + j] == Approx(expected));
            }
      }
}

TEST_CASE("matrices without consecutive elements have no layout") {
  CHECK_FALSE(blasLayout({nullptr, 8, 2}, 3, 4));
  CHECK_FALSE(blasLayout({nullptr, 0, 1}, 3, 4)); // one row for all
  CHECK(blasLayout({nullptr, 0, 1}, 1, 4)->leading == 4);
  CHECK(blasLayout({nullptr, 1, 9}, 3, 4)->transposed);
}

#if defined(GRADTIDY_CUDA)
TEST_CASE("cuBLAS takes our descriptions of products") {
  float numbers[64];
  for (ScalarType type :
       {ScalarType::Half, ScalarType::BFloat16, ScalarType::Float, ScalarType::Double})
    for (int64_t batch : {1, 3})
      for (const Epilogue &epilogue :
           {Epilogue{}, Epilogue{numbers}, Epilogue{nullptr, Epilogue::Relu},
            Epilogue{numbers, Epilogue::Relu}, Epilogue{numbers, Epilogue::TanhGelu},
            Epilogue{numbers, Epilogue::TanhGelu, numbers + 32},
            Epilogue{nullptr, Epilogue::TanhGelu, numbers + 32}, Epilogue{.sumsOfFirst = numbers},
            Epilogue{.sumsOfSecond = numbers}})
        CHECK_NOTHROW(planOf({type,
                              batch,
                              3,
                              4,
                              5,
                              {numbers, 5, 1, 15},
                              {numbers + 1, 1, 6, 0},
                              numbers + 16,
                              epilogue}));
  CHECK_THROWS_WITH(
      planOf({ScalarType::Long, 1, 1, 1, 1, {numbers, 1, 1}, {numbers, 1, 1}, numbers, {}}),
      "\"addmm_cuda\" not implemented for 'Long'");
}
#endif

#if defined(GRADTIDY_CUDNN)
TEST_CASE("cuDNN takes our descriptions of convolutions, and finds the same sizes") {
  using Sizes = std::vector<int64_t>;
  struct {
    Sizes input, weight, output, stride, padding, dilation;
    int64_t groups;
  } const cases[] = {
      {{2, 3, 9}, {4, 3, 2}, {2, 4, 8}, {1}, {0}, {1}, 1},
      {{2, 4, 9, 8}, {6, 2, 3, 2}, {2, 6, 5, 9}, {2, 1}, {1, 2}, {1, 3}, 2},
      {{1, 2, 5, 6, 7}, {2, 2, 3, 3, 3}, {1, 2, 3, 4, 3}, {1, 1, 2}, {0, 0, 0}, {1, 1, 1}, 1}};
  float numbers[1];
  for (const auto &c : cases)
    for (ScalarType type :
         {ScalarType::Half, ScalarType::BFloat16, ScalarType::Float, ScalarType::Double}) {
      BatchConvolution convolution{BatchConvolution::Output,
                                   type,
                                   c.input,
                                   c.weight,
                                   c.output,
                                   c.stride,
                                   c.padding,
                                   c.dilation,
                                   c.groups,
                                   numbers,
                                   numbers,
                                   numbers};
      for (auto wanted :
           {BatchConvolution::Output, BatchConvolution::Input, BatchConvolution::Weight}) {
        convolution.wanted = wanted;
        CHECK_NOTHROW(operationOf(convolution));
      }
      ++convolution.outputSizes.back();
      CHECK_THROWS_WITH(operationOf(convolution), Catch::Contains("BAD_PARAM"));
    }
}

TEST_CASE("cuDNN gets no operand whose elements it cannot count") {
  using Sizes = std::vector<int64_t>;
  auto countable = [](const Sizes &input, const Sizes &weight, const Sizes &output) {
    return isCountable({BatchConvolution::Output,
                        ScalarType::BFloat16,
                        input,
                        weight,
                        output,
                        {1, 1},
                        {0, 0},
                        {1, 1},
                        1,
                        nullptr,
                        nullptr,
                        nullptr});
  };
  CHECK(countable({127, 64, 512, 512}, {64, 64, 1, 1}, {127, 64, 512, 512}));
  CHECK_FALSE(countable({128, 64, 512, 512}, {8, 64, 1, 1}, {128, 8, 512, 512}));
  CHECK_FALSE(countable({128, 8, 512, 512}, {64, 8, 1, 1}, {128, 64, 512, 512}));
  CHECK_FALSE(countable({1, 1, 1, int64_t{1} << 33}, {1, 1, 1, 1}, {1, 1, 1, int64_t{1} << 33}));
}
#endif
