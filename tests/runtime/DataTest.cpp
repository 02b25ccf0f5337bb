// Datasets, samplers, transforms and loaders: the order of examples for a seed, workers and what
// they throw.
#include "Expect.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>

using torch::Tensor;
namespace data = torch::data;

namespace {

/// The example of index i is i, with target 10 i; asking for `bad` throws.
struct Numbers : data::Dataset<Numbers> {
  explicit Numbers(std::size_t count, std::size_t bad = SIZE_MAX) : count(count), bad(bad) {}
  data::Example<> get(std::size_t index) override {
    TORCH_CHECK(index != bad, "example ", index, " is bad");
    return {torch::full({1}, static_cast<int64_t>(index)),
            torch::full({}, static_cast<int64_t>(10 * index))};
  }
  torch::optional<size_t> size() const override { return count; }

  std::size_t count, bad;
};

/// Examples that are drawn when they are asked for.
struct Drawn : data::Dataset<Drawn> {
  data::Example<> get(std::size_t) override { return {torch::rand({1000}), torch::zeros({})}; }
  torch::optional<size_t> size() const override { return 64; }
};

/// Counts the batches that were asked for.
struct Counted : data::datasets::BatchDataset<Counted, std::vector<int64_t>> {
  std::vector<int64_t> get_batch(torch::ArrayRef<size_t> indices) override {
    ++batches;
    return {indices.begin(), indices.end()};
  }
  torch::optional<size_t> size() const override { return 8; }

  std::atomic<int> batches = 0;
};

/// Ends after three batches.
struct Stream : data::datasets::BatchDataset<Stream, torch::optional<std::vector<int>>, size_t> {
  torch::optional<std::vector<int>> get_batch(size_t size) override {
    if (given == 3)
      return torch::nullopt;
    return std::vector<int>(size, given++);
  }
  torch::optional<size_t> size() const override { return torch::nullopt; }
  void reset() { given = 0; }

  int given = 0;
};

std::vector<int64_t> numbers(const Tensor &x) {
  Tensor flat = x.to(torch::kLong).reshape({-1}).contiguous();
  return {flat.data_ptr<int64_t>(), flat.data_ptr<int64_t>() + flat.numel()};
}

using Order = std::vector<int64_t>;

template <class Loader> Order orderOf(Loader &loader) {
  Order order;
  for (auto &batch : loader)
    for (int64_t number : numbers(batch.data))
      order.push_back(number);
  return order;
}

auto stacked(std::size_t count) { return Numbers(count).map(data::transforms::Stack<>()); }

} // namespace

TEST_CASE("a sequential loader gives full batches and the rest", "[host]") {
  auto loader = data::make_data_loader<data::samplers::SequentialSampler>(stacked(5), 2);
  std::vector<Order> batches;
  for (auto &batch : *loader) {
    batches.push_back(numbers(batch.data));
    CHECK(torch::equal(batch.target, batch.data.squeeze(1) * 10));
  }
  CHECK(batches == std::vector<Order>{{0, 1}, {2, 3}, {4}});
  CHECK(orderOf(*loader) == Order{0, 1, 2, 3, 4}); // a second epoch
  auto full = data::make_data_loader<data::samplers::SequentialSampler>(
      stacked(5), data::DataLoaderOptions(2).drop_last(true));
  CHECK(orderOf(*full) == Order{0, 1, 2, 3});
  CHECK(loader->options().batch_size == 2);
}

TEST_CASE("a random loader has LibTorch's order for a seed, another one each epoch", "[host]") {
  torch::manual_seed(7);
  auto loader = data::make_data_loader(stacked(8), 3);
  CHECK(orderOf(*loader) == Order{7, 4, 0, 6, 2, 1, 5, 3});
  CHECK(orderOf(*loader) == Order{6, 2, 1, 5, 7, 3, 0, 4});
}

