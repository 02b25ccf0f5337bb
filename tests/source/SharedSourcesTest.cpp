// Which sources have to do with each other, by the words in them.
#include "analyzer/source/SharedSources.h"
#include "tests/Project.h"

#include <catch2/catch.hpp>

using namespace gradtidy;
using gradtidy::test::Project;

namespace {

JobList jobsOf(const Project &project, std::vector<std::string> sources) {
  JobRequest request;
  for (const std::string &source : sources)
    request.sources.push_back(project.path(source));
  return listJobs(request);
}

using Files = std::vector<std::string>;

} // namespace

TEST_CASE("A definition is told from a call and a declaration") {
  Project project;
  project.write("net.h", "");
  const std::string include = "#include \"net.h\"\n";
  const std::vector<std::pair<std::string, bool>> texts = {
      {"int train(Net &net, int (*f)()) {}", true},
      {"auto train() -> int {}", true},
      {"void train() noexcept {}", true},
      {"void train();", false},
      {"void other() { train(); }", false},
      {"void pretrain() {} void train_all() {}", false},
  };
  for (const auto &[text, isDefinition] : texts) {
    CAPTURE(text);
    project.write("other.cpp", include + text);
    project.write("unit.cpp", include);
    project.writeDatabase("", {"unit.cpp", "other.cpp"}, "-std=c++20");
    const JobList list = jobsOf(project, {"unit.cpp"});
    SharedSources sharedSources(list);
    const auto found =
        sharedSources.of(list.jobs[0], SharedFunction{{}, project.path("net.h"), {}, "train"});
    CHECK(found.defining == (isDefinition ? Files{project.path("other.cpp")} : Files()));
    CHECK(found.calling.empty());
  }
}

TEST_CASE("Methods are found by their class, callers by the class or its holder") {
  Project project;
  project.write("net.h", "");
  project.write("net.cpp", "#include \"net.h\"\nNetImpl::NetImpl() {}\nint NetImpl :: loss() {}\n");
  project.write("train.cpp", "#include \"net.h\"\nint main() { Net net; net->loss(); }\n");
  project.write("else.cpp", "#include \"net.h\"\nint main() { Other other; other.loss(); }\n");
  project.write("alien.cpp", "int main() { Net net; net->loss(); }\n");
  project.writeDatabase("", {"net.cpp", "train.cpp", "else.cpp", "alien.cpp"}, "-std=c++20");
  const JobList list = jobsOf(project, {"net.cpp", "train.cpp"});
  SharedSources sharedSources(list);
  const std::string header = project.path("net.h"), source = project.path("net.cpp");
  CHECK(sharedSources.of(list.jobs[1], SharedFunction{{}, header, "NetImpl", "loss"}).defining ==
        Files{source});
  CHECK(sharedSources.of(list.jobs[1], SharedFunction{{}, header, "NetImpl", "NetImpl"}).defining ==
        Files{source});
  CHECK(sharedSources.of(list.jobs[0], SharedFunction{source, header, "NetImpl", "loss"}).calling ==
        Files{project.path("train.cpp")});
}

namespace {

/// Sources that include net.h.
class Program : public Project {
public:
  Program() { write("net.h", ""); }

  void add(const std::string &file, const std::string &text) {
    write(file, "#include \"net.h\"\n" + text);
    database += (database.empty() ? "[" : ",\n") + ("{\"directory\": \"" + path()) +
                "\", \"file\": \"" + file + "\", \"command\": \"c++ -c " + file + "\"}";
    write("compile_commands.json", database + "]");
  }

private:
  std::string database;
};

} // namespace

TEST_CASE("The functions of a class are looked for as a whole, or not at all") {
  Program program;
  program.add("net.cpp", "Net::Net() {}\n");
  std::vector<SharedFunction> functions;
  Files sources;
  const auto defining = [&](bool completesClass) {
    const JobList list = jobsOf(program, {"net.cpp"});
    SharedSources sharedSources(list);
    for (SharedFunction &function : functions)
      function.completesClass = completesClass;
    return sharedSources.of(list.jobs[0], functions).defining;
  };
  for (size_t i = 0; i <= SharedSources::classLimit; ++i) {
    CHECK(defining(true) == sources);
    const std::string name = "part" + std::to_string(i);
    program.add(name + ".cpp", "int Net::" + name + "() { return 0; }\n");
    sources.push_back(program.path(name + ".cpp"));
    functions.push_back({{}, program.path("net.h"), "Net", name});
  }
  CHECK(defining(true).empty());
  CHECK(defining(false) == sources); // What it calls.
}

