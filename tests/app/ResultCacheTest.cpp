// What has not changed is not parsed again, and what has changed is.
#include "tests/Project.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

using namespace gradtidy::test;
using Catch::Matchers::Contains;

namespace {

const std::string include = "#include <axon/axon.h>\n";
const std::string finding = "[ml-missing-zero-grad]\n";

class KeptProject : public Project {
public:
  KeptProject() {
    write("loop.h", "#pragma once\n" + include + trainingLoop("shared"));
    write("train.cpp", "#include \"loop.h\"\n");
  }

  Run lint(std::vector<std::string> arguments, const std::vector<std::string> &flags = {}) const {
    arguments.insert(arguments.end(), {"--cache-dir=cache", "--model=model.json", "train.cpp", "--",
                                       "-std=c++20", "-I" + axonFolder()});
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    std::ifstream model(axonModel());
    if (!std::filesystem::exists(path("model.json")))
      write("model.json", std::string(std::istreambuf_iterator<char>(model), {}));
    return gradtidy(arguments);
  }

  bool knows(const std::vector<std::string> &arguments = {},
             const std::vector<std::string> &flags = {}) const {
    std::vector<std::string> all = arguments;
    all.emplace_back("--stats");
    const std::string told = lint(all, flags).err;
    const bool known = told.find("; 1 known from earlier runs") != std::string::npos;
    CHECK_THAT(told, Contains(known ? ": 0 analysed now" : ": 1 analysed now"));
    return known;
  }
};

} // namespace

TEST_CASE("A unit is known as long as nothing of it changes") {
  const KeptProject project;
  CHECK(!project.knows());
  CHECK(project.knows());
  const Run run = project.lint({});
  CHECK(count(run.out, finding) == 1);
  CHECK_THAT(run.out, Contains("    8 |     solver.advance();\n"));

  SECTION("its text") {
    project.write("train.cpp", "#include \"loop.h\"\n" + trainingLoop("train"));
    CHECK(count(project.lint({}).out, finding) == 2);
  }
  SECTION("its time, but not its text") {
    project.write("train.cpp", project.read("train.cpp"));
    CHECK(project.knows());
  }
  SECTION("a header of its own") {
    project.write("loop.h",
                  "#pragma once\n" + include + trainingLoop("shared", "solver.zero_grad();"));
    CHECK(project.lint({}).out.empty());
  }
  SECTION("a header that is gone") {
    std::filesystem::remove(project.path("loop.h"));
    CHECK(project.lint({}).status == 1);
    CHECK(project.lint({}).status == 1);
    project.write("loop.h", "#pragma once\n");
    CHECK(project.lint({}).status == 0);
  }
  SECTION("the flags") { CHECK(!project.knows({}, {"-DNDEBUG"})); }
  SECTION("the checks") {
    CHECK(!project.knows({"--checks=-ml-missing-zero-grad"}));
    CHECK(project.lint({"--checks=-ml-missing-zero-grad"}).out.empty());
  }
  SECTION("the lines asked for") {
    CHECK(project.lint({R"(--line-filter=[{"name":"train.cpp"}])"}).out.empty());
    CHECK(count(project.lint({R"(--line-filter=[{"name":"loop.h","lines":[[1,9]]}])"}).out,
                finding) == 1);
    CHECK(project.lint({R"(--line-filter=[{"name":"loop.h","lines":[[1,2]]}])"}).out.empty());
  }
  SECTION("a configuration file") {
    project.write(".gradtidy", "Checks: '-ml-missing-zero-grad'\n");
    CHECK(project.lint({}).out.empty());
  }
  SECTION("the model") {
    std::string model = project.read("model.json");
    model.replace(model.find("advance"), 7, "another");
    project.write("model.json", model);
    CHECK(project.lint({}).out.empty());
  }
  SECTION("the cache") {
    for (const auto &entry : std::filesystem::directory_iterator(project.path("cache/results")))
      std::ofstream(entry.path()) << "garbage";
    CHECK(!project.knows());
    CHECK(project.knows());
  }
}

TEST_CASE("A unit that misses a header is known until the header turns up") {
  struct Case {
    std::string directive, turnsUp;
  };
  const std::vector<std::string> flags = {"-Ifirst", "-Isecond"}; // Neither is there.
  const std::vector<std::string> checks = {"--checks=-*,ml-missing-zero-grad"};
  for (const Case &each : {Case{"#include <late.h>\n", "first/late.h"},
                           {"#include <late.h>\n", "second/late.h"},
                           {"#include \"late.h\"\n", "late.h"},
                           {"#include \"folder/early.h\"\n", "folder/late.h"}}) {
    INFO(each.directive << each.turnsUp);
    const KeptProject project;
    project.write("folder/early.h", "#include \"late.h\"\n");
    project.write("train.cpp", each.directive + include + trainingLoop("train"));
    CHECK(!project.knows(checks, flags));
    CHECK(project.knows(checks, flags));
    CHECK(project.lint(checks, flags).status == 1);
    project.write(each.turnsUp, "#define advance zero_grad\n");
    CHECK(!project.knows(checks, flags));
    const Run run = project.lint(checks, flags);
    CHECK(run.status == 0);
    CHECK(run.out.empty());
  }
}

TEST_CASE("A unit whose include is in the wrong brackets is known as well") {
  const KeptProject project;
  project.write("train.cpp", "#include <loop.h>\n");
  CHECK(!project.knows());
  CHECK(project.knows());
  project.write("loop.h", "#pragma once\n");
  CHECK(!project.knows());
}

TEST_CASE("The framework's headers count as well") {
  const KeptProject project;
  std::ifstream original(axonFolder() + "/axon/axon.h");
  const std::string text(std::istreambuf_iterator<char>(original), {});
  project.write("vendor/axon/axon.h", text);
  const auto lint = [&] {
    return project
        .gradtidy({"--cache-dir=cache", "--checks=-*,ml-missing-zero-grad",
                   "--model=" + axonModel(), "train.cpp", "--", "-std=c++20", "-Ivendor"})
        .out;
  };
  CHECK(count(lint(), finding) == 1);
  CHECK(count(lint(), finding) == 1);
  project.write("vendor/axon/axon.h", text + "#define advance zero_grad\n");
  CHECK(lint().empty());
  CHECK(lint().empty());
}

TEST_CASE("Findings of a known unit can be fixed") {
  const KeptProject project;
  project.lint({});
  CHECK(project.knows());
  CHECK(project.lint({"--fix"}).status == 0);
  CHECK(count(project.read("loop.h"), "solver.zero_grad();") == 1);
  CHECK(project.lint({}).out.empty());
}
