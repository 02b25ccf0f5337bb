// Whatever cannot be analysed is said in a way that one can act on, and is never a success.
#include "tests/Project.h"

#include <catch2/catch.hpp>

#include <filesystem>

using namespace gradtidy::test;
using Catch::Matchers::Contains;

namespace {
const std::string correct = "int main() { return 0; }\n";
}

TEST_CASE("A file without findings") {
  const Project project;
  project.write("train.cpp", correct);
  const Run run = project.gradtidy({"train.cpp", "--", "-std=c++20"});
  CHECK(run.status == 0);
  CHECK(run.out.empty());
  CHECK(run.err.empty());
}

TEST_CASE("No sources") {
  const Run run = Project().gradtidy({});
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Contains("no input files"));
}

TEST_CASE("No database") {
  const Project project;
  project.write("train.cpp", correct);
  const Run run = project.gradtidy({"train.cpp"});
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Contains("train.cpp") && Contains("-DCMAKE_EXPORT_COMPILE_COMMANDS=ON") &&
                          Contains("bear"));
  CHECK_THAT(run.err, Contains("nothing was analysed"));
}

TEST_CASE("Without a database the flags that the installed LibTorch needs are named") {
  const Project project;
  project.write("train.cpp", correct);
  const auto hint = [&](const std::string &setting) {
    return project
        .run("/usr/bin/env",
             {"-u", "Torch_DIR", "-u", "LIBTORCH", "-u", "VIRTUAL_ENV", "-u", "CONDA_PREFIX",
              "HOME=" + project.path("home"), setting, gradtidyProgram(), "train.cpp"})
        .err;
  };
  const auto flags = [&](const std::string &standard, const std::string &folder) {
    return "gradtidy FILE -- -std=" + standard + " -isystem " + project.path(folder) +
           "/include -isystem " + project.path(folder) + "/include/torch/csrc/api/include\n";
  };
  const std::string api = "/include/torch/csrc/api/include/torch/";
  for (const char *folder : {"new", "old", "home/.local/lib/python3.9/site-packages/torch",
                             "venv/lib/python3.12/site-packages/torch"})
    project.write(folder + api + "torch.h", "");
  project.write("new" + api + "version.h", "#include <torch/headeronly/version.h>\n");
  project.write("old" + api + "version.h", "#define TORCH_VERSION_MAJOR 1\n");
  CHECK_THAT(hint("LIBTORCH=" + project.path("new")), Contains(flags("c++20", "new")));
  CHECK_THAT(hint("LIBTORCH=" + project.path("old")), Contains(flags("c++17", "old")));
  CHECK_THAT(hint("Torch_DIR=" + project.path("old") + "/share/cmake/Torch"),
             Contains(flags("c++17", "old")));
  CHECK_THAT(hint("VIRTUAL_ENV=" + project.path("venv")),
             Contains(flags("c++20", "venv/lib/python3.12/site-packages/torch")));
  CHECK_THAT(hint("LIBTORCH=/nowhere"),
             Contains(flags("c++20", "home/.local/lib/python3.9/site-packages/torch")));
}

TEST_CASE("A database that -p names is not there") {
  const Project project;
  project.write("train.cpp", correct);
  const Run run = project.gradtidy({"-p", "nowhere", "train.cpp"});
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Contains("nowhere"));
}

TEST_CASE("A file that is not in the database is analyzed with the flags of its nearest") {
  const Project project;
  project.write("train.cpp", "int main() { return undeclared; }\n");
  project.write("other.cpp", correct);
  project.writeDatabase("build", {"train.cpp"}, "-std=c++20");
  const Run run = project.gradtidy({"other.cpp", "train.cpp"});
  CHECK(run.status == 1); // For the error.
  CHECK_THAT(run.err, Contains("gradtidy: 'other.cpp' not in the compilation database: analyzed "
                               "with the flags of '" +
                               project.path("train.cpp") + "'\n"));
  CHECK_THAT(run.out, Contains("train.cpp:1:21: error: use of undeclared identifier 'undeclared' "
                               "[clang-diagnostic-error]"));
}

TEST_CASE("A file that does not exist") {
  const Run run = Project().gradtidy({"train.cpp", "--"});
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Contains("cannot read 'train.cpp'"));
  CHECK_THAT(run.err, Contains("nothing was analysed"));
}

TEST_CASE("A file that cannot be read") {
  // A link to nowhere: the permissions of a file keep no superuser from reading it.
  const Project project;
  std::filesystem::create_symlink("nowhere.cpp", project.path("train.cpp"));
  const Run run = project.gradtidy({"train.cpp", "--"});
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Contains("cannot read 'train.cpp'"));
}

