// `gradtidy ir`: what it prints of which source and function, and what it says where it cannot.
#include "tests/Project.h"

#include <catch2/catch.hpp>

using namespace gradtidy::test;
using Catch::Matchers::Contains;

namespace {

const std::vector<std::string> flags = {"--", "-std=c++20", "-I" STAND_IN};

Run ir(const Project &project, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "ir");
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return project.gradtidy(arguments);
}

constexpr const char *source = R"(#include <torch/torch.h>
#include "model.h"
namespace work {
torch::Tensor twice(torch::Tensor x) {
  auto doubled = [&] { return x + x; };
  return doubled();
}
void train(torch::nn::Linear net, torch::Tensor x) { once(net, twice(x)).backward(); }
}
)";

constexpr const char *header = R"(#pragma once
inline torch::Tensor once(torch::nn::Linear &net, torch::Tensor x) {
  torch::NoGradGuard guard;
  return net(x);
}
)";

class Work : public Project {
public:
  Work() {
    write("work.cpp", source);
    write("model.h", header);
  }
};

} // namespace

TEST_CASE("The text of a source has its functions and those of the user's headers") {
  const Run run = ir(Work(), {"work.cpp"});
  CHECK(run.status == 0);
  CHECK(run.err.empty());
  CHECK(run.out.rfind("gradtidy-ir 2\nfile f0 \"work.cpp\"\n", 0) == 0);
  CHECK(count(run.out, "\nfunction ") == 4);
  CHECK_THAT(run.out, Contains("\nfunction work::twice ") && Contains("\nfunction work::train ") &&
                          Contains("\nfunction once ") && Contains("    backward %"));
  CHECK_THAT(run.out, !Contains("\n      ; "));
}

TEST_CASE("A function is found by its name, with or without its namespace, and with its lambdas") {
  for (const std::string name : {"twice", "work::twice"}) {
    const Run run = ir(Work(), {"work.cpp", name});
    CHECK(run.status == 0);
    CHECK(count(run.out, "\nfunction ") == 2);
    CHECK_THAT(run.out, Contains("\nfunction work::twice ") && Contains("operator()"));
  }
}

TEST_CASE("For a function that is not there the nearest names are given") {
  const Run run = ir(Work(), {"work.cpp", "twise"});
  CHECK(run.status == 2);
  CHECK(run.out.empty());
  CHECK_THAT(run.err, Contains("there is no function 'twise'; the nearest names are 'work::twice', "
                               "'once', 'work::train'"));
}

TEST_CASE("The text of a whole unit has its classes, with or without precompiled headers") {
  const Work project;
  const Run run = ir(project, {"--whole", "work.cpp"});
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Contains("\nunit namespaces=[\"torch\"]"));
  CHECK(ir(project, {"--whole", "--no-cache", "work.cpp"}).out == run.out);
}

TEST_CASE("The text of a header has the functions of the header alone") {
  const Work project;
  project.writeDatabase("build", {"work.cpp"}, "-std=c++20 -I" STAND_IN);
  const Run run = project.gradtidy({"ir", "model.h"});
  CHECK(run.status == 0);
  CHECK(count(run.out, "\nfunction ") == 1);
  CHECK_THAT(run.out, Contains("\nfunction once "));
}

TEST_CASE("The text with --values says what the engine knows, and for whom") {
  const Run run = ir(Work(), {"--values", "work.cpp", "once"});
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Contains("; called by @") && Contains("gradients recorded: off") &&
                          Contains("graph not recorded"));
}

TEST_CASE("A module with parts that do not compile is not one without parameters") {
  const Project project;
  const auto isStateless = [&](const std::string &constructor) {
    project.write("net.cpp",
                  "#include <torch/torch.h>\n"
                  "struct Layers { Wrong inner; };\n"
                  "struct Net : torch::nn::Module {\n"
                  "  " +
                      constructor +
                      "\n"
                      "  torch::Tensor forward(torch::Tensor x) { return x; }\n"
                      "};\n"
                      "torch::Tensor run(Net &net, torch::Tensor x) { return net.forward(x); }\n");
    return count(ir(project, {"net.cpp", "run"}).out, "role=module stateless") == 1;
  };
  CHECK(isStateless("Net() {}"));
  CHECK(!isStateless("Layers layers;"));
  CHECK(!isStateless("Wrong layers;"));
  CHECK(!isStateless("Net() { register_module(\"layers\", wrong); }"));
}

TEST_CASE("The text says all that is possible, also where one context knows nothing special") {
  const Project project;
  project.write("contexts.cpp", R"(#include <torch/torch.h>
static void inner(torch::Tensor x) { x.sum(); }
void outer(torch::Tensor x) {
  inner(x);
  torch::NoGradGuard guard;
  inner(x);
}
)");
  const Run run = ir(project, {"--values", "contexts.cpp", "inner"});
  CHECK(run.status == 0);
  CHECK_THAT(run.out,
             Contains(", gradients recorded: off") && Contains(", gradients recorded: on"));
  CHECK_THAT(ir(project, {"--values", "contexts.cpp", "outer"}).out,
             !Contains("gradients recorded: on"));
}

