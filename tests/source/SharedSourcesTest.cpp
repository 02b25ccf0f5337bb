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

TEST_CASE("Too many callers are none") {
  Project project;
  project.write("net.h", "");
  std::string database = "[";
  Files callers;
  const auto add = [&](const std::string &file, const std::string &text) {
    project.write(file, "#include \"net.h\"\n" + text);
    database += (database.size() > 1 ? ",\n" : "") + ("{\"directory\": \"" + project.path()) +
                "\", \"file\": \"" + file + "\", \"command\": \"c++ -c " + file + "\"}";
    project.write("compile_commands.json", database + "]");
  };
  add("net.cpp", "void train() {}");
  for (size_t i = 0; i <= SharedSources::limit; ++i) {
    const JobList list = jobsOf(project, {"net.cpp"});
    SharedSources sharedSources(list);
    const SharedFunction train{project.path("net.cpp"), project.path("net.h"), {}, "train"};
    CHECK(sharedSources.of(list.jobs[0], train).calling == callers);
    add("call" + std::to_string(i) + ".cpp", "void f() { train(); }");
    callers.push_back(project.path("call" + std::to_string(i) + ".cpp"));
  }
  const JobList list = jobsOf(project, {"net.cpp"});
  SharedSources sharedSources(list);
  const SharedFunction train{project.path("net.cpp"), project.path("net.h"), {}, "train"};
  CHECK(sharedSources.of(list.jobs[0], train).calling.empty());
}
