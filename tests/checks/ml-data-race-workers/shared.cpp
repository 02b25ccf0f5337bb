// Datasets that change what the workers of their loader share.
#include <torch/torch.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

using torch::data::Example;
template <typename Self> using Base = torch::data::datasets::Dataset<Self>;

template <typename Data> auto loaderOf(Data data) {
  return torch::data::make_data_loader(data.map(torch::data::transforms::Stack<>()),
                                       torch::data::DataLoaderOptions().batch_size(8).workers(2));
}

struct Cache_bad : Base<Cache_bad> {
  std::shared_ptr<std::map<size_t, torch::Tensor>> cache =
      std::make_shared<std::map<size_t, torch::Tensor>>();

  Example<> get(size_t index) override {
    if (cache->find(index) == cache->end())
      (*cache)[index] = torch::rand({2}); // expect: ml-data-race-workers: change 'cache'
    return {cache->at(index), torch::zeros({1})};
  }
  torch::optional<size_t> size() const override { return 8; }
};

struct Counter_bad : Base<Counter_bad> {
  static size_t seen;

  Example<> get(size_t index) override {
    count();
    return {torch::rand({2}), torch::zeros({1})};
  }
  void count() { ++seen; } // expect: ml-data-race-workers: change 'seen'
  torch::optional<size_t> size() const override { return 8; }
};
size_t Counter_bad::seen = 0;

struct Pointer_bad : Base<Pointer_bad> {
  explicit Pointer_bad(std::vector<size_t> *order) : order(order) {}

  Example<> get(size_t index) override {
    order->push_back(index); // expect: ml-data-race-workers
    return {torch::rand({2}), torch::zeros({1})};
  }
  torch::optional<size_t> size() const override { return 8; }
  std::vector<size_t> *order;
};

struct Reference_bad : Base<Reference_bad> {
  explicit Reference_bad(double &total) : total(total) {}

  Example<> get(size_t index) override {
    total += static_cast<double>(index); // expect: ml-data-race-workers
    return {torch::rand({2}), torch::zeros({1})};
  }
  torch::optional<size_t> size() const override { return 8; }
  double &total;
};

struct Tensor_bad : Base<Tensor_bad> {
  torch::Tensor buffer = torch::zeros({2});

  Example<> get(size_t index) override {
    buffer.fill_(static_cast<double>(index)); // expect: ml-data-race-workers: change 'buffer'
    return {buffer.clone(), torch::zeros({1})};
  }
  torch::optional<size_t> size() const override { return 8; }
};

static float noise() {
  static std::mt19937 engine(7);
  std::normal_distribution<float> normal;
  return normal(engine); // expect: ml-data-race-workers: change 'engine'
}

struct Engine_bad : Base<Engine_bad> {
  Example<> get(size_t index) override { return {torch::full({2}, noise()), torch::zeros({1})}; }
  torch::optional<size_t> size() const override { return 8; }
};

struct Stream_bad : torch::data::datasets::StatefulDataset<Stream_bad, std::vector<Example<>>> {
  torch::optional<std::vector<Example<>>> get_batch(size_t size) override {
    std::vector<Example<>> batch;
    for (; batch.size() < size && next < 64; ++next) // expect: ml-data-race-workers: change 'next'
      batch.push_back({torch::rand({2}), torch::zeros({1})});
    if (batch.empty())
      return torch::nullopt;
    return batch;
  }
  void reset() override { next = 0; }
  torch::optional<size_t> size() const override { return 64; }
  void save(torch::serialize::OutputArchive &) const override {}
  void load(torch::serialize::InputArchive &) override {}
  size_t next = 0;
};

void shared_bad(std::vector<size_t> *order, double &total) {
  auto a = loaderOf(Cache_bad());
  auto b = loaderOf(Counter_bad());
  auto c = loaderOf(Pointer_bad(order));
  auto d = loaderOf(Reference_bad(total));
  auto e = loaderOf(Tensor_bad());
  auto f = loaderOf(Engine_bad());
  auto g = loaderOf(Stream_bad());
}

// --- right ---------------------------------------------------------------------------------------

struct Value_ok : Base<Value_ok> { // Each worker has its own.
  std::map<size_t, torch::Tensor> cache;
  size_t seen = 0;

