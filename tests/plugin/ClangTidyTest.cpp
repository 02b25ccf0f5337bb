// The plugin in the unmodified clang-tidy finds what gradtidy finds.
#include "tests/Project.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

using namespace gradtidy::test;
using Catch::Matchers::Contains;

namespace {

const std::string include = "#include <axon/axon.h>\n";

Run clangTidy(const Project &project, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"-load", GRADTIDY_PLUGIN, "--quiet"});
  arguments.insert(arguments.end(), {"--", "-std=c++20", "-I" + axonFolder()});
  return project.run(CLANG_TIDY, arguments);
}

const std::string withModel =
    "--config={Checks: '-*,ml-*', CheckOptions: {ml.Models: '" + axonModel() + "'}}";

} // namespace

TEST_CASE("The checks are listed") {
  const Project project;
  CHECK(
      project.run(CLANG_TIDY, {"-load", GRADTIDY_PLUGIN, "-checks=-*,ml-*", "-list-checks"}).out ==
      project.gradtidy({"-list-checks"}).out);
}

TEST_CASE("The same findings in the same text") {
  const Project project;
  project.write("loop.h", "#pragma once\n" + include + trainingLoop("inHeader"));
  project.write("train.cpp", "#include \"loop.h\"\n" + trainingLoop("inFile") +
                                 trainingLoop("right", "solver.zero_grad();") +
                                 trainingLoop("silenced", "", "solver.advance(); // NOLINT"));
  const Run plugin = clangTidy(project, {withModel, "train.cpp"});
  CHECK(plugin.status == 0);
  CHECK(count(plugin.out, "[ml-missing-zero-grad]") == 2);
  CHECK(plugin.out == project
                          .gradtidy({"--format=clang-tidy", "--model=" + axonModel(), "train.cpp",
                                     "--", "-std=c++20", "-I" + axonFolder()})
                          .out);
}

TEST_CASE("Findings stay out of the framework's headers") {
  const Project project;
  project.write("axon/axon.h",
                "#include \"" + axonFolder() + "/axon/axon.h\"\n" + trainingLoop("inFramework"));
  project.write("train.cpp", "#include \"axon/axon.h\"\n" + trainingLoop("inFile"));
  const Run plugin = clangTidy(project, {withModel, "train.cpp"});
  CHECK(count(plugin.out, "[ml-missing-zero-grad]") == 1);
  CHECK_THAT(plugin.out, Contains("train.cpp:7:5: warning: "));
}

TEST_CASE("Fixes are made") {
  const Project project;
  project.write("train.cpp", include + trainingLoop("train"));
  CHECK(clangTidy(project, {withModel, "--fix", "train.cpp"}).status == 0);
  CHECK(count(project.read("train.cpp"), "solver.zero_grad();") == 1);
}

TEST_CASE("A broken model is an error of the configuration") {
  const Project project;
  project.write("train.cpp", include + trainingLoop("train"));
  const Run plugin =
      clangTidy(project, {"--config={Checks: '-*,ml-*', CheckOptions: {ml.Models: nowhere.json}}",
                          "train.cpp"});
  CHECK(plugin.status == 1);
  CHECK_THAT(plugin.out, Contains("error: cannot read model 'nowhere.json'") &&
                             Contains("[clang-tidy-config]"));
}

TEST_CASE("Every option of clang-tidy is one of gradtidy's, or is said to be none") {
  const Project project;
  const Run help = project.run(CLANG_TIDY, {"--help"});
  const std::string own = project.gradtidy({"--help"}).out;
  std::ifstream file(PROJECT_ROOT "/docs/clang-tidy.md");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  const std::regex option(R"(^  (--?[a-z-]+))");
  unsigned options = 0;
  std::istringstream lines(help.out);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (!std::regex_search(line, match, option))
      continue;
    const std::string name = match[1];
    INFO(name);
    ++options;
    // Its row in the page.
    const size_t place = page.find("`" + name + "`");
    REQUIRE(place != page.npos);
    const std::string row = page.substr(place, page.find('\n', place) - place);
    const bool isThere = row.find("not there") == row.npos;
    CHECK((own.find("  " + name) != own.npos) == isThere);
  }
  CHECK(options > 30);
}

TEST_CASE("The profile of each source is stored") {
  const Project project;
  project.write("train.cpp", include + trainingLoop("train"));
  const Run run = project.gradtidy({"--enable-check-profile", "--store-check-profile=profiles",
                                    "--model=" + axonModel(), "train.cpp", "--", "-std=c++20",
                                    "-I" + axonFolder()});
  CHECK(count(run.out, "[ml-missing-zero-grad]") == 1);
  const auto files = std::filesystem::directory_iterator(project.path("profiles"));
  REQUIRE(std::distance(begin(files), end(files)) == 1);
  const std::string name = std::filesystem::directory_iterator(project.path("profiles"))->path();
  CHECK_THAT(name, Contains("train.cpp") && Catch::EndsWith(".json"));
}

TEST_CASE("A function that is nested too deeply costs the plugin no other, and no other check") {
  std::string terms = "c";
  for (unsigned i = 0; i < 10000; ++i)
    terms += " + c";
  const Project project;
  project.write("train.cpp", include + trainingLoop("before") +
                                 "int deep(int c) { int *none = 0; return " + terms + "; }\n" +
                                 trainingLoop("behind"));
  const Run run = clangTidy(project, {"--config={Checks: '-*,ml-*,modernize-use-nullptr', "
                                      "CheckOptions: {ml.Models: '" +
                                          axonModel() + "'}}",
                                      "train.cpp"});
  CHECK(run.status == 0);
  CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 2);
  CHECK(count(run.out, "[modernize-use-nullptr]\n") == 1);
  CHECK(count(run.err, "Not analysed to the end") == 1);
  CHECK_THAT(run.err, Contains(": deep ("));
}
