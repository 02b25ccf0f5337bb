// What users do wrong is told in LibTorch's words, and never ends the process.
#include "Expect.h"

#include <limits>

using torch::Tensor;
namespace data = torch::data;
namespace nn = torch::nn;
namespace F = torch::nn::functional;

namespace {

struct Misuse {
  const char *text;
  std::function<void()> action;
  std::string message;
};
#define MISUSE(expression, message)                                                                \
  Misuse {                                                                                         \
    #expression, [&] { expression; }, message                                                      \
  }

void checkAll(const std::vector<Misuse> &all) {
  for (const auto &[text, action, message] : all) {
    INFO(text);
    CHECK(errorOf(action) == message);
  }
}

/// As many numbers as one wants.
struct Numbers : data::datasets::Dataset<Numbers> {
  explicit Numbers(std::size_t count) : count(count) {}
  data::Example<> get(std::size_t index) override {
    auto number = static_cast<int64_t>(index);
    return {torch::full({1}, number), torch::full({1}, number)};
  }
  torch::optional<std::size_t> size() const override { return count; }
  std::size_t count;
};

auto loaderOf(std::size_t count, std::size_t batchSize) {
  return data::make_data_loader(Numbers(count).map(data::transforms::Stack<>()), batchSize);
}

constexpr int64_t huge = int64_t{1} << 50;

} // namespace

TEST_CASE("empty tensors and lists") {
  Tensor none = torch::zeros({0}), x = torch::ones({2, 3});
  checkAll({
      MISUSE(none.max(), "max(): Expected reduction dim to be specified for input.numel() == 0. "
                         "Specify the reduction dim with the 'dim' argument."),
      MISUSE(none.argmax(),
             "argmax(): Expected reduction dim to be specified for input.numel() == 0."),
      MISUSE(none.max(0), "max(): Expected reduction dim 0 to have non-zero size."),
      MISUSE(none.topk(1), "selected index k out of range"),
      MISUSE(none.item(), "a Tensor with 0 elements cannot be converted to Scalar"),
      MISUSE(torch::stack({}), "stack expects a non-empty TensorList"),
      MISUSE(torch::stack({x, none}),
             "stack expects each tensor to be equal size, but got [2, 3] at entry 0 and [0] at "
             "entry 1"),
      MISUSE(nn::utils::rnn::pad_sequence({}), "received an empty list of sequences"),
      MISUSE(nn::Embedding(0, 2)(torch::tensor({0})),
             "index_select(): self indexing axis dim should be positive"),
      MISUSE(nn::LSTM(3, 4)(torch::ones({0, 1, 3})),
             "Expected sequence length to be larger than 0 in RNN"),
      MISUSE(nn::LSTM(3, 0), "hidden_size must be greater than zero"),
      MISUSE(nn::Linear(0, 2), "from is out of bounds for float"),
      MISUSE(nn::ModuleList()[0], "Index out of range"),
  });
  // An empty batch is none.
  CHECK(nn::Conv2d(3, 4, 3)(torch::ones({0, 3, 5, 5})).sizes() == torch::IntArrayRef({0, 4, 3, 3}));
  CHECK(nn::AdaptiveAvgPool2d(0)(torch::ones({1, 1, 2, 2})).numel() == 0);
  CHECK(nn::BatchNorm1d(3)(torch::ones({0, 3})).numel() == 0);
  CHECK(
      F::cross_entropy(torch::ones({0, 3}), torch::zeros({0}, torch::kLong)).isnan().item<bool>());
}

TEST_CASE("sizes that no machine has") {
  checkAll({
      MISUSE(torch::ones({std::numeric_limits<int64_t>::max()}),
             "Storage size calculation overflowed with sizes=[9223372036854775807]"),
      MISUSE(torch::arange(0, 1e18, 1e-3), "invalid size, possible overflow?"),
      MISUSE(torch::randperm(-1), "Trying to create tensor with negative dimension -1: [-1]"),
      MISUSE(torch::linspace(0, 1, -1), "number of steps must be non-negative"),
      MISUSE(torch::eye(-1), "n must be greater or equal to 0, got -1"),
      MISUSE(nn::Linear(-1, 2), "Trying to create tensor with negative dimension -1: [2, -1]"),
  });
}

TEST_CASE("memory that no machine has", "[host]") {
  Tensor one = torch::ones({1});
  for (const std::function<void()> &action : std::vector<std::function<void()>>{
           [&] { torch::ones({huge}); }, [&] { one.expand({huge}) + 1; },
           [&] { one.expand({huge}).contiguous(); }, [&] { one.repeat({huge}); }})
    CHECK(errorOf(action).find("you tried to allocate 4503599627370496 bytes") !=
          std::string::npos);
}

