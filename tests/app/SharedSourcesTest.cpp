// What other sources of a program do counts: those that a unit calls, and those that call it.
#include "tests/Project.h"

#include <catch2/catch.hpp>

using namespace gradtidy::test;
using Catch::Matchers::Contains;

namespace {

const std::string finding = "[ml-missing-zero-grad]\n";

/// main.cpp has the loop, step.cpp what it does each time.
class Program : public Project {
public:
  explicit Program(const std::string &inLoop = "step(net, solver);",
                   const std::string &inStep = "") {
    write("step.h", "#pragma once\n#include <axon/axon.h>\n"
                    "void step(axon::Block &net, axon::Solver &solver);\n");
    write("step.cpp", "#include \"step.h\"\nstatic int steps = 0;\n"
                      "void step(axon::Block &net, axon::Solver &solver) {\n" +
                          inStep +
                          "  axon::distance(net(axon::Array()), axon::Array()).backpropagate();\n"
                          "  solver.advance();\n  ++steps;\n}\n");
    write("main.cpp", "#include \"step.h\"\nint main() {\n  axon::Block net;\n"
                      "  axon::Solver solver(net.weights());\n"
                      "  for (int i = 0; i < 9; ++i) {\n    " +
                          inLoop + "\n  }\n}\n");
    database({"main.cpp", "step.cpp"});
  }

  void database(std::initializer_list<std::string> sources) const {
    writeDatabase("", sources, "-std=c++20 -I" + axonFolder());
  }

  Run lint(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--cache-dir=cache", "--model=" + axonModel()});
    return gradtidy(arguments);
  }
};

} // namespace

TEST_CASE("A finding that only the caller in another source explains") {
  const Program program;
  const Run run = program.lint({"step.cpp"});
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Catch::StartsWith(program.path("step.cpp") + ":5:3: warning: "));
  CHECK(count(run.out, finding) == 1);
  // It is found where it is, however the sources are asked for.
  CHECK(program.lint({"main.cpp"}).out.empty());
  CHECK(program.lint({"main.cpp", "step.cpp"}).out == run.out);
  CHECK(program.lint({"step.cpp", "main.cpp", "-j2", "--no-cache"}).out == run.out);
}

TEST_CASE("What another source clears is no finding") {
  CHECK(Program("solver.zero_grad(); step(net, solver);").lint({"step.cpp"}).out.empty());
  CHECK(Program("step(net, solver);", "  solver.zero_grad();\n").lint({"main.cpp"}).out.empty());
}

TEST_CASE("A function that no header declares is declared by those that call it") {
  const Program program;
  const std::string declaration = "void step(axon::Block &net, axon::Solver &solver);\n";
  for (const char *file : {"main.cpp", "step.cpp"}) {
    std::string text = program.read(file);
    program.write(file, text.replace(0, text.find('\n') + 1, "#include <axon/axon.h>\n"));
  }
  program.write("main.cpp", "#include <axon/axon.h>\n" + declaration + program.read("main.cpp"));
  CHECK(count(program.lint({"step.cpp"}).out, finding) == 1);
  program.write("elsewhere/main.cpp", program.read("main.cpp"));
  program.database({"elsewhere/main.cpp", "step.cpp"});
  CHECK(count(program.lint({"step.cpp"}).out, finding) == 1);
  // The same name in another program.
  program.write("elsewhere/step.cpp", program.read("step.cpp"));
  program.database({"elsewhere/main.cpp", "elsewhere/step.cpp", "step.cpp"});
  CHECK(program.lint({"step.cpp"}).out.empty());
}

