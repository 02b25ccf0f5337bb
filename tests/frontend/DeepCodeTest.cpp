#include "analyzer/frontend/DeepCode.h"
#include "tests/Repeated.h"

#include <catch2/catch.hpp>

using namespace gradtidy;

namespace {

const std::string deep = repeated("- ", 20000) + "1";

/// What is left of \p text, without spaces.
std::string rest(const std::string &text, std::optional<size_t> tooDeep = std::nullopt) {
  std::string left = without(findDeepCode(text, tooDeep), text);
  CHECK(left.size() == text.size());
  std::erase(left, ' ');
  return left;
}

} // namespace

TEST_CASE("A declaration that nests too deeply is left out") {
  for (const std::string &text :
       {"int x = " + deep + ";", "enum E { e = " + deep + " };", "int x[] = {" + deep + "};",
        "static_assert(" + deep + ");", "int x = " + repeated("(int)", 20000) + "1;",
        repeated("A<int, ", 20000) + "int" + repeated(">", 20000) + " x;",
        "int " + repeated("*", 20000) + "x;", "int x = " + repeated("c ? 1 : ", 20000) + "1;",
        "int x = " + repeated("(", 20000) + "1" + repeated(")", 20000) + ";",
        repeated("namespace a {", 20000) + repeated("}", 20000),
        "void f(int x = " + deep + ") { g(); }", "C::C() : a(1), b{" + deep + "}, c(3) { g(); }"}) {
    INFO(text.substr(0, 40));
    CHECK(rest("int a;" + text + "\nint b;").starts_with("inta;"));
    CHECK(rest("int a;" + text + "\nint b;").ends_with("\nintb;"));
    CHECK(rest("int a;" + text + "\nint b;").find("- ") == std::string::npos);
    CHECK(rest("struct S { int a; " + text + "\nint b; };").starts_with("structS{inta;"));
    CHECK(rest("struct S { int a; " + text + "\nint b; };").ends_with("\nintb;};"));
  }
}

TEST_CASE("A function that nests too deeply keeps its head") {
  for (const std::string head :
       {"int f(int a) ", "struct S g() const noexcept ", "C::C() : a(1), b{2}, c(3) ",
        "template <class T = int> auto f(T) -> int ", "bool operator=(int) ",
        "C &C::operator()(int) "}) {
    INFO(head);
    std::string name = head;
    std::erase(name, ' ');
    CHECK(rest("int a;\n" + head + "{ return " + deep + "; }\nint b;") ==
          "inta;\n" + name + "{}\nintb;");
    CHECK(rest("namespace n { struct S {" + head + "{ return " + deep + "; } int b; }; }") ==
          "namespacen{structS{" + name + "{}intb;};}");
  }
}

TEST_CASE("Statements behind an else nest, too") {
  for (const std::string branch : {"if (a) b; else ", "if (a) { b; } else ",
                                   "if (a) for (;;) b; else ", "if (a) b; else l: "}) {
    INFO(branch);
    const std::string text = "void f() { " + repeated(branch, 4100) + "; }\nint c;";
    CHECK(rest(text) == "voidf(){}\nintc;");
    CHECK(findDeepCode("void f() { " + repeated(branch, 2500) + "; }").empty());
    CHECK(findDeepCode("void f() { " + repeated(branch + "c;\n", 4100) + "}").empty());
  }
  CHECK(findDeepCode("void f() { " + repeated("if (a) b; else ", 3900) + "; }").empty());
}

TEST_CASE("What is left out is named") {
  const auto nameIn = [](const std::string &text) { return findDeepCode(text).at(0).name; };
  CHECK(nameIn("static const int x = " + deep + ";") == "x");
  CHECK(nameIn("int Net::forward(int y) const { return " + deep + "; }") == "Net::forward");
  CHECK(nameIn("enum Signs { a = " + deep + " };") == "Signs");
  CHECK(nameIn("int " + repeated("(", 5000) + "x" + repeated(")", 5000) + ";") == "x");
}

TEST_CASE("A bracket that is never closed costs no declaration behind the next line") {
  for (const std::string &text : {"int x = " + repeated("(", 20000), repeated("void f() {", 20000),
                                  "int f() { return " + repeated("(", 20000) + "}"}) {
    INFO(text.substr(0, 40));
    CHECK(rest("int a;\n" + text + "\nint b;\nint c;").ends_with("\nintb;\nintc;"));
  }
}

TEST_CASE("A place that is too deep for another reason is left out") {
  const std::string text = "int a; int x = MANY; void f() { MANY; } int b;";
  CHECK(rest(text, text.find("MANY")) == "inta;voidf(){MANY;}intb;");
  CHECK(rest(text, text.rfind("MANY")) == "inta;intx=MANY;voidf(){}intb;");
  CHECK(findDeepCode(text, text.size()).empty());
}

TEST_CASE("A condition of the preprocessor that nests too deeply is false") {
  CHECK(rest("#if " + repeated("!", 20000) + "1\nint a;\n#endif\n") == "#if0\ninta;\n#endif\n");
}

TEST_CASE("A condition of the preprocessor that is too deep for another reason is false") {
  const std::string text = "#if A && MANY\nint a;\n#elif MANY\nint b;\n#endif\n";
  CHECK(rest(text, text.find("MANY")) == "#if0\ninta;\n#elifMANY\nintb;\n#endif\n");
  CHECK(rest(text, text.rfind("MANY")) == "#ifA&&MANY\ninta;\n#elif0\nintb;\n#endif\n");
}

TEST_CASE("Alternatives of the preprocessor begin alike") {
  const std::string text = "#if A\nvoid f(int) {\n#else\nvoid f() {\n#endif\n}\nint x = ";
  CHECK(rest(text + deep + ";\nint b;").ends_with("#endif\n}\n\nintb;"));
}

TEST_CASE("Large code is not deep") {
  for (const std::string &text :
       {"int x[] = {" + repeated("{1, a < b},", 20000) + "};",
        "void f() {" + repeated("if (x) { g(); } else { h(); }", 20000) + "}",
        "const char *x = " + repeated("\"text\"\n", 20000) + ";",
        "void f() {" + repeated("g(1, -2, a[3]);\n", 20000) + "}",
        "enum E {" + repeated("a,", 20000) + "};",
        "class C {" + repeated("public: int a;", 20000) + "};", repeated("void f() {}", 20000),
        "auto x = y" + repeated(".f(1, 2)", 3000) + ";",
        "int x = 1" + repeated(" + 1", 3900) + ";"}) {
    INFO(text.substr(0, 40));
    CHECK(findDeepCode(text).empty());
  }
}

TEST_CASE("Files that are embedded count as 0 from a place on") {
  const std::string text =
      "int a[] = {\n#embed \"a\"\n};\nint b[] = {\n  # embed <b> \\\n  limit(1)\n"
      "};\nint c[] = {\n%:embed \"c\"\n#embed __FILE__";
  const size_t first = text.find("# embed");
  const std::vector<gradtidy::DeepCode> found = gradtidy::findEmbeds(text, first);
  REQUIRE(found.size() == 2);
  CHECK(found[0].name == "#embed of 'b'");
  CHECK(found[1].name == "#embed of ''");
  CHECK(gradtidy::without(found, text) ==
        "int a[] = {\n#embed \"a\"\n};\nint b[] = {\n  0" + std::string(12, ' ') + "\n" +
            std::string(10, ' ') + "\n};\nint c[] = {\n%:embed \"c\"\n0" + std::string(14, ' '));
  CHECK(gradtidy::findEmbeds(text, text.find("%:")).size() == 2);
}
