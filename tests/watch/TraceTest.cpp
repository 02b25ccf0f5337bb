// Records of the watching library, made for a program without LibTorch, as findings.
#include "analyzer/watch/Trace.h"

#include "tests/Project.h"

#include <catch2/catch.hpp>

using Catch::Matchers::Contains;
using gradtidy::Trace;

namespace {

Trace readTrace(const std::string &record, const std::string &torch) {
  return gradtidy::readTrace(llvm::StringRef(record), torch);
}

/// Prints the addresses of calls: in train(), Net's constructor, forward(), and train() again.
constexpr const char *program = R"(#include <cstdio>
#define HERE std::printf("%zu\n", (std::size_t)__builtin_return_address(0) - 1)
__attribute__((noinline)) void address() { HERE; }
__attribute__((noinline)) int value() { HERE; return 0; }
void use(int) {}
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
  address(); // NOLINT(ml-missing-step, ml-clip-*)
  value();
  int kept = value();
  kept = value();
  use(value());
  // NOLINTBEGIN(ml-amp)
  address();
  // NOLINTEND(ml-amp)
  address();
)"
                                R"(











  int memory = value();
  memory = value();
  const int *data_ptr = &memory; (void)data_ptr;
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
    REQUIRE(all.size() == 12);
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
  CHECK(trace.findings[0].line == 15);
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
  CHECK(lineOf("innermost", {2, 0}) == 11);
  CHECK(lineOf("forward", {2, 0}) == 15);
  CHECK(lineOf("construction", {1, 0}) == 15);
  CHECK(lineOf("constructor", {1, 0}) == 8);
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

TEST_CASE(
    "What a constructor makes must be used by forward() of its class, where that is asked for") {
  const Addresses addresses;
  const auto count = [&](int user) {
    const std::string usedBy = addresses.record("", {user});
    const size_t stack = usedBy.find("\"stack\": ") + 9;
    return readTrace(addresses.record("ml-unregistered-tensor", {1, 0},
                                      R"("place": "constructor", "usedBy": )" +
                                          usedBy.substr(stack, usedBy.rfind('}') - stack)),
                     "/torch")
        .findings.size();
  };
  CHECK(count(2) == 1);
  CHECK(count(0) == 0);
}

TEST_CASE("Frames of LibTorch are nobody's, and comments silence") {
  const Addresses addresses;
  const std::string folder = addresses.source().substr(0, addresses.source().rfind('/'));
  CHECK(readTrace(addresses.record("ml-missing-step", {0}), folder).findings.empty());
  CHECK(readTrace(addresses.record("ml-missing-step", {3}), "/torch").findings.empty());
  CHECK(readTrace(addresses.record("ml-clip-order", {3}), "/torch").findings.empty());
  CHECK(readTrace(addresses.record("ml-amp", {3}), "/torch").findings.size() == 1);
  CHECK(readTrace(addresses.record("ml-amp", {8}), "/torch").findings.empty());
  CHECK(readTrace(addresses.record("ml-amp", {9}), "/torch").findings.size() == 1);
}

TEST_CASE("A dropped result is told from one that is kept, rebound or passed on") {
  const Addresses addresses;
  const auto checkAt = [&](int call, const std::string &ifAssigned) -> std::string {
    const Trace trace = readTrace(
        addresses.record("ml-discarded-result", {call},
                         R"("place": "innermost", "statement": "value", "ifAssigned": ")" +
                             ifAssigned + '"'),
        "/torch");
    return trace.findings.empty() ? "" : trace.findings[0].check;
  };
  CHECK(checkAt(4, "none") == "ml-discarded-result");
  CHECK(checkAt(4, "ml-rebound-handle") == "ml-discarded-result");
  CHECK(checkAt(5, "ml-rebound-handle").empty());
  CHECK(checkAt(6, "ml-rebound-handle") == "ml-rebound-handle");
  CHECK(checkAt(6, "none").empty());
  CHECK(checkAt(7, "ml-rebound-handle").empty());
  CHECK(checkAt(11, "ml-rebound-handle").empty()); // data_ptr is near.
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

