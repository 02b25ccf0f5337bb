// gradtidy model check: as its user sees it.
#include "tests/Project.h"

#include <catch2/catch.hpp>

using namespace gradtidy::test;
using Catch::Matchers::Contains;

namespace {

const std::string header = "#pragma once\n"
                           "namespace lumen { inline namespace v2 {\n"
                           "class Array { public: void derive() const; };\n"
                           "class Learner { public: void learn(); };\n"
                           "class Descent : public Learner {};\n"
                           "} }\n";

std::string modelOf(const std::string &step) {
  return R"({"headers": ["lumen/lumen.h"],
 "types": {"tensor": ["lumen::Array"], "optimizer": ["lumen::Learner"]},
 "functions": {"backward": ["lumen::Array::derive"],
  "step": [")" +
         step + "\"]}}\n";
}

} // namespace

TEST_CASE("A model without mistakes") {
  const Project project;
  project.write("lumen.json", modelOf("lumen::Learner::learn"));
  const Run run = project.gradtidy({"model", "check", "lumen.json"});
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Contains("lumen.json:1:1: note: there is no \"functions.clear-gradients\""));
  CHECK(count(run.out, "error:") + count(run.out, "warning:") == 0);
  CHECK_THAT(run.err, Contains("lumen.json: 0 errors, 0 warnings; give compiler flags behind"));
}

TEST_CASE("Mistakes of a model have a place, and a status") {
  const Project project;
  project.write("a.json", "{\n  \"typos\": {}\n}\n");
  project.write("b.json", modelOf("lumen::Learner::learn()"));
  const Run run = project.gradtidy({"model", "check", "a.json", "b.json"});
  CHECK(run.status == 2);
  CHECK_THAT(run.out,
             Contains("a.json:2:3: error: \"typos\": unknown key; did you mean 'types'?\n") &&
                 Contains("b.json:4:12: warning: \"functions.step\": 'lumen::Learner::learn()'"));
  CHECK(project.gradtidy({"model", "check", "none.json"}).status == 2);
  CHECK_THAT(project.gradtidy({"model", "a.json"}).err,
             Contains("gradtidy model check FILE... [-- FLAG...]"));
}

TEST_CASE("The names of a model are looked up in its headers") {
  const Project project;
  project.write("include/lumen/lumen.h", header);
  project.write("good.json", modelOf("lumen::Learner::learn"));
  project.write("typo.json", modelOf("lumen::Learner::lern"));
  project.write("derived.json", modelOf("lumen::Descent::learn"));
  const auto check = [&](const std::string &file) {
    return project.gradtidy({"model", "check", file, "--", "-std=c++20", "-Iinclude"});
  };
  CHECK(check("good.json").status == 0);
  CHECK(check("good.json").err == "gradtidy: good.json: 0 errors, 0 warnings\n");
  CHECK(check("typo.json").status == 2);
  CHECK_THAT(check("typo.json").out,
             Contains("typo.json:4:12: warning: \"functions.step\": 'lumen::Learner::lern' matches "
                      "nothing: no header declares it; did you mean 'lumen::Learner::learn'?"));
  CHECK_THAT(check("derived.json").out, Contains("a base class declares it; did you mean "
                                                 "'lumen::Learner::learn'?"));
}

TEST_CASE("Headers that do not compile are an error, not a model without mistakes") {
  const Project project;
  project.write("include/lumen/lumen.h", "class Array {\n  broken x;\n};\n");
  project.write("lumen.json", modelOf("lumen::Learner::learn"));
  const Run run = project.gradtidy({"model", "check", "lumen.json", "--", "-Iinclude"});
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Contains("cannot parse the headers of lumen.json: ") &&
                          Contains("lumen.h:2: unknown type name 'broken'"));
  CHECK_THAT(project.gradtidy({"model", "check", "lumen.json", "--"}).err,
             Contains("'lumen/lumen.h' file not found"));
}

TEST_CASE("The models that come with gradtidy have no mistakes") {
  const Project project;
  CHECK(project.gradtidy({"model", "check", "flashlight"}).status == 0);
  const std::string folder = axonFolder() + "/../../analyzer/model/";
  for (const char *name : {"libtorch.json", "runtime.json"})
    CHECK(project.gradtidy({"model", "check", folder + name}).out.find(": warning:") ==
          std::string::npos);
  CHECK(project.gradtidy({"model", "check", axonModel()}).status == 0);
}
