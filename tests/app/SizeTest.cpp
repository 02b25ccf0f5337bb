// Size and depth: one function never takes its unit with it.
#include "tests/Project.h"
#include "tests/Repeated.h"

#include <catch2/catch.hpp>

#include <algorithm>

#include <sys/resource.h>

using namespace gradtidy::test;
using Catch::Matchers::Contains;

namespace {

/// Lints \p text before and behind training loops that forget to clear gradients.
Run lintAround(const std::string &text) {
  const Project project;
  project.write("train.cpp", "#include <axon/axon.h>\n" + trainingLoop("before") + text + "\n" +
                                 trainingLoop("behind"));
  return project.gradtidy({"--no-cache", "-j1", "train.cpp", "--model=" + axonModel(), "--",
                           "-std=c++20", "-I" + axonFolder()});
}

/// What all processes that this test has run have computed.
double secondsSpent() {
  rusage usage = {};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return double(usage.ru_utime.tv_sec) + double(usage.ru_utime.tv_usec) * 1e-6;
}

#ifdef __SANITIZE_ADDRESS__
constexpr double slowdown = 10;
#else
constexpr double slowdown = 1;
#endif

/// The peak of all processes that this test has run.
long peakMegabytes() {
  rusage usage = {};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return usage.ru_maxrss >> 10;
}

} // namespace

TEST_CASE("Code that is nested too deeply costs the function it stands in") {
  const std::string head = "void deep(axon::Array x, int c) ";
  for (const std::string &text : {
           "int deep() { return " + repeated("(", 10000) + "1" + repeated(")", 10000) + "; }",
           "int deep() { return " + repeated("(", 20000) + "1" + repeated(")", 20000) + "; }",
           head + repeated("{", 10000) + "c = 1;" + repeated("}", 10000),
           head + "{ " + repeated("[&]{", 1000) + "x.number();" + repeated("}();", 1000) + " }",
           head + "{ int z = c" + repeated(" + c", 10000) + "; }",
           "const int deep = 1" + repeated(" + 1", 10000) + ";",
           "int deep = " + repeated("- ", 20000) + "1;",
           "struct Deep { int deep = " + repeated("- ", 20000) + "1; };",
           "#define D16 ----------------\n#define D256 " + repeated("D16 ", 16) +
               "\nint deep = " + repeated("D256 ", 100) + "1;",
           "template <class T> struct A {};\n" + repeated("A<", 20000) + "int" +
               repeated(">", 20000) + " deep;",
           repeated("namespace deep {", 5000) + repeated("}", 5000),
           head + "{ " + repeated("if (c) x.number(); else ", 20000) + "; }",
           "#define D if (c) x.number(); else\n#define D16 " + repeated("D ", 16) + "\n" + head +
               "{ " + repeated("D16 ", 1250) + "; }",
       }) {
    INFO(text.substr(0, 80));
    const Run run = lintAround(text);
    CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 2);
    CHECK(count(run.err, "Not analysed to the end") == 1);
    CHECK_THAT(run.err, Contains(": deep (") && !Contains("crashed"));
    CHECK(peakMegabytes() < 300);
  }
}

TEST_CASE("A list of arguments that templates take apart takes little memory") {
  const Run run = lintAround("template <class T, class... R> T first(T t, R... r) {\n"
                             "  if constexpr (sizeof...(r) > 0)\n    first(r...);\n  return t;\n}\n"
                             "int number = first(" +
                             repeated("1, ", 600) + "1);\n");
  CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 2);
  CHECK(count(run.err, "Not analysed to the end") == 1);
  CHECK_THAT(run.err, Contains(": first ("));
  CHECK(peakMegabytes() < 300);
}

TEST_CASE("The names of closures within closures take little memory") {
  const Run run = lintAround("void nested(axon::Array x) { " + repeated("[&]{", 600) +
                             "x.number();" + repeated("}();", 600) + " }");
  CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 2);
  CHECK(peakMegabytes() < 300);
}

TEST_CASE("Pragmas do not nest, however many they are") {
  for (const std::string &pragmas :
       {repeated("#pragma pack(push, 1)\n", 20000) + repeated("#pragma pack(pop)\n", 20000),
        repeated("_Pragma(\"GCC poison x\") ", 20000)}) {
    const Run run = lintAround(pragmas);
    CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 2);
    CHECK(count(run.err, "Not analysed") == 0);
  }
}

