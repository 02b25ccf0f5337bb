// Random engines that datasets hold.
#include <torch/torch.h>

#include <memory>
#include <random>

namespace data = torch::data;
using Size = decltype(std::declval<data::datasets::MNIST>().size()); // Of LibTorch's own optional.
using Sample = data::Example<>;
using Stack = data::transforms::Stack<>;

torch::Tensor read(size_t index);

template <typename Data> void load(Data set, size_t number) {
  auto loader = data::make_data_loader(set.map(Stack()), data::DataLoaderOptions(8).workers(2));
  auto other = data::make_data_loader(set.map(Stack()), data::DataLoaderOptions(8).workers(number));
}

struct Noisy : data::datasets::Dataset<Noisy> {
  Sample get(size_t index) override {
    std::normal_distribution<float> noise(0, 1);
    return {read(index) + noise(engine), read(index)};
  }
  Size size() const override { return 100; }
  std::mt19937 engine{std::random_device{}()}; // expect: ml-worker-rng: of 'engine'
};
void noisy(size_t number) { load(Noisy(), number); }

class Flipped : public data::datasets::Dataset<Flipped> {
public:
  explicit Flipped(unsigned seed) : generator(seed) {}
  Sample get(size_t index) override { return {augment(read(index)), read(index)}; }
  Size size() const override { return 100; }

private:
  torch::Tensor augment(torch::Tensor x) { return coin(generator) ? x * -1 : x; }

  std::default_random_engine generator; // expect: ml-worker-rng
  std::bernoulli_distribution coin{0.5};
};
void flipped(size_t number) { load(Flipped(7), number); }

// Only the constructor draws.
struct Shuffled : data::datasets::Dataset<Shuffled> {
  Shuffled() {
    for (size_t i = 0; i < 100; ++i)
      order.push_back(engine() % 100);
  }
  Sample get(size_t index) override { return {read(order[index]), read(index)}; }
  Size size() const override { return 100; }
  std::vector<size_t> order;
  std::mt19937 engine;
};
void shuffled(size_t number) { load(Shuffled(), number); }

// Each sample has numbers of its own.
struct Seeded : data::datasets::Dataset<Seeded> {
  Sample get(size_t index) override {
    engine.seed(index);
    return {read(index) + static_cast<int>(engine() % 3), read(index)};
  }
  Size size() const override { return 100; }
  std::mt19937 engine;
};
void seeded(size_t number) { load(Seeded(), number); }

struct Local : data::datasets::Dataset<Local> {
  Sample get(size_t index) override {
    thread_local std::mt19937 engine{std::random_device{}()};
    return {read(index) + static_cast<int>(engine() % 3), read(index)};
  }
  Size size() const override { return 100; }
};
void local(size_t number) { load(Local(), number); }

// The framework's generator is one for all threads.
struct OfTorch : data::datasets::Dataset<OfTorch> {
  Sample get(size_t index) override { return {read(index) + torch::rand({1}), read(index)}; }
  Size size() const override { return 100; }
};
void of_torch(size_t number) { load(OfTorch(), number); }

// A copy draws others.
struct Copied : data::datasets::Dataset<Copied> {
  Copied() = default;
  Copied(const Copied &) : engine(std::random_device{}()) {}
  Sample get(size_t index) override { return {read(index) + static_cast<int>(engine() % 3), read(index)}; }
  Size size() const override { return 100; }
  std::mt19937 engine;
};
void copied(size_t number) { load(Copied(), number); }

struct OneThread : data::datasets::Dataset<OneThread> {
  Sample get(size_t index) override { return {read(index) + static_cast<int>(engine() % 3), read(index)}; }
  Size size() const override { return 100; }
  std::mt19937 engine;
};
void one_thread_ok(size_t number) {
  auto none = data::make_data_loader(OneThread().map(Stack()), 8);
  auto one = data::make_data_loader(OneThread().map(Stack()), data::DataLoaderOptions(8).workers(1));
  auto some =
      data::make_data_loader(OneThread().map(Stack()), data::DataLoaderOptions(8).workers(number));
}