TEST_CASE("A source that does not compile") {
  const Project project;
  project.write("train.cpp", "int main() { return 1 }\n");
  const Run run = project.gradtidy({"train.cpp", "--"});
  CHECK(run.status == 1);
  CHECK(run.out == project.path("train.cpp") + ":1:22: error: expected ';' after return statement "
                                               "[clang-diagnostic-error]\n"
                                               "    1 | int main() { return 1 }\n"
                                               "      |                      ^\n"
                                               "      |                      ;\n");
  CHECK(run.err == "Found compiler error(s).\n");
}

TEST_CASE("A missing header is one error line") {
  const Project project;
  project.write("train.cpp", "#include <opencv2/opencv.hpp>\n"
                             "cv::Mat load() { return cv::imread(\"a.png\"); }\n"
                             "int main() { load().at<float>(0, 0); }\n");
  const Run run = project.gradtidy({"train.cpp", "--"});
  CHECK(run.status == 1);
  CHECK(count(run.out, "error:") == 1);
  CHECK_THAT(run.out, Contains("train.cpp:1:10: error: 'opencv2/opencv.hpp' file not found "
                               "[clang-diagnostic-error]"));
  CHECK_THAT(run.err, Contains("that may follow from a missing header"));
}

TEST_CASE("A crash of one file does not concern the others") {
  const Project project;
  project.write("crash.cpp", crashingCode());
  project.write("train.cpp", "int main() { return undeclared; }\n");
  const Run run = project.gradtidy({"crash.cpp", "train.cpp", "--"});
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Contains("the analysis of '" + project.path("crash.cpp") + "' crashed"));
  CHECK_THAT(run.out, Contains("use of undeclared identifier"));

  const Run alone = project.gradtidy({"crash.cpp", "--"});
  CHECK(alone.status == 2);
  CHECK_THAT(alone.err, Contains("nothing was analysed"));
}

TEST_CASE("A function that calls too deep to be followed is named") {
  const Project project;
  std::string text = "#include <axon/axon.h>\nvoid call0(axon::Block &net);\n";
  for (int depth = 1; depth <= 9; ++depth)
    text += "void call" + std::to_string(depth) + "(axon::Block &net) { call" +
            std::to_string(depth - 1) + "(net); }\n";
  project.write("deep.cpp", text);
  const Run run = project.gradtidy(
      {"deep.cpp", "--model=" + axonModel(), "--", "-std=c++20", "-I" + axonFolder()});
  CHECK(run.status == 0);
  CHECK(count(run.err,
              "Not analysed to the end (too large, too deep, or calls too deep): call9 (") == 1);
  CHECK(count(run.err, "Not analysed") == 1);
}

TEST_CASE("Of many functions that cannot be followed, ten are named and the others counted") {
  const Project project;
  std::string text = "#include <axon/axon.h>\nvoid call0(axon::Block &net);\n";
  for (int depth = 1; depth <= 40; ++depth)
    text += "void call" + std::to_string(depth) + "(axon::Block &net) { call" +
            std::to_string(depth - 1) + "(net); call" + std::to_string(depth - 1) + "(net); }\n";
  project.write("deep.cpp", text);
  const Run run = project.gradtidy(
      {"deep.cpp", "--model=" + axonModel(), "--", "-std=c++20", "-I" + axonFolder()});
  CHECK(run.status == 0);
  CHECK(count(run.err, "Not analysed to the end (") == 10);
  CHECK(count(run.err, " more functions.\n") == 1);
}

TEST_CASE("An unknown check is named with its nearest") {
  const Project project;
  project.write("train.cpp", correct);
  const Run run = project.gradtidy({"--checks=-*,ml-missing-zerograd", "train.cpp", "--"});
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Contains("--checks: unknown check 'ml-missing-zerograd'; did you mean "
                               "'ml-missing-zero-grad'?"));
  // Words count, not letters.
  for (const auto &[name, meant] : {std::pair("ml-zero-grads", "ml-missing-zero-grad"),
                                    {"ml-clip", "ml-clip-order"},
                                    {"ml-shuffle", "ml-loader-not-shuffled"},
                                    {"ml-optimizer-created", "ml-optimizer-recreated"}}) {
    INFO(name);
    CHECK_THAT(
        project.gradtidy({"--checks=" + std::string(name), "train.cpp", "--"}).err,
        Contains("unknown check '" + std::string(name) + "'; did you mean '" + meant + "'?"));
  }
  CHECK_THAT(project.gradtidy({"--checks=ml-quux", "train.cpp", "--"}).err,
             Contains("unknown check 'ml-quux'; --list-checks lists all"));
  CHECK_THAT(project.gradtidy({"--warnings-as-errors=ml-quux-*", "train.cpp", "--"}).err,
             Contains("--warnings-as-errors: no check matches 'ml-quux-*'"));
}

