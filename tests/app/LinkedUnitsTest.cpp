// Each source of a program is parsed once, and analyzed with what its text is linked to: whatever
// was asked for, by how many workers, and whatever the cache has.
#include "tests/Project.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <map>

#include <sys/stat.h>

using namespace gradtidy::test;

namespace fs = std::filesystem;

namespace {

const std::string finding = "[ml-missing-zero-grad]\n";

/// The loop of main.cpp calls step() of step.cpp, which calls miss() of loss.cpp; in other.cpp is
/// something else.
class WholeProgram : public Project {
public:
  WholeProgram() {
    write(".git/HEAD", "");
    write("step.h", "#pragma once\n#include <axon/axon.h>\n"
                    "void step(axon::Block &net, axon::Solver &solver);\n"
                    "axon::Array miss(axon::Block &net);\n");
    write("main.cpp", main("step(net, solver);"));
    write("step.cpp", step());
    write("loss.cpp", "#include \"step.h\"\naxon::Array miss(axon::Block &net) {\n"
                      "  return axon::distance(net(axon::Array()), axon::Array());\n}\n" +
                          trainingLoop("pretrain"));
    write("other.cpp", "#include \"step.h\"\n" + trainingLoop("other"));
    writeDatabase("", {"main.cpp", "step.cpp", "loss.cpp", "other.cpp"},
                  "-std=c++20 -I" + axonFolder());
  }

  static std::string main(const std::string &inLoop, const std::string &before = "") {
    return "#include \"step.h\"\n" + before +
           "int main() {\n  axon::Block net;\n  axon::Solver solver(net.weights());\n"
           "  for (int i = 0; i < 9; ++i) {\n    " +
           inLoop + "\n  }\n}\n";
  }
  static std::string step(const std::string &before = "") {
    return before + "#include \"step.h\"\nvoid step(axon::Block &net, axon::Solver &solver) {\n"
                    "  miss(net).backpropagate();\n  solver.advance();\n}\n";
  }

  /// All sources in one run; few by themselves are read one by one.
  Run all(std::vector<std::string> options = {}) const {
    options.insert(options.end(), sources.begin(), sources.end());
    return lint(options);
  }
  std::string oneByOne() const {
    std::string out;
    for (const char *source : {"loss.cpp", "main.cpp", "other.cpp", "step.cpp"})
      out += lint({"--no-cache", source}).out;
    return out;
  }
  Run lint(std::vector<std::string> arguments) const {
    arguments.push_back("--model=" + axonModel());
    return gradtidy(arguments);
  }

  const std::vector<std::string> sources = {"main.cpp", "step.cpp", "loss.cpp", "other.cpp"};
};

/// The files of a cache that have the \p extension, with the numbers of their inodes: what is
/// written is another one.
std::map<std::string, ino_t> kept(const Project &project, const std::string &extension) {
  std::map<std::string, ino_t> files;
  for (const auto &entry : fs::directory_iterator(project.path("cache/units")))
    if (struct stat status = {};
        entry.path().extension() == extension && ::stat(entry.path().c_str(), &status) == 0)
      files[entry.path().string()] = status.st_ino;
  return files;
}

} // namespace

TEST_CASE("What is found in a program does not depend on what is asked for") {
  const WholeProgram program;
  const Run together = program.all({"--no-cache"});
  CHECK(count(together.out, finding) == 3);
  CHECK(together.out == program.oneByOne());
  for (const char *workers : {"-j1", "-j3"})
    CHECK(program.all({"--no-cache", workers}).out == together.out);
}

TEST_CASE("What one source does not see by itself changes nothing of it") {
  struct Case {
    const char *what;
    std::string main, step; ///< What they have before their function and before all.
  };
  const std::vector<Case> cases = {
      {"its own macro", "#define LIMIT 3\nint limit = LIMIT;\n",
       "#define DEPTH 3\nint depth = DEPTH;\n"},
      {"a macro of main.cpp", "#define CLEARS 1\n",
       "#ifdef CLEARS\n#define advance() zero_grad()\n#endif\n"},
      {"a macro of main.cpp in a header", "#define CLEARS 1\n#include \"late.h\"\n",
       "#include \"late.h\"\n"},
      {"a helper of the same name", "static int helper() { return 1; }\n",
       "static int helper() { return 2; }\n"},
      {"a class of the same name", "namespace { struct State { int a; }; State state; }\n",
       "namespace { struct State { int b; }; State state; }\n"},
  };
  for (const Case &each : cases) {
    INFO(each.what);
    const WholeProgram program;
    program.write("late.h", "#pragma once\n#ifdef CLEARS\n#define advance() zero_grad()\n#endif\n");
    program.write("main.cpp", WholeProgram::main("step(net, solver);", each.main));
    program.write("step.cpp", WholeProgram::step("#include <axon/axon.h>\n" + each.step));
    const Run together = program.all({"--no-cache"});
    CHECK(count(together.out, finding) == 3);
    CHECK(together.out == program.oneByOne());
  }
}

TEST_CASE("Findings in a header belong to all that include it") {
  const WholeProgram program;
  program.write("step.h", program.read("step.h") + "inline " + trainingLoop("shared"));
  const Run together = program.all({"--cache-dir=cache"});
  CHECK(count(together.out, finding) == 4);
  const Run known = program.lint({"step.cpp", "--cache-dir=cache", "--stats"});
  CHECK_THAT(known.err, Catch::Contains("; 1 known from earlier runs"));
  CHECK(known.out == program.lint({"step.cpp", "--no-cache"}).out);
}

