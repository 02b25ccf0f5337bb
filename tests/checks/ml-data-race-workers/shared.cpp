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

struct CacheBad : Base<CacheBad> {
  std::shared_ptr<std::map<size_t, torch::Tensor>> cache =
      std::make_shared<std::map<size_t, torch::Tensor>>();

  Example<> get(size_t index) override {
    if (cache->find(index) == cache->end())
      (*cache)[index] = torch::rand({2}); // expect: ml-data-race-workers: change 'cache'
    return {cache->at(index), torch::zeros({1})};
  }
  torch::optional<size_t> size() const override { return 8; }
};

struct CounterBad : Base<CounterBad> {
  static size_t seen;

  Example<> get(size_t index) override {
    count();
    return {torch::rand({2}), torch::zeros({1})};
  }
  void count() { ++seen; } // expect: ml-data-race-workers: change 'seen'
  torch::optional<size_t> size() const override { return 8; }
};
size_t CounterBad::seen = 0;

struct PointerBad : Base<PointerBad> {
  explicit PointerBad(std::vector<size_t> *order) : order(order) {}

  Example<> get(size_t index) override {
    order->push_back(index); // expect: ml-data-race-workers
    return {torch::rand({2}), torch::zeros({1})};
  }
  torch::optional<size_t> size() const override { return 8; }
  std::vector<size_t> *order;
};

struct ReferenceBad : Base<ReferenceBad> {
  explicit ReferenceBad(double &total) : total(total) {}

  Example<> get(size_t index) override {
    total += static_cast<double>(index); // expect: ml-data-race-workers
    return {torch::rand({2}), torch::zeros({1})};
  }
  torch::optional<size_t> size() const override { return 8; }
  double &total;
};

struct TensorBad : Base<TensorBad> {
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

struct EngineBad : Base<EngineBad> {
  Example<> get(size_t index) override { return {torch::full({2}, noise()), torch::zeros({1})}; }
  torch::optional<size_t> size() const override { return 8; }
};

struct StreamBad : torch::data::datasets::StatefulDataset<StreamBad, std::vector<Example<>>> {
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

void bad(std::vector<size_t> *order, double &total) {
  auto a = loaderOf(CacheBad());
  auto b = loaderOf(CounterBad());
  auto c = loaderOf(PointerBad(order));
  auto d = loaderOf(ReferenceBad(total));
  auto e = loaderOf(TensorBad());
  auto f = loaderOf(EngineBad());
  auto g = loaderOf(StreamBad());
}

// --- right ---------------------------------------------------------------------------------------

struct ValueGood : Base<ValueGood> { // Each worker has its own.
  std::map<size_t, torch::Tensor> cache;
  size_t seen = 0;

  Example<> get(size_t index) override {
    ++seen;
    cache.emplace(index, torch::rand({2}));
    return {cache[index], torch::zeros({1})};
  }
  torch::optional<size_t> size() const override { return 8; }
};

struct LockedGood : Base<LockedGood> {
  std::shared_ptr<std::map<size_t, torch::Tensor>> cache;
  std::shared_ptr<std::mutex> mutex;

  Example<> get(size_t index) override {
    std::lock_guard<std::mutex> lock(*mutex);
    cache->emplace(index, torch::rand({2}));
    return {cache->at(index), torch::zeros({1})};
  }
  torch::optional<size_t> size() const override { return 8; }
};

struct AtomicGood : Base<AtomicGood> {
  std::shared_ptr<std::atomic<size_t>> seen;

  Example<> get(size_t index) override {
    ++*seen;
    return {torch::rand({2}), torch::zeros({1})};
  }
  torch::optional<size_t> size() const override { return 8; }
};

struct PerThreadGood : Base<PerThreadGood> {
  Example<> get(size_t index) override {
    thread_local std::mt19937 engine(7);
    thread_local size_t seen = 0;
    ++seen;
    std::normal_distribution<float> normal;
    return {torch::full({2}, normal(engine)), torch::zeros({1})};
  }
  torch::optional<size_t> size() const override { return 8; }
};

struct SlotsGood : Base<SlotsGood> { // Each sample has a place of its own.
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

struct ReadingGood : Base<ReadingGood> {
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

struct OwnHandleGood : Base<OwnHandleGood> { // The tensor is another one, in this copy alone.
  torch::Tensor last;

  Example<> get(size_t index) override {
    last = torch::full({2}, static_cast<double>(index));
    return {last, torch::zeros({1})};
  }
  torch::optional<size_t> size() const override { return 8; }
};

struct ConstructorGood : Base<ConstructorGood> {
  static int made;
  ConstructorGood() { ++made; }

  Example<> get(size_t index) override { return {torch::rand({2}), torch::zeros({1})}; }
  torch::optional<size_t> size() const override { return 8; }
};
int ConstructorGood::made = 0;

void good() {
  auto a = loaderOf(ValueGood());
  auto b = loaderOf(LockedGood());
  auto c = loaderOf(AtomicGood());
  auto d = loaderOf(PerThreadGood());
  auto e = loaderOf(SlotsGood());
  auto f = loaderOf(ReadingGood());
  auto g = loaderOf(ConstructorGood());
  auto h = loaderOf(OwnHandleGood());
}

struct AloneGood : Base<AloneGood> {
  static size_t seen;

  Example<> get(size_t index) override {
    ++seen;
    return {torch::rand({2}), torch::zeros({1})};
  }
  torch::optional<size_t> size() const override { return 8; }
};
size_t AloneGood::seen = 0;

void one_worker_good(int workers) {
  auto none = torch::data::make_data_loader(AloneGood().map(torch::data::transforms::Stack<>()),
                                            torch::data::DataLoaderOptions().batch_size(8));
  auto one =
      torch::data::make_data_loader(AloneGood().map(torch::data::transforms::Stack<>()),
                                    torch::data::DataLoaderOptions().batch_size(8).workers(1));
  auto unknown = torch::data::make_data_loader(
      AloneGood().map(torch::data::transforms::Stack<>()),
      torch::data::DataLoaderOptions().batch_size(8).workers(workers));
}
