#include "analyzer/source/Jobs.h"
#include "tests/Project.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

using Catch::Contains;
using gradtidy::JobList;
using gradtidy::JobRequest;
using gradtidy::listJobs;
using gradtidy::test::Project;

namespace {

JobRequest requestFor(std::vector<std::string> sources) {
  JobRequest request;
  request.sources = std::move(sources);
  return request;
}

bool hasFlag(const gradtidy::Job &job, const std::string &flag) {
  const std::vector<std::string> &words = job.command.CommandLine;
  return std::find(words.begin(), words.end(), flag) != words.end();
}

std::vector<std::string> filesOf(const JobList &list) {
  std::vector<std::string> files;
  for (const gradtidy::Job &job : list.jobs)
    files.push_back(job.file);
  return files;
}

std::string onlyErrorOf(const JobList &list) {
  CHECK(list.jobs.empty());
  REQUIRE(list.errors.size() == 1);
  return list.errors.front();
}

} // namespace

TEST_CASE("a source of the database is analysed once, however often it is named") {
  Project project;
  project.write("src/a.cpp", "");
  project.writeDatabase("build", {"src/a.cpp"}, "-DX -fno-gnu-unique");
  JobList list =
      listJobs(requestFor({project.path("src/a.cpp"), project.path("src/../src/./a.cpp")}));
  CHECK(list.errors.empty());
  REQUIRE(filesOf(list) == std::vector{project.path("src/a.cpp")});
  const gradtidy::Job &job = list.jobs.front();
  CHECK(job.askedFor == project.path("src/a.cpp"));
  CHECK(job.command.Directory == project.path());
  CHECK(job.command.Filename == job.file);
  CHECK(job.command.CommandLine.back() == job.file);
  CHECK(hasFlag(job, "-DX"));
  CHECK_FALSE(hasFlag(job, "-fno-gnu-unique"));
  CHECK(list.projectFolder == project.path()); // Headers may lie beside src.
}

TEST_CASE("a build path is the folder of a database or the database itself, and nothing else") {
  Project project;
  project.write("a.cpp", "");
  project.writeDatabase("", {"a.cpp"}, "-DFOUND");
  project.writeDatabase("else/where", {"a.cpp"}, "-DGIVEN");
  JobRequest request = requestFor({project.path("a.cpp")});
  for (const char *name : {"else/where", "else/where/compile_commands.json"}) {
    request.buildPath = project.path(name);
    JobList list = listJobs(request);
    REQUIRE(list.jobs.size() == 1);
    CHECK(hasFlag(list.jobs.front(), "-DGIVEN"));
  }
  request.buildPath = project.path("nowhere");
  request.sources.push_back(project.path("a.cpp"));
  CHECK_THAT(onlyErrorOf(listJobs(request)),
             Contains("cannot read the compilation database") && Contains(project.path("nowhere")));
}

TEST_CASE("each source is looked up in its own project") {
  Project project;
  for (const char *name : {"one", "two"}) {
    const std::string folder = name;
    project.write(folder + "/a.cpp", "");
    project.writeDatabase(folder + "/build", {folder + "/a.cpp"}, "-DIN_" + folder);
  }
  JobList list = listJobs(requestFor({project.path("one/a.cpp"), project.path("two/a.cpp")}));
  REQUIRE(list.jobs.size() == 2);
  CHECK(hasFlag(list.jobs[0], "-DIN_one"));
  CHECK(hasFlag(list.jobs[1], "-DIN_two"));
  CHECK(list.projectFolder == project.path());
}

TEST_CASE("a database that lacks the source gives way to one that has it") {
  Project project;
  project.write("src/a.cpp", "");
  project.writeDatabase("build-tools", {"src/tool.cpp"}, "");
  project.writeDatabase("build-z", {"src/a.cpp"}, "-DZ");
  JobList list = listJobs(requestFor({project.path("src/a.cpp")}));
  REQUIRE(list.jobs.size() == 1);
  CHECK(hasFlag(list.jobs.front(), "-DZ"));
}

TEST_CASE("a build folder of another project says nothing of this one") {
  Project project;
  project.write("mine/a.cpp", "");
  project.write("build/compile_commands.json",
                R"([{"directory": "/elsewhere", "file": "b.cpp", "command": "c++ b.cpp"}])");
  CHECK_THAT(onlyErrorOf(listJobs(requestFor({project.path("mine/a.cpp")}))),
             Contains("no compile_commands.json found"));
}

