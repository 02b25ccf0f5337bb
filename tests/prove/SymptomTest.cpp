// What symptom.json demands, and what is said of numbers that do not satisfy it.
#include "analyzer/prove/Symptom.h"
#include "tests/Project.h"

#include <catch2/catch.hpp>

using Catch::Matchers::Contains;
using gradtidy::Measurement;
using gradtidy::Recording;
using gradtidy::Symptom;
using gradtidy::test::Project;

namespace {

/// With these relations, JSON objects separated by commas.
Symptom symptomOf(const std::string &relations) {
  const Project project;
  project.write("symptom.json", R"({"symptom": "s", "plot": {"metric": "m"}, "relations": [)" +
                                    relations + R"(], "left out": {"sim": "why not"}})");
  return Symptom(project.path("symptom.json"));
}

std::string side(const std::string &program, const std::string &take) {
  return R"({"program": ")" + program + R"(", "metric": "m", "take": ")" + take + "\"}";
}

/// Judges `take` of the values \p m of bug against \p right.
Measurement judge(const std::string &take, const std::string &is, double right,
                  std::vector<double> m) {
  const Symptom symptom = symptomOf(R"({"left": )" + side("bug", take) + R"(, "is": ")" + is +
                                    R"(", "right": )" + std::to_string(right) + "}");
  return symptom.judge({{{{"m", std::move(m)}}, ""}, {}}, "cpu").at(0);
}

const std::string throws = R"({"program": "bug", "error": "same device"})";

} // namespace

TEST_CASE("Summaries") {
  const auto [take, value] = GENERATE(table<std::string, double>({{"first", 1},
                                                                  {"last", 7},
                                                                  {"last/first", 7},
                                                                  {"min", 1},
                                                                  {"max", 7},
                                                                  {"mean", 4},
                                                                  {"variance", 5},
                                                                  {"slope", 2}}));
  CAPTURE(take);
  const std::vector<double> values = {1, 3, 5, 7};
  CHECK(judge(take, ">", value - 0.01, values).holds);
  CHECK_FALSE(judge(take, ">", value, values).holds);
  CHECK(judge(take, "<", value + 0.01, values).holds);
  CHECK_FALSE(judge(take, "<", value, values).holds);
}

TEST_CASE("A relation between the programs") {
  const Symptom symptom =
      symptomOf(R"({"left": )" + side("bug", "last") + R"(, "is": ">", "factor": 10, "right": )" +
                side("fix", "last") + "}");
  const Recording large{{{"m", {1, 50}}}, ""}, small{{{"m", {100, 4}}}, ""};
  const Measurement holds = symptom.judge({large, small}, "cpu").at(0);
  CHECK(holds.holds);
  CHECK(holds.what == "m, last");
  CHECK(holds.bug == "50");
  CHECK(holds.fix == "4");
  CHECK(holds.relation == "bug > 10 × fix");
  CHECK_FALSE(symptom.judge({small, large}, "cpu").at(0).holds);
}

TEST_CASE("A number that is not finite is larger than all others") {
  const Recording recording =
      Recording::parse("{\"metric\": \"m\", \"value\": 2}\n{\"metric\": \"m\", \"value\": null}\n");
  CHECK(judge("last", ">", 1e300, recording.metrics.at("m")).holds);
}

TEST_CASE("Errors") {
  const Symptom symptom = symptomOf(throws);
  const Recording thrown = Recording::parse("{\"error\": \"not on the same device!\"}\n");
  CHECK(symptom.judge({thrown, {}}, "cpu").at(0).holds);
  CHECK_FALSE(symptom.judge({{{}, "out of memory"}, {}}, "cpu").at(0).holds);
  CHECK_FALSE(symptom.judge({{}, {}}, "cpu").at(0).holds);
  // The repaired program may not throw where nobody asks for it, nor may one of which nobody
  // expects it.
  const auto both = symptom.judge({thrown, thrown}, "cpu");
  REQUIRE(both.size() == 2);
  CHECK(both[0].holds);
  CHECK_FALSE(both[1].holds);
  CHECK_FALSE(symptomOf("").judge({thrown, {}}, "cpu").at(0).holds);
  const Symptom repaired = symptomOf(R"({"program": "fix", "error": "same device"})");
  REQUIRE(repaired.judge({{}, thrown}, "cpu").size() == 1);
  CHECK(repaired.judge({{}, thrown}, "cpu").front().holds);
}

TEST_CASE("Relations and backends") {
  const Symptom symptom =
      symptomOf(R"({"program": "bug", "error": "same device", "backends": ["sim"]})");
  CHECK(symptom.judge({}, "cpu").empty());
  CHECK(symptom.judge({}, "sim").size() == 1);
  CHECK(symptom.whyLeftOut("sim") == "why not");
  CHECK(symptom.whyLeftOut("cpu").empty());
}

TEST_CASE("What cannot be judged is said") {
  CHECK_THROWS_WITH(judge("median", ">", 0, {1}), Contains("unknown \"take\": median"));
  CHECK_THROWS_WITH(judge("last", "=", 0, {1}), Contains("\"is\" must be > or <, not ="));
  CHECK_THROWS_WITH(symptomOf(R"({"program": "old", "error": "e"})"),
                    Contains("symptom.json: there is no program 'old'"));
  CHECK_THROWS_WITH(Symptom("/nowhere/symptom.json"), Contains("/nowhere/symptom.json"));
  const Symptom symptom =
      symptomOf(R"({"left": )" + side("fix", "last") + R"(, "is": "<", "right": 1})");
  CHECK_THROWS_WITH(symptom.judge({{}, {{}, "oh"}}, "cpu"), Contains("fix.cpp records no 'm': oh"));
  CHECK_THROWS_WITH(Recording::parse("epoch 1\n"), Contains("epoch 1"));
}
