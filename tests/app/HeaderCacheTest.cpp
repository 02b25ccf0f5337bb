// Precompiled headers of frameworks change the time of a run and nothing else.
#include "tests/Project.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

using namespace gradtidy::test;

namespace fs = std::filesystem;

namespace {

const std::string include = "#include <axon/axon.h>\n";
const std::string finding = "[ml-missing-zero-grad]\n";

/// A project with a copy of the framework that tests may change.
class CachedProject : public Project {
public:
  CachedProject() {
    write(".git/HEAD", "");
    writeFramework("");
  }

  void writeFramework(const std::string &end) const {
    std::ifstream original(axonFolder() + "/axon/axon.h");
    const std::string text(std::istreambuf_iterator<char>(original), {});
    write("vendor/axon/axon.h", text + end);
  }

  Run lint(std::vector<std::string> arguments, const std::vector<std::string> &flags = {}) const {
    arguments.insert(arguments.end(), {"--checks=-*,ml-missing-zero-grad", "--model=" + axonModel(),
                                       "--", "-std=c++20", "-Ivendor"});
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return gradtidy(arguments);
  }
  Run lintCached(const std::string &source, const std::vector<std::string> &flags = {}) const {
    return lint({"--cache-dir=cache", source}, flags);
  }

  std::vector<fs::path> cached(const std::string &extension) const {
    std::vector<fs::path> found;
    if (fs::exists(path("cache/headers")))
      for (const auto &entry : fs::directory_iterator(path("cache/headers")))
        if (entry.path().extension() == extension)
          found.push_back(entry.path());
    return found;
  }

  /// How many headers there are for all units, not for one of them.
  size_t shared() const {
    size_t number = 0;
    for (const fs::path &record : cached(".txt"))
      number +=
          read("cache/headers/" + record.filename().string()).find("\nbase ") == std::string::npos;
    return number;
  }
};

/// All that a user sees of a run.
std::string shown(const Run &run) { return std::to_string(run.status) + run.out + run.err; }

} // namespace

TEST_CASE("Findings are the same with an empty cache, a full one and none") {
  struct Unit {
    const char *what;
    std::string text;
    bool includes; ///< The framework, so that a header is made.
  };
  const std::string loop = trainingLoop("train");
  const std::vector<Unit> units = {
      {"the framework first", include + loop, true},
      {"comments first", "// A program.\n/* And\n more. */\n" + include + loop, true},
      {"standard headers first", "#include <vector>\n#include <cstdio>\n" + include + loop, true},
      {"a header of the user that begins with it", "#include \"once.h\"\n" + loop, true},
      {"one with include guards", "#include <map>\n#include \"guarded.h\"\n" + loop, true},
      {"a macro that it does not know", "#define MINE 1\n" + include + loop, true},
      {"a macro that it asks for", "#define AXON_QUIET\n" + include + loop, true},
      {"a macro of its own that the unit asks for",
       "#ifdef AXON_EXTRA\n#error early\n#endif\n" + include + loop, true},
      {"code first", "struct Early {};\n" + include + loop, true},
      {"code that the framework makes ambiguous",
       "using namespace axon;\nstruct Block {};\nBlock early;\n" + include + loop, true},
      {"a condition first", "#if __cplusplus > 1\n" + include + "#endif\n" + loop, true},
      {"a condition on a macro of the framework",
       "#if defined(AXON_EXTRA) && AXON_EXTRA > 0\n#error early\n#endif\n" + include + loop, true},
      {"a pragma first", "#pragma pack(1)\n" + include + loop, true},
      {"another macro between two includes",
       "#include <map>\n" + include + "#define advance zero_grad\n#include <axon/more.h>\n" + loop,
       true},
      {"no framework", "int main() {}\n", false},
      {"an error", include + loop + "int x = undeclared;\n", true},
      {"a missing header first", "#include <nowhere.h>\n" + include + loop, true},
      {"a macro that is not there", "#undef axon\n" + include + loop, true},
      {"a macro that the framework has",
       "#undef AXON_EXTRA\n" + include + "#ifndef AXON_EXTRA\n#error gone\n#endif\n" + loop, true},
      {"a header that is missing", include + "#include <nowhere.h>\n" + loop, true},
  };
  for (const Unit &unit : units) {
    INFO(unit.what);
    const CachedProject project;
    project.writeFramework("#ifdef AXON_QUIET\n#define advance zero_grad\n#endif\n"
                           "#define AXON_EXTRA 1\n");
    project.write("vendor/axon/more.h", "#pragma once\nvoid advance();\n");
    project.write("once.h", "#pragma once\n" + include + trainingLoop("other"));
    project.write("guarded.h", "#ifndef GUARDED_H\n#define GUARDED_H\n" + include +
                                   trainingLoop("other") + "#endif\n");
    project.write("train.cpp", unit.text);
    const std::string without = shown(project.lint({"--no-cache", "train.cpp"}));
    CHECK(shown(project.lintCached("train.cpp")) == without);
    CHECK(shown(project.lintCached("train.cpp")) == without);
    CHECK(project.shared() == (unit.includes ? 1 : 0));
    CHECK(project.cached(".tmp").empty());
  }
}