TEST_CASE("sources elsewhere take no database from the project") {
  Project project;
  project.write("mine/a.cpp", "");
  const std::string elsewhere =
      R"({"directory": "/elsewhere", "file": "b.cpp", "command": "c++ b.cpp"})";
  const auto entry = [&](const std::string &file) {
    return R"({"directory": ")" + project.path() + R"(", "file": ")" + file +
           R"(", "command": "c++ )" + file + "\"}";
  };
  const auto write = [&](const std::string &folder, const std::string &file) {
    project.write(folder + "/compile_commands.json", "[" + elsewhere + "," + entry(file) + "]");
  };
  SECTION("in a folder above") { write("mine", "mine/a.cpp"); }
  SECTION("in the build folder") { write("mine/build", "mine/a.cpp"); }
  SECTION("that of another project, with a source it has generated") {
    write("build", "build/generated.cpp");
    CHECK_THAT(onlyErrorOf(listJobs(requestFor({project.path("mine")}))),
               Contains("no compile_commands.json found"));
    return;
  }
  for (const char *source : {"mine", "mine/a.cpp"})
    CHECK(filesOf(listJobs(requestFor({project.path(source)}))) ==
          std::vector{project.path("mine/a.cpp")});
  project.write("mine/new.cpp", ""); // Has the flags of the nearest.
  CHECK(filesOf(listJobs(requestFor({project.path("mine/new.cpp")}))) ==
        std::vector{project.path("mine/new.cpp")});
}

TEST_CASE("without a database the error says how to make one") {
  Project project;
  for (const char *name : {"a.cpp", "b.cpp", "c.cpp"})
    project.write(name, "");
  CHECK_THAT(onlyErrorOf(listJobs(requestFor({project.path("a.cpp")}))),
             Contains("no compile_commands.json found for '" + project.path("a.cpp") + "' in") &&
                 Contains("-DCMAKE_EXPORT_COMPILE_COMMANDS=ON") && Contains("bear") &&
                 Contains("after '--'"));
  CHECK_THAT(onlyErrorOf(listJobs(requestFor(
                 {project.path("a.cpp"), project.path("b.cpp"), project.path("c.cpp")}))),
             Contains("and 2 other sources"));
}

TEST_CASE("a source that the database lacks has the flags of the nearest source of its language") {
  Project project;
  project.write("src/new.cpp", "");
  project.write("src/new.cu", "");
  project.writeDatabase("build", {"far/x.cpp", "src/old.cpp", "far/kernel.cu"}, "-DKNOWN");
  const JobList list =
      listJobs(requestFor({project.path("src/new.cpp"), project.path("src/new.cu")}));
  CHECK(list.errors.empty());
  CHECK(filesOf(list) == std::vector{project.path("src/new.cpp"), project.path("src/new.cu")});
  CHECK(list.withFlagsOfOthers == std::vector<std::pair<std::string, std::string>>{
                                      {project.path("src/new.cpp"), project.path("src/old.cpp")},
                                      {project.path("src/new.cu"), project.path("far/kernel.cu")}});
  for (const gradtidy::Job &job : list.jobs) {
    CHECK(hasFlag(job, "-DKNOWN"));
    CHECK_FALSE(hasFlag(job, project.path("src/old.cpp")));
  }
  project.write("build/compile_commands.json", "[]");
  JobRequest request = requestFor({project.path("src/new.cpp")});
  request.buildPath = project.path("build");
  CHECK_THAT(onlyErrorOf(listJobs(request)), Contains("which has no entries"));
}

TEST_CASE("an empty database is said to be empty, unless another one knows more") {
  Project project;
  project.write("src/a.cpp", "");
  project.write("build/compile_commands.json", "[]");
  for (const char *source : {"src", "src/a.cpp"})
    CHECK_THAT(onlyErrorOf(listJobs(requestFor({project.path(source)}))),
               Contains("build/compile_commands.json'") && Contains("has no entries; configure"));
  project.writeDatabase("build-debug", {"src/a.cpp"}, "");
  for (const char *source : {"src", "src/a.cpp"})
    CHECK(filesOf(listJobs(requestFor({project.path(source)}))) ==
          std::vector{project.path("src/a.cpp")});
}

TEST_CASE("sources of a unity build are analyzed one by one, with the flags of the unity source") {
  Project project;
  const std::string unity = "build/CMakeFiles/x.dir/Unity/unity_0_cxx.cxx";
  for (const char *name : {"src/a.cpp", "src/b.cpp", "other/c.cpp"})
    project.write(name, "");
  project.write(unity, "/* made by CMake */\n#include \"" + project.path("src/a.cpp") +
                           "\"\n#include \"" + project.path("src/b.cpp") + "\"\n#include \"" +
                           project.path("other/c.cpp") + "\"\n");
  project.writeDatabase("build", {unity}, "-DUNITY");
  const JobList folder = listJobs(requestFor({project.path("src")}));
  CHECK(folder.errors.empty());
  CHECK(filesOf(folder) == std::vector{project.path("src/a.cpp"), project.path("src/b.cpp")});
  const JobList file = listJobs(requestFor({project.path("other/c.cpp")}));
  REQUIRE(filesOf(file) == std::vector{project.path("other/c.cpp")});
  CHECK(file.withFlagsOfOthers.empty());
  CHECK(hasFlag(file.jobs.front(), "-DUNITY"));
  CHECK(file.jobs.front().command.CommandLine.back() == project.path("other/c.cpp"));
}

