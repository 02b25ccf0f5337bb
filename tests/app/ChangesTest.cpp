// What changed lines concern: --diff.
#include "analyzer/app/Changes.h"
#include "tests/Project.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

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

TEST_CASE("Text without a patch is an error, nothing at all is not") {
  const auto read = [](const std::string &text) {
    auto changes = Changes::ofPatch(text, "/p");
    return changes ? "" : llvm::toString(changes.takeError());
  };
  CHECK(read("") == "");
  CHECK(read("\n") == "");
  CHECK(read("diff --git a/run b/run\nold mode 100644\nnew mode 100755\n") == "");
  CHECK_THAT(read("\nusage: git diff\nmore\n"),
             Catch::Matchers::EndsWith("there is no patch in 'usage: git diff'"));
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

namespace {

/// Lints train.cpp with the changes since HEAD, from the folder \p in, after the shell command
/// \p before.
Run lintChanges(const Project &project, const std::string &before = "true",
                const std::string &in = {}) {
  return project.run("/bin/sh",
                     {"-c",
                      before + "; \"$0\" --diff=HEAD --no-cache \"$1\" --model=" + axonModel() +
                          " -- -std=c++20 -I" + axonFolder(),
                      gradtidyProgram(), project.path("train.cpp")},
                     in);
}

const std::string commit = "git -c user.name=a -c user.email=a@b commit -qm next\n";

} // namespace

TEST_CASE("A bare repository among the files of a stranger starts no program") {
  const Project project;
  project.write("train.cpp", "#include <axon/axon.h>\n" + trainingLoop("train"));
  project.write(".gitattributes", "*.cpp filter=evil diff=evil\n");
  // Laid out like a repository that is not bare, it passes for one in every version of git.
  const std::string moved = "git init -q .; git add .\n" + commit +
                            "mkdir -p \"$0\"; mv .git/* \"$0\"; rm -r .git; cd \"$0\"\n"
                            "set_() { git --git-dir=. config \"$1\" \"$2\"; }\n"
                            "set_ core.worktree .; set_ core.bare false\n"
                            "for key in core.fsmonitor filter.evil.clean diff.external "
                            "diff.evil.command diff.evil.textconv; do\n"
                            "  set_ $key \"touch '$PWD/PWNED'; cat\"\n"
                            "done\n";
  const auto move = [&](const std::string &folder, const std::string &then = "") {
    REQUIRE(project.run("/bin/sh", {"-c", shell(moved + then), folder}).status == 0);
  };
  SECTION("as the project itself") {
    move(".", "echo >> train.cpp");
    const Run run = lintChanges(project);
    CHECK_THAT(run.err, Contains("--diff asks git, and '" + project.path() + "' has no .git"));
    CHECK(run.status == 2);
  }
  SECTION("beside a .git that is no repository") {
    move(".", "mkdir .git; echo >> train.cpp");
    const Run run = lintChanges(project);
    CHECK_THAT(run.err, Contains("git: '" + project.path(".git") + "' is no repository"));
    CHECK(run.status == 2);
  }
  SECTION("in a folder of a repository") {
    move("sub", "cd ..; git init -q .; git add train.cpp\n" + commit + "echo >> train.cpp");
    const Run run = lintChanges(project, "true", "sub");
    CHECK(count(run.out, "[ml-missing-zero-grad]") == 1);
    CHECK(run.status == 0);
  }
  CHECK(project.run("/bin/sh", {"-c", "test -z \"$(find . -name PWNED)\""}).status == 0);
}

TEST_CASE("Worktrees and repositories that the environment names are compared") {
  const Project project;
  project.write("train.cpp", "#include <axon/axon.h>\n");
  REQUIRE(project
              .run("/bin/sh", {"-c", shell("git init -q main; mv train.cpp main; cd main\n"
                                           "git add .\n" +
                                           commit +
                                           "git worktree add -q ../tree; cd ..\n"
                                           "mkdir plain; cp main/train.cpp plain\n"
                                           "rm main/train.cpp")})
              .status == 0);
  const std::string text = "#include <axon/axon.h>\n" + trainingLoop("train");
  const auto findings = [&](const std::string &folder, const std::string &environment) {
    project.write(folder + "/train.cpp", text);
    const Run run = project.run("/bin/sh",
                                {"-c",
                                 environment + " \"$0\" --diff=HEAD --no-cache train.cpp --model=" +
                                     axonModel() + " -- -std=c++20 -I" + axonFolder(),
                                 gradtidyProgram()},
                                folder);
    INFO(run.err);
    CHECK(run.status == 0);
    return count(run.out, "[ml-missing-zero-grad]");
  };
  CHECK(findings("tree", "") == 1);
  CHECK(findings("plain", "GIT_DIR=../main/.git GIT_WORK_TREE=.") == 1);
}

TEST_CASE("A repository of another user is none until the user trusts it") {
  const Project project;
  project.write("train.cpp", "#include <axon/axon.h>\n" + trainingLoop("train"));
  REQUIRE(project.run("/bin/sh", {"-c", shell("git init -q .; git add .\n" + commit)}).status == 0);
  const Run run = lintChanges(project, "export GIT_TEST_ASSUME_DIFFERENT_OWNER=1");
  CHECK_THAT(run.err, Contains("git: fatal: detected dubious ownership"));
  CHECK(run.status == 2);
}

TEST_CASE("What a change says of its files hides no finding in them") {
  const Project project;
  const std::string include = "#include <axon/axon.h>\n", loop = trainingLoop("train");
  project.write("train.cpp", include + "\n\n\n\n");
  project.write("other.cpp", include);
  REQUIRE(project.run("/bin/sh", {"-c", shell("git init -q .; git add .\n" + commit)}).status == 0);
  project.write("train.cpp", include + loop);
  std::string before = "true";
  SECTION("an attribute calls them binary") { project.write(".gitattributes", "* binary\n"); }
  SECTION("a filter of the user's puts others in their place") {
    project.write(".gitattributes", "*.cpp filter=store\n");
    before = "git config filter.store.clean 'echo pointer'";
  }
  SECTION("an encoding makes lines of letters") {
    // "+AAo-" is a line end.
    project.write("train.cpp", "//+AAo-+AAo-+AAo-+AAo-+AAo-+AAo-+AAo-\n" + include + loop);
    project.write(".gitattributes", "*.cpp working-tree-encoding=UTF-7\n");
  }
  SECTION("carriage returns shift the lines that clang counts") {
    project.write("train.cpp", include + "/*\r\r\r\r\r\r\r\r\r\r\r\r*/" + loop);
  }
  SECTION("they are links") {
    project.write("text.txt", include + loop);
    before = "ln -sf text.txt train.cpp; git add .";
  }
  SECTION("links lead to them that are old") {
    project.write("other.txt", include);
    before = shell("git checkout -q train.cpp; ln -sf other.txt train.cpp; git add .\n" + commit +
                   "{ cat other.txt; cat; } > new; mv new other.txt");
    project.write("loop", loop);
    before = "{ " + before + "\n} < loop";
  }
  const Run run = lintChanges(project, before);
  INFO(run.err);
  CHECK(count(run.out, "[ml-missing-zero-grad]") == 1);
  CHECK(run.status == 0);
}

namespace {

/// The command lines of processes that name the folder of \p project.
std::string processesOf(const Project &project) {
  std::string found;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator("/proc", error)) {
    std::ifstream file(entry.path() / "cmdline");
    std::stringstream text;
    text << file.rdbuf();
    std::string words = text.str();
    std::replace(words.begin(), words.end(), '\0', ' ');
    if (words.find(project.path()) != std::string::npos)
      found += words + "\n";
  }
  return found;
}

} // namespace

