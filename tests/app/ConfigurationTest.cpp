// The questions about options and configuration files.
#include "tests/Project.h"

#include <catch2/catch.hpp>

using namespace gradtidy::test;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

/// The enabled checks for a file of the folder src, as --list-checks prints them.
std::string enabled(const Project &project, const std::vector<std::string> &options = {}) {
  project.write("src/train.cpp", "int main() {}\n");
  std::vector<std::string> arguments = {"--list-checks", "src/train.cpp"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.push_back("--");
  const Run run = project.gradtidy(arguments);
  return run.status ? run.err : run.out;
}

const std::string all = "Enabled checks:\n    ml-amp\n";
const std::string zeroGradOnly = "Enabled checks:\n    ml-missing-zero-grad\n\n";
const std::string none = "gradtidy: error: no checks enabled\n";

} // namespace

TEST_CASE("Values that no option has are errors, wherever they stand") {
  const Project project;
  project.write("train.cpp", "#include <axon/axon.h>\n" + trainingLoop("train"));
  for (const std::string value : {"ml.Level: 7", "ml.Level: high", "ml-clip-order.Level: -1",
                                  "ml-batch-size-oom.DeviceMemory: tons"}) {
    INFO(value);
    project.write(".gradtidy", "CheckOptions: {" + value + "}\n");
    const Run run = project.gradtidy(
        {"--model=" + axonModel(), "train.cpp", "--", "-std=c++20", "-I" + axonFolder()});
    CHECK(run.status == 2);
    CHECK_THAT(run.out, StartsWith("error: ") && Contains("[clang-tidy-config]"));
  }
}

TEST_CASE("Every subcommand has a help of its own") {
  const Project project;
  const std::string all = project.gradtidy({"help"}).out;
  CHECK(all == project.gradtidy({"--help"}).out);
  for (const std::string name :
       {"explain", "prove", "watch", "merge", "ir", "lsp", "completion", "man", "help"}) {
    CHECK_THAT(all, Contains("  gradtidy " + name));
    const Run run = project.gradtidy({name, "--help"});
    CHECK(run.status == 0);
    CHECK_THAT(run.out, StartsWith("USAGE: gradtidy " + name));
    CHECK(project.gradtidy({"help", name}).out == run.out);
  }
  CHECK_THAT(project.gradtidy({"prove", "--help"}).out,
             Contains("\n  --backend=<names>\n      What 'gradtidy prove' runs") &&
                 !Contains("--line-filter"));
  CHECK(project.gradtidy({"help", "proof"}).status == 2);
  // What follows "--" is the program's.
  CHECK_THAT(project.gradtidy({"watch", "--", "./nowhere", "--help"}).err, Contains("nowhere"));
}

TEST_CASE("The manual has every option, and man reads it") {
  const Project project;
  const Run manual = project.gradtidy({"man"});
  CHECK(manual.status == 0);
  for (const char *option : {"\\-\\-exit\\-code=<value>", "\\-\\-fix\n", ".B \\-j <N>\n"})
    CHECK_THAT(manual.out, Contains(option));
  project.write("gradtidy.1", manual.out);
  const Run shown =
      project.run("/bin/sh", {"-c", "command -v groff >/dev/null || exit 0; groff -man "
                                    "-ww -Tutf8 gradtidy.1 2>&1 >/dev/null"});
  CHECK(shown.status == 0);
  CHECK(shown.out.empty());
}

