// Whose code is parsed with bodies: an error in a body shows that it was parsed.
#include "tests/Project.h"

#include <catch2/catch.hpp>

using namespace gradtidy::test;
using Catch::Matchers::Contains;

namespace {

const std::string brokenBody = "#pragma once\ninline int broken() { return undeclared; }\n";

/// A project under version control whose only source includes \p header.
std::string errorsFor(const Project &project, const std::string &header,
                      std::vector<std::string> flags, const std::string &option = "--quiet") {
  project.write(".git/HEAD", "");
  project.write("train.cpp", "#include <" + header + ">\nint main() {}\n");
  std::vector<std::string> arguments = {option, "--quiet", "train.cpp", "--"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return project.gradtidy(arguments).out;
}

} // namespace

TEST_CASE("The user's headers keep their bodies") {
  const Project project;
  project.write("include/loop.h", brokenBody);
  CHECK_THAT(errorsFor(project, "loop.h", {"-Iinclude"}),
             Contains(project.path("include/loop.h") + ":2:30: error: "));
}

TEST_CASE("System headers are parsed without bodies") {
  const Project project;
  project.write("include/loop.h", brokenBody);
  CHECK(errorsFor(project, "loop.h", {"-isystem", "include"}).empty());
  CHECK_THAT(errorsFor(project, "loop.h", {"-isystem", "include"}, "--system-headers"),
             Contains("loop.h:2:30: error: "));
}

TEST_CASE("So are headers outside the project") {
  const Project project, other;
  other.write("loop.h", brokenBody);
  CHECK(errorsFor(project, "loop.h", {"-I" + other.path()}).empty());
}

TEST_CASE("So is a framework inside the project") {
  const Project project;
  project.write("third_party/torch/torch.h", "#include \"../other.h\"\n");
  project.write("third_party/other.h", brokenBody);
  CHECK(errorsFor(project, "torch/torch.h", {"-Ithird_party"}).empty());
  // Found without being included; and by an include that no folder of the include path leads to.
  CHECK(errorsFor(project, "other.h", {"-Ithird_party"}).empty());
  CHECK(errorsFor(project, "third_party/torch/torch.h", {"-I."}).empty());
}

TEST_CASE("What the framework says about flags concerns the user, its broken code does not") {
  const Project project;
  project.write("third_party/torch/torch.h", "#error \"C++20 is required\"\nint x = undeclared;\n");
  const std::string errors = errorsFor(project, "torch/torch.h", {"-Ithird_party"});
  CHECK_THAT(errors, Contains("C++20 is required"));
  CHECK(count(errors, "error:") == 1);
  const Run run = project.gradtidy({"train.cpp", "--", "-Ithird_party"});
  CHECK_THAT(run.err, Contains("Suppressed 1 compiler error outside user code."));
}
