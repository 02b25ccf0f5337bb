// What a repository under test has put in the place of an output, or calls its files.
#include "tests/Project.h"

#include <catch2/catch.hpp>

#include <filesystem>

#include <sys/stat.h>

using namespace gradtidy::test;
namespace fs = std::filesystem;

namespace {

class Linted : public Project {
public:
  Linted() { write("train.cpp", "#include <axon/axon.h>\n" + trainingLoop("train")); }

  Run lint(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--no-cache", "--model=" + axonModel(), "train.cpp", "--",
                                       "-std=c++20", "-I" + axonFolder()});
    return gradtidy(arguments);
  }
};

} // namespace

TEST_CASE("Outputs take the place of links and leave alone what these lead to") {
  const Linted project;
  for (const std::string option :
       {"--output=sarif:out", "--results=out", "--export-fixes=out", "--time-trace=out"}) {
    INFO(option);
    project.write("other", "kept\n");
    fs::create_symlink("other", project.path("out"));
    CHECK(project.lint({option}).status == 0);
    CHECK(project.read("other") == "kept\n");
    CHECK(!fs::is_symlink(project.path("out")));
    CHECK(fs::file_size(project.path("out")) > 0);
    fs::remove(project.path("out"));

    fs::create_hard_link(project.path("other"), project.path("out"));
    CHECK(project.lint({option}).status == 0);
    CHECK(project.read("other") == "kept\n");

    // A file of its own is written anew.
    project.write("out", std::string(1'000'000, 'x'));
    CHECK(project.lint({option}).status == 0);
    CHECK(fs::file_size(project.path("out")) < 1'000'000);
    fs::remove(project.path("out"));

    fs::create_symlink("missing", project.path("out"));
    CHECK(project.lint({option}).status == 0);
    CHECK(!fs::exists(project.path("missing")));
    fs::remove(project.path("out"));
  }
  CHECK(count(project.lint({"--quiet", "--output=checkstyle:/dev/stdout"}).out, "<checkstyle") ==
        1);
}

TEST_CASE("An output that nobody reads is an error") {
  const Linted project;
  REQUIRE(::mkfifo(project.path("out").c_str(), 0600) == 0);
  const Run run = project.lint({"--output=sarif:out"});
  CHECK(run.status == 2);
  CHECK(count(run.err, "cannot write 'out'") == 1);
}

TEST_CASE("Files that are called like options are no options") {
  const Linted project;
  project.write("--export-fixes=taken.cpp", "");
  project.write("@words.cpp", "");
  project.write("words.cpp", "--export-fixes=taken.cpp");
  for (const std::string name : {"--export-fixes=taken.cpp", "@words.cpp"}) {
    const Run run = project.lint({name});
    CHECK(run.status == 2);
    CHECK(count(run.err, "'" + name +
                             "' is an option, and there is a file of that name: write './" + name +
                             "' for the file\n") == 1);
    CHECK(!fs::exists(project.path("taken.cpp")));
  }
  // Behind a folder it is a file.
  CHECK(project.lint({"./@words.cpp"}).status == 0);
  // A word that says where more words are is the user's.
  project.write("more", "--quiet");
  CHECK(project.lint({"@more"}).status == 0);
}