TEST_CASE("Who calls an operator names its class only") {
  const Program program("Step step; step(net, solver);");
  program.write("step.h",
                "#pragma once\n#include <axon/axon.h>\n"
                "struct Step { void operator()(axon::Block &net, axon::Solver &solver); };\n");
  std::string text = program.read("step.cpp");
  const std::string name = "void step(";
  program.write("step.cpp", text.replace(text.find(name), name.size(), "void Step::operator()("));
  CHECK(count(program.lint({"step.cpp"}).out, finding) == 1);
  program.write("main.cpp", "#include \"step.h\"\n");
  CHECK(program.lint({"step.cpp"}).out.empty());
}

TEST_CASE("A model that a known caller hands over in evaluation mode") {
  const Project project;
  project.write(".git/HEAD", "");
  project.write("valid.h", "#pragma once\n#include <torch/torch.h>\n"
                           "void valid(torch::nn::Dropout &net, torch::Tensor x);\n");
  project.write("valid.cpp", "#include \"valid.h\"\n#include <iostream>\n"
                             "void valid(torch::nn::Dropout &net, torch::Tensor x) {\n"
                             "  torch::NoGradGuard guard;\n"
                             "  std::cout << torch::nn::Sequential(net)->forward(x).sum();\n}\n");
  const auto lint = [&](const std::string &evaluate) {
    project.write("main.cpp",
                  "#include \"valid.h\"\nint main() {\n  torch::nn::Dropout net(0.5);\n  " +
                      evaluate + "valid(net, torch::ones(2));\n}\n");
    return project.gradtidy({"--bundled-runtime", "--no-cache", "main.cpp", "valid.cpp"});
  };
  CHECK(lint("net->eval(); ").out.empty());
  CHECK(count(lint("").out, "[ml-missing-eval-mode]\n") == 1);
}

TEST_CASE("A forward pass whose known callers have guards") {
  const Project project;
  project.write(".git/HEAD", "");
  project.write("valid.h", "#pragma once\n#include <torch/torch.h>\n"
                           "float valid(torch::nn::Sequential &net, torch::Tensor x);\n");
  project.write("valid.cpp", "#include \"valid.h\"\n"
                             "float valid(torch::nn::Sequential &net, torch::Tensor x) {\n"
                             "  return net->forward(x).sum().item<float>();\n}\n");
  const auto lint = [&](const std::string &guard) {
    project.write("main.cpp", "#include \"valid.h\"\n"
                              "float run(torch::nn::Sequential &net, torch::Tensor x) {\n  " +
                                  guard + "return valid(net, x);\n}\n");
    return project.gradtidy({"--bundled-runtime", "--no-cache", "main.cpp", "valid.cpp"});
  };
  CHECK(lint("torch::NoGradGuard guard; ").out.empty());
  CHECK(count(lint("").out, "[ml-missing-no-grad]\n") == 1);
}

TEST_CASE("A forward pass that a class of another source wraps is the caller's business") {
  const Project project;
  project.write(".git/HEAD", "");
  project.write("net.h", "#pragma once\n#include <torch/torch.h>\n"
                         "class Net {\npublic:\n  torch::Tensor run(torch::Tensor x);\n"
                         "private:\n  torch::nn::Sequential layers;\n};\n");
  project.write("net.cpp", "#include \"net.h\"\n"
                           "torch::Tensor Net::run(torch::Tensor x) {\n"
                           "  return torch::relu(layers->forward(x));\n}\n");
  const std::string predict = "  Net net;\n  for (const torch::Tensor &x : xs)\n"
                              "    sum += net.run(x).sum().item<float>();\n"
                              "  sum += net.run(xs[0]).max().item<float>();\n  return sum;\n}\n";
  const auto lint = [&](const std::string &guard) {
    project.write("main.cpp", "#include \"net.h\"\n"
                              "float predict(const std::vector<torch::Tensor> &xs) {\n"
                              "  float sum = 0;\n" +
                                  guard + predict);
    return project.gradtidy({"--bundled-runtime", "--no-cache", "main.cpp", "net.cpp"});
  };
  CHECK(lint("  torch::NoGradGuard guard;\n").out.empty());
  const Run run = lint("");
  CHECK(count(run.out, "[ml-missing-no-grad]\n") == 1);
  CHECK_THAT(run.out, Contains("main.cpp:6:12: warning: "));
}