TEST_CASE("A method is told from others whose names begin alike") {
  Program program;
  program.add("net.cpp", "Net::Net() {}\n");
  program.add("other.cpp", "int Net::loss_of() { return 0; }\nNet &Net::operator = (int) {}\n");
  const JobList list = jobsOf(program, {"net.cpp"});
  SharedSources sharedSources(list);
  const auto defining = [&](const std::string &name) {
    return sharedSources.of(list.jobs[0], SharedFunction{{}, program.path("net.h"), "Net", name})
        .defining;
  };
  CHECK(defining("loss").empty());
  CHECK(defining("loss_of") == Files{program.path("other.cpp")});
  CHECK(defining("operator=") == Files{program.path("other.cpp")});
}

TEST_CASE("Too many callers are none") {
  Program program;
  Files callers;
  const auto calling = [&] {
    const JobList list = jobsOf(program, {"net.cpp"});
    SharedSources sharedSources(list);
    const SharedFunction train{program.path("net.cpp"), program.path("net.h"), {}, "train"};
    return sharedSources.of(list.jobs[0], train).calling;
  };
  program.add("net.cpp", "void train() {}");
  for (size_t i = 0; i <= SharedSources::limit; ++i) {
    CHECK(calling() == callers);
    const std::string file = "call" + std::to_string(i) + ".cpp";
    program.add(file, "void f() { train(); }");
    callers.push_back(program.path(file));
  }
  CHECK(calling().empty());
}

TEST_CASE("What is declared by hand is defined by the nearest source") {
  const auto definingOf = [](const Files &definitions) {
    Program project;
    project.add("ext/bind.cpp", "void launch(float *x);\nvoid run(float *x) { launch(x); }\n");
    for (const std::string &file : definitions)
      project.add(file, "void launch(float *x) {}\n");
    const JobList list = jobsOf(project, {"ext/bind.cpp"});
    SharedSources sharedSources(list);
    const std::string declared = project.path("ext/bind.cpp");
    const Files found =
        sharedSources.of(list.jobs[0], SharedFunction{{}, declared, {}, "launch"}).defining;
    // What is linked to its caller is linked to it.
    for (const std::string &file : definitions) {
      const JobList other = jobsOf(project, {file});
      SharedSources others(other);
      const std::string defined = project.path(file);
      CHECK(others.of(other.jobs[0], SharedFunction{defined, defined, {}, "launch"}).calling ==
            (std::find(found.begin(), found.end(), defined) != found.end() ? Files{declared}
                                                                           : Files()));
    }
    Files names;
    for (const std::string &file : found)
      names.push_back(file.substr(project.path().size() + 1));
    return names;
  };
  CHECK(definingOf({"ext/cuda/kernel.cpp"}) == Files{"ext/cuda/kernel.cpp"});
  CHECK(definingOf({"kernels/kernel.cpp"}) == Files{"kernels/kernel.cpp"});
  CHECK(definingOf({"ext/cuda/kernel.cpp", "other/kernel.cpp"}) == Files{"ext/cuda/kernel.cpp"});
  CHECK(definingOf({"ext/near.cpp", "ext/cuda/kernel.cpp"}) == Files{"ext/near.cpp"});
  CHECK(definingOf({"ext/cuda/kernel.cpp", "ext/cpu/kernel.cpp"}).empty());
}

TEST_CASE("A source need not include the header that declares what it defines") {
  Project project;
  project.write("ops.h", "void launch(float *x);\n");
  project.write("bind.cpp", "#include \"ops.h\"\nvoid run(float *x) { launch(x); }\n");
  project.write("table.cpp", "#include \"ops.h\"\nauto *table[] = {&launch};\n");
  project.write("method.cpp", "#include \"ops.h\"\nvoid f(Rocket &r) { r.launch(3); }\n");
  project.write("typed.cpp", "#include \"ops.h\"\nvoid f(float *x) { launch<float, 32>(x); }\n");
  project.write("less.cpp", "#include \"ops.h\"\nbool f(int x) { return launch < x; }\n");
  project.write("kernel.cpp", "void launch(float *x) {}\n");
  project.writeDatabase(
      "", {"bind.cpp", "table.cpp", "method.cpp", "typed.cpp", "less.cpp", "kernel.cpp"},
      "-std=c++20");
  const JobList list = jobsOf(project, {"bind.cpp", "kernel.cpp"});
  SharedSources sharedSources(list);
  const std::string kernel = project.path("kernel.cpp");
  const SharedFunction declared{{}, project.path("ops.h"), {}, "launch"};
  const SharedFunction defined{kernel, kernel, {}, "launch"};
  CHECK(sharedSources.of(list.jobs[0], declared).defining == Files{kernel});
  CHECK(sharedSources.of(list.jobs[1], defined).calling ==
        Files{project.path("bind.cpp"), project.path("table.cpp"), project.path("typed.cpp")});
}
