// What has not changed is not parsed again, and what has changed is.
#include "tests/Project.h"

#include <catch2/catch.hpp>

#include <chrono>
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
      project.overwrite("cache/results/" + entry.path().filename().string(), "garbage");
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

TEST_CASE("A unit is parsed again when another header is found, or another file in its place") {
  const KeptProject project;
  const std::vector<std::string> checks = {"--checks=-*,ml-missing-zero-grad"};
  const std::vector<std::string> flags = {"-Ifirst", "-Isecond"};
  project.write("second/late.h", "#pragma once\n");
  project.write("train.cpp", "#if __has_include(<asked.h>)\n#include <asked.h>\n#endif\n"
                             "#include <late.h>\n" +
                                 include + trainingLoop("train"));
  CHECK(!project.knows(checks, flags));
  CHECK(project.knows(checks, flags));
  CHECK(count(project.lint(checks, flags).out, finding) == 1);
  const std::string silent = "#define advance zero_grad\n";
  SECTION("a header that hides another") { project.write("first/late.h", silent); }
  SECTION("a header that was asked for") { project.write("second/asked.h", silent); }
  SECTION("a link that leads elsewhere") {
    std::filesystem::remove(project.path("second/late.h"));
    project.write("other.h", silent);
    std::filesystem::create_symlink("../other.h", project.path("second/late.h"));
  }
  CHECK(!project.knows(checks, flags));
  CHECK(project.lint(checks, flags).out.empty());
}

TEST_CASE("A text that is changed counts, whatever the time of the file") {
  const KeptProject project;
  for (const auto time :
       {std::filesystem::file_time_type(), std::filesystem::file_time_type::clock::now(),
        std::filesystem::file_time_type::clock::now() + std::chrono::hours(24)}) {
    const auto write = [&](const std::string &text) {
      project.write("train.cpp", text);
      std::filesystem::last_write_time(project.path("train.cpp"), time);
    };
    const std::string text = include + trainingLoop("train");
    write(text);
    CHECK(count(project.lint({}).out, finding) == 1);
    CHECK(project.knows());
    std::string other = text;
    other.replace(other.find("solver.advance"), 14, "solver.weights");
    write(other);
    CHECK(count(project.lint({}).out, finding) == 0);
  }
}

TEST_CASE("A link that becomes a file is another file") {
  const KeptProject project;
  std::filesystem::remove(project.path("train.cpp"));
  project.write("real.cc", include + trainingLoop("train"));
  std::filesystem::create_symlink("real.cc", project.path("train.cpp"));
  CHECK(count(project.lint({}).out, finding) == 1);
  CHECK(project.knows());
  std::filesystem::remove(project.path("train.cpp"));
  std::filesystem::rename(project.path("real.cc"), project.path("train.cpp"));
  CHECK(!project.knows());
  CHECK(project.lint({"--fix"}).status == 0);
  CHECK(count(project.read("train.cpp"), "solver.zero_grad();") == 1);
}

TEST_CASE("What is user code is looked at again") {
  const KeptProject project;
  project.write("src/train.cpp", "#include \"../loop.h\"\n");
  const auto lint = [&] {
    return project.gradtidy({"--cache-dir=cache", "--model=" + axonModel(), "src/train.cpp", "--",
                             "-std=c++20", "-I" + axonFolder()});
  };
  project.write(".git/HEAD", "");
  CHECK(count(lint().out, finding) == 1);
  project.write("src/.git/HEAD", "");
  CHECK(lint().out.empty());
}

TEST_CASE("A damaged result is made anew") {
  const KeptProject project;
  const Run first = project.lint({});
  const auto result = *std::filesystem::directory_iterator(project.path("cache/results"));
  const std::string name = "cache/results/" + result.path().filename().string();
  const std::string whole = project.read(name);
  for (size_t place = 0; place < whole.size(); place += 1 + whole.size() / 16) {
    std::string damaged = whole;
    damaged[place] = char(damaged[place] ^ 4);
    project.overwrite(name, damaged);
    CHECK(!project.knows());
    CHECK(project.lint({}).out == first.out);
  }
}

TEST_CASE("A cache that others can write is not used, which is said once") {
  const KeptProject project;
  const Run first = project.lint({});
  CHECK(count(first.err, "cannot be used") == 0);
  std::filesystem::permissions(project.path("cache"), std::filesystem::perms::all);
  const Run run = project.lint({"--stats"});
  CHECK(run.out == first.out);
  CHECK(run.status == 0);
  CHECK(count(run.err,
              "cannot be used: other users can write to '" + project.path("cache") + "'") == 1);
  CHECK_THAT(run.err, Contains("1 of them over a precompiled header"));
  CHECK_THAT(run.err, !Contains("1 known from earlier runs"));
}

TEST_CASE("A cache that cannot be written is said once and costs no second header") {
  const KeptProject project;
  project.write("one.cpp", include + trainingLoop("one"));
  project.write("two.cpp", include + trainingLoop("two"));
  const std::string program = gradtidyProgram() + " --stats -j3 --model=" + axonModel() +
                              " one.cpp two.cpp train.cpp CACHE -- -std=c++20 -I" + axonFolder();
  const auto run = [&](const std::string &before, const std::string &cache) {
    std::string command = program;
    command.replace(command.find("CACHE"), 5, cache);
    return project.run("/bin/sh", {"-c", before + "exec " + command});
  };
  const std::string expected = run("", "--cache-dir=cache").out;
  CHECK(count(expected, finding) == 3);
  const Run nowhere = run("", "--cache-dir=/proc/gradtidy");
  CHECK(nowhere.out == expected);
  CHECK(count(nowhere.err, "cannot be used") == 1);
  CHECK_THAT(nowhere.err, Contains("3 of them over a precompiled header"));
}

TEST_CASE("Without a cache a unit means the same") {
  // A framework's header brings a standard header that the unit leaves out.
  const KeptProject project;
  project.write("train.cpp", include + "std::stringstream text;\n" + trainingLoop("train"));
  const Run with = project.lint({});
  const Run without = project.lint({"--no-cache"});
  CHECK(with.out == without.out);
  CHECK(with.err == without.err);
  CHECK(with.status == without.status);
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