TEST_CASE("Lines that are none of a record are passed over") {
  const Addresses addresses;
  const std::string deep(100000, '[');
  const std::string good = addresses.record("ml-missing-zero-grad", {0});
  for (const std::string &bad :
       {std::string("{}"), std::string("null"), std::string("17"), deep,
        std::string("{\"finding\": 3}"),
        std::string(
            R"({"finding": "ml-amp", "message": [], "step": 1, "place": "x", "stack": []})"),
        std::string(R"({"finding": "ml-amp", "message": "", "step": -1, "stack": [["a"]]})"),
        std::string(R"({"finding": "ml-amp", "message": "", "step": 1, "stack": [[1, 2, 3]]})"),
        std::string(R"({"finding": "ml-amp", "message": "", "step": 1, "place": "innermost"})"),
        std::string(R"({"reached": "step"})"), std::string(R"({"step": "one"})"),
        std::string(R"({"end": [1]})"), std::string("{\"step\": 1, \"loss\": 1e999}"),
        std::string("\xff\xfe"), std::string("\0{", 2)}) {
    const Trace trace = readTrace(bad + "\n" + good, "/torch");
    INFO(bad.substr(0, 80));
    CHECK(trace.findings.size() == 1);
    CHECK(trace.steps.empty());
    CHECK(!trace.end);
  }
  // A check that there is not, a file that is no program.
  CHECK(readTrace(addresses.record("ml-nothing", {0}), "/torch").findings.empty());
  CHECK(readTrace(R"({"finding": "ml-amp", "message": "", "step": 1, "place": "innermost", )"
                  R"("stack": [["/dev/zero", 1], ["/", 2]]})",
                  "/torch")
            .findings.empty());
}

TEST_CASE("What only a run shows has a level of its own") {
  const Addresses addresses;
  const Trace trace = readTrace(addresses.record("run-dead-units", {0}), "/torch");
  REQUIRE(trace.findings.size() == 1);
  CHECK(trace.findings[0].level == gradtidy::Level::Likely);
  const std::string advice = R"("place": "innermost", "advice": true)";
  CHECK(readTrace(addresses.record("run-dead-units", {0}, advice), "/torch").findings[0].level ==
        gradtidy::Level::Advice);
}

TEST_CASE("Processes that add up their gradients have the same parameters") {
  const Addresses addresses;
  const auto record = [&](unsigned step, const char *norm, const char *sum) {
    // The stack, as a finding has it.
    const std::string finding = addresses.record("ml-amp", {0});
    const size_t begin = finding.find("\"stack\""), end = finding.find("]]", begin) + 2;
    return "{\"parameters\": 5, \"step\": " + std::to_string(step) + ", \"norm\": " + norm +
           ", \"sum\": " + sum + ", " + finding.substr(begin, end - begin) + "}\n";
  };
  const auto findingsOf = [](const std::string &one, const std::string &other) {
    return gradtidy::readTrace({llvm::StringRef(one), llvm::StringRef(other)}, "/torch").findings;
  };
  const std::string first = record(1, "2.0", "3.0") + record(2, "2.1", "3.1");
  CHECK(findingsOf(first, record(1, "2.0", "3.00001") + record(2, "2.1", "3.1")).empty());
  const auto apart = findingsOf(first, record(1, "2.0", "3.0") + record(2, "2.1", "4.1"));
  REQUIRE(apart.size() == 1);
  CHECK(apart[0].check == "ml-distributed-misuse");
  CHECK_THAT(apart[0].message, Contains("seen in step 2"));
  // What one process has in two steps, or a line that is none, is no difference.
  CHECK(findingsOf(first + record(2, "9.0", "9.0"), "").empty());
  CHECK(findingsOf("{\"parameters\": 5, \"step\": 1, \"norm\": 1, \"sum\": 1, \"stack\": 3}\n",
                   record(1, "2.0", "3.0"))
            .size() == 1);
  CHECK(findingsOf(record(1, "2.0", "3.0"),
                   "{\"parameters\": 5, \"step\": 1, \"norm\": 1, \"sum\": 1, \"stack\": 3}\n")
            .empty());
}

TEST_CASE("The steps are those of the process that made most") {
  const std::string few = "{\"step\": 1, \"loss\": 2}\n",
                    many = "{\"step\": 1, \"loss\": 1}\n{\"step\": 2, \"loss\": 1}\n{\"end\": 2}\n";
  for (const auto &[one, other] : {std::pair(few, many), std::pair(many, few)}) {
    const Trace trace =
        gradtidy::readTrace({llvm::StringRef(one), llvm::StringRef(other)}, "/torch");
    CHECK(trace.steps.size() == 2);
    CHECK(trace.end == 2U);
  }
}

TEST_CASE("Messages are printable") {
  const Addresses addresses;
  std::string record = addresses.record("ml-missing-zero-grad", {0});
  record.replace(record.find("so it is"), 8, "a\\u001b[31m\\n::error::");
  const Trace trace = readTrace(record, "/torch");
  REQUIRE(trace.findings.size() == 1);
  for (const char letter : trace.findings[0].message)
    CHECK(static_cast<unsigned char>(letter) >= ' ');
}
