#include "analyzer/frontend/Paths.h"
#include "analyzer/frontend/UserCode.h"
#include "tests/Project.h"

#include <catch2/catch.hpp>

#include <filesystem>

using namespace gradtidy;

TEST_CASE("A path is made absolute and clean") {
  const test::Project project;
  project.write("include/loop.h", "");
  project.write("src/a.cpp", "");
  const std::string header = project.path("include/loop.h");
  CHECK(cleanPath("include/loop.h", project.path()) == header);
  CHECK(cleanPath("../include/./loop.h", project.path("src")) == header);
  CHECK(cleanPath(project.path("src/../include/loop.h"), "/elsewhere") == header);
  CHECK(cleanPath("", project.path()).empty());
}

TEST_CASE("A path through a symbolic link stays as it is") {
  const test::Project project;
  project.write("deep/folder/a.cpp", "");
  project.write("deep/loop.h", "");
  std::filesystem::create_symlink("deep/folder", project.path("src"));
  CHECK(cleanPath("src/../loop.h", project.path()) == project.path("src/../loop.h"));
}

TEST_CASE("The project root is the nearest folder under version control") {
  const test::Project project;
  const std::string file = project.path("src/deep/a.cpp");
  CHECK(findProjectRoot(file, "/fallback") == "/fallback");
  project.write(".git/HEAD", "");
  CHECK(findProjectRoot(file, "/fallback") == project.path());
  // A work tree or a submodule has a file.
  project.write("src/.git", "gitdir: ../.git/modules/src\n");
  CHECK(findProjectRoot(file, "/fallback") == project.path("src"));
}
