// Many files at once: the output is that of one after the other, and what goes wrong with one file
// concerns that file alone.
#include "tests/Project.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace gradtidy::test;
using Catch::Matchers::Contains;

namespace {

const std::string include = "#include <axon/axon.h>\n";
const std::string finding = "[ml-missing-zero-grad]\n";

/// Takes clang minutes.
const std::string endless = "constexpr long spin() {\n"
                            "  long sum = 0;\n"
                            "  for (long i = 0; i < 4000000000; ++i)\n"
                            "    sum += i;\n"
                            "  return sum;\n"
                            "}\n"
                            "constexpr long spun = spin();\n";
const std::string patience = "-fconstexpr-steps=4294967295";

/// Takes clang gigabytes.
[[maybe_unused]] std::string enormous() {
  std::string text = "#define X0 0,0,0,0,0,0,0,0\n";
  for (int i = 1; i < 10; ++i) {
    const std::string previous = "X" + std::to_string(i - 1);
    text += "#define X" + std::to_string(i) + " ";
    for (int copy = 0; copy < 7; ++copy)
      text += previous + ",";
    text += previous + "\n";
  }
  return text + "int all[] = {X9};\n";
}

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string> &flags = {}) {
  arguments.insert(arguments.end(),
                   {"--model=" + axonModel(), "--", "-std=c++20", "-I" + axonFolder()});
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return arguments;
}

} // namespace

TEST_CASE("The output is the same for every number of workers and state of the cache") {
  const Project project;
  std::vector<std::string> sources;
  project.write("shared.h", "#pragma once\n" + include + trainingLoop("shared"));
  for (int i = 0; i < 12; ++i) {
    // Files of different length end in another order than they began.
    std::string text = "#include \"shared.h\"\n";
    for (int loop = 0; loop < (i * 7) % 5; ++loop)
      text += trainingLoop("train" + std::to_string(loop));
    sources.push_back("source" + std::to_string(i) + ".cpp");
    project.write(sources.back(), i == 5 ? text + "int wrong = undeclared;\n" : text);
  }
  const auto lint = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), sources.begin(), sources.end());
    const Run run = project.gradtidy(with(arguments));
    return std::to_string(run.status) + run.out + run.err;
  };
  const std::string expected = lint({"--no-cache", "-j1"});
  CHECK(count(expected, finding) > 10);
  for (const char *workers : {"-j1", "-j2", "-j7", "-j40"}) {
    CHECK(lint({"--no-cache", workers}) == expected);
    CHECK(lint({"--cache-dir=cache", workers}) == expected);
    CHECK(lint({"--cache-dir=cache" + std::string(workers), workers}) == expected);
  }
}

TEST_CASE("A finding has the name of its check, whatever was found in files before") {
  const Project project;
  const std::string head = "#include <torch/torch.h>\n";
  project.write("a.cpp", head + "void f(torch::Tensor x) { x.clamp(0, 1); }\n");
  project.write("b.cpp", head + "void f(torch::nn::Linear net, torch::Tensor x) {\n"
                                "  torch::optim::SGD optimizer(net->parameters(), 0.1);\n"
                                "  for (int i = 0; i < 9; ++i) {\n"
                                "    net->forward(x).sum().backward();\n"
                                "    optimizer.step();\n"
                                "  }\n"
                                "}\n");
  const Run run = project.gradtidy({"-j1", "--bundled-runtime", "a.cpp", "b.cpp"});
  CHECK(count(run.out, " [ml-discarded-result]\n") == 1);
  CHECK(count(run.out, " [ml-missing-zero-grad]\n") == 1);
  CHECK(count(run.out, "] [") == 0);
}

TEST_CASE("A file that takes too long is given up") {
  const Project project;
  project.write("endless.cpp", endless);
  project.write("train.cpp", include + trainingLoop("train"));
  const Run run = project.gradtidy(
      with({"-j1", "--no-cache", "--timeout=15", "endless.cpp", "train.cpp"}, {patience}));
  CHECK(run.status == 2);
  CHECK_THAT(
      run.err,
      Contains("the analysis of '" + project.path("endless.cpp") +
               "' was too slow: it took more than 15 s (--timeout); its findings are lost, other "
               "files are not concerned\n"));
  CHECK(count(run.out, finding) == 1);
}

