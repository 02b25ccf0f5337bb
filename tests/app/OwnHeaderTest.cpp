// A unit's own header makes its next analysis faster, and changes nothing else.
#include "tests/Project.h"

#include <catch2/catch.hpp>

using namespace gradtidy::test;

namespace {

const std::string finding = "[ml-missing-zero-grad]\n";

/// The loop of main.cpp calls step(), which step.cpp defines.
class EditedProgram : public Project {
public:
  EditedProgram() {
    write(".git/HEAD", "");
    write("step.h", "#pragma once\n#include <axon/axon.h>\n"
                    "void step(axon::Block &net, axon::Solver &solver);\n");
    write("step.cpp", step());
    write("main.cpp", main("step(net, solver);"));
    writeDatabase("", {"main.cpp", "step.cpp"}, "-std=c++20 -I" + axonFolder());
  }

  static std::string step(const std::string &first = "") {
    return "#include \"step.h\"\nstatic int steps = 0;\n"
           "void step(axon::Block &net, axon::Solver &solver) {\n" +
           first +
           "  axon::distance(net(axon::Array()), axon::Array()).backpropagate();\n"
           "  solver.advance();\n  ++steps;\n}\n";
  }

  static std::string main(const std::string &inLoop, const std::string &before = "") {
    return "#include \"step.h\"\n#include <vector>\n" + before +
           "int main() {\n  axon::Block net;\n  axon::Solver solver(net.weights());\n"
           "  for (int i = 0; i < 9; ++i) {\n    " +
           inLoop + "\n  }\n}\n";
  }

  Run lint(std::vector<std::string> arguments) const {
    arguments.push_back("--model=" + axonModel());
    return gradtidy(arguments);
  }
  Run lintCached(const std::string &file) const {
    return lint({file, "--cache-dir=cache", "--stats"});
  }
};

/// What a user sees of a run, but for the times.
std::string shown(const Run &run) { return std::to_string(run.status) + run.out; }

bool hasMadeHeader(const Run &run) { return run.err.find("% precompiling") != std::string::npos; }

} // namespace

TEST_CASE("A file that is edited is parsed behind its own header") {
  const EditedProgram program;
  CHECK(hasMadeHeader(program.lintCached("main.cpp")));
  for (const char *inLoop :
       {"step(net, solver); // As before.", "solver.zero_grad(); step(net, solver);",
        "step(net, solver); int x = undeclared;"}) {
    INFO(inLoop);
    program.write("main.cpp", EditedProgram::main(inLoop));
    const Run run = program.lintCached("main.cpp");
    CHECK_FALSE(hasMadeHeader(run));
    CHECK(shown(run) == shown(program.lint({"main.cpp", "--no-cache"})));
  }
}

TEST_CASE("What another source has is found from both sides, behind an own header, too") {
  const EditedProgram program;
  program.lintCached("step.cpp");
  program.write("step.cpp", EditedProgram::step() + "// Edited.\n");
  Run run = program.lintCached("step.cpp");
  CHECK_FALSE(hasMadeHeader(run));
  CHECK(count(run.out, finding) == 1);
  program.write("main.cpp", EditedProgram::main("solver.zero_grad(); step(net, solver);"));
  CHECK(count(program.lintCached("step.cpp").out, finding) == 0);
  program.write("step.cpp", EditedProgram::step("  // Once more.\n"));
  run = program.lintCached("step.cpp");
  CHECK_FALSE(hasMadeHeader(run));
  CHECK(count(run.out, finding) == 0);
}

TEST_CASE("Sources that an edit asks for, and those it does not ask for any more") {
  const EditedProgram program;
  program.write("main.cpp", EditedProgram::main(";"));
  program.lintCached("main.cpp");
  for (const char *inLoop :
       {"step(net, solver);", "; /* none */", "step(net, solver); // Again."}) {
    program.write("main.cpp", EditedProgram::main(inLoop));
    program.write("step.cpp", EditedProgram::step());
    const Run run = program.lintCached("main.cpp");
    CHECK(shown(run) == shown(program.lint({"main.cpp", "--no-cache"})));
  }
}