TEST_CASE("A condition that macros make too long counts as false") {
  std::string nested = "#define P0 1\n", doubled = "#define A0 (\n#define B0 )\n";
  for (unsigned i = 0; i < 100000; ++i)
    nested += "#define P" + std::to_string(i + 1) + " (P" + std::to_string(i) + ")\n";
  for (unsigned i = 0; i < 30; ++i)
    for (const std::string name : {"A", "B"})
      doubled += "#define " + name + std::to_string(i + 1) + " " + name + std::to_string(i) + " " +
                 name + std::to_string(i) + "\n";
  for (const auto &[macros, condition] : {std::pair(nested, "P100000"), {doubled, "A30 1 B30"}})
    for (const std::string before : {"#if ", "#if 0\n#elif 1 && "}) {
      INFO(before << condition);
      const Run run =
          lintAround(macros + before + condition + "\n" + trainingLoop("within") + "#endif\n");
      CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 2);
      CHECK(count(run.err, "Not analysed to the end") == 1);
      CHECK_THAT(run.err, Contains("if (") && !Contains("crashed"));
      CHECK(run.status == 0);
      CHECK(peakMegabytes() < 300);
    }
}

TEST_CASE("A header that nests too deeply in one place is read all the same") {
  const Project project;
  project.write("deep.h", "#pragma once\n#include <axon/axon.h>\n" + trainingLoop("before") +
                              "int deep = " + repeated("- ", 20000) + "1;\n" +
                              trainingLoop("behind"));
  project.write("train.cpp", "#include \"deep.h\"\n" + trainingLoop("own"));
  const Run run =
      project.gradtidy({"--no-cache", "-j1", "train.cpp", "--header-filter=.*",
                        "--model=" + axonModel(), "--", "-std=c++20", "-I" + axonFolder()});
  CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 3);
  CHECK(count(run.err, "Not analysed to the end") == 1);
  CHECK_THAT(run.err, Contains("deep.h:"));
}

TEST_CASE("What is fixed beside code that nests too deeply is the text of the file") {
  const Project project;
  const std::string text = "#include <axon/axon.h>\nint deep = " + repeated("- ", 20000) + "1;\n" +
                           trainingLoop("behind");
  project.write("train.cpp", text);
  const Run run = project.gradtidy({"--no-cache", "--fix", "train.cpp", "--model=" + axonModel(),
                                    "--", "-std=c++20", "-I" + axonFolder()});
  CHECK_THAT(run.out + run.err, Contains("applied 1 of 1"));
  CHECK(project.read("train.cpp").size() > text.size());
  CHECK_THAT(project.read("train.cpp"), Contains("- - 1;\n"));
}

TEST_CASE("A class template that is derived from itself with other arguments is survived") {
  const Run run =
      lintAround("template <unsigned N> struct Rank : Rank<N - 1> {\n"
                 "  float k() { Rank *self = this; return self->Rank<N - 1>::k(); }\n"
                 "};\n"
                 "template <> struct Rank<0> { float k() { return 0; } };\n"
                 "float ask(axon::Array x) { Rank<2> r; return float(x.number()) + r.k(); }\n");
  CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 2);
  CHECK_THAT(run.err, !Contains("crashed"));
}

TEST_CASE("A branch without a condition is followed") {
  const Project project;
  project.write("train.cpp",
                "#include <axon/axon.h>\n"
                "void train(axon::Block &net, axon::Array input, axon::Array target)\n{\n"
                "  if consteval {\n  } else " +
                    trainingLoop("").substr(trainingLoop("").find('{')) + "}\n");
  const Run run = project.gradtidy({"--no-cache", "train.cpp", "--model=" + axonModel(), "--",
                                    "-std=c++23", "-I" + axonFolder()});
  CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 1);
  CHECK(count(run.err, "Not analysed") == 0);
}

TEST_CASE("A body without its last brace costs no other function") {
  for (const std::string text : {"void broken() { for (;;) { int x = 1; }\n\n",
                                 "void broken() {\n  if (true) {\n    int x = 1;\n\n\n",
                                 "struct Broken {\n  void f() {\n    while (true) {\n  }  \n"
                                 "  void g() {}\n};\n"}) {
    INFO(text);
    const Run run = lintAround(text);
    CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 2);
    CHECK_THAT(run.out, Contains("error:"));
    CHECK(run.status == 1);
  }
}

