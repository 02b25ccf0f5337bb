// --vfsoverlay: files that stand in for others, if the person who runs gradtidy says so.
#include "tests/Project.h"

#include <catch2/catch.hpp>

using namespace gradtidy::test;
using Catch::Matchers::Contains;

namespace {

/// A project whose source compiles with the header that stands in for its own.
void makeProject(const Project &project) {
  project.write("a.cpp",
                "#include \"a.h\"\n#include \"new.h\"\nint main() { return one + two; }\n");
  project.write("a.h", "");
  project.write("other/a.h", "const int one = 1;\n");
  project.write("other/new.h", "const int two = 2;\n");
  project.write("overlay.yaml", "{ 'version': 0, 'roots': [ { 'type': 'directory', 'name': '" +
                                    project.path() +
                                    "', 'contents': [\n"
                                    "  { 'type': 'file', 'name': 'a.h', 'external-contents': '" +
                                    project.path("other/a.h") +
                                    "' },\n"
                                    "  { 'type': 'file', 'name': 'new.h', 'external-contents': '" +
                                    project.path("other/new.h") + "' } ] } ] }\n");
}

} // namespace

TEST_CASE("Files of an overlay stand in for others") {
  const Project project;
  makeProject(project);
  CHECK(project.gradtidy({"a.cpp", "--", "-std=c++20"}).status == 1);
  const Run run = project.gradtidy({"--vfsoverlay=overlay.yaml", "a.cpp", "--", "-std=c++20"});
  CHECK(run.status == 0);
  CHECK(run.out + run.err == "");
  // What was found with it is not what is found without.
  CHECK(project.gradtidy({"a.cpp", "--", "-std=c++20"}).status == 1);
  project.write("other/a.h", "");
  CHECK(project.gradtidy({"--vfsoverlay=overlay.yaml", "a.cpp", "--", "-std=c++20"}).status == 1);
}

TEST_CASE("An overlay holds for all sources, and those that belong together") {
  const Project project;
  makeProject(project);
  project.write("b.cpp", "#include \"a.h\"\nint helper() { return one; }\n");
  project.writeDatabase("build", {"a.cpp", "b.cpp"}, "-std=c++20");
  CHECK(project.gradtidy({"--vfsoverlay=overlay.yaml", "-p", "build", "a.cpp", "b.cpp"}).status ==
        0);
}

TEST_CASE("Nothing in a project can bring an overlay with it") {
  const Project project;
  makeProject(project);
  const std::string overlay = project.path("overlay.yaml");
  project.writeDatabase("build", {"a.cpp"},
                        "-std=c++20 -ivfsoverlay " + overlay + " -vfsoverlay " + overlay +
                            " --vfsoverlay=" + overlay);
  CHECK(project.gradtidy({"-p", "build", "a.cpp"}).status == 1);
  project.write(".gradtidy",
                "ExtraArgs: [-ivfsoverlay, '" + overlay + "', '--vfsoverlay=" + overlay + "']\n");
  CHECK(project.gradtidy({"-p", "build", "a.cpp"}).status == 1);
  CHECK(project.gradtidy({"-p", "build", "--vfsoverlay=overlay.yaml", "a.cpp"}).status == 0);
}

TEST_CASE("An overlay that cannot be used is an error") {
  const Project project;
  makeProject(project);
  project.write("broken.yaml", "{ 'version': 7 }\n");
  project.write("empty.yaml", "");
  for (const char *name : {"broken.yaml", "empty.yaml", "none.yaml"}) {
    const Run run =
        project.gradtidy({std::string("--vfsoverlay=") + name, "a.cpp", "--", "-std=c++20"});
    CHECK(run.status == 2);
    CHECK_THAT(run.err, Contains(std::string("gradtidy: error: cannot use the overlay '") + name));
  }
}
