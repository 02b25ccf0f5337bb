// What becomes of findings: text, comments that silence, filters, formats, fixes, exit status.
#include "tests/Project.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>

using namespace gradtidy::test;
using Catch::Matchers::Contains;

namespace {

const std::string include = "#include <axon/axon.h>\n";
const std::string flags = "-std=c++20 -I" + axonFolder();

/// Runs gradtidy on \p sources with flags of their own.
Run lint(const Project &project, std::vector<std::string> arguments) {
  arguments.push_back("--model=" + axonModel());
  arguments.insert(arguments.end(), {"--", "-std=c++20", "-I" + axonFolder()});
  return project.gradtidy(arguments);
}

const std::string finding = "[ml-missing-zero-grad]\n";

} // namespace

TEST_CASE("A finding is printed with its level, and is no failure") {
  const Project project;
  project.write("train.cpp", include + trainingLoop("train"));
  const Run run = lint(project, {"train.cpp"});
  CHECK(run.status == 0);
  CHECK(run.err == "1 finding in 1 file: 1 of level 0; --fix repairs 1\n");
  const std::string file = project.path("train.cpp");
  CHECK_THAT(run.out, Catch::StartsWith(file + ":7:5: warning: "));
  CHECK(count(run.out, " (level 0) " + finding) == 1);
  const Run plain = lint(project, {"--format=clang-tidy", "train.cpp"});
  CHECK(count(plain.out, finding) == 1);
  CHECK(count(plain.out, "level") == 0);
  CHECK_THAT(run.out, Contains("    7 |     solver.advance();\n"
                               "      |     ^~~~~~~~~~~~~~~~\n"));
  CHECK_THAT(run.out, Contains(file + ":6:5: note: "));
}

TEST_CASE("Right code is silent") {
  const Project project;
  project.write("train.cpp", include + trainingLoop("train", "solver.zero_grad();"));
  const Run run = lint(project, {"train.cpp"});
  CHECK(run.status == 0);
  CHECK(run.out.empty());
}

TEST_CASE("Without its model the framework means nothing") {
  const Project project;
  project.write("train.cpp", include + trainingLoop("train"));
  CHECK(project.gradtidy({"train.cpp", "--", "-I" + axonFolder()}).out.empty());
  project.write(".gradtidy", "CheckOptions: {ml.Models: " + axonModel() + "}\n");
  CHECK(count(project.gradtidy({"train.cpp", "--", "-I" + axonFolder()}).out, finding) == 1);
}

TEST_CASE("NOLINT comments silence a finding") {
  const Project project;
  const std::string step = "solver.advance();";
  for (const std::string &silent :
       {step + " // NOLINT", step + " // NOLINT(ml-missing-zero-grad)", step + " // NOLINT(ml-*)",
        "// NOLINTNEXTLINE\n" + step, "// NOLINTBEGIN\n" + step + "\n// NOLINTEND"}) {
    project.write("train.cpp", include + trainingLoop("train", "", silent));
    const Run run = lint(project, {"train.cpp"});
    CHECK(run.out.empty());
    CHECK(run.err == "Suppressed 1 warning (1 NOLINT).\n");
    CHECK(lint(project, {"--quiet", "train.cpp"}).err.empty());
  }
  project.write("train.cpp", include + trainingLoop("train", "", step + " // NOLINT(bugprone-*)"));
  CHECK(count(lint(project, {"train.cpp"}).out, finding) == 1);
}

TEST_CASE("A page names the commit of the repository") {
  const Project project;
  const std::string commit(40, 'a'), other(40, 'b');
  project.write("train.cpp", include + trainingLoop("train"));
  const auto page = [&](const std::string &folder = {}) {
    return project
        .gradtidy({"--format=html", "--model=" + axonModel(), project.path("train.cpp"), "--",
                   "-std=c++20", "-I" + axonFolder()},
                  folder)
        .out;
  };
  CHECK_THAT(page(), !Contains("commit aaaa"));
  project.write(".git/HEAD", commit + "\n");
  CHECK_THAT(page(), Contains(" · commit aaaaaaaaaaaa<"));
  project.write(".git/HEAD", "ref: refs/heads/main\n");
  CHECK_THAT(page(), !Contains(" · commit "));
  project.write(".git/packed-refs", other + " refs/heads/other\n" + commit + " refs/heads/main\n");
  CHECK_THAT(page(), Contains(" · commit aaaaaaaaaaaa<"));
  project.write(".git/refs/heads/main", other + "\n");
  CHECK_THAT(page(), Contains(" · commit bbbbbbbbbbbb<"));
  // A worktree.
  project.write("tree/.git", "gitdir: " + project.path(".git/worktrees/tree") + "\n");
  project.write(".git/worktrees/tree/HEAD", "ref: refs/heads/other\n");
  project.write(".git/worktrees/tree/commondir", "../..\n");
  project.write(".git/refs/heads/other", commit + "\n");
  CHECK_THAT(page("tree"), Contains(" · commit aaaaaaaaaaaa<"));
}