TEST_CASE("a broken database is reported once and hides nothing else") {
  Project project;
  project.write("bad/a.cpp", "");
  project.write("bad/b.cpp", "");
  project.write("bad/compile_commands.json", "[");
  project.write("good/a.cpp", "");
  project.writeDatabase("good", {"good/a.cpp"}, "");
  JobList list = listJobs(requestFor(
      {project.path("bad/a.cpp"), project.path("bad/b.cpp"), project.path("good/a.cpp")}));
  CHECK(filesOf(list) == std::vector{project.path("good/a.cpp")});
  REQUIRE(list.errors.size() == 1);
  CHECK_THAT(list.errors.front(), Contains("not valid JSON"));
}

TEST_CASE("a header is analysed through the unit that includes it") {
  Project project;
  project.write("src/net.h", "#pragma once\n");
  project.write("src/net.cpp", "#include \"net.h\"\n");
  project.write("src/a.cpp", "#include \"net.h\"\n");
  project.writeDatabase("build", {"src/a.cpp", "src/net.cpp"}, "");
  const std::string header = project.path("src/net.h"), unit = project.path("src/net.cpp");
  JobList list = listJobs(requestFor({header}));
  REQUIRE(filesOf(list) == std::vector{unit});
  CHECK(list.jobs.front().askedFor == header);

  list = listJobs(requestFor({header, unit}));
  REQUIRE(filesOf(list) == std::vector{unit});
  CHECK(list.jobs.front().askedFor == unit);
}

TEST_CASE("a header that no unit includes is parsed like its nearest neighbour") {
  Project project;
  project.write("src/lonely.h", "#pragma once\n");
  project.write("src/a.cpp", "");
  project.writeDatabase("build", {"src/a.cpp"}, "-DX");
  JobList list = listJobs(requestFor({project.path("src/lonely.h")}));
  REQUIRE(filesOf(list) == std::vector{project.path("src/lonely.h")});
  CHECK(hasFlag(list.jobs.front(), "-DX"));
  CHECK(hasFlag(list.jobs.front(), "c++-header"));
}

TEST_CASE("a folder stands for the entries below it") {
  Project project;
  for (const char *name : {"src/a.cpp", "src/deep/b.cpp", "srcs/c.cpp"})
    project.write(name, "");
  std::filesystem::create_directory(project.path("empty"));
  project.writeDatabase("build", {"src/a.cpp", "srcs/c.cpp", "src/deep/b.cpp", "src/deleted.cpp"},
                        "");
  JobList list = listJobs(requestFor({project.path("src"), project.path("src/a.cpp")}));
  CHECK(list.errors.empty());
  CHECK(filesOf(list) == std::vector{project.path("src/a.cpp"), project.path("src/deep/b.cpp")});

  CHECK_THAT(onlyErrorOf(listJobs(requestFor({project.path("empty")}))),
             Contains("has no entry below the folder '" + project.path("empty") + "'"));
  JobRequest fixed = requestFor({project.path("src")});
  fixed.fixedFlags.emplace();
  CHECK_THAT(onlyErrorOf(listJobs(fixed)), Contains("is a folder; name its files"));
}

TEST_CASE("flags after -- take the place of a database") {
  Project project;
  project.write("a.cpp", "");
  project.write("a.h", "");
  project.writeDatabase("", {"a.cpp"}, "-DDATABASE");
  JobRequest request = requestFor({project.path("a.cpp"), project.path("a.h")});
  request.fixedFlags = {"-std=c++17", "-DFIXED", "-fno-gnu-unique"};
  JobList list = listJobs(request);
  REQUIRE(filesOf(list) == std::vector{project.path("a.cpp"), project.path("a.h")});
  for (const gradtidy::Job &job : list.jobs) {
    CHECK(hasFlag(job, "-DFIXED"));
    CHECK_FALSE(hasFlag(job, "-DDATABASE"));
    CHECK_FALSE(hasFlag(job, "-fno-gnu-unique"));
  }
  CHECK(list.projectFolder == project.path());
}