TEST_CASE("What a model of another source ends with is known where its loss is computed") {
  const Project project;
  project.write(".git/HEAD", "");
  project.write("net.h", "#pragma once\n#include <torch/torch.h>\n"
                         "struct Net : torch::nn::Module {\n  Net();\n"
                         "  torch::Tensor forward(torch::Tensor x);\n"
                         "  torch::nn::Linear layer{nullptr};\n};\n");
  const std::string caller = GENERATE("", "void run(torch::Tensor x, torch::Tensor y) {\n"
                                          "  Net net;\n  train(net, x, y);\n}\n");
  project.write("main.cpp",
                "#include \"net.h\"\n"
                "void train(Net &net, torch::Tensor x, torch::Tensor y) {\n"
                "  torch::nn::functional::cross_entropy(net.forward(x), y).backward();\n"
                "}\n" +
                    caller);
  const auto lint = [&](const std::string &result) {
    project.write("net.cpp",
                  "#include \"net.h\"\n"
                  "Net::Net() { layer = register_module(\"layer\", torch::nn::Linear(4, 2)); }\n"
                  "torch::Tensor Net::forward(torch::Tensor x) { return " +
                      result + "; }\n");
    return project.gradtidy({"--bundled-runtime", "--no-cache", "main.cpp", "net.cpp"});
  };
  CHECK(lint("layer(x)").out.empty());
  CHECK(count(lint("torch::softmax(layer(x), 1)").out, "[ml-loss-activation]\n") == 1);
}

TEST_CASE("What is known of a class comes from all sources that define its functions") {
  const Project project;
  project.write(".git/HEAD", "");
  project.write("net.h", "#pragma once\n#include <torch/torch.h>\n"
                         "struct Net : torch::nn::Module {\n  Net();\n  void add();\n"
                         "  torch::Tensor forward(torch::Tensor x);\n"
                         "  torch::nn::Linear layer{nullptr};\n  torch::Tensor mask;\n};\n");
  project.write("make.cpp", "#include \"net.h\"\nNet::Net() {\n"
                            "  layer = torch::nn::Linear(4, 2);\n  mask = torch::ones({4});\n"
                            "  add();\n}\n");
  project.write("main.cpp",
                "#include \"net.h\"\n#include <iostream>\nint main() {\n"
                "  torch::NoGradGuard guard;\n  Net net;\n  net.to(torch::kCUDA);\n"
                "  net.eval();\n"
                "  std::cout << net.forward(torch::ones({1, 4}).to(torch::kCUDA));\n}\n");
  const auto lint = [&](const std::string &added) {
    project.write("forward.cpp", "#include \"net.h\"\nvoid Net::add() {" + added +
                                     "}\ntorch::Tensor Net::forward(torch::Tensor x) {\n"
                                     "  return layer(x * mask);\n}\n");
    return project.gradtidy(
        {"--bundled-runtime", "--no-cache", "make.cpp", "forward.cpp", "main.cpp"});
  };
  const Run run = lint("");
  CHECK(count(run.out, "[ml-unregistered-module]\n") == 1);
  CHECK(count(run.out, "[ml-unregistered-tensor]\n") == 1);
  CHECK_THAT(run.out, Contains("make.cpp:3:11: warning: ") && Contains("forward.cpp:4:10: note: "));
  CHECK(lint("register_module(\"layer\", layer); register_buffer(\"mask\", mask);").out.empty());
}

