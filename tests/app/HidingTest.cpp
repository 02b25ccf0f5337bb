// What sources and flags say of themselves hides no finding without a word.
#include "tests/Project.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <vector>

using namespace gradtidy::test;
using Catch::Matchers::Contains;

namespace {

const std::string include = "#include <axon/axon.h>\n";

Run lint(const Project &project, const std::vector<std::string> &options = {"--no-cache"},
         const std::vector<std::string> &flags = {}) {
  std::vector<std::string> arguments = options;
  arguments.insert(arguments.end(), {"--model=" + axonModel(), "train.cpp", "--", "-std=c++20",
                                     "-I" + axonFolder()});
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return project.gradtidy(arguments);
}

unsigned findings(const Run &run) { return count(run.out, "[ml-missing-zero-grad]"); }

} // namespace

TEST_CASE("Line markers make no code a system's") {
  const Project project;
  for (const char *marker :
       {"# 1 \"x.cpp\" 3\n", "# 1 \"x.cpp\" 1 3\n", "# 2 \"train.cpp\" 3 4\n",
        "# 1 \"/usr/include/stdio.h\" 3\n#line 7\n", "#line 1 \"/usr/include/stdio.h\"\n"}) {
    INFO(marker);
    project.write("train.cpp", include + marker + trainingLoop("train"));
    CHECK(findings(lint(project)) == 1);
    project.write("loop.h", "#pragma once\n" + include + marker + trainingLoop("train"));
    project.write("train.cpp", "#include \"loop.h\"\n");
    CHECK(findings(lint(project)) == 1);
  }
}

TEST_CASE("Headers of the project that count as the system's are named") {
  const Project project;
  project.write("pragma.h", "#pragma GCC system_header\n" + include + trainingLoop("pragma"));
  project.write("system/folder.h", "#include \"inner.h\"\n" + include + trainingLoop("folder"));
  project.write("system/inner.h", trainingLoop("inner"));
  project.write("loop.h", "#include \"pragma.h\"\n#include <folder.h>\n");
  project.write("train.cpp", "#include \"loop.h\"\n" + trainingLoop("train"));
  const std::string line = "Not analyzed: 2 headers of the project, taken for the system's or "
                           "the framework's: " +
                           project.path("pragma.h") + ", " + project.path("system/folder.h") +
                           ". Use --system-headers to analyze them.\n";
  const std::vector<std::string> flags = {"-isystem", "system"}, cache = {"--cache-dir=cache"};
  for (const auto &options : {std::vector<std::string>{"--no-cache"}, cache, cache}) {
    const Run run = lint(project, options, flags);
    CHECK(findings(run) == 1);
    CHECK(count(run.err, line) == 1);
  }
  // Behind a header of the unit's own, which the second run has made.
  project.write("train.cpp", project.read("train.cpp") + "// edited\n");
  CHECK(count(lint(project, cache, flags).err, line) == 1);

  CHECK(count(lint(project, {"--no-cache", "--quiet"}, flags).err, "Not analyzed") == 0);
  CHECK(findings(lint(project, {"--no-cache", "--system-headers"}, flags)) == 4);
}

TEST_CASE(
    "Headers that a flag includes, or that are read a second time as the system's, are named") {
  const Project project;
  const auto isNamed = [&](const std::string &header, const std::vector<std::string> &flags) {
    const Run run = lint(project, {"--no-cache"}, flags);
    CHECK(findings(run) == 1);
    CHECK(count(run.err, "Not analyzed: 1 header of the project, taken for the system's or the "
                         "framework's: " +
                             project.path(header) + ".") == 1);
  };
  project.write("pragma.h", "#pragma GCC system_header\n" + include + trainingLoop("pragma"));
  project.write("train.cpp", include + trainingLoop("train"));
  isNamed("pragma.h", {"-include", "pragma.h"});
  project.write("again.h", "#ifdef AGAIN\n" + trainingLoop("again") + "#endif\n");
  project.write("train.cpp", include + "#include \"again.h\"\n#define AGAIN\n#include <again.h>\n" +
                                 trainingLoop("train"));
  isNamed("again.h", {"-isystem", "."});
  // One that is read once is the user's, whoever includes it afterwards.
  project.write("again.h", "#pragma once\n" + trainingLoop("again"));
  const Run run = lint(project, {"--no-cache"}, {"-isystem", "."});
  CHECK(findings(run) == 2);
  CHECK(count(run.err, "Not analyzed") == 0);
}

