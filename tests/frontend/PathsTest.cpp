#include "analyzer/frontend/Paths.h"
#include "analyzer/frontend/UserCode.h"
#include "analyzer/source/Paths.h"
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

TEST_CASE("A path has one form, whatever links it is reached by") {
  const test::Project project;
  project.write("deep/folder/a.cpp", "");
  project.write("deep/loop.h", "");
  std::filesystem::create_symlink("deep/folder", project.path("src"));
  std::filesystem::create_symlink("folder/a.cpp", project.path("deep/b.cpp"));
  const std::string header = project.path("deep/loop.h");
  CHECK(cleanPath("src/../loop.h", project.path()) == header);
  CHECK(cleanPath("../loop.h", project.path("src")) == header);
  CHECK(absolutePath("a.cpp", project.path("src")) == project.path("deep/folder/a.cpp"));
  CHECK(folderPath(project.path("src")) == project.path("deep/folder"));
  // A link to a file includes what lies beside it.
  CHECK(absolutePath("b.cpp", project.path("deep")) == project.path("deep/b.cpp"));
  // What does not exist.
  CHECK(absolutePath("src/none/../a.h", project.path()) == project.path("deep/folder/a.h"));
}

TEST_CASE("Files are shown as the user named the folder") {
  ShownPaths shown;
  shown.add("/link/src/a.cpp", "/real/src/a.cpp");
  shown.add("/other/src/b.cpp", "/real/src/b.cpp");
  shown.add("/plain/c.cpp", "/plain/c.cpp");
  CHECK(shown.of("/real/src/a.cpp") == "/link/src/a.cpp");
  CHECK(shown.of("/real/include/a.h") == "/link/include/a.h");
  CHECK(shown.of("/really/a.h") == "/really/a.h");
  CHECK(shown.of("/plain/c.cpp") == "/plain/c.cpp");
}

TEST_CASE("The project root is the nearest folder under version control") {
  const test::Project project;
  const std::string file = project.path("src/deep/a.cpp");
  CHECK(findProjectRoot(file, "/fallback") == "/fallback");
  project.write("src/.hg/store", "");
  CHECK(findProjectRoot(file, "/fallback") == project.path("src"));
  // A stranger may commit the folder of another system: it takes nothing out of the project.
  project.write(".git/HEAD", "");
  CHECK(findProjectRoot(file, "/fallback") == project.path());
  // A work tree or a submodule has a file.
  project.write("src/.git", "gitdir: ../.git/modules/src\n");
  CHECK(findProjectRoot(file, "/fallback") == project.path("src"));
}