TEST_CASE("All callers count") {
  const Program program("solver.zero_grad(); step(net, solver);");
  program.write("other.cpp", "#include \"step.h\"\nint main() {\n  axon::Block net;\n"
                             "  axon::Solver solver(net.weights());\n"
                             "  for (;;)\n    step(net, solver);\n}\n");
  CHECK(program.lint({"step.cpp"}).out.empty());
  program.database({"main.cpp", "step.cpp", "other.cpp"}); // Each has a main() of its own.
  CHECK(count(program.lint({"step.cpp"}).out, finding) == 1);
  CHECK(program.lint({"main.cpp"}).out.empty());
}

TEST_CASE("A source counts with what compiles of it") {
  const Program program;
  const std::string main = program.read("main.cpp");
  const auto lint = [&](const std::string &text) {
    program.write("main.cpp", text);
    const Run run = program.lint({"step.cpp"});
    CHECK(run.status == 0);
    return count(run.out, finding);
  };
  CHECK(lint(main + "int x = nothing;\n") == 1);
  const std::string call = "step(net, solver);";
  std::string broken = main;
  CHECK(lint(broken.insert(broken.find(call), "nothing(); ")) == 1);
  broken = main;
  CHECK(lint(broken.insert(broken.find(call), "clear(solver); ")) == 0);
}

TEST_CASE("What a template gives is called by others where it is made for them") {
  const Program program;
  program.write("step.h", "#pragma once\n#include <axon/axon.h>\n"
                          "template <int N> void step(axon::Block &net, axon::Solver &solver);\n");
  const std::string step = program.read("step.cpp");
  const size_t at = step.find("void step");
  program.write("step.cpp", "#include <axon/axon.h>\nstatic int steps = 0;\ntemplate <int N> " +
                                step.substr(at) +
                                "template void step<2>(axon::Block &, axon::Solver &);\n");
  std::string main = program.read("main.cpp");
  program.write("main.cpp", main.replace(main.find("step(net"), 4, "step<2>"));
  CHECK(count(program.lint({"step.cpp"}).out, finding) == 1);
}

TEST_CASE("A source has names and flags of its own") {
  const Program program;
  SECTION("a helper of the same name") {
    program.write("main.cpp", "static int steps;\n" + program.read("main.cpp"));
  }
  SECTION("another version of the language") {
    program.writeDatabase("", {"step.cpp"}, "-std=c++17 -I" + axonFolder());
    std::string both = program.read("compile_commands.json");
    program.writeDatabase("", {"main.cpp"}, "-std=c++20 -I" + axonFolder());
    both.replace(both.rfind(']'), 1, "," + program.read("compile_commands.json").substr(1));
    program.write("compile_commands.json", both);
  }
  const Run run = program.lint({"step.cpp"});
  CHECK(run.status == 0);
  CHECK(count(run.out, finding) == 1);
}

TEST_CASE("A header that nothing keeps from being read twice is read once") {
  const Program program;
  program.write("step.h", "#include <axon/axon.h>\nstruct State { int steps = 0; };\n"
                          "void step(axon::Block &net, axon::Solver &solver);\n");
  CHECK(count(program.lint({"step.cpp"}).out, finding) == 1);
  CHECK(count(program.lint({"step.cpp", "--no-cache"}).out, finding) == 1);
  // But not what a source reads again and again.
  program.write("names.def", "NAME(a)\nNAME(b)\n");
  program.write("step.h", "#include <axon/axon.h>\n#define NAME(name) name,\n"
                          "enum class Kind {\n#include \"names.def\"\n};\n"
                          "enum class Other {\n#include \"names.def\"\n};\n#undef NAME\n"
                          "void step(axon::Block &net, axon::Solver &solver);\n");
  CHECK(count(program.lint({"step.cpp"}).out, finding) == 1);
}