TEST_CASE("A git that waits ends with gradtidy, and so does what it has started") {
  const Project project;
  project.write("train.cpp", "#include <axon/axon.h>\n" + trainingLoop("train"));
  REQUIRE(
      project.run("/bin/sh", {"-c", shell("git init -q .; git add .\n" + commit + "mkfifo fifo")})
          .status == 0);
  std::string program = gradtidyProgram(), before = "rm .git/config; mkfifo .git/config";
  std::vector<std::string> arguments = {"--timeout=2", "--diff=HEAD", project.path("train.cpp"),
                                        "--"};
  bool isSaid = true;
  SECTION("for a FIFO in its folder") {}
  SECTION("for a filter that waits") {
    project.write(".gitattributes", "*.cpp filter=slow\n");
    before = "git config filter.slow.clean 'cat " + project.path("fifo") +
             "'; echo >> train.cpp; touch -d '1 hour ago' train.cpp";
  }
  SECTION("when gradtidy is killed") {
    arguments.insert(arguments.begin(), {"-s", "KILL", "2", program, "--timeout=0"});
    std::erase(arguments, "--timeout=2");
    program = "timeout";
    isSaid = false;
  }
  REQUIRE(project.run("/bin/sh", {"-c", before}).status == 0);
  const Run run = project.run(program, arguments);
  if (isSaid) {
    CHECK(run.status == 2);
    CHECK(run.err == "gradtidy: error: too slow: finding what to analyse took more than 2 s "
                     "(--timeout)\n");
  }
  // The system ends them in its own time.
  std::string left = processesOf(project);
  for (int tries = 0; tries < 50 && !left.empty(); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    left = processesOf(project);
  }
  CHECK(left == "");
}

TEST_CASE("Names in a patch are read without git's quotes") {
  const Changes changes = changesOf("--- a/b/x.cpp\n+++ \"b/b/\\303\\274\\t\\\"\\\\.cpp\"\n"
                                    "@@ -7,0 +8 @@\n+new\n");
  CHECK(changes.concern(at("/p/b/\xc3\xbc\t\"\\.cpp", 8)));
}
