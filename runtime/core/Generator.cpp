#include "Generator.h"
#include "Cuda.h"
#include "TensorImpl.h"

#include <cmath>
#include <cstring>
#include <numbers>
#include <optional>
#include <random>
#include <type_traits>
#include <vector>

namespace gradtidy::runtime {

namespace {
constexpr uint64_t defaultSeed = 67280421310721; // LibTorch's c10::detail::default_rng_seed_val
}

struct Generator::State {
  std::mt19937 engine;
  uint64_t seed;
  std::optional<double> nextNormal;
};

Generator::Generator(uint64_t seed)
    : state(std::make_shared<State>()), guard(std::make_shared<std::mutex>()) {
  this->seed(seed);
}

Generator &Generator::standard() {
  static Generator generator(defaultSeed);
  return generator;
}

Generator &Generator::of(Device device) {
  if (device.is_cpu())
    return standard();
  static auto generators = [] {
    std::vector<Generator> made;
    for (std::size_t i = 0; i < cuda::device_count(); ++i)
      made.emplace_back(defaultSeed);
    return made;
  }();
  return generators.at(static_cast<std::size_t>(resolved(device).index()));
}

void Generator::seed(uint64_t seed) {
  *state = {std::mt19937(static_cast<uint32_t>(seed)), seed, std::nullopt};
}

uint64_t Generator::current_seed() const { return state->seed; }

Tensor Generator::get_state() const {
  static_assert(std::is_trivially_copyable_v<State>);
  Tensor bytes = makeEmpty({sizeof(State)}, kByte, kCPU);
  std::memcpy(bytes.data_ptr(), state.get(), sizeof(State));
  return bytes;
}

void Generator::set_state(const Tensor &bytes) {
  TORCH_CHECK(bytes.is_cpu() && bytes.scalar_type() == kByte,
              "RNG state must be a torch.ByteTensor");
  TORCH_CHECK(bytes.numel() == sizeof(State) && bytes.is_contiguous(), "RNG state is wrong size");
  std::memcpy(state.get(), bytes.data_ptr(), sizeof(State));
}

uint32_t Generator::random() { return static_cast<uint32_t>(state->engine()); }

double Generator::normal() {
  if (state->nextNormal) {
    double value = *state->nextNormal;
    state->nextNormal.reset();
    return value;
  }
  double u1 = uniformDouble();
  double u2 = uniformDouble();
  double radius = std::sqrt(-2.0 * std::log1p(-u2));
  double theta = 2.0 * std::numbers::pi * u1;
  state->nextNormal = radius * std::sin(theta);
  return radius * std::cos(theta);
}

void manual_seed(uint64_t seed) {
  {
    std::lock_guard lock(Generator::standard().mutex());
    Generator::standard().seed(seed);
  }
  cuda::manual_seed_all(seed);
}

} // namespace gradtidy::runtime