TEST_CASE("A forward pass is shown as its callers run it") {
  const Project project;
  project.write("pass.cpp", R"(#include <torch/torch.h>
struct NetImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) { return x.exp(); }
};
TORCH_MODULE(Net);
void evaluate(Net net, torch::Tensor x) {
  torch::NoGradGuard guard;
  auto y = net(x);
}
)");
  const std::string text = ir(project, {"--values", "pass.cpp", "NetImpl::forward"}).out;
  CHECK_THAT(text, Contains("gradients recorded: off") && Contains("gradients recorded: on"));
}

TEST_CASE("What is done through one handle of a tensor is known of the others") {
  const Project project;
  project.write("handles.cpp", R"(#include <torch/torch.h>
void handles() {
  torch::Tensor a = torch::ones({2});
  torch::Tensor b = a;
  b.requires_grad_(true);
  a.sum();
}
)");
  CHECK_THAT(ir(project, {"--values", "handles.cpp", "handles"}).out,
             Contains("; a: float32 (2), graph attached"));
}

TEST_CASE("What a forward pass does to its input is known, also where others may hold that") {
  const Project project;
  project.write("inputs.cpp", R"(#include <torch/torch.h>
void elsewhere(torch::Tensor x);
struct NetImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    x.requires_grad_(true);
    elsewhere(x);
    return x.exp();
  }
};
TORCH_MODULE(Net);
void run(Net net) {
  torch::Tensor x = torch::ones({2});
  net(x);
  x.sum();
}
)");
  CHECK_THAT(ir(project, {"--values", "inputs.cpp", "run"}).out, Contains("; x: graph attached"));
}

TEST_CASE("What is assigned through a pointer is what that leads to") {
  const Project project;
  project.write("pointers.cpp", R"(#include <torch/torch.h>
void pointers() {
  torch::Tensor a = torch::ones({2});
  torch::Tensor *p = &a;
  *p = torch::ones({3});
  a.sum();
}
)");
  CHECK_THAT(ir(project, {"--values", "pointers.cpp", "pointers"}).out,
             Contains("; a: float32 (3)"));
}

TEST_CASE("An element of a list may have a graph where one that was added has one") {
  const Project project;
  project.write("lists.cpp", R"(#include <torch/torch.h>
void lists(torch::nn::Linear net) {
  torch::Tensor a = torch::ones({4, 4});
  std::vector<torch::Tensor> list = {net(a)};
  list.push_back(a);
  list.back().sum();
}
)");
  CHECK_THAT(ir(project, {"--values", "lists.cpp", "lists"}).out,
             Contains("; list[*]: float32 (…, N), graph detached or attached") ||
                 Contains("; list[*]: graph detached or attached"));
}

TEST_CASE("Code with errors has a text, and the errors are said") {
  const Project project;
  project.write("broken.cpp", "int answer() { return 42; }\nint wrong() { return missing; }\n");
  const Run run = ir(project, {"broken.cpp"});
  CHECK(run.status == 1);
  CHECK_THAT(run.out, Contains("\nfunction answer ") && Contains("\nfunction wrong "));
  CHECK_THAT(run.err, Contains("broken.cpp:2:22: error: use of undeclared identifier 'missing'"));
}

TEST_CASE("The IR of one source at a time") {
  const Work project;
  CHECK_THAT(project.gradtidy({"ir"}).err, Contains("gradtidy ir SOURCE [FUNCTION]"));
  CHECK(project.gradtidy({"ir"}).status == 2);
  project.write("other.cpp", "int main() { return 0; }\n");
  project.writeDatabase("build", {"work.cpp", "other.cpp"}, "-std=c++20 -I" STAND_IN);
  const Run run = project.gradtidy({"ir", "."});
  CHECK(run.status == 2);
  CHECK(run.out.empty());
  CHECK_THAT(run.err, Contains("'.' stands for several sources; name one"));
}

TEST_CASE("The text is the same whatever the cache holds") {
  const Work project;
  const Run first = ir(project, {"--cache-dir=" + project.path("cache"), "work.cpp"});
  CHECK(first.status == 0);
  CHECK(ir(project, {"--cache-dir=" + project.path("cache"), "work.cpp"}).out == first.out);
  CHECK(ir(project, {"--no-cache", "work.cpp"}).out == first.out);
}

TEST_CASE("Letters of a source cannot change how the text is shown") {
  const Project project;
  project.write("work.cpp",
                "#include <torch/torch.h>\n"
                "void keep(torch::Tensor x) { torch::save(x, \"\xe2\x80\xae\x1b.pt\"); }\n");
  const Run run = ir(project, {"work.cpp"});
  CHECK_THAT(run.out, Contains("\\xe2\\x80\\xae\\x1b.pt"));
  CHECK(run.out.find("\xe2\x80\xae") == std::string::npos);
}
