// Patches are those of diff -u: patch makes of the old text what the edits make of it.
#include "analyzer/report/UnifiedDiff.h"
#include "tests/Project.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace gradtidy;
using namespace gradtidy::test;
using clang::tooling::Replacement;
using clang::tooling::Replacements;

namespace {

Replacements editsOf(std::initializer_list<Replacement> list) {
  Replacements edits;
  for (const Replacement &edit : list)
    llvm::cantFail(edits.add(edit));
  return edits;
}

} // namespace

TEST_CASE("An inserted line stands alone, among the lines around it") {
  const std::string before = "1\n2\n3\n4\n  5\n6\n7\n8\n9\n";
  CHECK(unifiedDiff("train.cpp", before, editsOf({{"train.cpp", 10, 0, "clear;\n  "}})) ==
        "--- a/train.cpp\n+++ b/train.cpp\n@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+  clear;\n   5\n 6\n 7\n");
  CHECK(unifiedDiff("/x/train.cpp", before, editsOf({{"train.cpp", 0, 2, ""}})) ==
        "--- /x/train.cpp\n+++ /x/train.cpp\n@@ -1,4 +1,3 @@\n-1\n 2\n 3\n 4\n");
  CHECK(unifiedDiff("train.cpp", before, editsOf({{"train.cpp", 0, 1, "1"}})).empty());
  CHECK(unifiedDiff("train.cpp", before, {}).empty());
}

TEST_CASE("A name of a file is no line of a patch") {
  const std::string patch =
      unifiedDiff("a\n+++ b/\x1b\"\\\xc3\xbc.cpp", "1\n", editsOf({{"a", 0, 1, "2"}}));
  CHECK(patch == "--- \"a/a\\012+++ b/\\033\\042\\134\xc3\xbc.cpp\"\n"
                 "+++ \"b/a\\012+++ b/\\033\\042\\134\xc3\xbc.cpp\"\n"
                 "@@ -1,1 +1,1 @@\n-1\n+2\n");
  const Project project;
  project.write("a\n\t\"\\\xc3\xbc.cpp", "1\n");
  project.write("patch", unifiedDiff("a\n\t\"\\\xc3\xbc.cpp", "1\n", editsOf({{"a", 0, 1, "2"}})));
  CHECK(project.run("/bin/sh", {"-c", "git init -q . && git apply patch"}).status == 0);
  CHECK(project.read("a\n\t\"\\\xc3\xbc.cpp") == "2\n");
}

TEST_CASE("patch makes what the edits make") {
  const Project project;
  std::string lines;
  for (int i = 0; i < 40; ++i)
    lines += "line " + std::to_string(i) + "\n";
  const std::string unended = lines + "last";
  const auto at = [&](const char *text) { return unsigned(lines.find(text)); };
  for (const std::string &before : {lines, unended, std::string(), std::string("x")})
    for (const Replacements &edits :
         {editsOf({{"f", 0, 0, "first\n"}}),
          editsOf({{"f", at("line 3\n"), 7, ""}, {"f", at("line 5\n"), 0, "new\n"}}),
          editsOf({{"f", at("line 3\n"), 4, "a\nb"}, {"f", at("line 20\n"), 14, "c"}}),
          editsOf({{"f", at("line 7\n") + 5, 1, "seven"}, {"f", at("line 7\n") + 6, 0, "!"}}),
          editsOf({{"f", at("line 8\n") + 2, 9, ""}, {"f", at("line 9\n") + 5, 0, "\n\n"}}),
          editsOf({{"f", at("line 39\n"), 8, "end"}}),
          editsOf({{"f", unsigned(before.size()), 0, "behind all"}}),
          editsOf({{"f", 0, unsigned(before.size()), ""}})}) {
      if (std::any_of(edits.begin(), edits.end(), [&](const Replacement &edit) {
            return edit.getOffset() + edit.getLength() > before.size();
          }))
        continue;
      const std::string after = llvm::cantFail(clang::tooling::applyAllReplacements(before, edits));
      project.write("f", before);
      project.write("patch", unifiedDiff("f", before, edits));
      INFO(project.read("patch"));
      if (project.read("patch").empty()) {
        CHECK(after == before);
        continue;
      }
      const Run run = project.run("patch", {"-p1", "--posix", "-i", "patch"});
      INFO(run.out << run.err);
      CHECK(run.status == 0);
      if (after.empty())
        continue; // patch removes such a file.
      CHECK(project.read("f") == after);
    }
}