TEST_CASE("Comments that silence nothing are reported on demand") {
  const Project project;
  project.write(".git/HEAD", "");
  const std::string used = "solver.advance(); // NOLINT(ml-missing-zero-grad)";
  project.write("loop.h", "#pragma once\n" + include + trainingLoop("train", "", used) +
                              "// NOLINTNEXTLINE(ml-clip-order): of the past\nint a;\n");
  project.write("train.cpp",
                "#include \"loop.h\"\n" +
                    trainingLoop("other", "solver.zero_grad();",
                                 "solver.advance(); // NOLINT(bugprone-x, ml-missing-*)") +
                    "// NOLINTBEGIN(ml-missing-zero-grad)\n" + trainingLoop("third") +
                    "// NOLINTEND(ml-missing-zero-grad)\n// NOLINT\n");
  const Run quiet = lint(project, {"train.cpp"});
  CHECK(quiet.out.empty());
  for (int i = 0; i < 2; ++i) { // Whatever an earlier run has found.
    const Run run = lint(project, {"--unused-nolint", "--cache-dir=cache", "train.cpp"});
    CHECK(run.status == 0);
    CHECK(count(run.out, "[unused-nolint]\n") == 2);
    CHECK_THAT(run.out, Contains("loop.h:11:19: warning: NOLINTNEXTLINE(ml-clip-order) silences "
                                 "nothing; remove it") &&
                            Contains("train.cpp:8:45: warning: NOLINT(ml-missing-*) silences"));
  }
  // What is not looked for may be there.
  CHECK(lint(project, {"--unused-nolint", "--checks=-*,ml-retain-graph", "train.cpp"}).out.empty());
}

TEST_CASE("Files are excluded by globs") {
  const Project project;
  project.write(".git/HEAD", "");
  project.write("src/vendor/loop.h", "#pragma once\n" + include + trainingLoop("inHeader"));
  project.write("src/train.cpp", "#include \"vendor/loop.h\"\n" + trainingLoop("train"));
  project.write("src/train_generated.cpp", include + trainingLoop("generated"));
  project.write("src/vendor/a.cpp", include + trainingLoop("vendor"));
  project.writeDatabase("build", {"src/train.cpp", "src/train_generated.cpp", "src/vendor/a.cpp"},
                        flags);
  const auto found = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--model=" + axonModel(), "src"});
    return count(project.gradtidy(arguments).out, finding);
  };
  CHECK(found({}) == 4);
  CHECK(found({"--exclude=vendor"}) == 2);
  CHECK(found({"--exclude=src/vendor/"}) == 2);
  CHECK(found({"--exclude=*_generated.cpp", "--exclude=vendor"}) == 1);
  CHECK(found({"--exclude=nowhere"}) == 4);
  const Run some = project.gradtidy({"--exclude=vendor", "--model=" + axonModel(), "src"});
  CHECK_THAT(some.err, Contains("gradtidy: 1 source excluded\n"));
  CHECK_THAT(some.err, Contains("Suppressed 1 finding in excluded files.\n"));
  // As a file that is named, too: pre-commit names what has changed.
  const Run named = project.gradtidy({"--exclude=vendor", "src/vendor/a.cpp"});
  CHECK(named.status == 0);
  CHECK(named.err == "gradtidy: all sources are excluded\n");
  CHECK(project.gradtidy({"--exclude=[", "src"}).status == 2);
  project.write(".gradtidy", "CheckOptions: {ml.Exclude: 'vendor;*_generated.cpp'}\n");
  CHECK(found({}) == 1);
  CHECK(project.gradtidy({"--verify-config", "src/train.cpp"}).status == 0);
}