TEST_CASE("No check enabled") {
  const Project project;
  project.write("train.cpp", correct);
  for (const char *checks : {"--checks=-*", "--checks=-ml-*", "--checks=-*,bugprone-*"}) {
    const Run run = project.gradtidy({checks, "train.cpp", "--"});
    CHECK(run.status == 2);
    CHECK_THAT(run.err, Contains("no checks enabled"));
  }
}

TEST_CASE("Options with wrong values") {
  const Project project;
  project.write("train.cpp", correct);
  const auto error = [&](const std::string &option) {
    const Run run = project.gradtidy({option, "train.cpp", "--"});
    CHECK(run.status == 2);
    return run.err;
  };
  CHECK_THAT(error("--level=3"), Contains("--level is 0, 1 or 2, not 3"));
  CHECK_THAT(error("--format=xml"), Contains("xml"));
  CHECK_THAT(error("--line-filter=everything"), Contains("--line-filter"));
  CHECK_THAT(error("--frobnicate"), Contains("Unknown command line argument '--frobnicate'"));
  CHECK_THAT(error("--config=[oops"), Contains("--config:1:5: Could not find closing ]"));
  CHECK_THAT(error("--config-file=nowhere"), Contains("cannot read --config-file 'nowhere'"));
}

TEST_CASE("A model that cannot be read") {
  const Project project;
  project.write("train.cpp", correct);
  const Run missing = project.gradtidy({"--model=mine.json", "train.cpp", "--"});
  CHECK(missing.status == 2);
  CHECK_THAT(missing.err, Contains("cannot read model 'mine.json'"));

  project.write("mine.json", "{\n  \"name\": \"mine\",\n  \"typos\": {}\n}\n");
  const Run wrong = project.gradtidy({"--model=mine.json", "train.cpp", "--"});
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, Contains("mine.json") && Contains("3") && Contains("typos"));

  project.write(".gradtidy", "CheckOptions: {ml.Models: nowhere.json}\n");
  const Run configured = project.gradtidy({"train.cpp", "--"});
  CHECK(configured.status == 2);
  CHECK_THAT(configured.err, Contains("cannot read model 'nowhere.json'"));
}

TEST_CASE("What the framework has given another name is read by that") {
  const Project project;
  project.write("train.cpp", "#include <axon/axon.h>\nstruct Kept {\n  axon::Layer net;\n};\n"
                             "void run(Kept &kept, axon::Array input) {\n"
                             "  axon::Solver solver(kept.net.weights());\n"
                             "  for (int i = 0; i < 9; ++i) {\n"
                             "    axon::distance(kept.net(input), input).backpropagate();\n"
                             "    solver.advance();\n  }\n}\n");
  project.write("renamed.json", "{\"renamed\": {\"axon::Layer\": \"Block\"}}");
  const auto lint = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"train.cpp", "--model=" + axonModel(), "--", "-std=c++20",
                                       "-I" + axonFolder()});
    return project.gradtidy(arguments);
  };
  CHECK_THAT(lint({}).out, Contains("no type named 'Layer'") && !Contains("Block"));
  const Run run = lint({"--model=renamed.json"});
  CHECK(run.status == 1);
  CHECK_THAT(run.out, Contains("train.cpp:3:9: error: no type named 'Layer' in namespace 'axon'; "
                               "did you mean 'Block'?"));
  CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 1);
}

TEST_CASE("Stand-ins on which clang runs out of stack cost the stand-ins only") {
  const Project project;
  project.write("train.cpp", "#include <axon/axon.h>\n#include \"nothere.h\"\n"
                             "#include <functional>\n"
                             "class Setters {\n"
                             "  std::function<void(int &, Missing *)> setter;\n"
                             "public:\n"
                             "  virtual ~Setters() = default;\n"
                             "};\n" +
                                 trainingLoop("train"));
  const Run run = project.gradtidy(
      {"train.cpp", "--model=" + axonModel(), "--", "-std=c++20", "-I" + axonFolder()});
  CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 1);
  CHECK_THAT(run.out, Contains("'nothere.h' file not found"));
  CHECK_THAT(run.err, !Contains("crashed") && !Contains("#0 "));
}

