// Records of the watching library, made for a program without LibTorch, as findings.
#include "analyzer/watch/Trace.h"

#include "tests/Project.h"

#include <catch2/catch.hpp>

using Catch::Matchers::Contains;
using gradtidy::readTrace;
using gradtidy::Trace;

namespace {

/// Prints the addresses of a stack: in Net's constructor, forward() and train().
constexpr const char *program = R"(#include <cstdio>
#define HERE std::printf("%zu\n", (std::size_t)__builtin_return_address(0) - 1)
__attribute__((noinline)) void address() { HERE; }
struct Net {
  Net() {
    address();
  }
  void forward() {
    address();
  }
};
void train() {
  address();
  Net net;
  net.forward();
  address(); // NOLINT(ml-missing-step)
}
int main() { train(); }
)";

class Addresses {
public:
  Addresses() {
    project.write("train.cpp", program);
    const auto built = project.run("/usr/bin/env", {"c++", "-g", "-O0", "-no-pie", "-fno-pie",
                                                    project.path("train.cpp"), "-o", file()});
    INFO(built.err);
    REQUIRE(built.status == 0);
    const std::string out = project.run(file(), {}).out;
    for (size_t begin = 0; begin < out.size(); begin = out.find('\n', begin) + 1)
      all.push_back(out.substr(begin, out.find('\n', begin) - begin));
    REQUIRE(all.size() == 4);
  }
  std::string file() const { return project.path("train"); }
  std::string source() const { return project.path("train.cpp"); }

  /// A line of a record; \p stack are positions in the order of the program's calls.
  std::string record(const std::string &check, const std::vector<int> &stack,
                     const std::string &more = R"("place": "innermost")") const {
    std::string text = R"({"finding": ")" + check + R"(", "message": "so it is", "step": 3, )" +
                       more + R"(, "stack": [)";
    for (const int i : stack)
      text += (text.back() == '[' ? "[\"" : ", [\"") + file() + "\", " + all[i] + "]";
    return text + "]}\n";
  }

private:
  gradtidy::test::Project project;
  std::vector<std::string> all;
};

} // namespace

TEST_CASE("An address becomes the line of the call, with the level of its check") {
  const Addresses addresses;
  const Trace trace = readTrace(addresses.record("ml-missing-zero-grad", {0}), "/torch");
  REQUIRE(trace.findings.size() == 1);
  CHECK(trace.findings[0].file == addresses.source());
  CHECK(trace.findings[0].line == 13);
  CHECK(trace.findings[0].level == gradtidy::Level::Certain);
  CHECK_THAT(trace.findings[0].message, Contains("so it is") && Contains("step 3"));
}

TEST_CASE("The place says which frame is meant") {
  const Addresses addresses;
  const auto lineOf = [&](const std::string &place, const std::vector<int> &stack) {
    const Trace trace = readTrace(
        addresses.record("ml-missing-no-grad", stack, R"("place": ")" + place + '"'), "/torch");
    return trace.findings.empty() ? 0U : trace.findings[0].line;
  };
  // In the order of the program: train(), Net(), forward(), train().
  CHECK(lineOf("innermost", {2, 0}) == 9);
  CHECK(lineOf("forward", {2, 0}) == 13);
  CHECK(lineOf("construction", {1, 0}) == 13);
  CHECK(lineOf("constructor", {1, 0}) == 6);
  CHECK(lineOf("constructor", {0}) == 0);
}

TEST_CASE("A finding may depend on the functions in its stack") {
  const Addresses addresses;
  const auto count = [&](const std::string &name) {
    return readTrace(addresses.record("ml-clip-order", {2, 0},
                                      R"("place": "innermost", "through": ")" + name + '"'),
                     "/torch")
        .findings.size();
  };
  CHECK(count("Net::forward") == 1);
  CHECK(count("clip_grad_") == 0);
}

TEST_CASE("Frames of LibTorch are nobody's, and comments silence") {
  const Addresses addresses;
  const std::string folder = addresses.source().substr(0, addresses.source().rfind('/'));
  CHECK(readTrace(addresses.record("ml-missing-step", {0}), folder).findings.empty());
  CHECK(readTrace(addresses.record("ml-missing-step", {3}), "/torch").findings.empty());
  CHECK(readTrace(addresses.record("ml-amp", {3}), "/torch").findings.size() == 1);
}

TEST_CASE("Steps, the end, and what a crash has cut off") {
  const Addresses addresses;
  const Trace trace = readTrace("{\"step\": 1, \"loss\": 2.5, \"gradient norm\": null}\n"
                                "{\"reached\": \"backward\", \"stack\": []}\n"
                                "{\"step\": 2, \"los",
                                "/torch");
  REQUIRE(trace.steps.size() == 1);
  CHECK(trace.steps[0].loss == 2.5);
  CHECK(!trace.steps[0].gradientNorm);
  CHECK(!trace.end);
  CHECK(readTrace("{\"end\": 7}\n", "/torch").end == 7U);
}