TEST_CASE("A source that is too much is lost alone") {
  const Program program;
  std::string text, flags, timeout = "--timeout=0";
  SECTION("since it crashes") { text = crashingCode(); }
  SECTION("since it takes too long") {
    text = "constexpr long spin() { for (long i = 0;; ++i) if (i < 0) return i; }\n"
           "constexpr long one = spin(), two = spin(), three = spin(), four = spin();\n";
    flags = " -fconstexpr-steps=4294967295";
    timeout = "--timeout=15";
  }
  program.write("main.cpp", program.read("main.cpp") + text);
  program.write("step.cpp", program.read("step.cpp") + trainingLoop("train"));
  program.writeDatabase("", {"main.cpp", "step.cpp"}, "-std=c++20 -I" + axonFolder() + flags);
  const Run run =
      program.gradtidy({"--no-cache", timeout, "--model=" + axonModel(), "main.cpp", "step.cpp"});
  CHECK(run.status == 2);
  CHECK(count(run.err, "its findings are lost") == 1);
  CHECK_THAT(run.err, Contains("the analysis of '" + program.path("main.cpp") + "'"));
  CHECK(count(run.out, finding) == 1);
}

TEST_CASE("What follows from a missing header does not speak against a source") {
  const Program program;
  program.write("step.h", program.read("step.h") + "#include <options.h>\n");
  program.write("main.cpp",
                program.read("main.cpp") +
                    "int size(options::Map &map) { return map[\"size\"].as<int>(); }\n");
  CHECK(count(program.lint({"step.cpp"}).out, finding) == 1);
}

TEST_CASE("A header is looked for where its source looks for it") {
  const Program program;
  program.write("config/rate.h", "constexpr double rate = 1;\n");
  program.write("main.cpp", "#include <rate.h>\n" + program.read("main.cpp"));
  program.writeDatabase("", {"step.cpp"}, "-std=c++20 -I" + axonFolder());
  std::string both = program.read("compile_commands.json");
  program.writeDatabase("", {"main.cpp"}, "-std=c++20 -Iconfig -I" + axonFolder());
  both.replace(both.rfind(']'), 1, "," + program.read("compile_commands.json").substr(1));
  program.write("compile_commands.json", both);
  CHECK(count(program.lint({"step.cpp"}).out, finding) == 1);
}

TEST_CASE("A known result holds as long as what it is linked to") {
  const Program program;
  const auto knows = [&] {
    const std::string told = program.lint({"--stats", "step.cpp"}).err;
    return told.find("; 1 known from earlier runs") != std::string::npos;
  };
  CHECK(!knows());
  CHECK(knows());
  SECTION("a linked source changes") {
    const Program right("solver.zero_grad(); step(net, solver);");
    program.write("main.cpp", right.read("main.cpp"));
    CHECK(program.lint({"step.cpp"}).out.empty());
  }
  SECTION("another one comes") {
    program.write("other.cpp", "#include \"step.h\"\nvoid other(axon::Block &net, "
                               "axon::Solver &solver) { step(net, solver); }\n");
    program.database({"main.cpp", "step.cpp", "other.cpp"});
    CHECK(!knows());
    CHECK(knows());
  }
}

TEST_CASE("Shards see the sources of other shards") {
  const Program program;
  const Run whole = program.lint({"main.cpp", "step.cpp"});
  for (const char *shard : {"1", "2"})
    program.lint({"main.cpp", "step.cpp", std::string("--shard=") + shard + "/2",
                  std::string("--results=") + shard + ".json"});
  const Run merged = program.gradtidy({"merge", "1.json", "2.json"});
  CHECK(count(whole.out, finding) == 1);
  CHECK(merged.out == whole.out);
}

TEST_CASE("Fixes change the asked for file alone") {
  const Program program;
  program.write("main.cpp", program.read("main.cpp") + "#include \"unused.h\"\n");
  program.write("unused.h", trainingLoop("unused"));
  const std::string before = program.read("main.cpp");
  CHECK_THAT(program.lint({"--fix", "step.cpp"}).out, Contains("step.cpp:5:3: warning: "));
  CHECK(program.read("main.cpp") == before);
  CHECK(count(program.read("step.cpp"), "solver.zero_grad();") == 1);
}
