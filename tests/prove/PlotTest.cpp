#include "analyzer/prove/Plot.h"

#include <catch2/catch.hpp>

#include <limits>
#include <vector>

using Catch::Matchers::Contains;
using gradtidy::Plot;
using gradtidy::sparkline;
using gradtidy::svg;

namespace {

std::string plot(const std::vector<double> &bug, const std::vector<double> &fix,
                 bool logarithmic = false, const std::string &end = "") {
  return svg({"loss", "step", logarithmic, bug, fix, end});
}

} // namespace

TEST_CASE("A sparkline shows where values lie on the scale of both") {
  const std::vector<double> values = {0, 1, 2, 3, 4, 5, 6, 7, 8}, large = {80};
  const Plot alone = {"loss", "step", false, values, {}, ""};
  CHECK(sparkline(alone, values, 9) == "▁▂▃▄▅▆▇██");
  CHECK(sparkline(alone, values, 3) == "▁▅█");
  CHECK(sparkline(alone, {}, 5).empty());
  CHECK(sparkline({"loss", "step", false, values, large, ""}, values, 3) == "▁▁▁");
}

TEST_CASE("A plot has a line for each program") {
  const std::string text = plot({0, 1, 2}, {2, 1, 0});
  CHECK_THAT(text, Catch::StartsWith("<svg ") && Catch::EndsWith("</svg>\n"));
  CHECK_THAT(text, Contains(R"(<path class="line bug" d="M64.0 220.0L330.0 130.0 596.0 40.0"/>)"));
  CHECK_THAT(text, Contains(R"(<path class="line fix" d="M64.0 40.0L330.0 130.0 596.0 220.0"/>)"));
  CHECK_THAT(text, Contains(">step 3</text>"));
  CHECK(text == plot({0, 1, 2}, {2, 1, 0}));
}

TEST_CASE("A logarithmic axis") {
  const std::string text = plot({1, 10, 100}, {1, 0.1, 0.01}, true);
  CHECK_THAT(text, Contains("M64.0 130.0L330.0 85.0 596.0 40.0")); // A straight line.
  CHECK_THAT(text, Contains(">0.01<") && Contains(">1<") && Contains(">100<"));
  CHECK_THAT(plot({0, 10, 100}, {1}, true), Contains(">20<"));
  CHECK_THAT(plot({1}, {1}, true), Contains(">1<") && Contains(">10<"));
}

TEST_CASE("What ended the program stands in its plot") {
  CHECK_THAT(plot({}, {1, 2}, false, "a < b"), Contains(">bug: a &lt; b</text>"));
}

TEST_CASE("A value that is not finite stands at the upper end") {
  CHECK_THAT(plot({0, std::numeric_limits<double>::infinity()}, {1, 2}),
             Contains("M64.0 220.0L596.0 40.0"));
}