TEST_CASE("Templates and captured values of missing names are survived") {
  const Project project;
  project.write("train.cpp", "#include <axon/axon.h>\n#include \"nothere.h\"\n"
                             "#include <algorithm>\n#include <vector>\n"
                             "template <typename T> void h(const other::Foo<T> &x) {\n"
                             "  using Rows = other::Rows<T>;\n"
                             "}\n"
                             "void sort(std::vector<int> &list) {\n"
                             "  auto weights = other::load(3);\n"
                             "  std::sort(list.begin(), list.end(),\n"
                             "            [weights](int a, int b) { return weights[a] < b; });\n"
                             "}\n" +
                                 trainingLoop("train"));
  const Run run = project.gradtidy(
      {"train.cpp", "--stats", "--model=" + axonModel(), "--", "-std=c++20", "-I" + axonFolder()});
  CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 1);
  CHECK_THAT(run.out, Contains("'nothere.h' file not found"));
  CHECK_THAT(run.err, Contains("parsing") && !Contains("parsing in vain"));
}

TEST_CASE("A class with a member of a missing type is understood but for that") {
  const Project project;
  project.write("train.cpp", "#include <axon/axon.h>\n#include \"nothere.h\"\n#include <vector>\n"
                             "struct Player {\n  axon::Block net;\n  Sound sound;\n"
                             "  std::vector<other::Image> images;\n  int rounds();\n};\n"
                             "void run(axon::Array input) {\n"
                             "  Player player;\n"
                             "  axon::Solver solver(player.net.weights());\n"
                             "  for (int i = 0; i < player.rounds(); ++i) {\n"
                             "    player.sound.play(i);\n"
                             "    axon::distance(player.net(input), input).backpropagate();\n"
                             "    solver.advance();\n  }\n}\n");
  const Run run = project.gradtidy(
      {"train.cpp", "--model=" + axonModel(), "--", "-std=c++20", "-I" + axonFolder()});
  CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 1);
  CHECK_THAT(run.out, Contains("'nothere.h' file not found"));
}

TEST_CASE("Tests whose macros a missing header has are functions") {
  const Project project;
  project.write("train.cpp", "#include <axon/axon.h>\n#include \"nothere.h\"\n"
                             "namespace tests {\n"
                             "TEST_CASE(\"is built\") { CHECK(axon::Array().sum() == 0); }\n"
                             "TEST_CASE(\"trains\", \"[net]\") {\n"
                             "  axon::Block net;\n  axon::Array input;\n"
                             "  axon::Solver solver(net.weights());\n"
                             "  SECTION(\"often\") {\n"
                             "    for (int i = 0; i < 9; ++i) {\n"
                             "      axon::distance(net(input), input).backpropagate();\n"
                             "      solver.advance();\n    }\n  }\n}\n}\n");
  const Run run = project.gradtidy(
      {"train.cpp", "--model=" + axonModel(), "--", "-std=c++20", "-I" + axonFolder()});
  CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 1);
  CHECK(count(run.out, "error:") == 1);
}

TEST_CASE("What a statement of a missing type mentions is not forgotten") {
  const Project project;
  project.write("torch.h", "namespace torch {\nstruct Device { Device(int kind); };\n"
                           "struct Tensor { Tensor to(Device device) const; };\n}\n");
  project.write("train.cpp", "#include \"torch.h\"\n#include \"nothere.h\"\n"
                             "void *pointerTo(const torch::Tensor &tensor);\n"
                             "void send(torch::Tensor forces, torch::Device device) {\n"
                             "  forces = forces.to(device);\n"
                             "  Pointer source = (Pointer)pointerTo(forces);\n}\n"
                             "void move(torch::Tensor forces, torch::Device device) {\n"
                             "  forces = forces.to(device);\n}\n");
  const Run run = project.gradtidy({"train.cpp", "--", "-std=c++20"});
  CHECK(count(run.out, "[ml-rebound-handle]\n") == 1);
  CHECK_THAT(run.out, Contains("train.cpp:9:3: warning"));
}

TEST_CASE("A check of kernels that is not declared is one by its name") {
  const Project project;
  for (const auto &[name, checks] : {std::pair("OUR_LAUNCH_CHECK", true), {"our_next", false}}) {
    INFO(name);
    project.write("fill.cu", "#include <cuda_runtime.h>\n#include <torch/torch.h>\n"
                             "__global__ void fill(float *x) {}\n"
                             "void run(torch::Tensor x) {\n"
                             "  fill<<<1, 256>>>(x.data_ptr<float>());\n  " +
                                 std::string(name) + "();\n}\n");
    const Run run =
        project.gradtidy({"--checks=-*,ml-kernel-unchecked", "fill.cu", "--", "-std=c++20",
                          "-I" STAND_IN, "-nocudainc", "--cuda-path=none"});
    CHECK_THAT(run.out, Contains("undeclared identifier"));
    CHECK((run.out.find("[ml-kernel-unchecked]") == std::string::npos) == checks);
  }
}