TEST_CASE("Warnings become errors on demand") {
  const Project project;
  project.write("train.cpp", include + trainingLoop("train"));
  for (const char *option :
       {"--warnings-as-errors=*", "--warnings-as-errors=ml-missing-*", "--strict"}) {
    const Run run = lint(project, {option, "train.cpp"});
    CHECK(run.status == 1);
    CHECK_THAT(run.out, Contains("train.cpp:7:5: error: ") &&
                            Contains("[ml-missing-zero-grad,-warnings-as-errors]"));
    CHECK_THAT(run.err, Catch::EndsWith("1 warning treated as error\n"));
  }
  CHECK(lint(project, {"--warnings-as-errors=-*", "train.cpp"}).status == 0);
  project.write(".clang-tidy", "WarningsAsErrors: 'ml-*,bugprone-*'\n");
  CHECK(lint(project, {"train.cpp"}).status == 1);
}

TEST_CASE("The level is a check option, and a certain finding is of every level") {
  const Project project;
  project.write("train.cpp", include + trainingLoop("train"));
  CHECK(count(lint(project, {"--level=0", "train.cpp"}).out, finding) == 1);
  CHECK_THAT(lint(project, {"--level=0", "--dump-config", "train.cpp"}).out,
             Contains("ml-missing-zero-grad.Level: '0'"));
  CHECK_THAT(lint(project, {"--checks=ml-missing-zero-grad", "--dump-config", "train.cpp"}).out,
             Contains("ml-missing-zero-grad.Level: '2'"));
}

TEST_CASE("A finding in a header is shown once, however it is included") {
  const Project project;
  project.write(".git/HEAD", "");
  project.write("include/loop.h", "#pragma once\n" + include + trainingLoop("train"));
  project.write("src/a.cpp", "#include \"../include/loop.h\"\n");
  project.write("src/b.cpp", "#include \"loop.h\"\n");
  project.writeDatabase("build", {"src/a.cpp", "src/b.cpp"}, flags + " -Iinclude");
  const Run run = project.gradtidy({"--model=" + axonModel(), "src"});
  CHECK(run.status == 0);
  CHECK(count(run.out, finding) == 1);
  CHECK_THAT(run.out, Catch::StartsWith(project.path("include/loop.h") + ":8:5: warning: "));
  CHECK(count(run.err, "\n") == 1); // Progress is for terminals.
}

TEST_CASE("A header is analysed through a unit that includes it") {
  const Project project;
  project.write("loop.h", "#pragma once\n" + include + trainingLoop("train"));
  project.write("main.cpp", "#include \"loop.h\"\n" + trainingLoop("other"));
  project.writeDatabase("build", {"main.cpp"}, flags);
  const Run run = project.gradtidy({"--model=" + axonModel(), "loop.h"});
  CHECK(run.status == 0);
  CHECK(count(run.out, finding) == 1);
  CHECK_THAT(run.out, Contains("loop.h:8:5: warning: "));
  CHECK(count(project.gradtidy({"--model=" + axonModel(), "loop.h", "main.cpp"}).out, finding) ==
        2);
}

TEST_CASE("Filters") {
  const Project project;
  project.write("loop.h", include + trainingLoop("train"));
  project.write("train.cpp", "#include \"loop.h\"\n" + trainingLoop("other"));
  const auto found = [&](const std::string &option) {
    const std::string out = lint(project, {option, "train.cpp"}).out;
    return std::to_string(count(out, "loop.h:7:5: warning")) + " in loop.h, " +
           std::to_string(count(out, "train.cpp:7:5: warning")) + " in train.cpp";
  };
  CHECK(found("--header-filter=.*") == "1 in loop.h, 1 in train.cpp");
  CHECK(found("--header-filter=other") == "0 in loop.h, 1 in train.cpp");
  CHECK(found("--exclude-header-filter=loop") == "0 in loop.h, 1 in train.cpp");
  // As --dump-config writes them where there is no filter.
  CHECK(found("--config={HeaderFilterRegex: '', ExcludeHeaderFilterRegex: ''}") ==
        "1 in loop.h, 1 in train.cpp");
  CHECK(found(R"(--line-filter=[{"name":"loop.h"}])") == "1 in loop.h, 0 in train.cpp");
  CHECK(found(R"(--line-filter=[{"name":"train.cpp","lines":[[1,3]]}])") ==
        "0 in loop.h, 0 in train.cpp");
}