TEST_CASE("What CMake makes of headers to precompile is not named, but the project's among these") {
  const Project project;
  const std::string made = "build/CMakeFiles/train.dir/cmake_pch.hxx";
  const auto told = [&](const std::string &included) {
    project.write(made, "#pragma GCC system_header\n#ifdef __cplusplus\n" + included + "#endif\n");
    const Run run = lint(project, {"--no-cache"}, {"-include", made});
    CHECK(findings(run) == 1);
    return run.err;
  };
  project.write("train.cpp", include + trainingLoop("train"));
  project.write("loop.h", trainingLoop("loop"));
  CHECK(count(told("#include <vector>\n" + include), "Not analyzed") == 0);
  CHECK(count(told(include + "#include \"" + project.path("loop.h") + "\"\n"),
              "Not analyzed: 1 header of the project, taken for the system's or the framework's: " +
                  project.path("loop.h") + ".") == 1);
}

TEST_CASE("A source has no modules built") {
  const Project project;
  project.write("temporary/here", "");
  project.write("train.cpp", include + trainingLoop("before") +
                                 "#pragma clang module build evil\nmodule evil {}\n"
                                 "#pragma clang module contents\n#pragma clang module begin evil\n"
                                 "#include \"missing.h\"\n#pragma clang module end\n"
                                 "#pragma clang module endbuild\n" +
                                 trainingLoop("behind"));
  const Run run =
      project.run("/usr/bin/env",
                  {"TMPDIR=" + project.path("temporary"), gradtidyProgram(), "--no-cache",
                   "--model=" + axonModel(), "train.cpp", "--", "-std=c++20", "-I" + axonFolder()});
  CHECK(findings(run) == 2);
  const auto files = std::filesystem::directory_iterator(project.path("temporary"));
  CHECK(std::distance(begin(files), end(files)) == 1);
}

TEST_CASE("Headers beside what passes for the framework are named") {
  const Project project;
  project.write("include/axon/axon.h", "#include_next <axon/axon.h>\n");
  project.write("include/axon/part.h", trainingLoop("part"));
  project.write("include/loop.h", include + trainingLoop("loop"));
  project.write("train.cpp", include + "#include \"axon/part.h\"\n#include \"loop.h\"\n" +
                                 trainingLoop("train"));
  const std::vector<std::string> cache = {"--cache-dir=cache"};
  for (const auto &options : {std::vector<std::string>{"--no-cache"}, cache, cache}) {
    const Run run = project.gradtidy([&] {
      std::vector<std::string> arguments = options;
      arguments.insert(arguments.end(), {"--model=" + axonModel(), "train.cpp", "--", "-std=c++20",
                                         "-Iinclude", "-I" + axonFolder()});
      return arguments;
    }());
    CHECK(findings(run) == 1);
    CHECK(count(run.err, "Not analyzed: 2 headers of the project, taken for the system's or the "
                         "framework's: " +
                             project.path("include/axon/axon.h") + ", " +
                             project.path("include/loop.h") + ".") == 1);
  }
}

TEST_CASE("A header that takes the place of the framework's is named") {
  const Project project;
  project.write("axon/axon.h", "#pragma once\n#include_next <axon/axon.h>\n" + trainingLoop("in"));
  const std::vector<std::string> cache = {"--cache-dir=cache"};
  for (const std::string include : {"#include \"axon/axon.h\"\n", "#include <axon/axon.h>\n"})
    for (const auto &options : {std::vector<std::string>{"--no-cache"}, cache, cache, cache}) {
      INFO(include);
      project.write("train.cpp", include + trainingLoop("train") + "// " + options.front() + "\n");
      const Run run = lint(project, options, {"-I."});
      CHECK(findings(run) == 1);
      CHECK(count(run.err, "Not analyzed: 1 header of the project, taken for the system's or the "
                           "framework's: " +
                               project.path("axon/axon.h") + ".") == 1);
    }
}

