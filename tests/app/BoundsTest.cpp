// A stranger's project costs what is wrong with it, in a line: never the rest, time or memory.
#include "tests/Project.h"
#include "tests/Repeated.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>

#include <sys/stat.h>

using namespace gradtidy::test;
using Catch::Matchers::Contains;
using Json = nlohmann::json;

namespace {

const std::string include = "#include <axon/axon.h>\n";
const std::string finding = "[ml-missing-zero-grad]\n";
const std::string flags = "-std=c++20 -I" + axonFolder();

/// A project with a source that has a finding.
class BoundedProject : public Project {
public:
  BoundedProject() { write("train.cpp", include + trainingLoop("train")); }

  /// Runs gradtidy on all of the database.
  Run lint(std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.end(), {"--no-cache", "-j1", "--timeout=60",
                                       "--model=" + axonModel(), "-p", "build", "."});
    return gradtidy(arguments);
  }
};

/// Whether \p run found what there is, and said what is wrong in one line with \p parts.
void checkOneLine(const Run &run, const std::vector<std::string> &parts) {
  CHECK(run.status == 2);
  CHECK(count(run.out, finding) == 1);
  CHECK(count(run.err, "gradtidy: error: ") == 1);
  CHECK(count(run.err, "Stack dump") == 0);
  for (const std::string &part : parts)
    CHECK_THAT(run.err, Contains(part));
}

} // namespace

TEST_CASE("Sources that are no regular files cost no other") {
  const BoundedProject project;
  REQUIRE(::mkfifo(project.path("fifo.cpp").c_str(), 0600) == 0);
  std::filesystem::create_symlink("/dev/zero", project.path("zero.cpp"));
  for (const std::string name : {"fifo.cpp", "zero.cpp"}) {
    project.writeDatabase("build", {name, "train.cpp"}, flags);
    checkOneLine(project.lint(), {name, "not a regular file"});
    project.write("header.h", "");
    CHECK(project.gradtidy({"--no-cache", "-p", "build", "header.h"}).status == 0);
  }
}

TEST_CASE("Broken entries and response files cost no other") {
  const BoundedProject project;
  project.writeDatabase("build", {"train.cpp"}, flags);
  const std::string good = project.read("build/compile_commands.json");
  const std::string entry = good.substr(good.find('{'));
  const auto with = [&](const std::string &other) {
    project.write("build/compile_commands.json", "[" + other + "," + entry);
    return project.lint();
  };
  checkOneLine(with("1e999"), {"entry 1 of", "number overflow"});
  checkOneLine(with(repeated("[", 200'000) + repeated("]", 200'000)), {"entry 1 of", "nested"});

  project.write("b0", "-DX");
  for (int i = 1; i < 40; ++i)
    project.write("b" + std::to_string(i), repeated("@b" + std::to_string(i - 1) + " ", 2));
  project.write("other.cpp", "");
  const auto withFlag = [&](const std::string &flag) {
    return with(Json({{"directory", project.path()},
                      {"file", "other.cpp"},
                      {"arguments", {"c++", flag, "other.cpp"}}})
                    .dump());
  };
  checkOneLine(withFlag("@b39"), {"other.cpp", "more than 1000 response files"});
  checkOneLine(withFlag("@/dev/zero"), {"other.cpp", "/dev/zero", "not a regular file"});
}