TEST_CASE("Fixes are made once, and what is fixed is silent") {
  const Project project;
  project.write("loop.h", "#pragma once\n" + include + trainingLoop("train"));
  project.write("a.cpp", "#include \"loop.h\"\n");
  project.write("b.cpp", "#include \"./loop.h\"\n" + trainingLoop("other"));
  std::filesystem::create_symlink("b.cpp", project.path("c.cpp"));
  const auto executable = std::filesystem::perms::owner_all;
  std::filesystem::permissions(project.path("loop.h"), executable);

  const Run run = lint(project, {"--fix", "a.cpp", "b.cpp", "c.cpp"});
  CHECK(run.status == 0);
  CHECK(count(project.read("loop.h"), "solver.zero_grad();") == 1);
  CHECK(count(project.read("b.cpp"), "solver.zero_grad();") == 1);
  CHECK(std::filesystem::is_symlink(project.path("c.cpp")));
  CHECK(std::filesystem::status(project.path("loop.h")).permissions() == executable);
  CHECK(lint(project, {"a.cpp", "b.cpp"}).out.empty());
  // Nothing is left beside the sources.
  unsigned files = 0;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(project.path()))
    ++files;
  CHECK(files == 4);
}

TEST_CASE("Fixes are shown as a patch, and no file is changed") {
  const Project project;
  const std::string text = include + trainingLoop("train");
  project.write("train.cpp", text);
  project.write(".git/HEAD", "");
  for (const std::vector<std::string> &options :
       {std::vector<std::string>{"--fix", "--diff", "train.cpp"},
        {"-diff", "-fix-errors", "train.cpp"}}) {
    const Run run = lint(project, options);
    CHECK(run.status == 0);
    CHECK(run.out == "--- a/train.cpp\n+++ b/train.cpp\n@@ -3,6 +3,7 @@\n"
                     "   axon::Solver solver(net.weights());\n"
                     "   for (int i = 0; i < 10; ++i) {\n"
                     "     axon::Array loss = axon::distance(net(input), target);\n"
                     "+    solver.zero_grad();\n"
                     "     loss.backpropagate();\n"
                     "     solver.advance();\n"
                     "   }\n");
    CHECK(run.err == "1 finding in 1 file: 1 of level 0; --fix repairs 1\n");
    CHECK(project.read("train.cpp") == text);
  }
  project.write("patch", lint(project, {"--fix", "--diff", "train.cpp"}).out);
  CHECK(project.run("patch", {"-p1", "-i", "patch"}).status == 0);
  CHECK(lint(project, {"--fix", "--diff", "train.cpp"}).out.empty());
  // With a revision it is what it is without --fix.
  CHECK(lint(project, {"--fix", "--diff=nowhere", "train.cpp"}).status == 2);
  CHECK(lint(project, {"--fix", "--diff", "--format=json", "train.cpp"}).status == 2);
}

TEST_CASE("Fixes are made of one level or check at a time") {
  const Project project;
  const std::string text = include + trainingLoop("train");
  project.write("train.cpp", text);
  lint(project, {"--fix", "--checks=-*,ml-missing-step", "train.cpp"});
  CHECK(project.read("train.cpp") == text);
  lint(project, {"--fix", "--level=0", "train.cpp"});
  CHECK(project.read("train.cpp") != text);
}

TEST_CASE("Files that do not compile are fixed on demand only") {
  const Project project;
  const std::string text = include + trainingLoop("train") + "int x = undeclared;\n";
  project.write("train.cpp", text);
  const Run refused = lint(project, {"--fix", "train.cpp"});
  CHECK(refused.status == 1);
  CHECK_THAT(refused.err, Contains("Fixes have NOT been applied."));
  CHECK(project.read("train.cpp") == text);
  CHECK(lint(project, {"--fix-errors", "train.cpp"}).status == 0);
  CHECK(count(project.read("train.cpp"), "solver.zero_grad();") == 1);
}

TEST_CASE("Fixes are exported") {
  const Project project;
  project.write("train.cpp", include + trainingLoop("train"));
  CHECK(lint(project, {"--export-fixes=fixes.yaml", "train.cpp"}).status == 0);
  CHECK_THAT(project.read("fixes.yaml"),
             Contains("DiagnosticName:  ml-missing-zero-grad") && Contains("solver.zero_grad();"));
  const Run run = lint(project, {"--export-fixes=nowhere/fixes.yaml", "train.cpp"});
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Contains("cannot write 'nowhere/fixes.yaml'"));
}