TEST_CASE("A training step that is written down ten thousand times takes little memory") {
  const std::string step = "{ axon::distance(net(x), x).backpropagate(); solver.advance(); "
                           "solver.zero_grad(); }\n";
  const Run run = lintAround("void unrolled(axon::Block net, axon::Array x) {\n"
                             "  axon::Solver solver(net.weights());\n" +
                             repeated(step, 10000) + "}\n");
  CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 2);
  CHECK(count(run.err, "Not analysed") == 0);
  CHECK(peakMegabytes() < 300);
}

TEST_CASE("Ten thousand statements are followed to the end in little memory") {
  std::string statements;
  for (unsigned i = 0; i < 10000; ++i)
    statements += "auto x" + std::to_string(i + 1) + " = axon::distance(x0, x" +
                  std::to_string(i / 2) + ");\n";
  const Run run = lintAround("void flat(axon::Array x0) {\n" + statements + "}\n");
  CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 2);
  CHECK(count(run.err, "Not analysed") == 0);
  CHECK(peakMegabytes() < 300);
}

TEST_CASE("Ten thousand passes whose results live on are followed to the end in little memory") {
  std::string passes;
  for (unsigned i = 0; i < 10000; ++i)
    passes += "auto y" + std::to_string(i) + " = net(x);\n";
  const Run run = lintAround("void flat(axon::Block net, axon::Array x) {\n" + passes + "}\n");
  CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 2);
  CHECK(count(run.err, "Not analysed") == 0);
  CHECK(peakMegabytes() < 300);
}

TEST_CASE("Functions that call each other in circles take little memory") {
  constexpr unsigned functions = 400;
  const std::string head = "(axon::Block net, axon::Array x)";
  std::string text;
  for (unsigned i = 0; i < functions; ++i)
    text += "void g" + std::to_string(i) + head + ";\n";
  for (unsigned i = 0; i < functions; ++i) {
    text += "void g" + std::to_string(i) + head + " {\n  axon::Solver solver(net.weights());\n";
    for (unsigned j = 1; j <= 4; ++j)
      text += "  g" + std::to_string((i * 7 + j) % functions) + "(net, x);\n";
    text += "  axon::distance(net(x), x).backpropagate();\n  solver.advance();\n}\n";
  }
  const Run run = lintAround(text);
  CHECK(count(run.out, "[ml-missing-zero-grad]\n") >= 2);
  CHECK(peakMegabytes() < 300);
}

TEST_CASE("A choice of a thousand values takes little memory") {
  std::string choice;
  for (unsigned i = 0; i < 1000; ++i)
    choice += "c == " + std::to_string(i) + " ? axon::distance(x, x) : ";
  const Run run =
      lintAround("axon::Array choose(axon::Array x, int c) { return " + choice + "x; }\n");
  CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 2);
  CHECK(count(run.err, "Not analysed") == 0);
  CHECK(peakMegabytes() < 300);
}

TEST_CASE("Five thousand tensors that are made of one number are followed to the end") {
  const Project project;
  project.write(
      "train.cpp",
      "#include <torch/torch.h>\n"
      "void log(std::vector<torch::Tensor> &all, torch::nn::Linear net, torch::Tensor x) {\n"
      "  torch::optim::SGD optimizer(net->parameters(), 0.1);\n"
      "  float number = net(x).mean().item<float>(), sum = 0;\n" +
          repeated("  sum = sum + number; all.push_back(torch::full({1}, sum));\n", 5000) +
          "  for (int i = 0; i < 9; ++i) {\n"
          "    net(x).mean().backward();\n"
          "    optimizer.step();\n"
          "  }\n}\n");
  const Run run = project.gradtidy({"--no-cache", "-j1", "--timeout=60", "train.cpp", "--",
                                    "-std=c++20", "-I" + axonFolder() + "/../checks/include"});
  CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 1);
  CHECK(count(run.err, "Not analysed") == 0);
}