TEST_CASE("Code is not hidden from analyzers, and named where it is hidden from clang") {
  const Project project;
  const auto around = [&](const std::string &condition, const std::string &file = "train") {
    return condition + "\n" + trainingLoop(file) + "#endif\n";
  };
  project.write("train.cpp", include + around("#ifndef __clang_analyzer__"));
  CHECK(findings(lint(project)) == 1);
  for (const std::string condition :
       {"#ifndef __clang__", "#ifdef __clang__\n#else", "#if !defined(__clang__)",
        "#if 0\n#elif __GNUC__ > 5", "#if __has_feature(cxx_rtti)\n#else",
        "#if !__has_cpp_attribute(clang::annotate)"}) {
    INFO(condition);
    project.write("train.cpp", include + around(condition));
    const Run run = lint(project);
    CHECK(findings(run) == 0);
    CHECK(count(run.err, "Not analyzed: code that conditions keep from clang: " +
                             project.path("train.cpp") + ":") == 1);
  }
  // In headers, too, whatever the cache holds.
  project.write("loop.h", "#pragma once\n" + include + around("#ifndef __clang__", "loop"));
  project.write("train.cpp", "#include \"loop.h\"\n" + trainingLoop("train"));
  const std::vector<std::string> cache = {"--cache-dir=cache"};
  for (const auto &options : {std::vector<std::string>{"--no-cache"}, cache, cache, cache}) {
    project.write("train.cpp", project.read("train.cpp") + "// edited\n");
    const Run run = lint(project, options);
    CHECK(findings(run) == 1);
    CHECK(count(run.err, "keep from clang: " + project.path("loop.h") + ":3.\n") == 1);
  }
  // What has no code in it hides none.
  project.write("train.cpp", include +
                                 "#ifdef __clang__\n#pragma clang diagnostic push\n#else\n"
                                 "#pragma GCC diagnostic push\n#endif\n#ifdef OTHER\nint f() { "
                                 "return 1; }\n#endif\n" +
                                 trainingLoop("train"));
  CHECK(count(lint(project).err, "keep from clang") == 0);
}

TEST_CASE("Code that macros of the project keep from clang is named") {
  const Project project;
  const std::string loop = trainingLoop("train"), named = "keep from clang: ";
  const auto says = [&](const std::string &text, unsigned line) {
    INFO(text);
    project.write("train.cpp", text);
    const Run run = lint(project);
    CHECK(findings(run) == 0);
    CHECK(count(run.err, named + project.path("train.cpp") + ":" + std::to_string(line) + ".") ==
          1);
  };
  // Conditions ask by way of other macros.
  says("#ifdef __clang__\n#define HIDE\n#endif\n" + include + "#ifndef HIDE\n" + loop + "#endif\n",
       5);
  says("#ifndef __clang__\n#define SHOW\n#endif\n" + include + "#ifdef SHOW\n" + loop + "#endif\n",
       5);
  says("#define GCC (__GNUC__ > 5)\n#define NEW GCC\n" + include + "#if NEW\n" + loop + "#endif\n",
       4);
  says(include + "#ifdef __llvm__\n#else\n" + loop + "#endif\n", 3);
  says(include + "#ifdef __DEC32_MAX__\n" + loop + "#endif\n", 2);
  // Macros take the place of code.
  says("#ifdef __clang__\n#define CODE(x)\n#else\n#define CODE(x) x\n#endif\n" + include + "CODE(" +
           loop + ")\n",
       7);
  says("#ifdef __clang__\n#define advance zero_grad\n#endif\n" + include + loop, 10);
  says("#ifdef __clang__\n#define for if (0) for\n#endif\n" + include + loop, 7);

  const std::vector<std::string> cache = {"--cache-dir=cache"};
  project.write("loop.h", "#pragma once\n" + include + "#ifdef __clang__\n#define HIDE\n#endif\n");
  project.write("train.cpp", "#include \"loop.h\"\n#ifndef HIDE\n" + loop + "#endif\n");
  for (const auto &options : {std::vector<std::string>{"--no-cache"}, cache, cache, cache}) {
    project.write("train.cpp", project.read("train.cpp") + "// edited\n");
    CHECK(count(lint(project, options).err, named + project.path("train.cpp") + ":2.") == 1);
  }

  // What every program has hides none.
  project.write("train.cpp",
                "#ifdef __GNUC__\n#define LIKELY(x) __builtin_expect(!!(x), 1)\n"
                "#define PACKED(x) x __attribute__((packed))\n#elif defined(_MSC_VER)\n"
                "#define WINDOWS\nint windows() { return 1; }\n#else\n#define LIKELY(x) (x)\n"
                "#define PACKED(x) x\n#endif\n#ifdef WINDOWS\nint other() { return 1; }\n#endif\n"
                "#ifndef TRAIN_GUARD\n#define TRAIN_GUARD\nPACKED(struct A { int a; };)\n"
                "int f(int a) { if (LIKELY(a)) { return 1; } return 2; }\n#endif\n" +
                    include + loop);
  const Run run = lint(project);
  CHECK(findings(run) == 1);
  CHECK(count(run.err, "Not analyzed") == 0);
}