TEST_CASE("Formats for machines have standard output to themselves") {
  const Project project;
  project.write("train.cpp", include + trainingLoop("train"));
  const std::string file = project.path("train.cpp");

  const auto json = nlohmann::json::parse(lint(project, {"--format=json", "train.cpp"}).out);
  REQUIRE(json["findings"].size() == 1);
  CHECK(json["findings"][0]["check"] == "ml-missing-zero-grad");
  CHECK(json["findings"][0]["level"] == 0);
  CHECK(json["findings"][0]["severity"] == "warning");
  CHECK(json["findings"][0]["file"] == file);
  CHECK(json["findings"][0]["line"] == 7);

  const auto sarif = nlohmann::json::parse(lint(project, {"--format=sarif", "train.cpp"}).out);
  CHECK(sarif["version"] == "2.1.0");
  CHECK(sarif["runs"][0]["results"].size() == 1);

  const Run github = lint(project, {"--format=github", "--strict", "train.cpp"});
  CHECK(github.status == 1);
  CHECK_THAT(github.out, Catch::StartsWith("::error file=train.cpp,line=7,"));

  const Run fixed = lint(project, {"--format=json", "--fix", "train.cpp"});
  CHECK(nlohmann::json::parse(fixed.out)["findings"][0]["line"] == 7);
  CHECK(count(project.read("train.cpp"), "solver.zero_grad();") == 1);
  CHECK(
      nlohmann::json::parse(lint(project, {"--format=json", "train.cpp"}).out)["findings"].empty());
}

TEST_CASE("What the baseline has is not shown, wherever it is now") {
  const Project project;
  project.write("train.cpp", include + trainingLoop("train"));
  project.write("baseline.sarif", lint(project, {"--format=sarif", "train.cpp"}).out);
  project.write("train.cpp", include + "// Moved.\n\n" + trainingLoop("train"));
  const std::vector<std::string> arguments = {"--baseline=baseline.sarif", "--strict", "train.cpp"};
  const Run known = lint(project, arguments);
  CHECK(known.status == 0);
  CHECK(known.out.empty());
  CHECK_THAT(known.err, Contains("Suppressed 1 finding of the baseline."));

  project.write("train.cpp", include + trainingLoop("train") + trainingLoop("again"));
  const Run news = lint(project, arguments);
  CHECK(news.status == 1);
  CHECK(count(news.out, "[ml-missing-zero-grad") == 1);
  CHECK_THAT(news.out, Contains("train.cpp:15:5: error: "));
}

TEST_CASE("A baseline outlives formatting, and does not know where it was made") {
  const Project project;
  std::string text = include + trainingLoop("train");
  project.write(".git/HEAD", "");
  project.write("train.cpp", text);
  project.write("baseline.sarif", lint(project, {"--format=sarif", "train.cpp"}).out);
  const std::string step = "solver.advance();";
  text.replace(text.find(step), step.size(), "solver\n  . advance( // said; here\n);");
  project.write("train.cpp", text);
  project.write("sub/x.txt", "");
  const Run run = project.gradtidy({"--baseline=../baseline.sarif", "--model=" + axonModel(),
                                    "../train.cpp", "--", "-std=c++20", "-I" + axonFolder()},
                                   "sub");
  CHECK(run.out.empty());
  CHECK_THAT(run.err, Contains("Suppressed 1 finding of the baseline."));
}

TEST_CASE("One run writes several reports") {
  const Project project;
  project.write("train.cpp", include + trainingLoop("train"));
  const Run run = lint(project, {"--output=sarif:a.sarif", "--output=junit:b.xml",
                                 "--output=gitlab:c.json", "--output=checkstyle:d.xml",
                                 "--output=markdown:e.md", "--output=json:f.json", "train.cpp"});
  CHECK(run.status == 0);
  CHECK(count(run.out, finding) == 1);
  for (const std::string file : {"a.sarif", "b.xml", "c.json", "d.xml", "e.md", "f.json"}) {
    CAPTURE(file);
    CHECK_THAT(project.read(file), Contains("ml-missing-zero-grad"));
  }
  const auto sarif = nlohmann::json::parse(project.read("a.sarif"))["runs"][0];
  CHECK(sarif["invocations"][0]["executionSuccessful"] == true);
  CHECK(nlohmann::json::parse(project.read("c.json"))[0]["location"]["path"] == "train.cpp");

  const Run nowhere = lint(project, {"--output=sarif:none/a.sarif", "train.cpp"});
  CHECK(nowhere.status == 2);
  CHECK_THAT(nowhere.err, Contains("cannot write 'none/a.sarif'"));
  for (const std::string wrong : {"text:a", "sarif", "sarif:", "xml:a"})
    CHECK(lint(project, {"--output=" + wrong, "train.cpp"}).status == 2);
}

