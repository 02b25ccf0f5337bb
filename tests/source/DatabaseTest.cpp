#include "analyzer/source/Database.h"
#include "analyzer/source/Includes.h"
#include "tests/Project.h"

#include <catch2/catch.hpp>

#include <filesystem>

using Catch::Contains;
using gradtidy::Database;
using gradtidy::DatabaseSearch;
using gradtidy::IncludeScan;
using gradtidy::test::Project;

namespace {

std::string errorOf(const std::string &path) {
  auto loaded = Database::load(path);
  REQUIRE_FALSE(bool(loaded));
  return llvm::toString(loaded.takeError());
}

std::unique_ptr<Database> load(const std::string &path) {
  auto loaded = Database::load(path);
  if (!loaded)
    FAIL(llvm::toString(loaded.takeError()));
  return std::move(*loaded);
}

} // namespace

TEST_CASE("a database is found in the nearest parent and its build folders") {
  Project project;
  project.write("sub/a.cpp", "");
  const std::string source = project.path("sub/a.cpp");
  CHECK(DatabaseSearch().around(source).empty());

  for (const char *folder :
       {"out/Debug", "cmake-build-debug", "build/release", "build-asan", "sub/_build", "unrelated",
        "", "out/build/linux", "builddir", ".build/x86_64", "out/unrelated/linux"})
    project.writeDatabase(folder, {"sub/a.cpp"}, "");
  std::vector<std::string> expected;
  for (const char *folder : {"sub/_build/", "", ".build/x86_64/", "build/release/", "build-asan/",
                             "builddir/", "cmake-build-debug/", "out/Debug/", "out/build/linux/"})
    expected.push_back(project.path(std::string(folder) + "compile_commands.json"));
  CHECK(DatabaseSearch().around(source) == expected);
}

TEST_CASE("a database is loaded by its folder or by itself") {
  Project project;
  project.writeDatabase("build", {"src/a.cpp", "src/deep/b.cpp", "src/a.cpp"}, "-DX");
  for (const char *name : {"build", "build/", "build/compile_commands.json"}) {
    auto database = load(project.path(name));
    CHECK(database->path() == project.path("build/compile_commands.json"));
    CHECK(database->sources().vec() ==
          std::vector{project.path("src/a.cpp"), project.path("src/deep/b.cpp")});
    CHECK(database->commonFolder() == project.path());
    CHECK(database->find(project.path("src/a.cpp")));
    CHECK_FALSE(database->find(project.path("src/c.cpp")));
  }
}

TEST_CASE("of several entries the first is taken") {
  Project project;
  project.write("compile_commands.json", R"([
    {"directory": ".", "file": "a.cpp", "arguments": ["c++", "-DFIRST", "a.cpp"]},
    {"directory": ".", "file": "./a.cpp", "arguments": ["c++", "-DSECOND", "a.cpp"]}])");
  auto database = load(project.path());
  const auto *entry = database->find(project.path("a.cpp"));
  REQUIRE(entry);
  CHECK(entry->CommandLine[1] == "-DFIRST");
  CHECK(entry->Directory == project.path()); // Relative folders start at the database.
}

TEST_CASE("a source is found through a link") {
  Project project;
  project.write("src/a.cpp", "");
  std::filesystem::create_directory_symlink(project.path("src"), project.path("link"));
  project.writeDatabase("", {"src/a.cpp"}, "");
  const auto *entry = load(project.path())->find(project.path("link/a.cpp"));
  CHECK(entry);
}

TEST_CASE("a broken database says what is wrong and where") {
  Project project;
  CHECK_THAT(errorOf(project.path("none")),
             Contains("cannot read") && Contains(project.path("none")) && Contains("No such file"));
  CHECK_THAT(errorOf(project.path()), Contains("compile_commands.json"));
  project.write("compile_commands.json", "  \n");
  CHECK_THAT(errorOf(project.path()), Contains("is empty"));
  project.write("compile_commands.json", "[\n  {\"file\": ]\n");
  CHECK_THAT(errorOf(project.path()), Contains("not valid JSON: line 2, column 12"));
  project.write("compile_commands.json", "{}");
  CHECK_THAT(errorOf(project.path()), Contains("is malformed: it is not a list"));
  project.write("compile_commands.json", "[{\"file\": ");
  CHECK_THAT(errorOf(project.path()), Contains("not valid JSON: line 1, column"));
}