TEST_CASE("Code behind a call that is declared to never return is named") {
  const Project project;
  const auto errors = [&](const std::string &declaration, const std::string &before,
                          const std::string &behind) {
    project.write("train.cpp", include + declaration +
                                   "\nvoid other();\nint hidden(bool wrong) {\n" + before + "\n" +
                                   behind + "\nreturn 0;\n}\n" + trainingLoop("train"));
    const Run run = lint(project);
    CHECK(findings(run) == 1);
    return run.err;
  };
  const std::string line =
      "Not analyzed: code behind calls of functions that are declared to never "
      "return: " +
      project.path("train.cpp") + ":6.\n";
  const std::string stop = "[[noreturn]] void stop();";
  CHECK(count(errors(stop, "stop();", "other();"), line) == 1);
  CHECK(count(errors(stop, "do { { stop(); } } while (false);", "other();"), line) == 1);
  CHECK(count(errors("void stop() __attribute__((noreturn));", "stop();", "while (wrong) other();"),
              line) == 1);
  CHECK(count(errors("", "__builtin_unreachable();", "other();"), line) == 1);
  CHECK(count(errors("void stop() __attribute__((analyzer_noreturn));", "stop();", "other();"),
              line) == 1);
  // What functions are for that never return.
  CHECK(count(errors(stop, "if (wrong) stop();", "other();"), "Not analyzed") == 0);
  CHECK(count(errors(stop, "stop();", ""), "Not analyzed") == 0);
  CHECK(count(errors(stop, "if (wrong) { other(); } else { stop(); }", "other();"),
              "Not analyzed") == 0);
  CHECK(count(errors(stop, "try { other(); } catch (int) { other(); stop(); }", "other();"),
              "Not analyzed") == 0);
}

TEST_CASE("Headers of the repository around a submodule are named") {
  const Project project;
  project.write(".git/HEAD", "");
  project.write("common/loop.h", include + trainingLoop("common"));
  project.write("part/.git", "gitdir: ../.git/modules/part\n");
  project.write("beside/.git", "gitdir: ../.git/modules/beside\n");
  project.write("beside/loop.h", trainingLoop("beside"));
  project.write("part/train.cpp", "#include \"../common/loop.h\"\n#include \"../beside/loop.h\"\n" +
                                      trainingLoop("train"));
  const Run run = project.gradtidy({"--no-cache", "--model=" + axonModel(), "part/train.cpp", "--",
                                    "-std=c++20", "-I" + axonFolder()});
  CHECK(findings(run) == 1);
  CHECK(count(run.err, "Not analyzed: 1 header of the repository around that of the source: " +
                           project.path("common/loop.h") + ".") == 1);
}