TEST_CASE("What could not be done is status 2, or clang-tidy's 1") {
  const Project project;
  project.write("train.cpp", include + trainingLoop("train"));
  CHECK(lint(project, {"none.cpp"}).status == 2);
  CHECK(lint(project, {"--exit-code=clang-tidy", "none.cpp"}).status == 1);
  CHECK(lint(project, {"--no-such-option", "train.cpp"}).status == 2);
  CHECK(lint(project, {"--strict", "train.cpp"}).status == 1);
  const Run run = lint(project, {"--format=sarif", "none.cpp", "train.cpp"});
  CHECK(run.status == 2);
  CHECK(nlohmann::json::parse(run.out)["runs"][0]["invocations"][0]["executionSuccessful"] ==
        false);
}

TEST_CASE("clang-tidy's options for its scripts") {
  const Project project;
  project.write("train.cpp", include + trainingLoop("train"));
  const Run list = project.gradtidy({"--list-checks", "-"});
  CHECK(list.status == 0);
  CHECK_THAT(list.out, Contains("ml-missing-zero-grad"));
  CHECK(lint(project, {"--checks=-*", "train.cpp"}).status == 2);
  CHECK(lint(project, {"--checks=-*", "--allow-no-checks", "train.cpp"}).status == 0);
  const Run removed =
      project.gradtidy({"--removed-arg=-DBROKEN", "--model=" + axonModel(), "train.cpp", "--",
                        "-std=c++20", "-DBROKEN", "-I" + axonFolder()});
  CHECK(count(removed.out, finding) == 1);
  project.write("train.cpp", "#ifdef BROKEN\n#error\n#endif\n" + project.read("train.cpp"));
  CHECK(project
            .gradtidy({"--removed-arg=-DBROKEN", "--model=" + axonModel(), "train.cpp", "--",
                       "-std=c++20", "-DBROKEN", "-I" + axonFolder()})
            .status == 0);
}

TEST_CASE("A baseline that is none is an error") {
  const Project project;
  project.write("train.cpp", include + trainingLoop("train"));
  project.write("bad.sarif", "{}");
  for (const std::string file : {"bad.sarif", "none.sarif"}) {
    const Run run = lint(project, {"--baseline=" + file, "train.cpp"});
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    CHECK_THAT(run.err, Contains("cannot read the baseline '" + file + "'"));
  }
}

TEST_CASE("A page shows findings with their code") {
  const Project project;
  project.write("train.cpp", include + trainingLoop("train"));
  const std::string page = lint(project, {"--format=html", "train.cpp"}).out;
  CHECK_THAT(page, Catch::StartsWith("<!DOCTYPE html>"));
  CHECK_THAT(page, Contains(">train.cpp</a></h2>"));
  CHECK_THAT(page, Contains("solver.advance();"));
  CHECK(count(page, "<article") == 1);
  project.write("train.cpp", include);
  CHECK_THAT(lint(project, {"--format=html", "train.cpp"}).out,
             Contains("<p class=\"quiet\">No findings · "));
}

TEST_CASE("Checks are explained") {
  const Project project;
  const Run all = project.gradtidy({"explain"});
  CHECK(all.status == 0);
  CHECK_THAT(all.out, Contains("\nml-missing-zero-grad "));
  CHECK_THAT(project.gradtidy({"explain", "ml-retain-graph"}).out,
             Catch::StartsWith("# ml-retain-graph\n"));
  // Globs, each page once, with or without what all names begin with.
  const Run several = project.gradtidy({"explain", "missing-*", "ml-missing-step"});
  CHECK(several.status == 0);
  CHECK_THAT(several.out, Catch::StartsWith("# ml-missing-buffers\n"));
  CHECK(count(several.out, "\n# ml-missing-step\n") == 1);
  // What only a run shows.
  CHECK_THAT(all.out, Contains("\nrun-not-finite "));
  CHECK_THAT(project.gradtidy({"explain", "run-dead-units"}).out,
             Catch::StartsWith("# run-dead-units\n"));
  for (const char *name : {"run-dead-units", "run-gradient-scale", "run-label-range",
                           "run-not-finite", "run-unchanged-parameters"})
    CHECK_THAT(project.gradtidy({"explain", "run-*"}).out, Contains(std::string("# ") + name));
  // For people: without marks, a screen at a time.
  const std::string command = "stty rows 10 cols 60; PAGER='sed s/^/page:/' " + gradtidyProgram() +
                              " explain ml-retain-graph";
  const std::string shown = project.run("script", {"-qec", command, "/dev/null"}).out;
  CHECK_THAT(shown, Contains("page:") && Contains("ml-retain-graph") && !Contains("# ml-retain"));
  CHECK_THAT(project.run("script", {"-qec", "export NO_COLOR=1; " + command, "/dev/null"}).out,
             !Contains("\x1b["));
  const Run unknown = project.gradtidy({"explain", "ml-retan-graph"});
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.err, Contains("did you mean 'ml-retain-graph'?"));
}

