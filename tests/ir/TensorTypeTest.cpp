// What is known of shapes and elements, and what operations make of it.
#include "analyzer/ir/TensorType.h"

#include <catch2/catch.hpp>

using namespace gradtidy;

namespace {

constexpr std::int64_t n = Shape::unknown;

Shape open(std::vector<std::int64_t> sizes) { return {true, false, std::move(sizes), false}; }
Shape squeezedTo(std::vector<std::int64_t> sizes) { return {true, false, std::move(sizes), true}; }

Shape arranged(Shape shape) {
  shape.isArranged = true;
  return shape;
}

} // namespace

TEST_CASE("Shapes broadcast from their end") {
  CHECK(broadcast(Shape::of({n, 1}), Shape::of({8})) == Shape::of({n, 8}));
  CHECK(broadcast(Shape::of({4, 3}), Shape::of({})) == Shape::of({4, 3}));
  CHECK(broadcast(open({3}), Shape::of({8, n})) == open({8, 3}));
  CHECK(broadcast(open({}), Shape::of({1})) == open({n}));
  CHECK(broadcast(open({}), open({5})) == open({5}));
}

TEST_CASE("Types join to what they have in common") {
  TensorTypes types;
  const TypeId row = types.of({ElementType::Float32, Shape::of({8})});
  const TypeId rows = types.of({ElementType::Float32, Shape::of({4, 8})});
  const TypeId labels = types.of({ElementType::Int64, Shape::of({4})});
  CHECK(types.join(row, row) == row);
  CHECK(types.join(row, rows) == types.of({ElementType::Float32, {true, true, {8}, false}}));
  CHECK(types.join(labels, row) == types.of({ElementType::Unknown, {false, true, {n}, false}}));
  CHECK(types.join(row, unknownType) == unknownType);
  CHECK(types.join(row, noType) == row);
  CHECK(types.join(noType, unknownType) == unknownType);
}

TEST_CASE("Several elements, or one") {
  CHECK(Shape::of({1, 2}).isSeveral());
  CHECK(open({3}).isSeveral());
  CHECK_FALSE(open({1}).isSeveral());
  CHECK_FALSE(Shape::of({0, 3}).isSeveral());
  CHECK_FALSE(Shape::of({n}).isSeveral());
  CHECK(Shape::of({1, 1}).isOne());
  CHECK(Shape::of({}).isOne());
  CHECK_FALSE(open({1}).isOne());
}

TEST_CASE("Views change what is known of a shape") {
  CHECK(reduced(Shape::of({4, 3}), 1, false) == Shape::of({4}));
  CHECK(reduced(open({3}), -1, true) == arranged(open({1})));
  CHECK(reduced(open({3}), 1, false) == Shape());
  CHECK(unsqueezed(Shape::of({4}), 1) == arranged(Shape::of({4, 1})));
  CHECK(unsqueezed(open({4}), -1) == arranged(open({4, 1})));
  CHECK(unsqueezed(open({4}), 0) == open({4}));
  CHECK(unsqueezed(open({4}), 1) == Shape());
  CHECK(squeezed(open({1}), -1) == squeezedTo({}));
  CHECK(squeezed(open({1, 3}), -1) == open({1, 3}));
  CHECK(squeezed(Shape::of({4, 1}), 1) == Shape::of({4}));
  CHECK(squeezed(Shape::of({1, 4, 1})) == Shape::of({4}));
  CHECK(squeezed(Shape::of({1, n, 3})) == open({3}));
  CHECK(squeezed(Shape::of({n, 1})) == squeezedTo({}));
  CHECK(unsqueezed(squeezedTo({}), -1) == arranged(open({1})));
  CHECK(broadcast(squeezedTo({}), squeezedTo({})) == squeezedTo({}));
  CHECK(broadcast(squeezedTo({}), Shape::of({n})) == open({n}));
  CHECK(transposed(Shape::of({4, 3}), 0, 1) == Shape::of({3, 4}));
  CHECK(permuted(Shape::of({2, 3, 4}), {2, 0, 1}) == Shape::of({4, 2, 3}));
  CHECK(flattened(Shape::of({2, 3, 4}), 1, -1) == Shape::of({2, 12}));
  CHECK(flattened(Shape(), 0, -1) == Shape::of({n}));
  CHECK(flattened(Shape(), 1, -1) == Shape::of({n, n}));
}

TEST_CASE("Convolutions leave samples, features and space") {
  CHECK(convolved(Shape::of({24, 3, 16, 16}), 8, 2) == Shape::of({24, 8, n, n}));
  CHECK(convolved(Shape::of({3, 16, 16}), 8, 2) == Shape::of({8, n, n}));
  CHECK(convolved(Shape(), 8, 1) == open({8, n}));
  CHECK(convolved(open({16, 16}), n, 2) == open({n, n, n}));
}

TEST_CASE("A size of 1 that the program puts at the end stays known as such") {
  CHECK(broadcast(unsqueezed(Shape::of({4}), 1), Shape::of({4, 1})).isArranged);
  CHECK(unsqueezed(Shape::of({4}), -1).isArranged);
  CHECK_FALSE(unsqueezed(Shape::of({4}), 0).isArranged);
  CHECK_FALSE(reduced(Shape::of({4, 3}), 0, true).isArranged);
}

TEST_CASE("Arithmetic promotes elements") {
  const auto type = [](ElementType element, Shape shape) {
    return TensorType{element, std::move(shape)};
  };
  const Shape row = Shape::of({n}), number = Shape::of({});
  CHECK(promote(type(ElementType::Int64, row), type(ElementType::Float32, row)) ==
        ElementType::Float32);
  CHECK(promote(type(ElementType::Float32, row), type(ElementType::Float64, row)) ==
        ElementType::Float64);
  CHECK(promote(type(ElementType::Float32, row), type(ElementType::Float64, number)) ==
        ElementType::Float32);
  CHECK(promote(type(ElementType::Float32, Shape()), type(ElementType::Float64, row)) ==
        ElementType::Unknown);
}

TEST_CASE("Shapes are spelled with N for what is not known") {
  CHECK(spell(Shape::of({n, 1})) == "(N, 1)");
  CHECK(spell(open({10})) == "(…, 10)");
  CHECK(spell(Shape::of({})) == "()");
}