TEST_CASE("Headers that have nothing more to say may be included behind the precompiled one") {
  const CachedProject project;
  project.writeFramework("#include \"guarded.h\"\n#include \"repeating.h\"\n");
  project.write("vendor/axon/guarded.h", "#if !defined(STABLE)\n#ifndef GUARDED\n#define GUARDED\n"
                                         "struct Guarded {};\n#endif\n#else\n#error unstable\n"
                                         "#endif\n");
  project.write("vendor/axon/repeating.h", "extern int repeated;\n");
  for (const auto &[header, fits] : {std::pair("guarded.h", "1"), std::pair("repeating.h", "0")}) {
    INFO(header);
    project.write("train.cpp",
                  include + "#include <axon/" + header + ">\n" + trainingLoop("train"));
    const Run run = project.lint({"--cache-dir=cache", "--stats", "train.cpp"});
    CHECK_THAT(run.err, Catch::Contains(std::string(fits) + " of them over a precompiled header"));
    CHECK(run.out == project.lint({"--no-cache", "train.cpp"}).out);
  }
}

TEST_CASE("A macro that comes behind all of the framework's headers may have a name of theirs") {
  const CachedProject project;
  project.write("vendor/axon/more.h", "#pragma once\nvoid advance();\n");
  const std::string macro = "#define zero_grad zero_grad\n";
  for (const auto &[again, fits] : {std::pair("axon.h", "1"), std::pair("more.h", "0")}) {
    INFO(again);
    project.write("train.cpp",
                  include + macro + "#include <axon/" + again + ">\n" + trainingLoop("train"));
    const Run run = project.lint({"--cache-dir=cache", "--stats", "train.cpp"});
    CHECK_THAT(run.err, Catch::Contains(std::string(fits) + " of them over a precompiled header"));
    CHECK(run.out == project.lint({"--no-cache", "train.cpp"}).out);
  }
}

TEST_CASE("Units with the same flags share a header, others have their own") {
  const CachedProject project;
  project.write("include/a.h", "#pragma once\n");
  project.write("a.cpp", include + trainingLoop("a"));
  project.write("b.cpp", "#include <vector>\n#include \"a.h\"\n" + include + trainingLoop("b"));
  project.lintCached("a.cpp");
  project.lintCached("b.cpp", {"-Iinclude"});
  CHECK(project.shared() == 1);
  project.lintCached("b.cpp", {"-Iinclude", "-DNDEBUG"});
  CHECK(project.shared() == 2);
}

TEST_CASE("A header that may be read twice is left to the unit") {
  const CachedProject project;
  project.write("vendor/axon/axon.h",
                "#pragma once\n#include <axon/list.h>\n" + project.read("vendor/axon/axon.h"));
  project.write("vendor/axon/list.h", "struct Once {};\n");
  project.write("train.cpp", "#include <axon/list.h>\n" + trainingLoop("train"));
  const std::string without = shown(project.lint({"--no-cache", "train.cpp"}));
  CHECK(shown(project.lintCached("train.cpp")) == without);
}

TEST_CASE("A folder of the user that hides a header of the framework counts") {
  const CachedProject project;
  project.write("vendor/axon/axon.h",
                "#pragma once\n#include <detail.h>\n" + project.read("vendor/axon/axon.h"));
  project.write("vendor/detail.h", "#pragma once\n");
  project.write("mine/detail.h", "#pragma once\n#define advance zero_grad\n");
  project.write("train.cpp", include + trainingLoop("train"));
  CHECK(count(project.lintCached("train.cpp").out, finding) == 1);
  for (const char *option : {"--no-cache", "--cache-dir=cache"})
    CHECK(project
              .gradtidy({option, "--checks=-*,ml-missing-zero-grad", "--model=" + axonModel(),
                         "train.cpp", "--", "-std=c++20", "-Imine", "-Ivendor"})
              .out.empty());
}

