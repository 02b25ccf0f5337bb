// Access paths: interned, comparable, and spelled as a user would.
#include "analyzer/ir/Path.h"

#include <catch2/catch.hpp>

using namespace gradtidy;

namespace {

/// Roots are told apart by their subjects only, which nobody looks into here.
PathId rootOf(PathTable &paths, const int &subject) {
  return paths.root(PathStep::Temporary, &subject);
}
const int a = 0, b = 0;

} // namespace

TEST_CASE("Equal paths have equal ids") {
  PathTable paths;
  const PathId x = rootOf(paths, a), y = rootOf(paths, b);
  CHECK(x != noPath);
  CHECK(x != y);
  CHECK(rootOf(paths, a) == x);
  CHECK(paths.element(x, 3) == paths.element(x, 3));
  CHECK(paths.element(x, 3) != paths.element(x, 4));
  CHECK(paths.element(x) != paths.element(y));
  CHECK(paths.parent(paths.element(x)) == x);
  CHECK(paths.rootOf(paths.element(paths.element(x))) == x);
}

TEST_CASE("A path is within its prefixes") {
  PathTable paths;
  const PathId x = rootOf(paths, a), element = paths.element(x, 0),
               gradient = paths.step(element, {PathStep::Gradient});
  CHECK(paths.isWithin(gradient, x));
  CHECK(paths.isWithin(gradient, element));
  CHECK(paths.isWithin(gradient, gradient));
  CHECK_FALSE(paths.isWithin(x, element));
  CHECK_FALSE(paths.isWithin(paths.element(x, 1), element));
}

TEST_CASE("Paths overlap if one may contain the other") {
  PathTable paths;
  const PathId x = rootOf(paths, a), y = rootOf(paths, b);
  CHECK(paths.overlap(x, paths.element(x, 1)));
  CHECK_FALSE(paths.overlap(paths.element(x, 1), paths.element(x, 2)));
  CHECK(paths.overlap(paths.element(x), paths.element(x, 2)));
  CHECK(paths.overlap(paths.element(paths.element(x), 1), paths.element(x, 2)));
  CHECK_FALSE(paths.overlap(x, y));
  CHECK_FALSE(paths.overlap(paths.element(x), paths.element(y)));
}

TEST_CASE("Of very many elements of a container the last are one") {
  PathTable paths;
  const PathId x = rootOf(paths, a), any = paths.element(x);
  for (unsigned index = 0; index < PathTable::maxElements; ++index)
    REQUIRE(paths.element(x, index) != any);
  CHECK(paths.element(x, PathTable::maxElements) == any);
  CHECK(paths.element(x, "key") == any);
  CHECK(paths.element(x, 7) != any);
  CHECK(paths.element(paths.element(x, 7), 1) != any);
}

TEST_CASE("A path knows whether elements lie on it") {
  PathTable paths;
  const PathId x = rootOf(paths, a);
  CHECK_FALSE(paths.hasElement(paths.step(x, {PathStep::Gradient})));
  CHECK(paths.hasElement(paths.step(paths.element(x, 0), {PathStep::Gradient})));
}