TEST_CASE("workers change nothing but the thread", "[host]") {
  torch::manual_seed(7);
  for (std::size_t workers : {1, 3}) {
    auto loader = data::make_data_loader<data::samplers::SequentialSampler>(
        stacked(50), data::DataLoaderOptions(4).workers(workers));
    Order expected;
    for (int64_t i = 0; i < 50; ++i)
      expected.push_back(i);
    CHECK(orderOf(*loader) == expected);
    CHECK(orderOf(*loader) == expected);
  }
  auto free = data::make_data_loader<data::samplers::SequentialSampler>(
      stacked(50), data::DataLoaderOptions(4).workers(3).enforce_ordering(false));
  Order order = orderOf(*free);
  CHECK(std::set<int64_t>(order.begin(), order.end()).size() == 50);
}

TEST_CASE("what a worker throws comes out of the loop", "[host]") {
  auto loader = data::make_data_loader<data::samplers::SequentialSampler>(
      Numbers(8, 3).map(data::transforms::Stack<>()), data::DataLoaderOptions(2).workers(2));
  auto batch = loader->begin();
  CHECK(numbers(batch->data) == Order{0, 1});
  try {
    ++batch;
    FAIL("no exception");
  } catch (const data::WorkerException &error) {
    CHECK(std::string(error.what()).find("Original message: example 3 is bad") !=
          std::string::npos);
  }
  auto alone = data::make_data_loader<data::samplers::SequentialSampler>(
      Numbers(8, 3).map(data::transforms::Stack<>()), 4);
  CHECK(errorOf([&] { orderOf(*alone); }) == "example 3 is bad");
}

TEST_CASE("iterators are checked", "[host]") {
  auto loader = data::make_data_loader<data::samplers::SequentialSampler>(
      stacked(4), data::DataLoaderOptions(2).workers(1));
  auto first = loader->begin();
  CHECK(first != loader->end());
  CHECK(errorOf([&] { loader->begin(); }) ==
        "Attempted to get a new DataLoader iterator while another iterator is not yet exhausted");
  ++first;
  ++first;
  CHECK(first == loader->end());
  CHECK(errorOf([&] { *first; }) == "Attempted to dereference iterator that was past the end");
  CHECK(errorOf([&] { ++first; }) == "Attempted to increment iterator past the end");
}

TEST_CASE("threads that draw random numbers take turns", "[host]") {
  auto sums = [](std::size_t workers) {
    torch::manual_seed(3);
    auto loader = data::make_data_loader<data::samplers::SequentialSampler>(
        Drawn().map(data::transforms::Stack<>()), data::DataLoaderOptions(1).workers(workers));
    std::multiset<float> sums;
    for (auto &batch : *loader)
      sums.insert(batch.data.sum().template item<float>());
    return sums;
  };
  CHECK(sums(4) == sums(0));
}