TEST_CASE("shapes that do not fit") {
  Tensor x = torch::ones({2, 3});
  checkAll({
      MISUSE(x.reshape({-1, -1}), "only one dimension can be inferred"),
      MISUSE(x.permute({0, 0}), "permute(): duplicate dims are not allowed."),
      MISUSE(x.squeeze(4),
             "Dimension out of range (expected to be in range of [-2, 1], but got 4)"),
      MISUSE(x.chunk(0), "chunk expects `chunks` to be greater than 0, got: 0"),
      MISUSE(x.split(0),
             "split_size can only be 0 if dimension size is 0, but got dimension size of 2"),
      MISUSE(x.split(-1), "split expects split_size be non-negative, but got split_size=-1"),
      MISUSE(x.narrow(0, 1, 5), "start (1) + length (5) exceeds dimension size (2)."),
      MISUSE(x.expand({4, 3}),
             "The expanded size of the tensor (4) must match the existing size (2) at "
             "non-singleton dimension 0.  Target sizes: [4, 3].  Tensor sizes: [2, 3]"),
      MISUSE(x.repeat({2}), "Number of dimensions of repeat dims can not be smaller than number of "
                            "dimensions of tensor"),
      MISUSE(x.slice(0, 0, 2, 0), "slice step must be positive"),
      MISUSE(x.copy_(torch::ones({7})),
             "The size of tensor a (3) must match the size of tensor b (7) at non-singleton "
             "dimension 1"),
      MISUSE(torch::bmm(x, x), "batch1 must be a 3D tensor"),
      MISUSE(torch::dot(x, x), "1D tensors expected, but got 2D and 2D tensors"),
      MISUSE(nn::BatchNorm1d(4)(x), "running_mean should contain 3 elements not 4"),
      MISUSE(nn::BatchNorm1d(3)(x[0].unsqueeze(0)),
             "Expected more than 1 value per channel when training, got input size [1, 3]"),
      MISUSE(F::pad(x, F::PadFuncOptions({1, 1, 1, 1, 1, 1})),
             "Padding length should be less than or equal to two times the input dimension but got "
             "padding length 6 and input of dimension 2"),
      MISUSE(F::max_pool2d(x.view({1, 2, 3}), F::MaxPool2dFuncOptions(2).padding(2).dilation(4)),
             "pad should be smaller than or equal to half of kernel size, but got padW = 2, "
             "padH = 2, kW = 2, kH = 2"),
      MISUSE(F::cross_entropy(x, torch::tensor(0)),
             "Expected input batch_size (2) to match target batch_size (0)."),
      MISUSE(torch::cross_entropy_loss(x, x, torch::ones({4})),
             "cross_entropy: weight tensor should be defined either for all 3 classes or no "
             "classes but got weight tensor of shape: [4]"),
      MISUSE(nn::init::xavier_uniform_(x[0]),
             "Fan in and fan out cannot be computed for tensor with fewer than 2 dimensions"),
  });
}

TEST_CASE("what kernels find wrong with positions and numbers", "[host]") {
  Tensor x = torch::ones({2, 3}), i = torch::tensor({1, 2, 0});
  checkAll({
      MISUSE(x.gather(0, torch::tensor({{7}})),
             "index 7 is out of bounds for dimension 0 with size 2"),
      MISUSE(x.index_put_({i}, torch::ones({3, 3})),
             "index 2 is out of bounds for dimension 0 with size 2"),
      MISUSE(nn::Embedding(3, 2)(torch::tensor({-1})), "index out of range in self"),
      MISUSE(torch::one_hot(torch::tensor({-1, 2})), "Class values must be non-negative."),
      MISUSE(i.remainder(0), "ZeroDivisionError"),
      MISUSE(F::binary_cross_entropy(x * 2, x), "all elements of input should be between 0 and 1"),
  });
}

TEST_CASE("positions and numbers that are out of range or of another type") {
  Tensor x = torch::ones({2, 3}), i = torch::tensor({1, 2, 0}), flags = torch::tensor({true});
  checkAll({
      MISUSE(x.index({x}), "tensors used as indices must be long, int, byte or bool tensors"),
      MISUSE(x.index({i, i, i}), "too many indices for tensor of dimension 2"),
      MISUSE(x.index({torch::tensor({true, false, true})}),
             "The shape of the mask [3] at index 0 does not match the shape of the indexed tensor "
             "[2, 3] at index 0"),
      MISUSE(x.index({torch::tensor({1, 0, 1}, torch::kByte)}), // a mask, too
             "The shape of the mask [3] at index 0 does not match the shape of the indexed tensor "
             "[2, 3] at index 0"),
      MISUSE(x.index_select(0, x), "index_select(): Index is supposed to be a vector"),
      MISUSE(x.gather(0, x), "gather(): Expected dtype int32/int64 for index"),
      MISUSE(nn::Embedding(3, 2)(x),
             "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
             "Long, Int; but got " +
                 typeName("Float") + " instead (while checking arguments for embedding)"),
      MISUSE(i.requires_grad_(true),
             "Only Tensors of floating point and complex dtype can require gradients"),
      MISUSE(flags - flags,
             "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` "
             "or `logical_xor()` operator instead."),
      MISUSE(i.pow(-1), "Integers to negative integer powers are not allowed."),
      MISUSE(torch::bmm(x.view({1, 2, 3}), x.view({1, 3, 2}).to(torch::kDouble)),
             "expected scalar type Float but found Double"),
      MISUSE(torch::multinomial(x * 0, 1),
             "invalid multinomial distribution (sum of probabilities <= 0)"),
      MISUSE(nn::Dropout(2.0), "dropout probability has to be between 0 and 1, but got 2"),
      MISUSE(F::binary_cross_entropy(x, x.to(torch::kLong)), "Found dtype Long but expected Float"),
  });
  // The quotient does not exist, and traps on the processor.
  Tensor least = torch::full({1}, std::numeric_limits<int64_t>::min(), torch::kLong);
  CHECK(least.remainder(-1).item<int64_t>() == 0);
}

TEST_CASE("a loader without examples, or with batches of none", "[host]") {
  auto none = loaderOf(0, 2);
  CHECK(none->begin() == none->end());
  auto empty = loaderOf(3, 0);
  CHECK(errorOf([&] { *empty->begin(); }) != "no error"); // a failed assertion in LibTorch
}