TEST_CASE("extra arguments come right behind the compiler, and last") {
  Project project;
  project.write("a.cpp", "");
  project.writeDatabase("", {"a.cpp"}, "-DX");
  JobRequest request = requestFor({project.path("a.cpp")});
  request.extraArgsBefore = {"-DBEFORE", "-DBEFORE2"};
  request.extraArgs = {"-DAFTER", "-DAFTER2"};
  JobList list = listJobs(request);
  REQUIRE(list.jobs.size() == 1);
  const std::vector<std::string> &words = list.jobs.front().command.CommandLine;
  CHECK(words[1] == "-DBEFORE");
  CHECK(words[2] == "-DBEFORE2");
  CHECK(words[words.size() - 3] == "-DAFTER");
  CHECK(words[words.size() - 2] == "-DAFTER2");
}

TEST_CASE("the bundled runtime serves files that have no database") {
  Project project;
  project.write("tree/runtime/compat/torch/torch.h", "");
  project.write("tree/examples/train.cpp", "");
  project.write("own/train.cpp", "");
  JobRequest request = requestFor({project.path("tree/examples/train.cpp")});
  request.runtimeInclude = project.path("tree/runtime/compat");
  JobList list = listJobs(request);
  REQUIRE(list.jobs.size() == 1);
  CHECK(hasFlag(list.jobs.front(), "-std=c++20"));
  CHECK(hasFlag(list.jobs.front(), "-I" + request.runtimeInclude));

  request.sources = {project.path("own/train.cpp")};
  CHECK_THAT(onlyErrorOf(listJobs(request)), Contains("no compile_commands.json found"));
  request.bundledRuntime = true;
  CHECK(listJobs(request).jobs.size() == 1);

  project.writeDatabase("own", {"own/train.cpp"}, "-DOWN");
  list = listJobs(request);
  REQUIRE(list.jobs.size() == 1);
  CHECK(hasFlag(list.jobs.front(), "-DOWN"));

  std::filesystem::remove(project.path("own/compile_commands.json"));
  request.runtimeInclude.clear();
  CHECK_THAT(onlyErrorOf(listJobs(request)), Contains("bundled runtime"));
}

TEST_CASE("the bundled runtime serves folders that have no database") {
  Project project;
  project.write("tree/runtime/compat/torch/torch.h", "");
  project.write("tree/examples/z.cpp", "");
  project.write("tree/examples/deep/a.cc", "");
  project.write("tree/examples/deep/kernel.cu", "");
  project.write("tree/examples/README.md", "");
  project.write("tree/docs/README.md", "");
  JobRequest request = requestFor({project.path("tree/examples")});
  request.runtimeInclude = project.path("tree/runtime/compat");
  JobList list = listJobs(request);
  CHECK(list.errors.empty());
  REQUIRE(filesOf(list) == std::vector{project.path("tree/examples/deep/a.cc"),
                                       project.path("tree/examples/deep/kernel.cu"),
                                       project.path("tree/examples/z.cpp")});
  CHECK(hasFlag(list.jobs.front(), "-I" + request.runtimeInclude));
  CHECK(hasFlag(list.jobs[1], "-nocudainc"));
  CHECK(hasFlag(list.jobs[1], project.path("tree/runtime/toolkit/cuda_runtime.h")));

  request.sources = {project.path("tree/docs")};
  CHECK_THAT(onlyErrorOf(listJobs(request)), Contains("no C++ source below the folder"));
}

TEST_CASE("sources that cannot be read cost an error each, not the others") {
  Project project;
  project.write("a.cpp", "");
  std::filesystem::create_symlink(project.path("gone.cpp"), project.path("dangling.cpp"));
  project.writeDatabase("", {"a.cpp", "none.cpp"}, "");
  JobList list = listJobs(requestFor({project.path("none.cpp"), project.path("dangling.cpp"),
                                      "/dev/null", project.path("a.cpp")}));
  CHECK(filesOf(list) == std::vector{project.path("a.cpp")});
  REQUIRE(list.errors.size() == 3);
  CHECK_THAT(list.errors[0], Contains("cannot read '" + project.path("none.cpp") + "': No such"));
  CHECK_THAT(list.errors[1], Contains("dangling.cpp"));
  CHECK_THAT(list.errors[2], Contains("not a regular file"));
  CHECK_THAT(onlyErrorOf(listJobs({})), Contains("no sources given"));
}

TEST_CASE("a path that is not UTF-8 is a path") {
  Project project;
  project.write("caf\xe9.cpp", "");
  JobRequest request = requestFor({project.path("caf\xe9.cpp")});
  request.fixedFlags.emplace();
  JobList list = listJobs(request);
  CHECK(filesOf(list) == std::vector{project.path("caf\xe9.cpp")});
}