TEST_CASE("A source that changes is analysed anew, and those that are linked to it") {
  const WholeProgram program;
  program.all({"--cache-dir=cache"});
  for (const char *inLoop : {"solver.zero_grad(); step(net, solver);", "step(net, solver);"}) {
    program.write("main.cpp", WholeProgram::main(inLoop));
    CHECK(program.all({"--cache-dir=cache"}).out == program.oneByOne());
  }
}

TEST_CASE("A source that nobody asked for is not spoken of") {
  const WholeProgram program;
  program.write("more.cpp", "int more;\n");
  program.write("most.cpp", "int most;\n");
  const Run run = program.lint({"--no-cache", "main.cpp", "other.cpp", "more.cpp", "most.cpp"});
  CHECK(run.out.find("step.cpp:") == std::string::npos);
}

TEST_CASE("Only what has changed is parsed again") {
  const WholeProgram program;
  program.all({"--cache-dir=cache"});
  const auto before = kept(program, ".unit"), texts = kept(program, ".ir");
  CHECK(before.size() == 4);
  CHECK(texts.size() == 4);
  program.write("loss.cpp", program.read("loss.cpp") + "// Edited.\nint more;\n");
  program.all({"--cache-dir=cache"});
  unsigned changed = 0;
  for (const auto &[file, inode] : kept(program, ".unit"))
    changed += inode != before.at(file);
  CHECK(changed == 1);
}

TEST_CASE("A text that is damaged, gone or cannot be kept is made anew") {
  const WholeProgram program;
  const std::string sound = program.all({"--cache-dir=cache"}).out;
  const auto damage = GENERATE(0, 1, 2, 3);
  const auto files = kept(program, damage < 2 ? ".ir" : ".unit");
  for (const auto &each : files) {
    const std::string &file = each.first;
    const std::string name = fs::relative(file, program.path()).string();
    if (damage % 2)
      fs::remove(file);
    else
      program.overwrite(name, program.read(name).substr(0, 40) + "?");
  }
  fs::remove_all(program.path("cache/results"));
  const Run run = program.all({"--cache-dir=cache"});
  CHECK(run.out == sound);
  CHECK(run.err.find("error") == std::string::npos);
  CHECK(kept(program, damage < 2 ? ".ir" : ".unit").size() == files.size());
}

TEST_CASE("More sources are linked than eight") {
  const WholeProgram program;
  // main() calls one() of one.cpp, which calls two() of two.cpp, and so on to step().
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
  std::string header = program.read("step.h");
  for (const std::string &name : names)
    header += "void " + name + "(axon::Block &net, axon::Solver &solver);\n";
  program.write("step.h", header);
  std::string database = "[";
  const auto add = [&](const std::string &file) {
    database += (database.size() > 1 ? "," : "") + std::string("{\"directory\": \"") +
                program.path() + "\", \"file\": \"" + file +
                "\", \"command\": \"c++ -std=c++20 -I" + axonFolder() + " -c " + file + "\"}";
  };
  for (size_t i = 0; i < names.size(); ++i) {
    program.write(names[i] + ".cpp", "#include \"step.h\"\nvoid " + names[i] +
                                         "(axon::Block &net, axon::Solver &solver) { " +
                                         (i + 1 < names.size() ? names[i + 1] : "step") +
                                         "(net, solver); }\n");
    add(names[i] + ".cpp");
  }
  for (const char *file : {"main.cpp", "step.cpp", "loss.cpp"})
    add(file);
  program.write("compile_commands.json", database + "]");
  program.write("main.cpp", WholeProgram::main("a(net, solver);"));
  CHECK(count(program.lint({"--no-cache", "step.cpp"}).out, finding) == 0); // Six calls deep.
  program.write("main.cpp", WholeProgram::main("g(net, solver);"));
  CHECK(count(program.lint({"--no-cache", "step.cpp"}).out, finding) == 1);
}

TEST_CASE("A source that crashes costs no other") {
  std::string crash;
  unsigned isLost = 1;
  SECTION("the depth of a function, which alone is lost") {
    isLost = 0;
    crash = "int deep(axon::Block &net, int x) { return x";
    for (int i = 0; i < 50000; ++i)
      crash += " + x";
    crash += "; }\n";
  }
  SECTION("the parser") { crash = crashingCode() + "int deep(axon::Block &net, int x) {}\n"; }

  const WholeProgram program;
  std::string declarations = program.read("step.h") + "int deep(axon::Block &net, int x);\n", calls;
  for (const char *name : {"a", "b", "c", "d", "e", "f", "g"}) {
    const std::string head = std::string("void ") + name + "(axon::Block &net)";
    declarations += head + ";\n";
    calls += std::string(name) + "(net); ";
    program.write(std::string(name) + ".cpp",
                  "#include \"step.h\"\n" + head + " { deep(net, 1); }\n");
  }
  program.write("step.h", declarations);
  program.write("deep.cpp", "#include \"step.h\"\n" + crash);
  program.write("main.cpp",
                WholeProgram::main(calls + "step(net, solver);") + trainingLoop("train"));
  program.writeDatabase("",
                        {"main.cpp", "step.cpp", "loss.cpp", "deep.cpp", "a.cpp", "b.cpp", "c.cpp",
                         "d.cpp", "e.cpp", "f.cpp", "g.cpp"},
                        "-std=c++20 -I" + axonFolder());

  const Run run = program.lint({"--no-cache", "-j1", "."});
  CHECK(run.status == (isLost ? 2 : 0));
  CHECK(count(run.err, "deep.cpp' crashed;") == isLost);
  CHECK(count(run.out, finding) == 2);
  CHECK(run.out == program.lint({"--no-cache", "loss.cpp"}).out +
                       program.lint({"--no-cache", "main.cpp"}).out);
}
