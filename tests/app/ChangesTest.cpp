// What changed lines concern: --diff.
#include "analyzer/app/Changes.h"
#include "tests/Project.h"

#include <catch2/catch.hpp>

using namespace gradtidy;
using namespace gradtidy::test;
using Catch::Matchers::Contains;

namespace {

ReportedFinding at(const std::string &file, unsigned line) {
  ReportedFinding finding;
  finding.file = file;
  finding.line = finding.endLine = line;
  return finding;
}

Changes changesOf(const std::string &patch) {
  return llvm::cantFail(Changes::ofPatch(patch, "/p"));
}

std::string shell(const std::string &text) { return "set -e\n" + text; }

} // namespace

TEST_CASE("Lines of a patch are those behind the change") {
  const Changes changes = changesOf("diff --git a/a.cpp b/a.cpp\n--- a/a.cpp\n+++ b/a.cpp\n"
                                    "@@ -3,3 +3,4 @@ void f()\n same\n+new\n same\n same\n"
                                    "@@ -20,2 +21 @@\n-gone\n same\n");
  for (const unsigned line : {4u, 20u, 21u})
    CHECK(changes.concern(at("/p/a.cpp", line)));
  for (const unsigned line : {3u, 5u, 6u, 19u, 22u})
    CHECK_FALSE(changes.concern(at("/p/a.cpp", line)));
  CHECK_FALSE(changes.concern(at("/p/b.cpp", 4)));
}

TEST_CASE("A gap has lines on both sides, in patches without context, too") {
  const Changes changes = changesOf("--- a.cpp\n+++ a.cpp\n@@ -5,2 +4,0 @@\n-gone\n-gone\n");
  CHECK(changes.concern(at("/p/a.cpp", 4)));
  CHECK(changes.concern(at("/p/a.cpp", 5)));
  CHECK_FALSE(changes.concern(at("/p/a.cpp", 3)));
  CHECK_FALSE(changes.concern(at("/p/a.cpp", 6)));
}

TEST_CASE("Files that come and go, and lines that look like a patch's") {
  const Changes changes =
      changesOf("--- a/gone.cpp\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n"
                "--- /dev/null\n+++ b/new.cpp\n@@ -0,0 +1,2 @@\n+++ b/x.cpp\n+y\n"
                "\\ No newline at end of file\n");
  CHECK(changes.concern(at("/p/new.cpp", 1)));
  CHECK(changes.concern(at("/p/new.cpp", 2)));
  CHECK_FALSE(changes.concern(at("/p/new.cpp", 3)));
  CHECK_FALSE(changes.concern(at("/p/x.cpp", 1)));
  CHECK_FALSE(changes.concern(at("/p/gone.cpp", 1)));
  CHECK_FALSE(bool(Changes::ofPatch("+++ b/a.cpp\n@@ -x +y @@\n", "/p")) == true);
}

TEST_CASE("A step in a changed line, and a fix there, concern") {
  const Changes changes = changesOf("--- a/a.cpp\n+++ b/a.cpp\n@@ -7,0 +8 @@\n+new\n");
  ReportedFinding finding = at("/p/b.cpp", 1);
  CHECK_FALSE(changes.concern(finding));
  finding.notes.push_back({"/p/a.cpp", 8, 1, "here"});
  CHECK(changes.concern(finding));
  finding.notes.clear();
  finding.fixes.push_back({"/p/a.cpp", 0, 0, "", 8, 1, 8, 1});
  CHECK(changes.concern(finding));
}

TEST_CASE("What changed since a revision is shown, and what a patch on standard input says") {
  const Project project;
  const std::string include = "#include <axon/axon.h>\n", clear = "solver.zero_grad();";
  project.write("train.cpp", include + trainingLoop("old") + trainingLoop("train", clear));
  const Run made = project.run(
      "/bin/sh", {"-c", shell("git init -q .; git add .; git -c user.name=a -c user.email=a@b "
                              "commit -qm first")});
  REQUIRE(made.status == 0);
  const std::string command =
      "\"$0\" --diff=\"$1\" train.cpp --model=" + axonModel() + " -- -std=c++20 -I" + axonFolder();
  const auto lint = [&](const std::string &diff, const std::string &before = "") {
    return project.run("/bin/sh", {"-c", before + command, gradtidyProgram(), diff});
  };
  const Run same = lint("HEAD");
  CHECK(same.out.empty());
  CHECK_THAT(same.err, Contains("Suppressed 1 finding that no changed line concerns."));

  // The line of the finding is an old one.
  std::string text = project.read("train.cpp");
  text.erase(text.find(clear), clear.size() + 1);
  project.write("train.cpp", text);
  for (const Run &run : {lint("HEAD"), lint("-", "git diff | ")}) {
    CHECK(count(run.out, "[ml-missing-zero-grad]") == 1);
    CHECK_THAT(run.err, Contains("Suppressed 1 finding that no changed line concerns."));
  }
  project.write("sub/new.cpp", include + trainingLoop("fresh"));
  const Run fresh = project.run(
      "/bin/sh",
      {"-c",
       "\"$0\" --diff=HEAD new.cpp --model=" + axonModel() + " -- -std=c++20 -I" + axonFolder(),
       gradtidyProgram()},
      "sub");
  CHECK(count(fresh.out, "[ml-missing-zero-grad]") == 1);

  const Run unknown = lint("no-such-revision");
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.err, Contains("git: "));
}

TEST_CASE("A bare repository among the files of a stranger starts no program") {
  const Project project;
  project.write("train.cpp", "#include <axon/axon.h>\n" + trainingLoop("train"));
  project.write(".gitattributes", "*.cpp filter=evil\n");
  const Run made = project.run(
      "/bin/sh", {"-c", shell("git init -q .; git add .; git -c user.name=a -c user.email=a@b "
                              "commit -qm first; mv .git/* .; rm -r .git\n"
                              "git --git-dir=. config core.worktree .\n"
                              "git --git-dir=. config core.bare false\n"
                              "git --git-dir=. config filter.evil.clean 'touch PWNED; cat'\n"
                              "echo >> train.cpp")});
  REQUIRE(made.status == 0);
  const Run run =
      project.gradtidy({"--diff=HEAD", "--no-cache", "train.cpp", "--model=" + axonModel(), "--",
                        "-std=c++20", "-I" + axonFolder()});
  CHECK(project.run("/bin/sh", {"-c", "test ! -e PWNED"}).status == 0);
  CHECK_THAT(run.err, Contains("git: fatal: "));
  CHECK(run.status == 2);
}
