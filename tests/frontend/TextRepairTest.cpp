#include "analyzer/frontend/TextRepair.h"

#include <catch2/catch.hpp>

using gradtidy::repaired;

namespace {
/// What repaired makes of \p text; \p text itself where it changes nothing.
std::string closed(const std::string &text) {
  const std::string result = repaired(text).value_or(text);
  CHECK(result.size() == text.size());
  return result;
}
} // namespace

TEST_CASE("A body that lacks a brace ends before the next definition") {
  CHECK(closed("void f() {\n  if (x) {\n  }\n\n\nint g(int a) { return a; }\n") ==
        "void f() {\n  if (x) {\n  }}\n\nint g(int a) { return a; }\n");
  CHECK(closed(
            "void f() { // why\n  g();\n}\nvoid h() { for (;;) { g(); }  // once\nclass C {};\n") ==
        "void f() { // why\n  g();\n}\nvoid h() { for (;;) { g(); }}        \nclass C {};\n");
}

TEST_CASE("Includes and declarations before the next definition lie outside, too") {
  CHECK(
      closed(
          "void f() { while (x) { }\n\n#include <vector>\nusing T = int;\nT g() { return 1; }\n") ==
      "void f() { while (x) { }}\n#include <vector>\nusing T = int;\nT g() { return 1; }\n");
}

TEST_CASE("A method that lacks a brace keeps its class open") {
  CHECK(closed("struct S {\n  void f() {\n    if (x) {\n      g();\n    }  \n"
               "  int h() const { return 1; }\n};\n") ==
        "struct S {\n  void f() {\n    if (x) {\n      g();\n    }} \n"
        "  int h() const { return 1; }\n};\n");
}

TEST_CASE("Chevrons of a launch may have spaces between them") {
  CHECK(closed("void f() { k<< < 1, 2 >> >(x); }\n") == "void f() { k<<<  1, 2 >>> (x); }\n");
  CHECK(closed("void f() { k << <grid, block>> > (x); }\n") ==
        "void f() { k <<< grid, block>>>  (x); }\n");
}

TEST_CASE("Code that lacks no brace stays as it is") {
  for (const std::string text :
       {"namespace n {\nvoid f() {}\nvoid g() {}\n}\n",
        "__global__\nvoid f(int a,\n        int b) {\n  extern __shared__ float x[];\n}\n",
        "void f() { std::vector<std::vector<std::vector<int>> > v; k<<<1, 2>>>(v); }\n",
        "extern \"C\" {\nint f() { return 1; }\n}\n",
        "void f() {\nint a(1);\nauto l = [](int x) { return x; };\nfor (;;) { g(); }\n}\n",
        "struct S {\npublic:\n  S() {}\n  void f() { g(); }\n};\n",
        "const char *text = R\"({)\";\nint f() { return 1; }\n",
        "int f() { return '{'; }\nint g() {}\n"})
    CHECK_FALSE(repaired(text));
}

TEST_CASE("Lines between definitions that are part of no declaration are passed over") {
  const std::string definition = "struct Net : Module {\n};\nvoid train() { g(); }\n";
  for (const std::string line : {"@@ $$ \\\n", "<<<<<<< HEAD", "=======", "42", "\"text\"", ") {",
                                 "%% x", "asdf", "asdf qwer zxcv", "+ 3;"}) {
    INFO(line);
    const std::string dropped = closed("int a;\n" + line + "\n" + definition);
    CHECK(dropped.find_first_not_of(" \\\n", 7) == dropped.find("struct Net"));
    CHECK(dropped.substr(dropped.find("struct Net")) == definition);
    CHECK(closed("namespace n {\n" + line + "\n" + definition + "}\n").substr(14 + line.size()) ==
          "\n" + definition + "}\n");
  }
}

TEST_CASE("Lines that begin a declaration, or stand in one, stay") {
  for (const std::string text :
       {"Tensor\nNet::forward(Tensor x) { return x; }\n", "[[nodiscard]]\nint f() { return 1; }\n",
        "int values[] = {\n  1,\n  2\n};\nstruct S {};\n", "template <int N>\nstruct S {};\n",
        "static\nvoid f() {}\n", "int a\n  = 3;\nstruct S {};\n", "::n::T f() { return 1; }\n",
        "void f() {\n  42;\n  @@\n}\n", "enum E {\n  A,\n  B\n};\nvoid f() {}\n"})
    CHECK_FALSE(repaired(text));
}
