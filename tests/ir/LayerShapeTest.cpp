#include "analyzer/ir/Layer.h"

#include <catch2/catch.hpp>

#include <vector>

using namespace gradtidy;

namespace {

constexpr std::int64_t N = Shape::unknown;

SizedLayer windowOf(SizedLayer::Kind kind, WindowAxis axis, std::int64_t features = N) {
  return {.kind = kind, .features = features, .axes = {axis, axis}};
}

std::vector<std::int64_t> after(const SizedLayer &layer, std::vector<std::int64_t> sizes) {
  return layer.apply(Shape::of(sizes)).sizes;
}

} // namespace

TEST_CASE("The sizes behind a window are those that the framework computes") {
  struct Row {
    WindowAxis axis;
    std::int64_t size, expected;
  };
  for (const Row &row : std::initializer_list<Row>{
           {{.kernel = 5}, 28, 24},
           {{.kernel = 3, .padding = 1}, 28, 28},
           {{.kernel = 3, .stride = 2, .padding = 1}, 28, 14},
           {{.kernel = 3, .dilation = 2}, 28, 24},
           {{.kernel = 2, .stride = 2}, 7, 3},
           {{.kernel = 7}, 5, N}, // It does not fit.
           {{.kernel = N}, 28, N},
           {{.kernel = 3, .stride = N}, 28, N},
           {{.kernel = 3}, N, N},
       }) {
    const SizedLayer layer = windowOf(SizedLayer::Convolve, row.axis, 6);
    CHECK(after(layer, {8, 3, row.size, row.size}) ==
          std::vector<std::int64_t>{8, 6, row.expected, row.expected});
  }
  SizedLayer ceiled = windowOf(SizedLayer::Pool, {.kernel = 2, .stride = 2});
  ceiled.isCeiled = true;
  CHECK(after(ceiled, {3, 7, 8}) == std::vector<std::int64_t>{3, 4, 4});
  // No window begins behind the end.
  ceiled.axes.assign(2, {.kernel = 2, .stride = 3, .padding = 1});
  CHECK(after(ceiled, {3, 5, 5}) == std::vector<std::int64_t>{3, 2, 2});
  CHECK(after(windowOf(SizedLayer::Transposed, {.kernel = 4, .stride = 2, .padding = 1}, 4),
              {2, 8, 7, 7}) == std::vector<std::int64_t>{2, 4, 14, 14});
  CHECK(after(windowOf(SizedLayer::Adaptive, {.kernel = 2}), {2, 8, 50, N}) ==
        std::vector<std::int64_t>{2, 8, 2, 2});
}

TEST_CASE("What a layer makes of a shape that is known from its end") {
  const Shape open{.sizes = {16, 5, 5}};
  CHECK(windowOf(SizedLayer::Pool, {.kernel = 5, .stride = 5}).apply(open).sizes ==
        std::vector<std::int64_t>{16, 1, 1});
  CHECK(windowOf(SizedLayer::Convolve, {.kernel = 5}).apply(open).sizes ==
        std::vector<std::int64_t>{N, 1, 1});
  CHECK(SizedLayer{.kind = SizedLayer::Linear, .features = 10}.apply(Shape()).sizes ==
        std::vector<std::int64_t>{10});
  CHECK(SizedLayer().apply(open) == Shape());
}

TEST_CASE("How many features a normalization gets is known where their dimension is") {
  const SizedLayer flat{.kind = SizedLayer::Normalize, .takes = 120, .axes = {{}}};
  CHECK(flat.featuresOf(Shape::of({64, 120})) == 120);
  CHECK(flat.featuresOf(Shape::of({64, 120, 7})) == 120);
  CHECK(flat.featuresOf(Shape{.sizes = {64, 120}}) == N); // Perhaps samples come first.
  CHECK(windowOf(SizedLayer::Normalize, {}).featuresOf(Shape{.sizes = {16, 5, 5}}) == 16);
}

TEST_CASE("A container makes of its input what its layers make of it") {
  const SizedLayer linear{.kind = SizedLayer::Linear, .takes = 4, .features = 2};
  const Layer empty{.steps = {SizedLayer{.kind = SizedLayer::Same}}};
  const Layer added{.operation = Operation::WeightedSum, .steps = {linear}};
  CHECK(grown(empty, added).steps == std::vector{linear});
  CHECK(grown(grown(empty, added), added).steps == std::vector{linear, linear});
  // Of one of which nothing is known, and of one that nobody knows, some step is not known.
  CHECK(grown(Layer(), added).steps == std::vector{SizedLayer(), linear});
  CHECK(grown(empty, Layer()).steps == std::vector{SizedLayer()});
  // What only rearranges is not what a container ends in.
  const Layer flat{.operation = Operation::Rearrange,
                   .steps = {SizedLayer{.kind = SizedLayer::Flatten}}};
  CHECK(grown(added, flat).operation == Operation::WeightedSum);
  CHECK(linear.weights() == 8);
  CHECK(SizedLayer{.kind = SizedLayer::Pool, .axes = {{.kernel = 2}}}.weights() == 0);
}