TEST_CASE("a shared dataset is one for all workers", "[host]") {
  auto dataset = data::datasets::make_shared_dataset<Counted>();
  auto loader = data::make_data_loader<data::samplers::SequentialSampler>(
      dataset, data::DataLoaderOptions(2).workers(3));
  std::vector<int64_t> order;
  for (auto &batch : *loader)
    order.insert(order.end(), batch.begin(), batch.end());
  CHECK(order == std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(dataset->batches == 4);
}

TEST_CASE("a stateful dataset decides where an epoch ends", "[host]") {
  auto loader = data::make_data_loader(Stream(), data::DataLoaderOptions(2));
  for (int epoch = 0; epoch < 2; ++epoch) {
    int sum = 0, batches = 0;
    for (auto &batch : *loader) {
      sum += batch[0];
      ++batches;
    }
    CHECK(batches == 3);
    CHECK(sum == 3);
  }
}

TEST_CASE("samplers share examples among processes", "[host]") {
  auto share = [](auto &&sampler) {
    Order order;
    while (auto batch = sampler.next(2))
      order.insert(order.end(), batch->begin(), batch->end());
    return order;
  };
  using data::samplers::DistributedRandomSampler;
  using data::samplers::DistributedSequentialSampler;
  CHECK(share(DistributedSequentialSampler(10, 3, 0)) == Order{0, 1, 2, 3});
  CHECK(share(DistributedSequentialSampler(10, 3, 2)) == Order{8, 9, 0, 1});
  CHECK(share(DistributedSequentialSampler(10, 3, 2, false)) == Order{6, 7, 8});
  CHECK(share(DistributedRandomSampler(10, 2, 1)) == Order{8, 4, 7, 6, 3});
  DistributedRandomSampler sampler(10, 2, 0);
  sampler.set_epoch(3);
  sampler.reset();
  CHECK(share(sampler) == Order{3, 1, 8, 5, 2});
  CHECK(sampler.index() == 5);
}

TEST_CASE("transforms change data and leave targets", "[host]") {
  using namespace data::transforms;
  auto twice = Numbers(4)
                   .map(TensorLambda<>([](Tensor x) { return x * 2; }))
                   .map(Lambda<data::Example<>>(
                       [](data::Example<> e) { return data::Example<>(e.data + 1, e.target); }))
                   .map(Stack<>());
  auto batch = twice.get_batch({1, 3});
  CHECK(numbers(batch.data) == Order{3, 7});
  CHECK(numbers(batch.target) == Order{10, 30});
  CHECK(twice.size().value() == 4);
  Normalize<> one(0.5, 0.25), three({0.0, 1.0, 2.0}, {1.0, 2.0, 4.0});
  CHECK(torch::allclose(one(torch::ones({1, 2, 2})), torch::full({1, 2, 2}, 2.0)));
  CHECK(torch::allclose(three(torch::ones({3, 1, 1})).view({3}), torch::tensor({1.0, 0.0, -0.25})));
  auto rows = data::datasets::TensorDataset(torch::arange(6).view({3, 2}))
                  .map(Stack<data::TensorExample>());
  CHECK(numbers(rows.get_batch({2, 0}).data) == Order{4, 5, 0, 1});
  auto sums = Numbers(3).map(
      Collate<int64_t, std::vector<data::Example<>>>([](std::vector<data::Example<>> examples) {
        int64_t sum = 0;
        for (auto &example : examples)
          sum += example.data.item<int64_t>();
        return sum;
      }));
  CHECK(sums.get_batch({1, 2}) == 3);
}

TEST_CASE("MNIST is read from its files", "[host]") {
  namespace fs = std::filesystem;
  fs::path folder = fs::temp_directory_path() / ("gradtidy-mnist-" + std::to_string(getpid()));
  fs::create_directories(folder);
  auto write = [&](const char *name, std::vector<uint32_t> header, std::size_t bytes) {
    std::ofstream file(folder / name, std::ios::binary);
    for (uint32_t number : header)
      for (int shift : {24, 16, 8, 0})
        file.put(static_cast<char>(number >> shift & 255));
    for (std::size_t i = 0; i < bytes; ++i)
      file.put(static_cast<char>(i % 10 == 0 ? 255 : i % 10));
  };
  write("t10k-images-idx3-ubyte", {2051, 10000, 28, 28}, 10000 * 784);
  write("t10k-labels-idx1-ubyte", {2049, 10000}, 10000);
  data::datasets::MNIST set(folder.string(), data::datasets::MNIST::Mode::kTest);
  CHECK(set.size().value() == 10000);
  CHECK_FALSE(set.is_train());
  auto example = set.get(3);
  CHECK(example.data.sizes() == torch::IntArrayRef({1, 28, 28}));
  CHECK(example.data.dtype() == torch::kFloat);
  CHECK(example.target.item<int64_t>() == 3);
  CHECK(set.images().max().item<float>() == 1);
  write("train-images-idx3-ubyte", {2051, 5}, 0);
  CHECK(errorOf([&] {
          data::datasets::MNIST{folder.string()};
        }).find("Expected to read number 60000 but found 5 instead") == 0);
  fs::remove_all(folder);
  CHECK(errorOf([&] {
          data::datasets::MNIST{folder.string()};
        }).find("Error opening images file") == 0);
}