TEST_CASE("a broken entry costs no other") {
  const auto problem = [](const std::string &entry) {
    const Project project;
    project.write(
        "compile_commands.json",
        "[\n" + entry +
            ",\n {\"directory\": \"/p\", \"file\": \"a.cpp\", \"command\": \"c++ -DA=\\\"x "
            "y\\\" a.cpp\"}]");
    const auto database = load(project.path());
    REQUIRE(database->find("/p/a.cpp"));
    CHECK(database->find("/p/a.cpp")->CommandLine ==
          std::vector<std::string>{"c++", "-DA=x y", "a.cpp"});
    CHECK(database->sources().size() == 1);
    REQUIRE(database->problems().size() == 1);
    CHECK_THAT(database->problems().front(),
               Contains("entry 1 of the compilation database '" +
                        project.path("compile_commands.json") + "' is left out: "));
    return database->problems().front();
  };
  CHECK_THAT(problem(R"({"directory": "/", "file": "a.cpp"})"),
             Contains("it has neither \"command\" nor \"arguments\""));
  CHECK_THAT(problem(R"({"directory": "/", "command": "c++"})"), Contains("it has no \"file\""));
  CHECK_THAT(problem(R"({"directory": 7, "file": "a.cpp", "command": "c++"})"),
             Contains("its \"directory\" is not a string"));
  CHECK_THAT(problem(R"({"directory": "/", "file": "a\u0000.cpp", "command": "c++"})"),
             Contains("its \"file\" has a zero byte"));
  CHECK_THAT(problem(R"({"directory": "/", "file": "a.cpp", "arguments": [1]})"),
             Contains("its \"arguments\" are not all strings"));
  CHECK_THAT(problem("7"), Contains("it is not an object"));
  CHECK_THAT(problem("1e999"), Contains("line 2, column ") && Contains("number overflow"));
  CHECK_THAT(problem("{\"a\" \"b\"}"), Contains("line 2, column 8: syntax error"));
  CHECK_THAT(problem("{\"a\": " + std::string(200'000, '[') + std::string(200'000, ']') + "}"),
             Contains("nested deeper than 100 levels"));
}

TEST_CASE("of many broken entries one is told, and their number") {
  const Project project;
  project.write("compile_commands.json", "[1, 2, 3]");
  const auto database = load(project.path());
  REQUIRE(database->problems().size() == 1);
  CHECK_THAT(database->problems().front(), Contains("so are 2 other entries"));
}

TEST_CASE("paths that are not UTF-8 are no error") {
  Project project;
  project.write("compile_commands.json",
                "[{\"directory\": \"/p\", \"file\": \"caf\xe9.cpp\", \"command\": \"c++ x\"}]");
  CHECK(load(project.path())->sources().vec() == std::vector<std::string>{"/p/caf\xe9.cpp"});
}

TEST_CASE("the unit of a header is the nearest that includes it") {
  Project project;
  project.write("src/other.cpp", "#include \"net.h\"\n");
  project.write("src/net.cpp", "#include \"detail/through.h\"\n");
  project.write("src/detail/through.h", "#include <lib/net_all.h>\n");
  project.write("include/lib/net_all.h", "#include \"../../src/net.h\"\n");
  project.write("src/net.h", "#include \"net.cpp\"\n"); // A circle ends.
  project.write("src/lonely.h", "");
  project.write("src/commented.h", "");
  project.write("src/z.cpp", "// #include \"commented.h\"\n#include <missing>\n#include MACRO\n");
  project.writeDatabase("build", {"src/other.cpp", "src/z.cpp", "src/net.cpp"}, "-I../include");
  auto database = load(project.path("build"));
  IncludeScan scan;
  CHECK(scan.findUnitIncluding(*database, project.path("src/lonely.h")).empty());
  CHECK(scan.findUnitIncluding(*database, project.path("src/commented.h")).empty());
  CHECK(scan.findUnitIncluding(*database, project.path("src/net.h")) ==
        project.path("src/other.cpp"));
}

TEST_CASE("a header is found through folders that the flags name") {
  Project project;
  project.write("include/lib/all.h", "#include \"deep.h\"\n");
  project.write("include/lib/deep.h", "");
  project.write("src/deep.cpp", "#include <lib/all.h>\n");
  project.write("src/a.cpp", "#include <lib/all.h>\n");
  project.writeDatabase("", {"src/a.cpp", "src/deep.cpp"}, "-I include");
  auto database = load(project.path());
  IncludeScan scan;
  // Of the two, the one that shares its name.
  CHECK(scan.findUnitIncluding(*database, project.path("include/lib/deep.h")) ==
        project.path("src/deep.cpp"));
}