TEST_CASE("What another source has does not change what the unit means") {
  struct Case {
    const char *what;
    std::string other, unit; ///< What they have before their function.
  };
  const std::vector<Case> cases = {
      {"a macro", "#define LIMIT advance\n", "int LIMIT = 3;\n"},
      {"a macro that is asked for", "#define FAST 1\n", "#ifdef FAST\n#error fast\n#endif\n"},
      {"names that become ambiguous",
       "namespace other { struct List {}; }\nusing namespace other;\n",
       "namespace my { struct List {}; }\nusing namespace my;\nList list;\n"},
      {"a helper of the same name", "static int helper() { return 1; }\n",
       "static int helper() { return 2; }\n"},
      {"a template of the unit's header", "template int twice<int>(int);\n", "int x = twice(2);\n"},
  };
  for (const Case &each : cases) {
    INFO(each.what);
    const EditedProgram program;
    program.write("step.h",
                  program.read("step.h") + "template <class T> T twice(T x) { return x + x; }\n");
    std::string other = EditedProgram::step();
    program.write("step.cpp", other.insert(other.find("static"), each.other));
    for (const char *end : {"", "// Edited.\n", "// Again.\n"}) {
      program.write("main.cpp", EditedProgram::main("step(net, solver);", each.unit) + end);
      const Run run = program.lintCached("main.cpp");
      CHECK(shown(run) == shown(program.lint({"main.cpp", "--no-cache"})));
    }
  }
}

TEST_CASE("What the header has of the main file is not read again") {
  const EditedProgram program;
  program.write("unguarded.h", "struct Once {};\n");
  for (const char *end : {"", "// Edited.\n", "int last = undeclared;\n"}) {
    program.write("main.cpp",
                  "// NOLINTBEGIN(nothing)\n#include \"unguarded.h\"\n#define TWO \\\n  2\n" +
                      EditedProgram::main("step(net, solver);") +
                      "int two = TWO;\n// NOLINTEND(nothing)\n" + end);
    const Run run = program.lintCached("main.cpp");
    CHECK(hasMadeHeader(run) == std::string(end).empty());
    CHECK(shown(run) == shown(program.lint({"main.cpp", "--no-cache"})));
  }
}

TEST_CASE("A result that an own header gave is known the next time") {
  const EditedProgram program;
  program.lintCached("step.cpp");
  program.write("step.cpp", EditedProgram::step("  // Edited.\n"));
  CHECK(count(program.lintCached("step.cpp").out, finding) == 1);
  const Run again = program.lintCached("step.cpp");
  CHECK(count(again.out, finding) == 1);
  CHECK(again.err.find("1 known from earlier runs") != std::string::npos);
}

TEST_CASE("Runs of many sources make no headers for one") {
  const EditedProgram program;
  for (const char *file : {"a.cpp", "b.cpp"})
    program.write(file, "#include \"step.h\"\n");
  program.writeDatabase("", {"main.cpp", "step.cpp", "a.cpp", "b.cpp"},
                        "-std=c++20 -I" + axonFolder());
  program.lint({"main.cpp", "step.cpp", "a.cpp", "b.cpp", "--cache-dir=cache"});
  program.write("main.cpp", program.read("main.cpp") + "// Edited.\n");
  CHECK(hasMadeHeader(program.lintCached("main.cpp")));
}

TEST_CASE("Another include path is another header") {
  const Project project;
  project.write("one/kind.h", "#define KIND\n");
  project.write("two/kind.h", "#include <axon/axon.h>\n" + trainingLoop("train"));
  project.write("main.cpp", "#include <kind.h>\nint last;\n");
  const auto lint = [&](const std::string &folder) {
    // A header of the unit's own is made for what has been edited.
    project.write("main.cpp", project.read("main.cpp") + "// edited\n");
    return project.gradtidy({"--model=" + axonModel(), "--cache-dir=cache", "main.cpp", "--",
                             "-std=c++20", "-I" + axonFolder(), "-I" + folder});
  };
  for (const char *folder : {"one", "two", "one", "two"})
    CHECK(count(lint(folder).out, finding) == (folder == std::string("two")));
}