TEST_CASE("A header given on the command line comes first") {
  const CachedProject project;
  project.writeFramework("#ifdef AXON_QUIET\n#define advance zero_grad\n#endif\n");
  project.write("quiet.h", "#pragma once\n#define AXON_QUIET\n");
  project.write("axon_pch.h", "#pragma once\n" + include);
  // As CMake makes them for target_precompile_headers.
  project.write("cmake_pch.hxx", "#pragma GCC system_header\n#ifdef __cplusplus\n" + include +
                                     "#endif // __cplusplus\n");
  project.write("train.cpp", include + trainingLoop("train"));
  for (int run = 0; run < 2; ++run) {
    CHECK(count(project.lintCached("train.cpp", {"-include", "cmake_pch.hxx"}).out, finding) == 1);
    CHECK(project.shared() == 1);
    CHECK(project.lintCached("train.cpp", {"-include", "quiet.h"}).out.empty());
    CHECK(count(project.lintCached("train.cpp", {"-include", "axon_pch.h"}).out, finding) == 1);
  }
}

TEST_CASE("Sources of CUDA share a header that begins with the compiler's own") {
  const CachedProject project;
  project.write("vendor/__clang_cuda_runtime_wrapper.h", "#pragma once\n#define RUNTIME 1\n");
  project.writeFramework("#ifndef RUNTIME\n#error no runtime\n#endif\n");
  const std::vector<std::string> flags = {"--cuda-path=none", "-nocudainc", "-include",
                                          "__clang_cuda_runtime_wrapper.h"};
  for (const char *source : {"one.cu", "other.cu"}) {
    INFO(source);
    project.write(source, include + trainingLoop("train"));
    const Run run = project.lint({"--cache-dir=cache", "--stats", source}, flags);
    CHECK_THAT(run.out, Catch::Contains(finding));
    CHECK_THAT(run.err, Catch::Contains("1 of them over a precompiled header"));
    CHECK(run.out == project.lint({"--no-cache", source}, flags).out);
  }
  CHECK(project.shared() == 1);
}

TEST_CASE("A header is made anew when what it was made of has changed") {
  const CachedProject project;
  project.write("train.cpp", include + trainingLoop("train"));
  CHECK(count(project.lintCached("train.cpp").out, finding) == 1);
  project.writeFramework("#define advance zero_grad\n");
  CHECK(project.lintCached("train.cpp").out.empty());
  CHECK(project.lintCached("train.cpp").out.empty());
  // The same size.
  project.writeFramework("#define advancf zero_grad\n");
  CHECK(count(project.lintCached("train.cpp").out, finding) == 1);
  CHECK(project.cached(".pch").size() == 1);
  fs::remove_all(project.path("vendor"));
  CHECK(project.lintCached("train.cpp").status == 1);
}

TEST_CASE("A cache that is broken is repaired or done without") {
  const CachedProject project;
  project.write("train.cpp", include + trainingLoop("train"));
  const std::string expected = shown(project.lint({"--no-cache", "train.cpp"}));
  project.lintCached("train.cpp");
  const fs::path header = project.cached(".pch").at(0), record = project.cached(".txt").at(0);
  const auto size = fs::file_size(header);
  const auto check = [&](const char *what) {
    INFO(what);
    CHECK(shown(project.lintCached("train.cpp")) == expected);
    CHECK(fs::file_size(header) == size);
  };
  const auto damage = [&](const fs::path &file, auto how) {
    const std::string name = "cache/headers/" + file.filename().string();
    project.overwrite(name, how(project.read(name)));
  };
  const auto cutOff = [](std::string text) { return text.substr(0, text.size() / 2); };
  damage(header, cutOff);
  check("cut off");
  damage(header, [](std::string text) { return text.replace(text.size() / 2, 7, "garbage"); });
  check("overwritten");
  fs::remove(header);
  check("removed");
  damage(record, cutOff);
  check("record cut off");
  damage(record, [](const std::string &) { return "garbage"; });
  check("record overwritten");
  fs::remove(fs::path(header).replace_extension(".h"));
  check("source removed");
  fs::remove_all(project.path("cache"));
  project.write("cache", "This is no folder.\n");
  const Run run = project.lintCached("train.cpp");
  CHECK(run.out == project.lint({"--no-cache", "train.cpp"}).out);
  CHECK(count(run.err, "cannot be used") == 1);
}

