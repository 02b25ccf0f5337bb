// What a unit says besides its functions, and that its text says as much.
#include "tests/ir/Search.h"

#include "analyzer/frontend/UserCode.h"
#include "analyzer/ir/CalledModule.h"
#include "analyzer/ir/LoadedSources.h"
#include "analyzer/ir/Parse.h"
#include "analyzer/ir/Print.h"
#include "analyzer/lowering/UnitLowering.h"
#include "analyzer/model/Model.h"
#include "analyzer/modules/ModuleClasses.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

using namespace gradtidy;
using test::firstOf;
using test::functionOf;

namespace {

/// A unit in a file of its own.
class Unit {
public:
  explicit Unit(const std::string &code) {
    llvm::SmallString<128> path;
    REQUIRE(!llvm::sys::fs::createUniqueDirectory("unit", path));
    folder = std::filesystem::canonical(path.str().str()).string();
    const std::string file = folder + "/unit.cpp", text = "#include <torch/torch.h>\n" + code;
    std::ofstream(file) << text;
    clang::IgnoringDiagConsumer silent;
    ast = clang::tooling::buildASTFromCodeWithArgs(
        text, {"-std=c++20", "-isystem" STAND_IN}, file, "lowering-test",
        std::make_shared<clang::PCHContainerOperations>(),
        clang::tooling::getClangStripDependencyFileAdjuster(),
        clang::tooling::FileContentMappings(), &silent);
    REQUIRE(ast);
    lowered = lowerUnit(ast->getASTContext(), Model::bundled(), UserCode(folder));
    findModules(*lowered);
  }
  ~Unit() { std::filesystem::remove_all(folder); }

  const clang::SourceManager &sources() const { return ast->getSourceManager(); }

  std::string text() const {
    std::string result;
    llvm::raw_string_ostream out(result);
    print(out, *lowered, ir::SourcePlaces(sources(), folder));
    return result;
  }

  std::string folder;
  std::unique_ptr<clang::ASTUnit> ast;
  std::unique_ptr<LoweredUnit> lowered;
};

constexpr const char *program = R"(
namespace nn = torch::nn;
using torch::Tensor;
#define TWICE(value) ((value) * 2)
struct Base : nn::Module { virtual Tensor forward(Tensor x) = 0; };
struct Net : Base {
  Net() { fc = register_module("fc", nn::Linear(4, 2)); }
  Tensor forward(Tensor x) override { return fc(drop(x)); }
  nn::Linear fc{nullptr};
  nn::Dropout drop;
};
torch::Device chosen(torch::kCPU);
Tensor step(Net &net, Tensor x, int count = TWICE(3)) {
  auto scaled = [](auto value) { return TWICE(value); };
  return scaled(net.forward(x));
}
int main() { Net net; step(net, torch::ones({2, 4})); }
)";

} // namespace

TEST_CASE("A unit says what its classes, names and modules are") {
  const Unit unit(program);
  const LoweredUnit &lowered = *unit.lowered;
  REQUIRE(lowered.contents().classes.size() == 2);
  const FunctionBody &step = functionOf(lowered, "step");
  const Event &forward = firstOf(step, EventKind::Forward);
  const CalledModule &module = forward.module();
  REQUIRE(module.view);
  CHECK(module.view->record->name == "Net");
  CHECK(module.dependsOnMode == Answer::Yes);
  CHECK_FALSE(module.isStateless);
  CHECK(lowered.viewOf(*module.view->record) == module.view);
  const ir::Symbol &net = *module.view->record;
  CHECK(net.isOfMainFile);
  CHECK(net.usr == "c:@S@Net");
  CHECK(step.function->usr.starts_with("c:@F@step#"));
  CHECK(step.function->parameters[0]->usr.empty()); // The function tells it.
  CHECK(functionOf(lowered, "main").function->usr.empty());
  CHECK_FALSE(net.isFramework);
  CHECK(ir::isOrDerives(net, *net.bases.front()));
  CHECK_FALSE(ir::isOrDerives(*net.bases.front(), net));
  REQUIRE(ir::classOf(net).members.size() == 2);
  CHECK(ir::classOf(net).members[0]->type->role == TypeRole::ModuleHolder);
  CHECK(ir::classOf(net).members[0]->type->record->isFramework);
  CHECK(step.function->parameters[2]->hasDefault);
  CHECK(step.function->parameters[2]->init->integer == 6);
  CHECK(ir::codeOf(*step.function) == step.body);
  REQUIRE(forward.callee);
  CHECK(lowered.bodyOf(*forward.callee));
  // What overrides the forward of the base is known by its first declaration.
  REQUIRE(forward.callee->overridden.size() == 1);
  const auto overriders = lowered.overridersOf(*forward.callee->overridden.front());
  REQUIRE(overriders.size() == 1);
  CHECK(overriders.front() == forward.callee->first);
  CHECK(lowered.phrase(Phrase::Eval) == "eval()");
  CHECK(lowered.knows(Phrase::CheckLaunch) == false);
}

TEST_CASE("A unit that is read has the same text, and its places the same order") {
  const Unit unit(program);
  const std::string text = unit.text();
  ir::LoadedSources loaded(unit.folder);
  auto parsed = parseIr(text, Model::bundled(), &loaded);
  REQUIRE(static_cast<bool>(parsed));
  std::string again;
  llvm::raw_string_ostream out(again);
  print(out, *parsed->unit, *parsed->places);
  CHECK(again == text);
  // Who includes files outside of the project is not said: that depends on the headers in the
  // cache.
  for (llvm::StringRef line : llvm::split(text, '\n'))
    if (line.starts_with("file ")) {
      INFO(line.str());
      CHECK_FALSE(line.contains(" at="));
    }
  // Locations in files and in macros.
  std::vector<clang::SourceLocation> before, behind;
  const auto collect = [](const LoweredUnit &from, std::vector<clang::SourceLocation> &all) {
    for (const FunctionBody *function : from.functions())
      ir::forEach(function->body, [&](const ir::Node &node) { all.push_back(node.begin()); });
  };
  collect(*unit.lowered, before);
  collect(*parsed->unit, behind);
  REQUIRE(before.size() == behind.size());
  for (size_t i = 0; i < before.size(); ++i) {
    INFO(i);
    CHECK(before[i].isMacroID() == behind[i].isMacroID());
    CHECK(unit.sources().getFileOffset(unit.sources().getFileLoc(before[i])) ==
          loaded.manager().getFileOffset(loaded.manager().getFileLoc(behind[i])));
    for (size_t j = 0; j < i; ++j)
      CHECK(unit.sources().isBeforeInTranslationUnit(before[j], before[i]) ==
            loaded.manager().isBeforeInTranslationUnit(behind[j], behind[i]));
  }
}