TEST_CASE("Shells complete what there is") {
  const Project project;
  project.write("train.cpp", "");
  const auto completed = [&](const std::string &words) {
    const Run run = project.run("/bin/bash",
                                {"-c",
                                 "source <(\"$0\" completion bash)\nCOMP_WORDS=(gradtidy " + words +
                                     ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_gradtidy 2>&1\n"
                                     "echo \"${COMPREPLY[*]}\"",
                                 gradtidyProgram()});
    return run.out;
  };
  CHECK(completed("--format = mar") == "markdown\n");
  CHECK(completed("--exit-code =") == "gradtidy clang-tidy\n");
  CHECK(completed("--output = tra") == "train.cpp\n");
  CHECK(completed("--fix-e") == "--fix-errors\n");
  CHECK(completed("exp") == "explain\n");
  CHECK(completed("explain ml-missing-z") == "ml-missing-zero-grad\n");
  CHECK(completed("completion z") == "zsh\n");
  CHECK(completed("help pro") == "prove\n");
  CHECK(completed("--checks = ml-amp") == "ml-amp\n");
  CHECK(completed("--quiet t") == "train.cpp\n");

  // Every option that is helped with is completed, in every shell.
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const Run run = project.gradtidy({"completion", shell});
    CHECK(run.status == 0);
    for (const std::string option :
         {"format", "store-check-profile", "cache-dir", "stats", "shard"})
      CHECK_THAT(run.out, Contains((shell == "fish" ? "-l " : "--") + option));
  }
  CHECK(project.gradtidy({"completion"}).status == 2);
  CHECK(project.gradtidy({"completion", "cmd"}).status == 2);
}

TEST_CASE("Version and help") {
  const Project project;
  CHECK_THAT(
      project.gradtidy({"--version"}).out,
      Catch::Matches(
          "gradtidy 0\\.[0-9.]+ \\((commit [0-9a-f]{12}(-dirty)?, )?LLVM 22\\.[0-9.]+\\)\n"));
  const Run help = project.gradtidy({"-help"});
  CHECK(help.status == 0);
  CHECK_THAT(help.out, Contains("--checks=") && Contains("--bundled-runtime") && Contains("-p "));
  // Hundreds of options of the compiler's libraries do not belong here.
  CHECK_THAT(help.out, !Contains("--inline-threshold"));
}

TEST_CASE("All checks are enabled by default") {
  CHECK_THAT(Project().gradtidy({"--list-checks"}).out, StartsWith(all));
  CHECK_THAT(Project().gradtidy({"-list-checks", "-checks=*"}).out, !Contains("clang-analyzer"));
}

TEST_CASE("Of a .clang-tidy only what names ml- counts") {
  const Project project;
  project.write(".clang-tidy", "Checks: '-*,bugprone-*,misc-no-such-check'\n"
                               "WarningsAsErrors: '*'\n"
                               "CheckOptions: {misc-no-such-check.Strict: 1}\n");
  CHECK_THAT(enabled(project), StartsWith(all));
  CHECK_THAT(project.gradtidy({"--dump-config", "src/train.cpp", "--"}).out,
             Contains("WarningsAsErrors: ''\n") && !Contains("misc-no-such-check"));
  CHECK(project.gradtidy({"--verify-config", "src/train.cpp", "--"}).status == 0);

  project.write(".clang-tidy", "Checks: '-*,-ml-*'\n");
  CHECK(enabled(project) == none);
  CHECK_THAT(enabled(project, {"--checks=ml-*"}), StartsWith(all));
}

TEST_CASE("Keys of other versions of clang-tidy are no error") {
  const Project project;
  project.write(".clang-tidy", "Checks: 'ml-missing-zero-grad,-ml-*,ml-missing-zero-grad'\n"
                               "AnalyzeTemporaryDtors: false\n"
                               "KeyOfTheFuture:\n"
                               "  - a: b\n"
                               "\n"
                               "  - c\n"
                               "OtherKey:\n"
                               "- d\n"
                               "WarningsAsErrors: 'ml-missing-*'\n"
                               "LastKey:");
  CHECK(enabled(project) == zeroGradOnly);
  const Run dump = project.gradtidy({"--dump-config", "src/train.cpp", "--"});
  CHECK_THAT(dump.out, Contains("WarningsAsErrors: 'ml-missing-*'\n"));
  CHECK(dump.err.empty());
}

