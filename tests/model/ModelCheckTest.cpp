// Models that can be read, and yet do not say what their authors mean.
#include "analyzer/model/ModelCheck.h"

#include <catch2/catch.hpp>

using namespace gradtidy;

namespace {

using Lines = std::vector<std::string>;

/// "LINE:COLUMN KEY: MESSAGE" of all that is wrong, notes left out.
Lines problemsIn(const std::string &json, const DeclaredNames *declared = nullptr) {
  ModelText text(json);
  Model model = Model::bundled();
  if (model.read(text))
    checkModel(text, model, declared);
  Lines lines;
  for (const ModelProblem &problem : text.problems())
    if (problem.kind != ModelProblem::Kind::Note)
      lines.push_back(std::to_string(problem.line) + ":" + std::to_string(problem.column) + " " +
                      problem.key + ": " + problem.message);
  return lines;
}

Lines notesOn(const std::string &json) {
  ModelText text(json);
  Model model = Model::bundled();
  REQUIRE(model.read(text));
  checkModel(text, model, nullptr);
  Lines lines;
  for (const ModelProblem &problem : text.problems())
    if (problem.kind == ModelProblem::Kind::Note)
      lines.push_back(problem.message);
  return lines;
}

} // namespace

TEST_CASE("All errors of a model are told, in the order of the text") {
  CHECK(problemsIn(R"({
  "types": {"tensors": [1]},
  "nam": "a",
  "headers": "b"
})") == Lines{"2:13 types.tensors: unknown role; did you mean 'tensor'?",
              "3:3 nam: unknown key; did you mean 'name'?",
              "4:3 headers: expected a list of strings"});
}

TEST_CASE("Names that no declaration has") {
  CHECK(
      problemsIn(R"j({"types": {"tensor": ["lumen::Array"]}, "functions": {"backward": [
  "lumen::Array::derive()",
  "::lumen::derive",
  "lumen::Box<float>::derive",
  "lumen.Array.derive",
  "Array::derive",
  "at::derive",
  "lumen::Array",
  "!"
]}})j") ==
      Lines{
          "2:3 functions.backward: 'lumen::Array::derive()' matches nothing: names are qualified, "
          "without template arguments and parentheses; did you mean 'lumen::Array::derive'?",
          "3:3 functions.backward: '::lumen::derive' matches nothing: names are qualified, "
          "without template arguments and parentheses; did you mean 'lumen::derive'?",
          "4:3 functions.backward: 'lumen::Box<float>::derive' matches nothing: names are "
          "qualified, without template arguments and parentheses; did you mean "
          "'lumen::Box::derive'?",
          "5:3 functions.backward: 'lumen.Array.derive' matches nothing: names are qualified, "
          "without template arguments and parentheses; did you mean 'lumen::Array::derive'?",
          "6:3 functions.backward: 'Array::derive' matches nothing: \"types\" has no 'Array'; did "
          "you mean 'lumen::Array::derive'?",
          "7:3 functions.backward: 'at::derive' matches nothing: its namespace is one of those "
          "that \"namespaces\" gives another name; did you mean 'torch::derive'?",
          "8:3 functions.backward: 'lumen::Array' matches nothing: it is a class, and a function "
          "has another name",
          "9:3 functions.backward: '!' matches nothing: names are qualified, without template "
          "arguments and parentheses"});
  CHECK(problemsIn(R"j({"functions": {"overwrite": [
  "a::B::operator=", "a::operator+=", "operator==", "a::operator()", "a::B::operator[]",
  "a::B::operator bool", "operators::run", "a::operators", "MPI_Send", "Net::wipe"
]}})j")
            .empty());
}

TEST_CASE("A name with two roles, or named twice") {
  CHECK(problemsIn(R"({"functions": {
  "step": ["a::b", "a::c"],
  "backward": ["a::c"],
  "detach": ["a::d",
             "a::d"]
}})") == Lines{"3:16 functions.backward: 'a::c' is \"step\" in line 2: a name has one role only",
               "5:14 functions.detach: 'a::d' is named in line 4 already"});
}

TEST_CASE("Headers that no include path leads to") {
  CHECK(problemsIn(R"({"headers": ["a/a.h", "<a/b.h>",
  "/usr/include/a.h"
]})") == Lines{"1:23 headers: '<a/b.h>' is never found; did you mean 'a/b.h'?",
               "2:3 headers: '/usr/include/a.h' is never found: a header is named as users include "
               "it, and looked for in the include path"});
}

TEST_CASE("Phrases that are no code") {
  CHECK(problemsIn(R"j({"types": {"tensor": ["a::T"]}, "phrases": {
  "detach": "cut()",
  "synchronize": "a::wait()",
  "move": ".on({devise})",
  "cast": ".as({type})",
  "disable-gradients": "a::Guard {name}{};"
}})j") == Lines{"2:3 phrases.detach: stands behind an expression, and so begins with '.'",
                "3:3 phrases.synchronize: is a statement, and so ends with ';'",
                "4:3 phrases.move: '{devise}' is not filled in; did you mean '{device}'?",
                "4:3 phrases.move: lacks '{device}'"});
}

TEST_CASE("Names are compared with what headers declare") {
  DeclaredNames declared;
  for (const char *name : {"a", "a::T", "a::T::derive", "a::Base", "a::Base::wipe", "a::Net",
                           "a::detail::Real", "a::DropImpl", "a::free"})
    declared.names.insert(name);
  declared.aliases["a::Alias"] = "a::detail::Real";
  declared.bases["a::Net"] = {"a::Base"};
  CHECK(
      problemsIn(R"({"types": {"tensor": ["a::T"], "module": ["a::Net",
  "a::Alias"]},
"functions": {"backward": [
  "a::T::derrive"],
 "clear-gradients": [
  "a::Net::wipe"],
 "detach": [
  "a::T::free", "a::T::operator=", "std::move"]},
"traits": {"mode-option": ["rate"], "mode-dependent": ["a::Drop"]}})",
                 &declared) ==
      Lines{"2:3 types.module: 'a::Alias' matches nothing: it is another name of a declaration; "
            "did you mean 'a::detail::Real'?",
            "4:3 functions.backward: 'a::T::derrive' matches nothing: no header declares it; did "
            "you mean 'a::T::derive'?",
            "6:3 functions.clear-gradients: 'a::Net::wipe' matches nothing: a base class declares "
            "it; did you mean 'a::Base::wipe'?",
            "8:3 functions.detach: 'a::T::free' matches nothing: no header declares it; did you "
            "mean 'a::free'?"});
  CHECK(problemsIn(R"({"types": {"tensor": ["a::T"]},
    "functions": {"clear-gradients": ["a::Net::wipe", "a::Base::wipe"]}})",
                   &declared)
            .empty());
}

TEST_CASE("What cannot be found with the model of a framework") {
  CHECK(notesOn(R"({"functions": {"backward": ["mine::backward"]}})").empty());
  const Lines notes = notesOn(R"({"types": {"tensor": ["a::T"], "optimizer": ["a::O"]},
    "functions": {"backward": ["a::T::derive"], "step": ["a::O::go"]}})");
  CHECK_THAT(notes, Catch::VectorContains(std::string(
                        "there is no \"functions.clear-gradients\": every loop counts as one that "
                        "never clears its gradients")));
  CHECK_THAT(notes, !Catch::VectorContains(std::string(
                        "there is no \"functions.step\": checks of training loops find nothing")));
}
