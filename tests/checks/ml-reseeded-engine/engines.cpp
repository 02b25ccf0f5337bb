// Random engines, and the loops in which they are made.
#include <torch/torch.h>

#include <algorithm>
#include <random>
#include <vector>

using Order = std::vector<int>;

void inLoop_bad(Order &order) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    std::mt19937 engine; // expect: ml-reseeded-engine (level 1): each round gets the same numbers
    std::shuffle(order.begin(), order.end(), engine);
  }
}

static void shuffle_bad(Order &order) {
  std::shuffle(order.begin(), order.end(), std::default_random_engine()); // expect: ml-reseeded-engine
}

static Order batches(Order order) {
  shuffle_bad(order);
  return order;
}

void train(const Order &order) {
  int epoch = 0;
  while (epoch < 10) {
    batches(order);
    ++epoch;
  }
}

// --- silent

void once_ok(Order &order) {
  std::mt19937 engine;
  for (int epoch = 0; epoch < 10; ++epoch)
    std::shuffle(order.begin(), order.end(), engine);
}

void kept_ok(Order &order) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    static std::mt19937 engine;
    thread_local std::minstd_rand other;
    std::shuffle(order.begin(), order.end(), engine);
    std::shuffle(order.begin(), order.end(), other);
  }
}

// The same numbers on purpose, or others.
void seeded_ok(Order &order, unsigned seed) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    std::mt19937 same(42), other(seed + epoch), real{std::random_device{}()}, late;
    late.seed(seed + epoch);
    std::shuffle(order.begin(), order.end(), same);
    std::shuffle(order.begin(), order.end(), other);
    std::shuffle(order.begin(), order.end(), real);
    std::shuffle(order.begin(), order.end(), late);
  }
}

void split_ok(Order &order) {
  std::default_random_engine engine;
  std::shuffle(order.begin(), order.end(), engine);
}

struct Sampler_ok {
  std::mt19937 engine;
  Sampler_ok() : engine() {}
  int draw() { return std::uniform_int_distribution<int>(0, 9)(engine); }
};

int drawn_ok() {
  int sum = 0;
  for (int i = 0; i < 3; ++i)
    sum += Sampler_ok().draw();
  return sum;
}