TEST_CASE("The time that a function takes is not quadratic in its size") {
  struct Shape {
    const char *what;
    std::string code;   ///< Of a tensor x and an array c of numbers.
    double mostSeconds; ///< On a busy machine; what is quadratic takes minutes.
    bool isFollowed;
  };
  const auto numbered = [](unsigned times, const std::string &text) {
    std::string result;
    for (unsigned i = 0; i < times; ++i) {
      std::string line = text;
      for (size_t at; (at = line.find('#')) != std::string::npos;)
        line.replace(at, 1, std::to_string(i));
      result += line + "\n";
    }
    return result;
  };
  std::string ifs, returns, terms = "c[0]";
  for (unsigned i = 0; i < 4000; ++i)
    ifs += "if (c[" + std::to_string(i) + "]) x = x + net(x);\n";
  for (unsigned i = 0; i < 1500; ++i)
    returns += "torch::Tensor t" + std::to_string(i) + " = net(x); if (c[1]) return;\n";
  for (unsigned i = 1; i < 3900; ++i)
    terms += " && (c[" + std::to_string(i) + "] || c[0])";
  for (const Shape &shape :
       {Shape{"assignments", ifs, 20, true},
        Shape{"variables that nothing changes", numbered(10000, "auto t# = x * #;"), 20, true},
        Shape{"variables that end at each return", returns, 20, false},
        Shape{"optimizers, each of which every backward may concern",
              numbered(2000, "torch::nn::Linear n#(3, 3); "
                             "torch::optim::SGD o#(n#->parameters(), 0.1);") +
                  "for (int e = 0; e < 9; ++e) {\n" +
                  numbered(2000, "o#.zero_grad(); n#(x).mean().backward(); o#.step();") + "}\n",
              45, true},
        Shape{"branches in a loop",
              "torch::optim::SGD o(net->parameters(), 0.1);\nfor (int e = 0; e < 9; ++e) {\n" +
                  numbered(3000, "if (c[#]) { o.zero_grad(); } else { auto l = net(x).mean(); "
                                 "l.backward(); }") +
                  "o.step();\n}\n",
              45, true},
        Shape{"terms", "if (" + terms + ") net(x);\n", 20, true},
        Shape{"elements of a list",
              "std::vector<torch::Tensor> list(10000);\n" + numbered(10000, "list[#] = net(x);"),
              20, true},
        Shape{"entries of a map",
              "std::map<std::string, torch::Tensor> map;\n" +
                  numbered(10000, "map[\"k#\"] = net(x);"),
              20, true},
        Shape{"labels that each lead to all of them",
              "static void *labels[] = {" + numbered(8000, "&&l#,") + "};\n" +
                  numbered(8000, "l#: x = x + #; goto *labels[c[#]];"),
              45, false},
        Shape{"closures that are called",
              numbered(1000, "auto g# = [&](torch::Tensor t) { return net(t) + "
                             "x; }; auto z# = g#(x);"),
              20, true}}) {
    INFO(shape.what);
    const Project project;
    project.write("train.cpp",
                  "#include <torch/torch.h>\n#include <map>\n#include <string>\n"
                  "void large(torch::nn::Linear net, torch::Tensor x, const int *c) {\n" +
                      shape.code +
                      "}\n"
                      "void train(torch::nn::Linear net, torch::Tensor x) {\n"
                      "  torch::optim::SGD optimizer(net->parameters(), 0.1);\n"
                      "  for (int i = 0; i < 9; ++i) {\n"
                      "    net(x).mean().backward();\n"
                      "    optimizer.step();\n"
                      "  }\n}\n");
    const double before = secondsSpent();
    const Run run = project.gradtidy({"--no-cache", "-j1", "train.cpp", "--", "-std=c++20",
                                      "-I" + axonFolder() + "/../checks/include"});
    CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 1);
    CHECK(count(run.err, "Not analysed to the end") == (shape.isFollowed ? 0 : 1));
    CHECK(secondsSpent() - before < shape.mostSeconds * slowdown);
    CHECK(peakMegabytes() < 300);
  }
}

#ifndef __SANITIZE_ADDRESS__ // which says more
TEST_CASE("A program in one line takes little more time than in many") {
  std::string line;
  for (int i = 0; i < 1000; ++i)
    line += trainingLoop("f" + std::to_string(i));
  std::replace(line.begin(), line.end(), '\n', ' ');
  const double before = secondsSpent();
  CHECK(count(lintAround(line).out, "[ml-missing-zero-grad]\n") == 1002);
  CHECK(secondsSpent() - before < 10 * slowdown);
}

TEST_CASE("A crash of the parser is said in a line") {
  const Project project;
  project.write("train.cpp", crashingCode());
  const Run run = project.gradtidy({"--no-cache", "train.cpp", "--", "-std=c++20"});
  if (run.status == 0)
    return; // The stack of that machine is large enough.
  CHECK(count(run.err, "crashed; its findings are lost") == 1);
  CHECK(count(run.err, "\n") <= 3);
}
#endif
