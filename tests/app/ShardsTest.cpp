// Parts of a run on different machines come to what one run comes to.
#include "tests/Project.h"

#include <catch2/catch.hpp>

#include <sstream>

using namespace gradtidy::test;
using Catch::Matchers::Contains;

namespace {

class ShardedProject : public Project {
public:
  ShardedProject() {
    const std::string include = "#include <axon/axon.h>\n";
    write(".git/HEAD", "");
    write("shared.h", "#pragma once\n" + include + trainingLoop("shared"));
    write("src/a.cpp", "#include \"../shared.h\"\n" + trainingLoop("train"));
    write("src/b.cpp",
          "#include \"../shared.h\"\n" + trainingLoop("train", "", "solver.advance(); // NOLINT"));
    write("src/c.cpp", include + trainingLoop("train") + "int wrong = undeclared;\n");
    write("src/d.cpp", include + trainingLoop("train", "solver.zero_grad();"));
    write("src/e.cpp", crashingCode());
    writeDatabase("build", {"src/a.cpp", "src/b.cpp", "src/c.cpp", "src/d.cpp", "src/e.cpp"},
                  "-std=c++20 -I" + axonFolder());
  }

  Run lint(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--no-cache", "--model=" + axonModel(), "src"});
    return gradtidy(arguments);
  }

  /// Runs all shards; the files of results in reverse order.
  std::vector<std::string> runShards(unsigned count) const {
    std::vector<std::string> files;
    for (unsigned shard = count; shard >= 1; --shard) {
      files.push_back("shard" + std::to_string(shard) + ".of" + std::to_string(count));
      lint({"--shard=" + std::to_string(shard) + "/" + std::to_string(count),
            "--results=" + files.back()});
    }
    return files;
  }

  Run merge(const std::vector<std::string> &files, std::vector<std::string> options = {}) const {
    std::vector<std::string> arguments = {"merge"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), files.begin(), files.end());
    return gradtidy(arguments);
  }
};

/// What the program says of the run, without the stack trace of a crash.
std::string shown(const Run &run) {
  std::string text = std::to_string(run.status) + run.out;
  std::istringstream lines(run.err);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("gradtidy: ") || line.starts_with("Suppressed ") ||
        line.starts_with("Found ") || line.ends_with("as errors"))
      text += line + "\n";
  return text;
}

} // namespace

TEST_CASE("Merged shards are one run") {
  const ShardedProject project;
  for (const unsigned count : {1U, 2U, 3U, 9U}) {
    const std::vector<std::string> files = project.runShards(count);
    for (const std::vector<std::string> &options :
         {std::vector<std::string>{}, {"--format=json"}, {"--format=sarif"}, {"--strict"}}) {
      const std::string merged = shown(project.merge(files, options));
      CHECK(merged == shown(project.lint(options)));
      CHECK(!merged.empty());
    }
  }
  const Run all = project.merge(project.runShards(2));
  CHECK(count(all.out, "[ml-missing-zero-grad]\n") == 3);
  CHECK_THAT(all.err, Contains("Suppressed 1 warning (1 NOLINT).") && Contains("e.cpp' crashed"));
}

TEST_CASE("A shard prints its own part") {
  const ShardedProject project;
  const Run first = project.lint({"--shard=1/2"}), second = project.lint({"--shard=2/2"});
  CHECK_THAT(first.out, Contains("a.cpp:") && Contains("shared.h:") && !Contains("c.cpp:"));
  CHECK_THAT(second.out, Contains("c.cpp:") && !Contains("a.cpp:") && !Contains("shared.h:"));
  const Run empty = project.lint({"--shard=1/9"});
  CHECK(empty.status == 0);
  CHECK(empty.out.empty());
}

TEST_CASE("The sources of a program stay in one shard") {
  const ShardedProject project;
  for (const std::string program : {"x/", "y/"})
    for (const std::string file : {"main.cpp", "step.cpp"})
      project.write(program + file, "#include <axon/axon.h>\n" + trainingLoop("train"));
  project.writeDatabase("", {"x/main.cpp", "y/main.cpp", "x/step.cpp", "y/step.cpp"},
                        "-std=c++20 -I" + axonFolder());
  const auto lint = [&](const std::string &shard) {
    return project
        .gradtidy({"--no-cache", "--model=" + axonModel(), "--shard=" + shard, "x/main.cpp",
                   "y/main.cpp", "x/step.cpp", "y/step.cpp"})
        .out;
  };
  CHECK_THAT(lint("1/2"), Contains("x/main.cpp:") && Contains("x/step.cpp:") && !Contains("y/"));
  CHECK_THAT(lint("2/2"), Contains("y/main.cpp:") && Contains("y/step.cpp:") && !Contains("x/"));
}

TEST_CASE("A merge needs every shard once") {
  const ShardedProject project;
  const std::vector<std::string> files = project.runShards(3);
  const auto error = [&](const std::vector<std::string> &some) {
    const Run run = project.merge(some);
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    return run.err;
  };
  CHECK_THAT(error({files[0], files[2]}), Contains("shard 2 of 3 is missing"));
  CHECK_THAT(error({files[0], files[1], files[0]}), Contains("are the same shard"));
  CHECK_THAT(error({files[0], project.runShards(2).front()}), Contains("one of 2 shards"));
  CHECK_THAT(error({"nowhere"}), Contains("cannot read 'nowhere'"));
  CHECK_THAT(error({"shared.h"}), Contains("holds no results of gradtidy"));
  CHECK_THAT(error({}), Contains("no input files: name the files that --results wrote"));
}

TEST_CASE("A wrong shard") {
  const ShardedProject project;
  for (const char *shard :
       {"--shard=0/2", "--shard=3/2", "--shard=2", "--shard=a/b", "--shard=1/0"})
    CHECK_THAT(project.lint({shard}).err, Contains("--shard is K/N with K from 1 to N, as in 2/4"));
  CHECK_THAT(project.lint({"--results=nowhere/results"}).err,
             Contains("cannot write 'nowhere/results'"));
}