#ifndef __SANITIZE_ADDRESS__ // Its shadow is larger than any limit.
TEST_CASE("A file that takes too much memory is given up") {
  const Project project;
  project.write("enormous.cpp", enormous());
  project.write("train.cpp", include + trainingLoop("train"));
  const Run run = project.gradtidy(
      with({"-j1", "--no-cache", "--memory-limit=1000", "enormous.cpp", "train.cpp"}));
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Contains("the analysis of '" + project.path("enormous.cpp") +
                               "' ran out of memory: it needs more than 1000 MB (--memory-limit)"));
  CHECK(count(run.out, finding) == 1);
}
#endif

TEST_CASE("An interrupt ends the run and its workers") {
  const Project project;
  project.write("endless.cpp", endless);
  // The interrupt comes when a worker is there, however busy the machine is.
  std::vector<std::string> arguments = {
      "-c",
      "timeout 60 \"$@\" & limit=$!\n"
      "children() { cat /proc/$1/task/$1/children 2>/dev/null; }\n"
      "main= worker=\n"
      "while [ -z \"$worker\" ] && kill -0 $limit; do\n"
      "  main=$(children $limit | cut -d' ' -f1)\n"
      "  worker=$(children $main)\n"
      "  sleep 0.05\n"
      "done\n"
      "kill -INT $main\n"
      "wait $limit\n",
      "sh",
      gradtidyProgram(),
      "--no-cache",
      "endless.cpp"};
  const std::vector<std::string> flags = with({}, {patience});
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  const Run run = project.run("sh", arguments);
  CHECK(run.status == 130);
  CHECK_THAT(run.err, Contains("gradtidy: error: interrupted\n"));
  CHECK(run.out.empty());
}

TEST_CASE("Progress is shown on a terminal and goes away") {
  const Project project;
  project.write("a.cpp", "int a;\n");
  project.write("b.cpp", "int b;\n");
  const std::string command = gradtidyProgram() + " --no-cache -j1 ";
  const auto onTerminal = [&](const std::string &arguments) {
    return project.run("script", {"-qec", command + arguments, "/dev/null"}).out;
  };
  const std::string shown = onTerminal("a.cpp b.cpp --");
  CHECK_THAT(shown, Contains("[1/2]") && Contains("[2/2]") && Contains(": b.cpp"));
  const std::string erased = "\r\x1b[K";
  CHECK(shown.rfind(erased) > shown.rfind("[2/2]"));
  CHECK_THAT(onTerminal("--quiet a.cpp b.cpp --"), !Contains("[1/2]"));
  // At once, with what is waited for, even of one file.
  CHECK_THAT(onTerminal("a.cpp --"), Contains("[0/1]: a.cpp"));
  project.write("train.cpp", include + trainingLoop("train"));
  const std::string made =
      onTerminal("train.cpp --model=" + axonModel() + " -- -std=c++20 -I" + axonFolder());
  CHECK_THAT(made, Contains("[0/1]: precompiling axon/axon.h, once"));
  CHECK(made.rfind(erased) > made.rfind("precompiling"));
}

TEST_CASE("Statistics name phases and checks") {
  const Project project;
  project.write("a.cpp", include + trainingLoop("train"));
  project.write("b.cpp", include + trainingLoop("train"));
  const Run first = project.gradtidy(with({"--cache-dir=cache", "--stats", "a.cpp", "b.cpp"}));
  CHECK_THAT(first.err, Contains("2 files: 2 analysed now, 2 of them over a precompiled header; 0 "
                                 "known from earlier runs\n"));
  for (const char *name : {"scanning", "precompiling", "parsing", "lowering", "linking", "analysis",
                           "ml-missing-zero-grad"})
    CHECK_THAT(first.err, Contains(name));
  project.write("b.cpp", include + trainingLoop("other"));
  const Run second = project.gradtidy(with({"--cache-dir=cache", "--stats", "a.cpp", "b.cpp"}));
  CHECK_THAT(second.err, Contains("2 files: 1 analysed now, 1 of them over a precompiled header; 1 "
                                  "known from earlier runs\n"));
}

TEST_CASE("A trace tells the files apart") {
  const Project project;
  project.write("a.cpp", include + trainingLoop("train"));
  project.write("b.cpp", include + trainingLoop("train"));
  CHECK(project.gradtidy(with({"--time-trace=trace.json", "a.cpp", "b.cpp"})).status == 0);
  const auto trace = nlohmann::json::parse(project.read("trace.json"));
  std::string names;
  for (const auto &event : trace["traceEvents"])
    if (event["name"] == "process_name")
      names += event["args"]["name"].get<std::string>() + "\n";
  CHECK(names == project.path("a.cpp") + "\n" + project.path("b.cpp") + "\n");
  const Run run = project.gradtidy(with({"--time-trace=nowhere/trace.json", "a.cpp"}));
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Contains("cannot write 'nowhere/trace.json'"));
}
