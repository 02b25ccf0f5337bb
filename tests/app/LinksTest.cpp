// A project is the same whatever symbolic link it is reached by, through every door.
#include "tests/Project.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>

using namespace gradtidy::test;
using Catch::Matchers::Contains;
using Json = nlohmann::json;

namespace {

namespace fs = std::filesystem;

const std::string finding = "[ml-missing-zero-grad]\n";

/// The loop of main.cpp calls what step.cpp defines. The project lies in real/, and link leads
/// there.
class LinkedProject : public Project {
public:
  LinkedProject() {
    write("real/.git/HEAD", "");
    write("real/include/step.h", "#pragma once\n#include <axon/axon.h>\n"
                                 "void step(axon::Block &net, axon::Solver &solver);\n");
    write("real/src/step.cpp",
          "#include \"step.h\"\nvoid step(axon::Block &net, axon::Solver &solver) {\n"
          "  axon::distance(net(axon::Array()), axon::Array()).backpropagate();\n"
          "  solver.advance();\n}\n");
    write("real/src/main.cpp", "#include \"step.h\"\nint main() {\n  axon::Block net;\n"
                               "  axon::Solver solver(net.weights());\n"
                               "  for (int i = 0; i < 9; ++i) {\n    step(net, solver);\n  }\n}\n");
    fs::create_directory_symlink("real", path("link"));
    writeDatabaseOf("real");
  }

  /// A database that names everything below the folder \p root.
  void writeDatabaseOf(const std::string &root) const {
    Json database = Json::array();
    for (const char *source : {"main.cpp", "step.cpp"})
      database.push_back({{"directory", path(root + "/build")},
                          {"file", path(root + "/src/" + source)},
                          {"arguments",
                           {"c++", "-std=c++20", "-I" + axonFolder(),
                            "-I" + path(root + "/include"), "-c", path(root + "/src/" + source)}}});
    write("real/build/compile_commands.json", database.dump());
  }

  /// Runs gradtidy in \p folder, reached as it says, which $PWD tells as a shell's does.
  Run lintIn(const std::string &folder, const std::string &arguments) const {
    return run("/bin/sh", {"-c", "cd '" + path(folder) + "' && exec " + gradtidyProgram() +
                                     " --model=" + axonModel() + " " + arguments});
  }
};

} // namespace

TEST_CASE("Findings and what is known of other sources are the same behind a link") {
  const LinkedProject project;
  const std::string noCache = "--no-cache --quiet ";
  for (const char *database : {"real", "link"})
    for (const char *folder : {"real", "link"})
      for (const char *named : {"src", "src/step.cpp", "../real/src", "../link/src",
                                "../link/src/step.cpp", "../real/src/step.cpp"}) {
        INFO("database of " << database << ", in " << folder << ": " << named);
        project.writeDatabaseOf(database);
        const Run run = project.lintIn(folder, noCache + named);
        CHECK(count(run.out, finding) == 1);
        CHECK(run.err.empty());
        CHECK(run.status == 0);
      }
}

TEST_CASE("Findings name files as the user does") {
  const LinkedProject project;
  for (const char *name : {"real", "link"}) {
    const Run run = project.lintIn(".", "--no-cache --quiet " + std::string(name) + "/src");
    CHECK_THAT(run.out, Catch::StartsWith(project.path(name) + "/src/"));
    const Run json =
        project.lintIn(".", "--no-cache --format=json " + std::string(name) + "/src/step.cpp");
    const Json findings = Json::parse(json.out)["findings"];
    REQUIRE(findings.size() == 1);
    CHECK_THAT(findings[0]["file"].get<std::string>(), Catch::StartsWith(project.path(name)));
    for (const Json &edit : findings[0]["fixes"])
      CHECK_THAT(edit["file"].get<std::string>(), Catch::StartsWith(project.path(name)));
  }
}

TEST_CASE("Annotations have relative paths behind a link") {
  const LinkedProject project;
  for (const char *database : {"real", "link"})
    for (const char *folder : {"real", "link"})
      for (const char *named : {"src", "../link/src", "../real/src"}) {
        INFO("database of " << database << ", in " << folder << ": " << named);
        project.writeDatabaseOf(database);
        const std::string noCache = "--no-cache --quiet ";
        CHECK_THAT(project.lintIn(folder, noCache + "--format=github " + named).out,
                   Contains(" file=src/"));
        const Json sarif =
            Json::parse(project.lintIn(folder, noCache + "--format=sarif " + named).out);
        const Json results = sarif["runs"][0]["results"];
        REQUIRE(results.size() == 1);
        CHECK_THAT(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
                       .get<std::string>(),
                   Catch::StartsWith("src/"));
      }
}

TEST_CASE("A baseline knows findings behind a link") {
  const LinkedProject project;
  project.write("known.sarif", project.lintIn("real", "--no-cache --quiet --format=sarif src").out);
  CHECK(project.lintIn("link", "--no-cache --quiet --baseline=../known.sarif ../link/src")
            .out.empty());
}

TEST_CASE("Fixes go to the file behind a link, which stays one") {
  const LinkedProject project;
  const Run run = project.lintIn("link", "--no-cache --quiet --fix ../link/src");
  CHECK(run.status == 0);
  CHECK(count(project.read("real/src/main.cpp") + project.read("real/src/step.cpp"),
              "zero_grad();") == 1);
  CHECK(fs::is_symlink(project.path("link")));
}

TEST_CASE("Shards that were made behind a link are merged elsewhere") {
  const LinkedProject project;
  const std::string whole = project.lintIn("real", "--no-cache --quiet --format=github src").out;
  CHECK_THAT(whole, Contains(" file=src/"));
  for (const char *shard : {"1", "2"})
    project.lintIn("link", std::string("--no-cache --quiet --shard=") + shard +
                               "/2 --results=../shard" + shard + " ../link/src");
  for (const char *folder : {"real", "link"})
    CHECK(project
              .run("/bin/sh",
                   {"-c", "cd '" + project.path(folder) + "' && exec " + gradtidyProgram() +
                              " merge --quiet --format=github ../shard1 ../shard2"})
              .out == whole);
}

TEST_CASE("What is known from earlier runs is known behind a link") {
  const LinkedProject project;
  const std::string first = project.lintIn("real", "--cache-dir=../cache --quiet src").out;
  const Run run = project.lintIn("real", "--cache-dir=../cache --stats src");
  CHECK(run.out == first);
  CHECK_THAT(run.err, Contains("2 known from earlier runs"));
  CHECK(count(project.lintIn("link", "--cache-dir=../cache --quiet ../link/src").out, finding) ==
        1);
}
