// `gradtidy prove` as users see it. That it proves the fixtures there are is what tests/fixtures
// say.
#include "tests/Project.h"

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

using namespace gradtidy::test;
using Catch::Matchers::Contains;

namespace {

const std::string name = "ml-missing-zero-grad";

std::string fixture(const std::string &file) {
  std::ifstream stream(FIXTURES "/" + file);
  std::ostringstream text;
  text << stream.rdbuf();
  REQUIRE_FALSE(text.str().empty());
  return text.str();
}

/// A folder of fixtures with the one for \p name and a small harness of its own, which is written
/// once: it takes long to be compiled.
void writeFixture(const Project &project, const std::string &bug, const std::string &fix) {
  if (!std::ifstream(project.path("fixtures/harness.h")))
    project.write("fixtures/harness.h", R"(#pragma once
#include <torch/torch.h>
#include <cstdio>
namespace fixture {
inline void record(const char *metric, double value) {
  std::printf("{\"metric\": \"%s\", \"value\": %g}\n", metric, value);
}
inline double gradientNorm(const std::vector<torch::Tensor> &parameters) {
  return parameters[0].grad().norm().item<double>();
}
inline torch::Device device() { return torch::kCPU; }
inline int run(void (*train)()) {
  torch::manual_seed(1);
  train();
  return 0;
}
} // namespace fixture
)");
  const std::string folder = "fixtures/" + name + "/";
  project.write(folder + "bug.cpp", bug);
  project.write(folder + "fix.cpp", fix);
  project.write(folder + "symptom.json", fixture(name + "/symptom.json"));
}

Run prove(const Project &project, const std::vector<std::string> &more) {
  std::vector<std::string> arguments = {"prove", "--fixtures=fixtures", "--backend=cpu"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return project.gradtidy(arguments);
}

} // namespace

TEST_CASE("A proof, for people and for machines") {
  const Project project;
  writeFixture(project, fixture(name + "/bug.cpp"), fixture(name + "/fix.cpp"));
  const Run run = prove(project, {name, "--plots=plots"});
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK_THAT(run.out,
             Contains("✓ " + name + "\n  bug.cpp:") && Contains("this step uses gradients"));
  CHECK_THAT(run.out, Contains("fix.cpp: silence; it is what --fix makes of bug.cpp\n"
                               "  The gradients never shrink, since"));
  CHECK_THAT(run.out, Contains("✓ gradient norm, last/first") && Contains("bug > 10 × fix"));
  CHECK_THAT(run.out, Contains("    bug ▁") || Contains("    bug ▂"));
  CHECK_THAT(run.out, Catch::EndsWith("1 of 1 proven\n"));
  CHECK_THAT(project.read("plots/" + name + ".svg"), Contains("line bug") && Contains("line fix"));

  const Run json = prove(project, {"--format=json"});
  INFO(json.err);
  CHECK(json.status == 0);
  const auto proof = nlohmann::json::parse(json.out).at("proofs").at(0);
  CHECK(proof.at("check") == name);
  CHECK(proof.at("proven") == true);
  CHECK(proof.at("finding").at("fixes") == true);
  CHECK(proof.at("backends").at(0).at("measurements").size() == 2);
  CHECK(proof.at("plot").at("bug").size() == 200);
  CHECK(proof.at("plot").at("fix").size() == 200);
}

TEST_CASE("What is no proof") {
  static const Project project;
  const std::string bug = fixture(name + "/bug.cpp"), fix = fixture(name + "/fix.cpp");

  SECTION("the repair repairs nothing") {
    writeFixture(project, bug, bug);
    const Run run = prove(project, {});
    CHECK(run.status == 1);
    CHECK_THAT(run.out, Contains("✗ fix.cpp:") && Contains("unexpected: this step uses"));
    CHECK_THAT(run.out, Contains("✗ bug.cpp: the fix-it does not make fix.cpp of it"));
    CHECK_THAT(run.out, Contains("✗ loss, last"));
    CHECK_THAT(run.out, Catch::EndsWith("0 of 1 proven\n"));
  }
  SECTION("there is no bug") {
    writeFixture(project, fix + "// gradtidy: " + name + "\n", fix);
    const Run run = prove(project, {});
    CHECK(run.status == 1);
    CHECK_THAT(run.out, Contains("no finding") && Contains("0 of 1 proven"));
  }
  SECTION("relations that always hold") {
    writeFixture(project, bug, fix);
    project.write("fixtures/" + name + "/symptom.json",
                  R"({"symptom": "s", "plot": {"metric": "loss"}, "relations": [{"left":
                     {"program": "bug", "metric": "loss", "take": "first"}, "is": ">",
                     "right": 0}]})");
    const Run run = prove(project, {});
    CHECK(run.status == 1);
    CHECK_THAT(run.out, Contains("the relations hold of the exchanged programs, too"));
  }
  SECTION("a program without end") {
    std::string endless = fix;
    endless.replace(endless.find("step < 200"), 10, "step >= 0");
    writeFixture(project, bug, endless);
    const Run run = prove(project, {"--timeout=1"});
    CHECK(run.status == 1);
    CHECK_THAT(run.out, Contains("✗ fix.cpp does not end by itself: Child timed out"));
  }
  SECTION("programs that do not run") {
    writeFixture(project, bug, fix);
    project.write("fixtures/" + name + "/symptom.json",
                  R"({"symptom": "s", "plot": {"metric": "loss"}, "relations": [],
                      "left out": {"cpu": "no time"}})");
    const Run run = prove(project, {"fixtures/" + name + "/"});
    CHECK(run.status == 1);
    CHECK_THAT(run.out, Contains("- " + name) && Contains("not on cpu: no time"));
    CHECK_THAT(run.out, Catch::EndsWith("0 of 1 proven, 1 not run\n"));
  }
  SECTION("a program that does not compile") {
    writeFixture(project, bug, fix + "#error no\n");
    const Run run = prove(project, {});
    CHECK(run.status == 1);
    CHECK_THAT(run.out, Contains("unexpected: no [clang-diagnostic-error]"));
    CHECK_THAT(run.out, Contains("fix.cpp' does not build with the bundled runtime:\n") &&
                            Contains("#error no"));
  }
}

TEST_CASE("What prove cannot do is said") {
  const Project project;
  const auto [arguments, message] = GENERATE(table<std::vector<std::string>, std::string>(
      {{{"prove", "ml-missing-zero-grat"}, "did you mean 'ml-missing-zero-grad'?"},
       {{"prove", "--fixtures=nowhere"}, "no fixtures in '"},
       {{"prove", "--backend=gpu"},
        "--backend is a list of cpu, sim, cuda and libtorch, not 'gpu'"},
       {{"prove", "--backend=libtorch", "--libtorch=nowhere"}, "/nowhere': name the folder"},
       {{"prove", "--backend=libtorch"}, "name LibTorch's folder, with include/ and lib/"},
       {{"prove", "--format=sarif"}, "the --format of 'gradtidy prove' is text or json"}}));
  const Run run = project.gradtidy(arguments);
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Contains(message));
  CHECK(run.out.empty());

  const Run noCompiler = project.run("/usr/bin/env", {"CXX=nothing++", gradtidyProgram(), "prove"});
  CHECK(noCompiler.status == 2);
  CHECK_THAT(noCompiler.err, Contains("the compiler 'nothing++', which $CXX names, is not there"));
}