TEST_CASE("A missing header does not blind the rest of the file") {
  const Project project;
  project.write("train.cpp", include + "#include <opencv2/opencv.hpp>\n" + trainingLoop("train"));
  const Run run = lint(project, {"train.cpp"});
  CHECK(run.status == 1);
  CHECK(count(run.out, "error:") == 1);
  CHECK(count(run.out, finding) == 1);
}

TEST_CASE("Statements with names that a missing header declares are analysed") {
  const std::string loop =
      GENERATE(as<std::string>(), "for (auto input : tqdm::range(10))",
               "for (auto [input, target] : batches(data, 3))", "while (tqdm::bar.update(input))",
               "while (more(input))", "for (int i = 0; i < vm[\"rounds\"].as<int>(); ++i)");
  const Project project;
  project.write("train.cpp",
                include +
                    "#include <tqdm/tqdm.h>\n"
                    "void train(tqdm::options &vm, axon::Block net, axon::Array input) {\n"
                    "  axon::Array target;\n"
                    "  axon::Solver solver(net.weights());\n  " +
                    loop +
                    " {\n"
                    "    auto loss = axon::distance(net(input), target);\n"
                    "    loss.backpropagate();\n"
                    "    solver.advance();\n"
                    "  }\n"
                    "}\n");
  const Run run = lint(project, {"train.cpp"});
  INFO(loop);
  CHECK(count(run.out, finding) == 1);
}

TEST_CASE("Variables of types that a missing header declares change nothing behind them") {
  const std::string declaration =
      GENERATE(as<std::string>(), "tb::Writer writer(path);", "tb::Writer writer;",
               "tb::Writer writer{path};", "tb::Writer writer(path, 3), other;",
               "tb::log::Writer writer(path);", "tb::Writer::Options options(path);",
               "Writer writer(path);", "tb::Table<int> table(path);");
  const Project project;
  project.write("train.cpp", include +
                                 "#include <tb/writer.h>\n"
                                 "void train(int path, axon::Block net, axon::Array input) {\n"
                                 "  " +
                                 declaration +
                                 "\n"
                                 "  axon::Solver solver(net.weights());\n"
                                 "  for (int i = 0; i < 10; ++i) {\n"
                                 "    axon::distance(net(input), input).backpropagate();\n"
                                 "    solver.advance();\n"
                                 "  }\n"
                                 "}\n");
  const Run run = lint(project, {"train.cpp", "--level=0"});
  INFO(declaration);
  CHECK(count(run.out, finding) == 1);
}

TEST_CASE("A call that does not compile is still that call") {
  const Project project;
  project.write("train.cpp", include + "void train(axon::Block net, axon::Array input) {\n"
                                       "  axon::Solver solver(net.weights());\n"
                                       "  for (int i = 0; i < 10; ++i) {\n"
                                       "    auto loss = axon::distance(net(input), input);\n"
                                       "    loss.backpropagate(\"everything\");\n"
                                       "    solver.advance();\n"
                                       "  }\n"
                                       "}\n");
  CHECK(count(lint(project, {"train.cpp"}).out, finding) == 1);
}

TEST_CASE("A class that does not compile is still a class of numbers") {
  const Project project;
  project.write("train.cpp", include + "template <typename T> struct Meter {\n"
                                       "  Meter() = default;\n"
                                       "  add(const T &value) { sum += value; }\n"
                                       "  T sum;\n"
                                       "};\n"
                                       "void train(axon::Block net, axon::Array input) {\n"
                                       "  axon::Solver solver(net.weights());\n"
                                       "  auto meter = Meter<float>();\n"
                                       "  for (int i = 0; i < 10; ++i) {\n"
                                       "    axon::distance(net(input), input).backpropagate();\n"
                                       "    solver.advance();\n"
                                       "    meter.add(1.0f);\n"
                                       "  }\n"
                                       "}\n");
  CHECK(count(lint(project, {"train.cpp"}).out, finding) == 1);
}

