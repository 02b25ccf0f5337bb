// What a watched run says of static findings: gradtidy --evidence.
#include "tests/Project.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace gradtidy::test;
using Catch::Matchers::Contains;
using Json = nlohmann::json;

namespace {

/// A project of one training loop, in which the linter finds one bug, in line 7.
class Training {
public:
  Training() { project.write("train.cpp", "#include <axon/axon.h>\n" + trainingLoop("train")); }

  std::string file() const { return project.path("train.cpp"); }

  /// What the linter prints beside a run of \p steps with these findings, which has reached line 7
  /// if \p reaches.
  Run lint(const Json &findings, bool reaches, size_t steps,
           const std::vector<std::string> &more = {}) const {
    Json reached = Json::array();
    if (reaches)
      reached.push_back({{"file", file()}, {"line", 7}});
    const Json document = {
        {"version", 1},
        {"findings", findings},
        {"run", {{"ended", true}, {"steps", Json(steps, Json::object())}, {"reached", reached}}}};
    return lintWith(document.dump(), more);
  }
  Run lintWith(const std::string &evidence, const std::vector<std::string> &more = {}) const {
    project.write("watch.json", evidence);
    std::vector<std::string> arguments = {"train.cpp", "--evidence=watch.json",
                                          "--model=" + axonModel()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), {"--", "-std=c++20", "-I" + axonFolder()});
    return project.gradtidy(arguments);
  }
  Json seen(const std::string &check, unsigned line) const {
    return Json::array({{{"check", check},
                         {"file", file()},
                         {"line", line},
                         {"message", "gradients grew\x1b[31m"}}});
  }

private:
  Project project;
};

} // namespace

TEST_CASE("A finding is said to be seen, refuted or not reached by the run") {
  const Training training;
  const auto nothing = Json::array();
  CHECK_THAT(training.lint(training.seen("ml-missing-zero-grad", 7), true, 40).out,
             Contains("seen in the run: gradients grew\\x1b[31m"));
  CHECK_THAT(training.lint(nothing, true, 40).out,
             Contains("refuted by the run: it reached this line and did not see this in 40 steps"));
  CHECK_THAT(training.lint(nothing, true, 3).out,
             Contains("reached by the run, and not seen in its 3 steps"));
  CHECK_THAT(training.lint(nothing, false, 40).out, Contains("not reached by the run"));
}

TEST_CASE("What the run alone has seen is a finding of its check's level, in its place") {
  const Training training;
  const Run run =
      training.lint(training.seen("ml-broadcast-loss", 5), true, 40, {"--format=json"});
  const Json findings = Json::parse(run.out)["findings"];
  REQUIRE(findings.size() == 2);
  CHECK(findings[0]["check"] == "ml-broadcast-loss");
  CHECK(findings[0]["line"] == 5);
  CHECK(findings[0]["level"] == 0);
  CHECK_THAT(findings[0]["message"].get<std::string>(), Contains("only the run shows this"));
  CHECK(findings[1]["check"] == "ml-missing-zero-grad");
}

TEST_CASE("Evidence that is none is refused") {
  const Training training;
  for (const std::string &text :
       {std::string(), std::string("{}"), std::string("[1]"), std::string("{\"run\": {}}"),
        std::string(R"({"findings": [], "run": {"reached": [{"file": 1, "line": []}]}})"),
        std::string(R"({"findings": [{"check": "ml-amp"}], "run": {}})"),
        std::string(200000, '[')}) {
    const Run run = training.lintWith(text);
    CHECK(run.status == 2);
    CHECK_THAT(run.err, Contains("is not what 'gradtidy watch --format=json' writes"));
  }
}
