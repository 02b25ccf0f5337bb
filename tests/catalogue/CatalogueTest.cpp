// Every check has its page, tests and fixture, and the documents list what the catalogue lists.
#include "Completeness.h"

#include "checks/Catalogue.h"
#include "tests/Project.h"

#include <catch2/catch.hpp>

using namespace gradtidy::test;
using Catch::Matchers::Contains;

namespace {

const std::string name = gradtidy::catalogue().front().name.str();
const std::string emptyTable = "<!-- checks: begin (derived from checks/Catalogue.def) -->\n"
                               "<!-- checks: end -->\n";

std::string lines(const std::vector<std::string> &texts) {
  std::string all;
  for (const std::string &text : texts)
    all += text + "\n";
  return all;
}

} // namespace

TEST_CASE("The repository has what its catalogue promises") {
  CHECK(lines(whatLacks(PROJECT_ROOT)) == "");
}

TEST_CASE("What a check lacks is named") {
  const Project project;
  project.write("README.md", emptyTable);
  project.write("docs/checks/ml-not-a-check.md", "");
  project.write("docs/checks/" + name + ".md", "# " + name + "\n\n## Cause\n\n## Symptom\n");
  project.write("tests/checks/" + name + "/loops.cpp", "void right_ok();\n");
  project.write("fixtures/" + name + "/bug.cpp", "");

  const std::string lacks = lines(whatLacks(project.path()));
  CHECK_THAT(lacks, Contains("README.md: the table of the checks is out of date"));
  CHECK_THAT(lacks, Contains("docs/checks/README.md: no table of the checks"));
  CHECK_THAT(lacks, Contains("docs/checks/ml-not-a-check.md: no check of this name"));
  CHECK_THAT(lacks, Contains(name + ".md: the section '## Cause' is missing or out of order"));
  CHECK_THAT(lacks, !Contains(name + ".md: the section '## Symptom'"));
  CHECK_THAT(lacks, Contains("tests/checks/" + name + ": no test with '// expect: " + name + "'"));
  CHECK_THAT(lacks, !Contains("tests/checks/" + name + ": no function or class …_ok"));
  CHECK_THAT(lacks, Contains("fixtures/" + name + "/fix.cpp: missing"));
  CHECK_THAT(lacks, !Contains("fixtures/" + name + "/bug.cpp"));

  project.write("fixtures/" + name + "/bug.cu", "");
  CHECK_THAT(lines(whatLacks(project.path())), Contains("fixtures/" + name + "/fix.cu: missing"));
}

TEST_CASE("Tables are written between the markers") {
  const Project project;
  project.write("README.md", "before\n" + emptyTable + "after\n");
  CHECK_THROWS_WITH(updateTables(project.path()), Contains("docs/checks/README.md: no table"));
  project.write("docs/checks/README.md", emptyTable);
  updateTables(project.path());
  const std::string text = project.read("README.md");
  CHECK_THAT(text, Catch::StartsWith("before\n<!--") && Catch::EndsWith("-->\nafter\n"));
  CHECK_THAT(text, Contains("\n| [" + name + "](docs/checks/" + name + ".md) | "));
  CHECK_THAT(project.read("docs/checks/README.md"), Contains("| [" + name + "](" + name + ".md)"));
  CHECK_THAT(lines(whatLacks(project.path())), !Contains("table of the checks"));
  updateTables(project.path());
  CHECK(project.read("README.md") == text);
}