TEST_CASE("A missing header may define the macro in front of a class name") {
  const Project project;
  const auto train = [&](const std::string &head) {
    project.write("train.cpp", include + "#include \"train_export.h\"\n" + head +
                                   " {\n"
                                   "  void run(axon::Block net, axon::Array input) {\n"
                                   "    axon::Solver solver(net.weights());\n"
                                   "    for (int i = 0; i < 10; ++i) {\n"
                                   "      axon::distance(net(input), input).backpropagate();\n"
                                   "      solver.advance();\n"
                                   "    }\n"
                                   "  }\n"
                                   "};\n");
    return count(lint(project, {"train.cpp"}).out, finding);
  };
  CHECK(train("class TRAIN_EXPORT Trainer") == 1);
  CHECK(train("struct Base {};\nstruct TRAIN_API Trainer final : public Base") == 1);
}

TEST_CASE("What a missing header declares may run the backward") {
  const Project project;
  const auto train = [&](const std::string &statement) {
    project.write("train.cpp", "#include <torch/torch.h>\n"
                               "#include <trainer/trainer.h>\n"
                               "#include <iostream>\n"
                               "void train(torch::nn::Sequential net, torch::Tensor x) {\n"
                               "  auto loss = net->forward(x).mean();\n  " +
                                   statement +
                                   "\n"
                                   "  std::cout << loss.item<float>();\n"
                                   "}\n");
    return count(project.gradtidy({"--bundled-runtime", "train.cpp"}).out, "[ml-missing-no-grad]");
  };
  CHECK(train("trainer::log(x, 1);") == 1);
  CHECK(train("trainer::step(loss, 1);") == 0);
}

TEST_CASE("What does not compile of a class may change its members") {
  const Project project;
  const auto show = [&](const std::string &method) {
    project.write("window.cpp",
                  "#include <torch/torch.h>\n"
                  "#include <window/window.h>\n"
                  "class Window {\n"
                  "public:\n"
                  "  Window() { model = torch::nn::Sequential(torch::nn::Dropout(0.5)); }\n"
                  "  double show(torch::Tensor x) {\n"
                  "    return model->forward(x).mean().item<double>();\n"
                  "  }\n"
                  "private:\n  " +
                      method +
                      "\n"
                      "  torch::nn::Sequential model{nullptr};\n"
                      "};\n");
    return count(project.gradtidy({"--bundled-runtime", "window.cpp"}).out,
                 "[ml-missing-eval-mode]");
  };
  CHECK(show("void load(int file) { std::ignore = file; }") == 1);
  CHECK(show("void load(Text file) { for (auto each : file.lines()) model->eval(); }") == 0);
  CHECK(show("Text name() const;") == 0);
}

TEST_CASE("Nothing is certain behind a statement of which the compiler keeps nothing") {
  const Project project;
  const auto shown = [&](const std::string &statements) {
    project.write("shapes.cpp", "#include <torch/torch.h>\n"
                                "torch::Tensor f(torch::Tensor x) {\n"
                                "  x = torch::ones({2, 3});\n" +
                                    statements +
                                    "  return x + torch::ones({2, 4});\n"
                                    "}\n"
                                    "int broken = torch::missing;\n");
    return count(project.gradtidy({"--bundled-runtime", "shapes.cpp"}).out, "[ml-shape-mismatch]");
  };
  CHECK(shown("  x = torch::missing(x, 2);\n") == 0);
  CHECK(shown("  if (x.dim() == 2) {\n    x = torch::missing(x, 2);\n  }\n") == 0);
  // Comments, directives and declarations are no statements.
  CHECK(shown("  // x = torch::missing(x, 2);\n") == 1);
  CHECK(shown("#ifdef OTHER\n  x = torch::missing(x, 2);\n#endif\n"
              "  using torch::Tensor;\n  ;\n") == 1);
}

TEST_CASE("The bundled runtime stands in for the framework where there is no database") {
  const Project project;
  project.write("train.cpp",
                "#include <torch/torch.h>\n"
                "void train(torch::nn::Linear net, torch::Tensor x, torch::Tensor y) {\n"
                "  torch::optim::SGD optimizer(net->parameters(), 0.1);\n"
                "  for (int i = 0; i < 10; ++i) {\n"
                "    torch::mse_loss(net->forward(x), y).backward();\n"
                "    optimizer.step();\n"
                "  }\n"
                "}\n");
  const Run run = project.gradtidy({"--bundled-runtime", "train.cpp"});
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Catch::StartsWith(project.path("train.cpp") + ":6:5: warning: "));
}