TEST_CASE("No flag keeps the bodies of templates from being parsed") {
  const Project project;
  project.write("train.cpp", include + "template <class T>\n" + trainingLoop("train"));
  for (const std::vector<std::string> &flags :
       {std::vector<std::string>{"-fdelayed-template-parsing"},
        {"-fms-compatibility", "-fms-extensions", "-Xclang", "-fdelayed-template-parsing"}}) {
    const Run run = lint(project, {"--no-cache"}, flags);
    CHECK(findings(run) == 1);
    CHECK(run.status == 0);
  }
}

TEST_CASE("Reports say what was not analyzed") {
  const Project project;
  project.write("train.cpp", include + "#ifndef __clang__\n" + trainingLoop("train") + "#endif\n");
  for (const std::string format : {"json", "sarif", "github", "html", "junit", "markdown"}) {
    INFO(format);
    const Run run = lint(project, {"--no-cache", "--quiet", "--format=" + format});
    CHECK_THAT(run.out, Contains("Not analyzed: code that conditions keep from clang"));
  }
}

TEST_CASE(
    "A database cannot have a source count as preprocessed, in which line markers hide code") {
  const Project project;
  const std::string text = include + "# 1 \"/usr/include/x.h\" 3\n" + trainingLoop("train");
  for (const auto &[file, flags] :
       {std::pair<std::string, std::string>{"train.cpp", "-x c++-cpp-output "}, {"train.ii", ""}}) {
    INFO(file);
    project.write(file, text);
    project.writeDatabase("", {file}, flags + "-std=c++20 -I" + axonFolder());
    CHECK(findings(project.gradtidy({"--no-cache", "--model=" + axonModel(), file})) == 1);
  }
}

TEST_CASE("What configuration files leave out is said") {
  const Project project;
  project.write("train.cpp", include + trainingLoop("train"));
  const auto said = [&](const std::string &text, std::vector<std::string> options = {}) {
    project.write(".gradtidy", text);
    options.insert(options.end(), {"--no-cache"});
    return lint(project, options).err;
  };
  const std::string line = "gradtidy: configured by '" + project.path(".gradtidy") + "': ";
  CHECK(count(said("Checks: '-ml-missing-zero-grad'\n"),
              line + "1 check off (ml-missing-zero-grad)\n") == 1);
  CHECK(count(said("Checks: '-ml-missing-*,ml-missing-step'\nCheckOptions: {ml.Level: 0}\n"),
              " checks off (ml-missing-") == 1);
  CHECK(count(said("CheckOptions: {ml.Level: 0}\nRemovedArgs: ['-DX']\n"),
              line + "ml.Level 0, RemovedArgs\n") == 1);
  CHECK(count(said("WarningsAsErrors: 'ml-*'\n"), "configured by") == 0);
  CHECK(count(said("Checks: '-ml-missing-zero-grad'\n", {"--quiet"}), "configured by") == 0);
  // What the person has said is said.
  CHECK(count(said("", {"--checks=-ml-missing-zero-grad", "--level=0"}), "configured by") == 0);
  CHECK(count(said("", {"--config={Checks: '-ml-missing-zero-grad'}"}), "configured by") == 0);
}

TEST_CASE("A source with several commands is named") {
  const Project project;
  project.write("train.cpp", "#ifndef HIDE\n" + include + trainingLoop("train") + "#endif\n");
  const auto entry = [&](const std::string &flags) {
    return R"({"directory": ")" + project.path() + R"(", "file": "train.cpp", "command": "c++ -I)" +
           axonFolder() + " -std=c++20 " + flags + R"( train.cpp"})";
  };
  const auto lintWith = [&](const std::string &first, const std::string &second) {
    project.write("compile_commands.json", "[" + entry(first) + ",\n" + entry(second) + "]");
    return project.gradtidy({"--no-cache", "--model=" + axonModel(), "train.cpp"});
  };
  const Run hidden = lintWith("-DHIDE -o a.o", "-o b.o");
  CHECK(findings(hidden) == 0);
  CHECK(count(hidden.err, "gradtidy: '" + project.path("train.cpp") +
                              "' has several commands in the compilation database: "
                              "analyzed with the first\n") == 1);
  const Run same = lintWith("-o a.o", "-o b.o");
  CHECK(findings(same) == 1);
  CHECK(count(same.err, "several commands") == 0);
}

