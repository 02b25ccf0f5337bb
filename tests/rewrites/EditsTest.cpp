#include "Edits.h"

#include <catch2/catch.hpp>

using namespace rewrites;

static std::string made(llvm::StringRef text, const std::vector<Place> &places) {
  return apply(text, places, compatible(places)).text;
}

TEST_CASE("nested places open from outside to inside and close from inside to outside") {
  Place outer, inner;
  outer.before(0, "[");
  outer.after(4, "]");
  inner.before(0, "(");
  inner.after(4, ")");
  CHECK(made("f(x)", {outer, inner}) == "[(f(x))]");
}

TEST_CASE("what ends at a place is closed before what begins there is opened") {
  Place first, second;
  first.before(0, "<");
  first.after(1, ">");
  second.before(1, "<");
  second.after(2, ">");
  CHECK(made("ab", {first, second}) == "<a><b>");
}

TEST_CASE("a replacement keeps the line breaks of what it replaces") {
  Place place;
  place.replace({0, 6}, "for (;;)");
  CHECK(made("a\n\nbbb;\n", {place}) == "for (;;)\n\n;\n");
}

TEST_CASE("a place that edits what an earlier one replaces is left out") {
  Place first, second, third;
  first.replace({0, 4}, "x");
  second.before(2, "(");
  third.before(4, "!");
  CHECK(compatible({first, second, third}) == std::vector<size_t>{0, 2});
  CHECK(made("abcdef", {first, second, third}) == "x!ef");
}

TEST_CASE("the parts of a rewritten text know their places") {
  Place first, second;
  first.after(1, "11");
  second.replace({2, 3}, "222");
  const Rewritten rewritten = apply("abc", {first, second}, {0, 1});
  CHECK(rewritten.text == "a11b222");
  REQUIRE(rewritten.parts.size() == 2);
  CHECK(rewritten.parts[1].place == 1);
  CHECK(rewritten.parts[1].range.begin == 4);
  CHECK(rewritten.parts[1].range.end == 7);
}