TEST_CASE("A path that is longer than any other costs nothing") {
  const BoundedProject project;
  const std::string folder = repeated("/x", 200'000);
  for (const auto &[directory, file] : std::vector<std::pair<std::string, std::string>>{
           {folder, project.path("train.cpp")}, {project.path(), folder + "/train.cpp"}}) {
    const Json entry = {{"directory", directory},
                        {"file", file},
                        {"arguments", {"c++", "-std=c++20", "-I" + axonFolder(), file}}};
    project.writeDatabase("build", {"train.cpp"}, flags);
    const std::string good = project.read("build/compile_commands.json");
    project.write("build/compile_commands.json",
                  "[" + entry.dump() + "," + good.substr(good.find('{')));
    const Run run =
        project.gradtidy({"--no-cache", "--model=" + axonModel(), "-p", "build", "train.cpp"});
    CHECK(run.status == 0);
    CHECK(count(run.out, finding) == 1);
  }
}

TEST_CASE("Configuration files and models within bounds") {
  const BoundedProject project;
  project.writeDatabase("build", {"train.cpp"}, flags);
  for (const std::string name : {".clang-tidy", ".gradtidy"}) {
    project.write(name, "CheckOptions: " + repeated("[", 200'000));
    checkOneLine(project.lint(), {name, "nested deeper"});
    project.write(name, "Checks: '" + repeated("ml-*,", 300'000) + "'\n");
    checkOneLine(project.lint(), {name, "larger than 1 MB"});
    project.write(name, "Checks: '" + repeated("ml-*,", 20'000) + "'\n");
    checkOneLine(project.lint(), {name, "Checks has more than 10000 globs"});
    for (const auto &[pattern, why] : std::vector<std::pair<std::string, std::string>>{
             {"((((.{1,255}){1,255}){1,255}){1,255})", "it is too large"},
             {repeated("(", 1000) + "x" + repeated(")", 1000), "nested too deeply"},
             {"(", "parentheses not balanced"}}) {
      project.write(name, "HeaderFilterRegex: '" + pattern + "'\n");
      checkOneLine(project.lint(), {name, "HeaderFilterRegex", why});
    }
    std::filesystem::remove(project.path(name));
  }
  REQUIRE(::mkfifo(project.path("fifo").c_str(), 0600) == 0);
  project.write(".clang-tidy", "CheckOptions:\n  ml.Models: " + repeated("m.json;", 1000) + "\n");
  CHECK_THAT(project.gradtidy({"--no-cache", "-p", "build", "train.cpp"}).err,
             Contains("more than 100 models are named"));
  project.write("deep.json", repeated("[", 200'000));
  project.write("overflow.json", "{\"name\": 1e999}");
  for (const auto &[model, why] : std::vector<std::pair<std::string, std::string>>{
           {"/dev/zero", "not a regular file"},
           {project.path("fifo"), "not a regular"},
           {project.path("deep.json"), "nested"},
           {project.path("overflow.json"), "number"}}) {
    project.write(".clang-tidy", "CheckOptions:\n  ml.Models: " + model + "\n");
    const Run run = project.gradtidy({"--no-cache", "-p", "build", "train.cpp"});
    CHECK(run.status == 2);
    CHECK_THAT(run.err, Contains(model) && Contains(why));
    CHECK(count(run.err, "Stack dump") == 0);
  }
}

TEST_CASE("Results of shards and baselines within bounds") {
  const BoundedProject project;
  const auto refused = [&](const std::string &bytes, const std::string &why) {
    project.write("results", bytes);
    const Run run = project.gradtidy({"merge", "results"});
    CHECK(run.status == 2);
    CHECK_THAT(run.err, Contains("gradtidy: error: ") && Contains(why));
    CHECK(count(run.err, "\n") == 1);
  };
  refused(std::string(1'000'000, '\x81'), "nested deeper");
  refused("\x9b\xff\xff\xff\xff\xff\xff\xff\xfe", "holds no results");
  refused("", "holds no results");
  CHECK_THAT(project.gradtidy({"merge", "/dev/zero"}).err, Contains("not a regular file"));

  project.write("baseline", repeated("[", 200'000));
  const Run run = project.gradtidy({"--baseline=baseline", "train.cpp", "--"});
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Contains("cannot read the baseline") && Contains("nested deeper"));
}

TEST_CASE("The limits hold for the work of the parent") {
  const BoundedProject project;
  // Includes that are followed from header to header, for a header that none of them includes.
  constexpr int size = 400;
  std::string all;
  for (int i = 0; i < size; ++i)
    all += "#include \"h" + std::to_string(i) + ".h\"\n";
  for (int i = 0; i < size; ++i)
    project.write("h" + std::to_string(i) + ".h", all + "// " + std::to_string(i) + "\n");
  Json entries = Json::array();
  for (int i = 0; i < size; ++i) {
    project.write("s" + std::to_string(i) + ".cpp", all);
    entries.push_back({{"directory", project.path()},
                       {"file", "s" + std::to_string(i) + ".cpp"},
                       {"command", "c++ a.cpp"}});
  }
  project.write("build/compile_commands.json", entries.dump());
  project.write("lone.h", "");
  const Run slow = project.gradtidy({"--no-cache", "--timeout=1", "-p", "build", "lone.h"});
  CHECK(slow.status == 2);
  CHECK(slow.err == "gradtidy: error: too slow: finding what to analyse took more than 1 s "
                    "(--timeout)\n");

#ifndef __SANITIZE_ADDRESS__ // Its shadow is larger than any limit.
  std::string numbers = "[0";
  for (int i = 0; i < 8'000'000; ++i)
    numbers += ",0";
  project.write("build/compile_commands.json", numbers + "]");
  const Run large =
      project.gradtidy({"--no-cache", "--memory-limit=200", "-p", "build", "train.cpp"});
  CHECK(large.status == 2);
  CHECK_THAT(large.err, Contains("gradtidy: error: out of memory") && Contains("--memory-limit"));
  CHECK(count(large.err, "\n") == 1);
#endif
}

TEST_CASE("Names of files are no commands in any output") {
  const Project project;
  const std::string name = "a\n::error file=x::\x1b[31m\r##[error]y.cpp";
  project.write(name, include + trainingLoop("train") + "int x = undeclared;\n");
  const std::string missing = "no" + name;
  for (const std::string format :
       {"text", "json", "sarif", "github", "html", "junit", "gitlab", "checkstyle", "markdown"}) {
    CAPTURE(format);
    const Run run = project.gradtidy({"--no-cache", "--format=" + format, "--model=" + axonModel(),
                                      name, missing, "--", "-std=c++20", "-I" + axonFolder()});
    for (const std::string &text : {run.out, run.err}) {
      CHECK(count("\n" + text, "\n::error file=x") == 0);
      CHECK(count(text, "\x1b[31m") == 0);
      CHECK(count(text, "\r") == 0);
      CHECK(count(text, "##[error]") == 0);
    }
    CHECK_THAT(run.err,
               Contains("cannot read 'noa\\n::error file=x::\\x1b[31m\\r#\\x23[error]y.cpp'"));
  }
  const Run unknown = project.gradtidy({"-\n::error::x"});
  CHECK(unknown.status == 2);
  CHECK(count("\n" + unknown.err, "\n::error") == 0);
}

TEST_CASE("Pragmas that make clang crash or print do nothing") {
  std::string pragmas;
  for (const std::string what :
       {"assert", "crash", "parser_crash", "llvm_fatal_error", "llvm_unreachable", "overflow_stack",
        "captured", "dump train", "macro train", "diag_mapping", "sloc_usage"})
    pragmas += "#pragma clang __debug " + what + "\n";
  const BoundedProject project;
  project.write("train.cpp",
                include + trainingLoop("train") + pragmas + "_Pragma(\"clang __debug crash\")\n");
  const Run run = project.gradtidy({"--no-cache", "-j1", "--model=" + axonModel(), "train.cpp",
                                    "--", "-std=c++20", "-I" + axonFolder()});
  CHECK(run.status == 0);
  CHECK(count(run.out, finding) == 1);
  CHECK(run.err == "1 finding in 1 file: 1 of level 0; --fix repairs 1\n");
}