TEST_CASE("A bit that is wrong in a precompiled header, at the same time, is found") {
  const CachedProject project;
  project.write("train.cpp", include + trainingLoop("train"));
  const std::string expected = shown(project.lintCached("train.cpp"));
  const fs::path header = project.cached(".pch").at(0);
  const std::string name = "cache/headers/" + header.filename().string();
  const std::string whole = project.read(name);
  for (size_t place = 0; place < whole.size(); place += 1 + whole.size() / 8) {
    std::string damaged = whole;
    damaged[place] = char(damaged[place] ^ 1);
    const auto time = fs::last_write_time(header);
    project.overwrite(name, damaged);
    fs::last_write_time(header, time);
    project.write("train.cpp", include + trainingLoop("train") + "// " + std::to_string(place));
    const Run run = project.lintCached("train.cpp");
    CHECK(shown(run) == expected);
    CHECK(project.read(name) != damaged);
  }
}

TEST_CASE("A header of the framework that is hidden by another makes a new precompiled one") {
  const CachedProject project;
  project.write("vendor/axon/axon.h",
                "#pragma once\n#include <detail.h>\n" + project.read("vendor/axon/axon.h"));
  project.write("vendor/detail.h", "#pragma once\n");
  const auto lint = [&] {
    return project.gradtidy({"--cache-dir=cache", "--checks=-*,ml-missing-zero-grad",
                             "--model=" + axonModel(), "train.cpp", "--", "-std=c++20", "-isystem",
                             "early", "-isystem", "vendor"});
  };
  project.write("early/other.h", "");
  project.write("train.cpp", include + trainingLoop("train"));
  CHECK(count(lint().out, finding) == 1);
  project.write("early/detail.h", "#pragma once\n#define advance zero_grad\n");
  CHECK(lint().out.empty());
}

TEST_CASE("A precompiled header that the user names is the one that is used") {
  const CachedProject project;
  project.write("train.cpp", include + trainingLoop("train"));
  project.lintCached("train.cpp");
  const std::string header = project.cached(".pch").at(0);
  project.write("other.cpp", trainingLoop("train"));
  for (const char *cache : {"--no-cache", "--cache-dir=cache"}) {
    const Run run =
        project.gradtidy({cache, "--model=" + axonModel(), "--extra-arg=-include-pch",
                          "--extra-arg=" + header, "other.cpp", "--", "-std=c++20", "-Ivendor"});
    CHECK(count(run.out, finding) == 1);
    CHECK(count(run.out, "error:") == 0);
  }
}

TEST_CASE("Processes that need the same header at once share it") {
  const CachedProject project;
  project.write("train.cpp", include + trainingLoop("train"));
  const std::string command = gradtidyProgram() +
                              " --quiet --cache-dir=cache train.cpp --model=" + axonModel() +
                              " -- -std=c++20 -Ivendor";
  const std::string expected = project.lint({"--no-cache", "train.cpp"}).out;
  const Run all = project.run(
      "/bin/sh", {"-c", "for i in 1 2 3 4; do " + command + " > out$i 2>&1 & done; wait"});
  CHECK(all.status == 0);
  for (const char *out : {"out1", "out2", "out3", "out4"})
    CHECK(project.read(out) == expected);
  CHECK(project.cached(".pch").size() == 1);
  CHECK(project.cached(".tmp").empty());
}

TEST_CASE("What was not used for the longest time leaves a cache that is full") {
  const CachedProject project;
  project.write("train.cpp", include + trainingLoop("train"));
  project.lintCached("train.cpp");
  const fs::path first = project.cached(".pch").at(0);
  project.lintCached("train.cpp", {"-DA"});
  project.lintCached("train.cpp");

  CHECK(project.cached(".pch").size() == 2);
  project.lint({"--cache-dir=cache", "--cache-limit=0", "train.cpp"}, {"-DB"});
  CHECK(project.cached(".pch").size() == 1);
  CHECK(!fs::exists(first));
}
