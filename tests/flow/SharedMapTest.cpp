// Maps whose copies share what they have in common.
#include "analyzer/flow/SharedMap.h"

#include <catch2/catch.hpp>

#include <array>

using namespace gradtidy;

namespace {

/// Too large to lie beside its key.
using Large = std::array<int, 20>;

template <typename Value> SharedMap<int, Value> numbers(int count) {
  SharedMap<int, Value> map;
  for (int i = 0; i < count; ++i)
    map[i] = Value{i};
  return map;
}

} // namespace

TEST_CASE("Differences of copies are what was changed, added and removed") {
  const auto before = numbers<Large>(1000);
  auto after = before;
  CHECK(after.differences(before).empty());
  (*after.edit(500))[1] = 1;
  after[2000] = Large{7};
  after.erase(10);
  const std::vector<int> expected = {10, 500, 2000};
  CHECK(after.differences(before) == expected);
  CHECK(before.differences(after) == expected);
  CHECK(numbers<Large>(0).differences(after).size() == 1000);
}

TEST_CASE("Entries of another map are taken, and no others are touched") {
  auto map = numbers<int>(100), other = numbers<int>(50);
  other[7] = 70;
  other[200] = 200;
  map.take(other);
  CHECK(*map.find(7) == 70);
  CHECK(*map.find(200) == 200);
  CHECK(*map.find(99) == 99);
  SharedMap<int, int> empty;
  empty.take(other);
  CHECK(empty == other);
}