TEST_CASE("A broken configuration file is an error, once, and counts as empty") {
  const Project project;
  const std::string fine = "int fine() { return 0; }\n";
  project.write("src/a.cpp", fine);
  project.write("src/b.cpp", fine);
  const auto [name, text, expected] = GENERATE(table<std::string, std::string, std::string>(
      {{".gradtidy", "Checkz: 'ml-*'\n", ":1:1: unknown key 'Checkz'"},
       {".clang-tidy", "Checks: 'ml-*\n", ": Expected quote at end of scalar"}}));
  project.write(name, text);
  const Run run = project.gradtidy({"--quiet", "src/a.cpp", "src/b.cpp", "--"});
  CHECK(run.status == 2);
  CHECK_THAT(run.err,
             StartsWith("gradtidy: error: " + project.path(name)) && EndsWith(expected + "\n"));
  for (const char *question : {"--verify-config", "--dump-config", "--list-checks"}) {
    const Run answer = project.gradtidy({question, "src/a.cpp", "--"});
    CHECK(answer.status == 2);
    CHECK(answer.err == run.err);
  }
}

TEST_CASE("A folder in which no configuration can be looked for is one clear error") {
  const Project project;
  const std::string folder(300, 'a'); // Longer than names may be.
  const Run run = project.gradtidy({"--list-checks", folder + "/train.cpp"});
  CHECK(run.status == 2);
  CHECK(count(run.err, "gradtidy: error: cannot look for configuration files in '" +
                           project.path(folder) + "': File name too long\n") == 1);
  CHECK(count(run.err, "directory doesn't exist") == 0);
  CHECK(count(project.gradtidy({"--list-checks", "none/train.cpp"}).err, "none:") == 0);
}

TEST_CASE("A .gradtidy wins over every .clang-tidy") {
  const Project project;
  project.write(".gradtidy", "Checks: '-*'\n");
  project.write("src/.clang-tidy", "Checks: 'ml-*'\n");
  CHECK(enabled(project) == none);
  project.write("src/.gradtidy", "Checks: '-*,ml-missing-zero-*'\n");
  CHECK(enabled(project) == zeroGradOnly);
}

TEST_CASE("A configuration on the command line takes the place of files") {
  const Project project;
  project.write(".gradtidy", "Checks: '-*'\n");
  CHECK_THAT(enabled(project, {"--config={}"}), StartsWith(all));
  CHECK(enabled(project, {"--config={InheritParentConfig: true}"}) == none);
  project.write("mine.yaml", "Checks: '-*,ml-missing-zero-grad'\n");
  CHECK(enabled(project, {"--config-file=mine.yaml"}) == zeroGradOnly);
  CHECK_THAT(enabled(project, {"--config={}", "--config-file=mine.yaml"}),
             Contains("exclude each other"));
}

TEST_CASE("The configuration is explained, dumped and verified") {
  const Project project;
  project.write("train.cpp", "int main() {}\n");
  const auto answer = [&](const std::string &question) {
    const Run run = project.gradtidy({question, "train.cpp", "--"});
    return run.out + run.err;
  };
  CHECK_THAT(answer("--explain-config"),
             Contains("'ml-missing-zero-grad' is enabled in the gradtidy binary."));
  CHECK_THAT(answer("--dump-config"), Contains("ml-missing-zero-grad.Level: '1'"));
  CHECK_THAT(answer("--dump-config"), Contains("ml-batch-size-oom.DeviceMemory: 24G"));
  CHECK_THAT(project.gradtidy({"--dump-config", "--device-memory=80G", "train.cpp", "--"}).out,
             Contains("ml-batch-size-oom.DeviceMemory: 80G"));
  CHECK_THAT(answer("--device-memory=12"), Contains("is no size of a memory"));
  CHECK_THAT(answer("--verify-config"), Contains("No config errors detected."));

  project.write(".gradtidy", "Checks: 'ml-missing-zero-grat'\n"
                             "CheckOptions: {ml-missing-zero-grad.Level: 2, ml.Lewel: 0}\n");
  CHECK_THAT(
      answer("--verify-config"),
      Contains("unknown check 'ml-missing-zero-grat'; did you mean 'ml-missing-zero-grad'?") &&
          Contains("unknown check option 'ml.Lewel'") && !Contains("-grad.Level"));
  CHECK_THAT(answer("--dump-config"), Contains("ml-missing-zero-grad.Level: '2'"));

  project.write(".gradtidy", "Checks: 'ml-missing-*'\n");
  CHECK_THAT(answer("--explain-config"),
             Contains("'ml-missing-zero-grad' is enabled in the " + project.path(".gradtidy")));
}