  Example<> get(size_t index) override {
    ++seen;
    cache.emplace(index, torch::rand({2}));
    return {cache[index], torch::zeros({1})};
  }
  torch::optional<size_t> size() const override { return 8; }
};

struct Locked_ok : Base<Locked_ok> {
  std::shared_ptr<std::map<size_t, torch::Tensor>> cache;
  std::shared_ptr<std::mutex> mutex;

  Example<> get(size_t index) override {
    std::lock_guard<std::mutex> lock(*mutex);
    cache->emplace(index, torch::rand({2}));
    return {cache->at(index), torch::zeros({1})};
  }
  torch::optional<size_t> size() const override { return 8; }
};

struct Atomic_ok : Base<Atomic_ok> {
  std::shared_ptr<std::atomic<size_t>> seen;

  Example<> get(size_t index) override {
    ++*seen;
    return {torch::rand({2}), torch::zeros({1})};
  }
  torch::optional<size_t> size() const override { return 8; }
};

struct PerThread_ok : Base<PerThread_ok> {
  Example<> get(size_t index) override {
    thread_local std::mt19937 engine(7);
    thread_local size_t seen = 0;
    ++seen;
    std::normal_distribution<float> normal;
    return {torch::full({2}, normal(engine)), torch::zeros({1})};
  }
  torch::optional<size_t> size() const override { return 8; }
};

struct Slots_ok : Base<Slots_ok> { // Each sample has a place of its own.
  std::shared_ptr<std::vector<torch::Tensor>> cache =
      std::make_shared<std::vector<torch::Tensor>>(8);
  torch::Tensor visits = torch::zeros({8});

  Example<> get(size_t index) override {
    if (!(*cache)[index].defined())
      (*cache)[index] = torch::rand({2});
    visits[index] += 1;
    return {cache->at(index), torch::zeros({1})};
  }
  torch::optional<size_t> size() const override { return 8; }
};

struct Reading_ok : Base<Reading_ok> {
  torch::Tensor images = torch::rand({8, 2}), labels = torch::rand({8});
  std::shared_ptr<const std::vector<int>> order;
  int last = 0;

  Example<> get(size_t index) override {
    auto image = images[order->at(index)].clone();
    image.mul_(2).add_(1);
    image /= 255;
    last = static_cast<int>(index);
    return {image, labels[index]};
  }
  torch::optional<size_t> size() const override { return 8; }
};

struct OwnHandle_ok : Base<OwnHandle_ok> { // The tensor is another one, in this copy alone.
  torch::Tensor last;

  Example<> get(size_t index) override {
    last = torch::full({2}, static_cast<double>(index));
    return {last, torch::zeros({1})};
  }
  torch::optional<size_t> size() const override { return 8; }
};

struct Constructor_ok : Base<Constructor_ok> {
  static int made;
  Constructor_ok() { ++made; }

  Example<> get(size_t index) override { return {torch::rand({2}), torch::zeros({1})}; }
  torch::optional<size_t> size() const override { return 8; }
};
int Constructor_ok::made = 0;

void kept_apart_ok() {
  auto a = loaderOf(Value_ok());
  auto b = loaderOf(Locked_ok());
  auto c = loaderOf(Atomic_ok());
  auto d = loaderOf(PerThread_ok());
  auto e = loaderOf(Slots_ok());
  auto f = loaderOf(Reading_ok());
  auto g = loaderOf(Constructor_ok());
  auto h = loaderOf(OwnHandle_ok());
}

struct Alone_ok : Base<Alone_ok> {
  static size_t seen;

  Example<> get(size_t index) override {
    ++seen;
    return {torch::rand({2}), torch::zeros({1})};
  }
  torch::optional<size_t> size() const override { return 8; }
};
size_t Alone_ok::seen = 0;

void one_worker_ok(int workers) {
  auto none = torch::data::make_data_loader(Alone_ok().map(torch::data::transforms::Stack<>()),
                                            torch::data::DataLoaderOptions().batch_size(8));
  auto one =
      torch::data::make_data_loader(Alone_ok().map(torch::data::transforms::Stack<>()),
                                    torch::data::DataLoaderOptions().batch_size(8).workers(1));
  auto unknown = torch::data::make_data_loader(
      Alone_ok().map(torch::data::transforms::Stack<>()),
      torch::data::DataLoaderOptions().batch_size(8).workers(workers));
}