TEST_CASE("Configuration files put no escapes into the output") {
  const Project project;
  project.write("train.cpp", include + trainingLoop("train"));
  project.write(".gradtidy", "UseColor: true\n");
  const Run run = lint(project);
  CHECK(findings(run) == 1);
  CHECK(count(run.out, "\x1b") == 0);
}

TEST_CASE("Code behind what never returns by way of others is named") {
  const Project project;
  const auto errors = [&](const std::string &before, const std::string &statement) {
    INFO(before << statement);
    project.write("train.cpp", include + "[[noreturn]] int stop();\nvoid other();\n" + before +
                                   "\nint hidden(bool wrong) {\n" + statement +
                                   "\nother();\nreturn 0;\n}\n" + trainingLoop("train"));
    const Run run = lint(project);
    CHECK(findings(run) == 1);
    return run.err;
  };
  const std::string line =
      "Not analyzed: code behind calls of functions that are declared to never "
      "return: " +
      project.path("train.cpp") + ":7.\n";
  const auto isNamed = [&](const std::string &before, const std::string &statement) {
    CHECK(count(errors(before, statement), line) == 1);
  };
  isNamed("void first(); void second() { first(); } void first() { stop(); }", "second();");
  isNamed("void first() { try { stop(); } catch (...) {} }", "first();");
  isNamed("template <class T> void first(T) { stop(); }", "first(1);");
  isNamed("", "const auto first = [] { stop(); }; first();");
  isNamed("struct A { A() { stop(); } };", "A a;");
  isNamed("struct A { int a; A() : a(stop()) {} };", "A a;");
  isNamed("struct A { [[noreturn]] A(); };", "A a;");
  isNamed("struct A { [[noreturn]] ~A(); };", "{ A a; }");
  isNamed("struct A { [[noreturn]] ~A(); }; struct B { A a; };", "B();");
  isNamed("struct A { ~A() { stop(); } };", "{ A a; }");
  isNamed("", "__builtin_assume(false);");
  isNamed("namespace std { [[noreturn]] void unreachable(); }", "std::unreachable();");
  const std::string inMember = errors("struct A { int a = stop(); };", "A a;");
  CHECK(count(inMember, project.path("train.cpp") + ":4.\n") == 1);

  const std::string often = "void first(bool wrong) { if (wrong) stop(); }";
  CHECK(count(errors(often, "first(wrong);"), "Not analyzed") == 0);
  CHECK(count(errors("void first() { stop(); }", "if (wrong) first();"), "Not analyzed") == 0);
  CHECK(count(errors("struct A { virtual void first() { stop(); } }; A &a();", "a().first();"),
              "Not analyzed") == 0);
}

TEST_CASE("Code in extensions of C++ that is not followed is named") {
  const Project project;
  const auto isNamed = [&](const std::string &code, const std::vector<std::string> &flags,
                           const std::string &said) {
    INFO(code);
    project.write("train.cpp", include + code + trainingLoop("train"));
    const Run run = lint(project, {"--no-cache"}, flags);
    CHECK(findings(run) == 1);
    CHECK(count(run.err, said) == 1);
  };
  isNamed("void other(); void f() { void (^block)() = ^{ other(); }; block(); }\n", {"-fblocks"},
          "Not analysed to the end (too large, too deep, or calls too deep): block (");
  const std::vector<std::string> objective = {"-x", "objective-c++", "-fobjc-exceptions"};
  isNamed("void other(); void f() { @try { other(); } @finally { } }\n", objective, "deep): f (");
  isNamed("@interface I\n- (void)method;\n@end\n@implementation I\n- (void)method { }\n@end\n",
          objective, "deep): I::method");
  isNamed("#pragma omp begin declare variant match(implementation={vendor(gnu)})\n" +
              trainingLoop("other") + "#pragma omp end declare variant\n",
          {"-fopenmp"}, "keep from clang: " + project.path("train.cpp") + ":2.");
}
