// The texts of several units, read as those of one program.
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
#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <map>

using namespace gradtidy;
using test::firstOf;
using test::functionOf;

namespace {

std::string printed(const ParsedUnit &parsed) {
  std::string result;
  llvm::raw_string_ostream out(result);
  print(out, *parsed.unit, *parsed.places);
  return result;
}

ParsedUnit linked(llvm::ArrayRef<llvm::StringRef> texts, ir::Locations *locations = nullptr) {
  auto unit = link(texts, Model::bundled(), locations);
  INFO((unit ? "" : llvm::toString(unit.takeError())));
  REQUIRE(static_cast<bool>(unit));
  // A linked unit has a text like any other.
  const std::string once = printed(*unit);
  auto again = parseIr(once, Model::bundled());
  REQUIRE(static_cast<bool>(again));
  CHECK(printed(*again) == once);
  return std::move(*unit);
}

/// Calls what a header declares.
constexpr const char *caller = R"(gradtidy-ir 2
file f0 "main.cpp"
file f1 "step.h" at=1:10

unit namespaces=["torch"]

function main
  block 0
    call:step (net:module&, y:tensor)
symbol main function name="main" main-file definition=main main
symbol net variable name="net" type=<Net> local
symbol y variable name="y" local
symbol step function name="step" at=f1:3:6 parameters=["$1" "$2"] usr="c:@F@step"
symbol "$1" parameter spelling="" owner=step
symbol "$2" parameter spelling="" owner=step index=1
symbol Net class name="Net" at=f1:2:8 usr="c:@S@Net"
type <Net> name="Net" record=Net
)";

/// Defines it, and the class that the header declares and no more.
constexpr const char *callee = R"(gradtidy-ir 2
file f0 "step.cpp"
file f1 "step.h" at=2:10

unit namespaces=["torch" "at"] cuda

function step#2
  parameter net:module& declaration=net bind=reference
  parameter x:tensor declaration=x
  block 0
    forward net.fc (x) -> return(step#2)
class Net visible mode=no
  member field=fc registered=yes
symbol step function name="step" at=f1:3:6 definition=step#2 parameters=[a b] usr="c:@F@step"
symbol a parameter name="a" owner=step
symbol b parameter name="b" owner=step index=1
symbol step#2 function name="step" first=step at=9:6 definition=step#2 parameters=[net x]
symbol net parameter name="net" type=<Net> owner=step#2
symbol x parameter name="x" owner=step#2 index=1
symbol Net class name="Net" at=4:8 usr="c:@S@Net" record=(members=[fc] constructors=[] methods=[])
symbol fc member name="fc" owner=Net
type <Net> name="Net" record=Net
)";

} // namespace

TEST_CASE("A call runs the code that another source has") {
  for (const bool isCallerFirst : {true, false}) {
    INFO(isCallerFirst);
    const ParsedUnit program = isCallerFirst ? linked({caller, callee}) : linked({callee, caller});
    const LoweredUnit &unit = *program.unit;
    REQUIRE(unit.functions().size() == 2);
    const FunctionBody &step = functionOf(unit, "step"), &main = functionOf(unit, "main");
    const Event &call = firstOf(main, EventKind::Call);
    REQUIRE(call.callee);
    CHECK(unit.bodyOf(*call.callee) == &step);
    CHECK(call.callee == step.function->first);
    CHECK(step.linkedFrom == (isCallerFirst ? "step.cpp" : ""));
    CHECK(main.linkedFrom == (isCallerFirst ? "" : "main.cpp"));
    CHECK(main.function->isMain);
    CHECK(main.function->isOfMainFile == isCallerFirst);
    // What one source declares and no more, the other tells.
    const PathId net = call.operands[0].path;
    REQUIRE(net);
    const ir::Type *type = unit.paths().last(net).symbol()->type;
    REQUIRE(type);
    REQUIRE(unit.classes().begin() != unit.classes().end());
    CHECK(type->record == unit.classes().begin()->record);
    CHECK(ir::classOf(*type->record).members.size() == 1);
    CHECK(unit.viewOf(*type->record)->isVisible);
    // Of what the main source uses, the first says more than the second.
    CHECK(unit.isCuda() == !isCallerFirst);
    CHECK(unit.contents().namespaces == std::vector<std::string>{"torch", "at"});
  }
}

/// Calls what the header declares, and declares it once more itself.
constexpr const char *declaring = R"(gradtidy-ir 2
file f0 "main.cpp"
file f1 "step.h" at=1:10

unit namespaces=["torch"]

function main
  block 0
    call:step#2 (net:module&, y:tensor)
symbol main function name="main" main-file definition=main main
symbol net variable name="net" type=<Net> local
symbol y variable name="y" local
symbol step function name="step" at=f1:3:6 parameters=["$1" "$2"] usr="c:@F@step"
symbol "$1" parameter spelling="" owner=step
symbol "$2" parameter spelling="" owner=step index=1
symbol step#2 function name="step" first=step at=4:6 parameters=["$3" "$4"]
symbol "$3" parameter spelling="" owner=step#2
symbol "$4" parameter spelling="" owner=step#2 index=1
symbol Net class name="Net" at=f1:2:8 usr="c:@S@Net"
type <Net> name="Net" record=Net
)";

TEST_CASE("What is declared again is defined where another source defines it") {
  for (const bool isCallerFirst : {true, false}) {
    INFO(isCallerFirst);
    const ParsedUnit program =
        isCallerFirst ? linked({declaring, callee}) : linked({callee, declaring});
    const Event &call = firstOf(functionOf(*program.unit, "main"), EventKind::Call);
    REQUIRE(call.callee);
    CHECK(program.unit->bodyOf(*call.callee) == &functionOf(*program.unit, "step"));
  }
}

/// Calls a forward pass that the header declares.
constexpr const char *passing = R"(gradtidy-ir 2
file f0 "main.cpp"
file f1 "net.h" at=1:10

unit namespaces=["torch"]

function main
  block 0
    forward:Net::forward net:module (x:tensor, y:tensor) -> out {may-use-host}
symbol main function name="main" main-file definition=main main
symbol net variable name="net" type=<Net> local
symbol x variable name="x" local
symbol y variable name="y" local
symbol out variable name="out" local
symbol Net::forward method name="forward" owner=Net at=f1:3:6 parameters=["$1" "$2"] usr="c:@S@Net@F@forward"
symbol "$1" parameter spelling="" owner=Net::forward
symbol "$2" parameter spelling="" owner=Net::forward index=1
symbol Net class name="Net" at=f1:2:8 usr="c:@S@Net"
type <Net> name="Net" record=Net
)";

/// Defines it: a guard stands in it, and it moves its first parameter.
constexpr const char *pass = R"(gradtidy-ir 2
file f0 "net.cpp"
file f1 "net.h" at=2:10

unit namespaces=["torch"]

function Net::forward#2 module-method has-guard follows-input
  parameter a:tensor declaration=a moved-first
  parameter b:tensor declaration=b meets-tensors
  block 0
symbol Net::forward method name="forward" owner=Net at=f1:3:6 definition=Net::forward#2 parameters=["$1" "$2"] usr="c:@S@Net@F@forward"
symbol "$1" parameter spelling="" owner=Net::forward
symbol "$2" parameter spelling="" owner=Net::forward index=1
symbol Net::forward#2 method name="forward" owner=Net first=Net::forward at=9:6 definition=Net::forward#2 parameters=[a b]
symbol a parameter name="a" owner=Net::forward#2
symbol b parameter name="b" owner=Net::forward#2 index=1
symbol Net class name="Net" at=f1:2:8 usr="c:@S@Net"
)";

TEST_CASE("What a forward pass does with its inputs is known in all sources") {
  const auto passOf = [](const ParsedUnit &program) -> const Event & {
    return firstOf(functionOf(*program.unit, "main"), EventKind::Forward);
  };
  const ParsedUnit alone = linked({passing});
  CHECK_FALSE(passOf(alone).isGuarded);
  CHECK(passOf(alone).mayUseHost);
  for (const bool isCallerFirst : {true, false}) {
    INFO(isCallerFirst);
    const ParsedUnit program = isCallerFirst ? linked({passing, pass}) : linked({pass, passing});
    const Event &event = passOf(program);
    CHECK(event.isGuarded);
    CHECK(event.followsInput);
    CHECK_FALSE(event.mayUseHost);
    REQUIRE(event.operands.size() == 2);
    CHECK(event.operands[0].isMovedThere);
    CHECK_FALSE(event.operands[1].isMovedThere);
  }
}

TEST_CASE("A function of a header is there once, with what stands in it") {
  const auto textOf = [](llvm::StringRef file) {
    return "gradtidy-ir 2\nfile f0 \"" + file.str() + R"ir("
file f1 "twice.h" at=1:10

function twice code=@1
  block 0
    combine (y) -> %2 @2
  code
    @1 compound f1:1:8
      @2 lambda f1:2:3 declared=["operator()"]
function "operator()" inner
  block 0
    call:twice
symbol twice function name="twice" at=f1:1:8 definition=twice code=@1 usr="c:@F@twice"
symbol y variable name="y" owner=twice local
symbol "operator()" method spelling="operator()" owner=Closure definition="operator()" closure
symbol Closure class spelling="" qualified="Closure" owner=twice
)ir";
  };
  const std::string one = textOf("one.cpp"), two = textOf("two.cpp");
  const ParsedUnit program = linked({one, two});
  const LoweredUnit &unit = *program.unit;
  CHECK(unit.contents().functions.size() == 2);
  const FunctionBody &twice = functionOf(unit, "twice");
  CHECK(twice.linkedFrom.empty());
  CHECK(unit.bodyOf(*twice.body->children[0]->declared[0]) != nullptr);
  // The files, too: the header is what it is, whoever includes it.
  const std::string text = printed(program);
  CHECK(llvm::StringRef(text).count("twice.h") == 1);
}

TEST_CASE("Code in a function of a header is there for what else leads to it") {
  // Of a default argument, in a function that the other text has as well.
  const auto textOf = [](llvm::StringRef file, llvm::StringRef others) {
    return "gradtidy-ir 2\nfile f0 \"" + file.str() + R"ir("
file f1 "once.h" at=1:10

unit namespaces=["torch"]

function once code=@1
  code
    @1 compound f1:1:1
      @2 call f1:1:5 arguments=[@3]
        @3 integer f1:1:9 integer=7
)ir" + others.str() +
           "symbol once function name=\"once\" at=f1:1:6 definition=once code=@1 "
           "usr=\"c:@F@once\"\n";
  };
  const std::string first = textOf("one.cpp", "");
  const std::string second = textOf("two.cpp", R"ir(
function two code=@4
  code
    @4 compound 2:1
      @5 call 2:5 arguments=[@3]
        @3
symbol two function name="two" at=2:6 definition=two code=@4 usr="c:@F@two"
)ir");
  const ParsedUnit program = linked({first, second});
  REQUIRE(program.unit->functions().size() == 2);
  const ir::Node &call = *functionOf(*program.unit, "two").body->children.front();
  REQUIRE(call.arguments.size() == 1);
  CHECK(call.arguments.front()->integer == 7);
  CHECK(call.children.front() == call.arguments.front());
}

TEST_CASE("What only its own source can name, or is defined in two ways, stays apart") {
  const auto textOf = [](llvm::StringRef file, llvm::StringRef line) {
    return "gradtidy-ir 2\nfile f0 \"" + file.str() + R"("

function main
  block 0
    call:helper
    call:twin (net.fc)
function helper
  block 0
function twin
  block 0
symbol main function name="main" definition=main main
symbol helper function name="helper" at=2:1 definition=helper
symbol twin function name="twin" at=)" +
           line.str() + R"(:1 definition=twin usr="c:@F@twin"
symbol net variable name="net" local
symbol fc member name="fc" owner=Net
symbol Net class name="Net" at=)" +
           line.str() + ":9 usr=\"c:@S@Net\" record=(members=[fc])\n";
  };
  const std::string one = textOf("one.cpp", "3"), two = textOf("two.cpp", "3"),
                    three = textOf("three.cpp", "4");
  const ParsedUnit program = linked({one, two, three});
  const LoweredUnit &unit = *program.unit;
  REQUIRE(unit.functions().size() == 9);
  llvm::SmallPtrSet<const ir::Symbol *, 3> helpers, twins, members;
  for (const FunctionBody *function : unit.functions())
    if (function->function->isMain) {
      const std::vector<Event> &events = function->blocks[0].events;
      const FunctionBody *helper = unit.bodyOf(*events[0].callee);
      const FunctionBody *twin = unit.bodyOf(*events[1].callee);
      REQUIRE((helper && twin));
      CHECK(helper->linkedFrom == function->linkedFrom);
      CHECK(twin->linkedFrom == function->linkedFrom);
      helpers.insert(helper->function);
      twins.insert(twin->function);
      members.insert(unit.paths().last(events[1].operands[0].path).symbol());
    }
  CHECK(helpers.size() == 3);
  CHECK(twins.size() == 3);
  CHECK(members.size() == 3);
}

TEST_CASE("A method that another source has overrides that of its base") {
  const std::string base = R"(gradtidy-ir 2
file f0 "a.cpp"
file f1 "base.h" at=1:10

function run
  block 0
    call:Base::forward {virtual}
symbol run function name="run" definition=run
symbol Base::forward method name="forward" qualified="Base::forward" owner=Base at=f1:2:3 usr="c:@S@Base@F@forward#"
symbol Base class name="Base" at=f1:1:8 usr="c:@S@Base" record=(methods=[(symbol=Base::forward)] abstract)
)";
  const std::string derived = R"(gradtidy-ir 2
file f0 "b.cpp"
file f1 "base.h" at=1:10

function Net::forward
  block 0
symbol Net::forward method name="forward" qualified="Net::forward" owner=Net at=3:3 definition=Net::forward overridden=[Base::forward] usr="c:@S@Net@F@forward#"
symbol Base::forward method name="forward" qualified="Base::forward" owner=Base at=f1:2:3 usr="c:@S@Base@F@forward#"
symbol Base class name="Base" at=f1:1:8 usr="c:@S@Base" record=(methods=[(symbol=Base::forward)] abstract)
symbol Net class name="Net" at=2:8 bases=[Base] usr="c:@S@Net" record=(methods=[(symbol=Net::forward defined)])
)";
  const ParsedUnit program = linked({base, derived});
  const Event &call = firstOf(functionOf(*program.unit, "run"), EventKind::Call);
  const auto overriders = program.unit->overridersOf(*call.callee->first);
  REQUIRE(overriders.size() == 1);
  CHECK(program.unit->bodyOf(*overriders[0]));
  CHECK(ir::isOrDerives(*overriders[0]->owner, *call.callee->owner));
}

TEST_CASE("An error names the text and the line") {
  const auto errorOf = [](llvm::ArrayRef<llvm::StringRef> texts) {
    auto unit = link(texts, Model::bundled());
    return unit ? "none" : llvm::toString(unit.takeError());
  };
  CHECK(errorOf({caller, "gradtidy-ir 2\n"}) == "text 2, line 1: there is no file f0");
  CHECK(errorOf({caller, callee}) == "none");
  const llvm::StringRef all = callee;
  for (size_t length = 0; length < all.size(); length += 3) {
    const std::string error = errorOf({caller, all.take_front(length)});
    CHECK((error == "none" || llvm::StringRef(error).starts_with("text 2, line ")));
  }
}

TEST_CASE("Two sources that were lowered are one program") {
  llvm::SmallString<128> path;
  REQUIRE(!llvm::sys::fs::createUniqueDirectory("link", path));
  const std::string folder = std::filesystem::canonical(path.str().str()).string();
  const auto write = [&](const char *name, const std::string &code) {
    std::ofstream(folder + "/" + name) << code;
    return folder + "/" + name;
  };
  write("net.h", R"(#pragma once
#include <torch/torch.h>
struct Part : torch::nn::Module {
  Part();
  torch::Tensor scale;
};
struct Net : torch::nn::Module {
  Net();
  torch::Tensor forward(torch::Tensor x);
  torch::Tensor twice(torch::Tensor x) { return x * 2; }
  torch::nn::Linear fc{nullptr};
  std::shared_ptr<Part> part;
};
inline torch::Tensor half(torch::Tensor x) { return x / 2; }
template <typename T> T same(T value) { return value; }
extern int steps;
)");
  const std::string code[] = {
      "#include \"net.h\"\n"
      "static void log() {}\n"
      "Part::Part() { scale = register_buffer(\"scale\", torch::ones({4})); }\n"
      "int main() { Net net; log(); auto y = net.forward(torch::ones({steps, 4}));\n"
      "  same(half(net.twice(y))).backward(); }\n",
      "#include \"net.h\"\n"
      "static void log() {}\n"
      "int steps = 3;\n"
      "Net::Net() { fc = register_module(\"fc\", torch::nn::Linear(4, 4)); log();\n"
      "  part = register_module(\"part\", std::make_shared<Part>()); }\n"
      "torch::Tensor Net::forward(torch::Tensor x) { return same(half(twice(fc(x)))); }\n"};
  std::vector<std::string> texts;
  for (const char *name : {"main.cpp", "net.cpp"}) {
    const std::string &source = code[texts.size()];
    const std::string file = write(name, source);
    clang::IgnoringDiagConsumer silent;
    const auto ast = clang::tooling::buildASTFromCodeWithArgs(
        source, {"-std=c++20", "-isystem" STAND_IN}, file, "lowering-test",
        std::make_shared<clang::PCHContainerOperations>(),
        clang::tooling::getClangStripDependencyFileAdjuster(),
        clang::tooling::FileContentMappings(), &silent);
    REQUIRE(ast);
    const auto lowered = lowerUnit(ast->getASTContext(), Model::bundled(), UserCode(folder));
    llvm::raw_string_ostream out(texts.emplace_back());
    print(out, *lowered, ir::SourcePlaces(ast->getSourceManager(), folder));
  }
  ir::LoadedSources loaded(folder);
  const ParsedUnit program = linked({texts[0], texts[1]}, &loaded);
  findModules(*program.unit);
  const LoweredUnit &unit = *program.unit;
  std::map<std::string, unsigned> count;
  for (const auto &function : unit.contents().functions)
    ++count[function->function->spelling.str()];
  CHECK(count == std::map<std::string, unsigned>{{"main", 1},
                                                 {"log", 2},
                                                 {"forward", 1},
                                                 {"Net", 1},
                                                 {"Part", 1},
                                                 {"twice", 1},
                                                 {"half", 1},
                                                 {"same", 1}});
  const FunctionBody &main = functionOf(unit, "main"), &twice = functionOf(unit, "twice");
  const Event &forward = firstOf(main, EventKind::Forward);
  REQUIRE(forward.callee);
  const FunctionBody *pass = unit.bodyOf(*forward.callee);
  REQUIRE(pass);
  CHECK(pass->linkedFrom == "net.cpp");
  CHECK(twice.linkedFrom.empty());
  REQUIRE(forward.module().view);
  CHECK(forward.module().view->isVisible);
  const auto &members = forward.module().view->members;
  REQUIRE(members.size() == 2);
  CHECK(members[0].registered == Answer::Yes);
  CHECK(members[1].stateful == Answer::Yes); // As the other source shows.
  // Places of both sources have an order: the main one comes first.
  CHECK(loaded.manager().isBeforeInTranslationUnit(main.body->begin(), pass->body->begin()));
  CHECK(loaded.manager().isBeforeInTranslationUnit(twice.body->begin(), main.body->begin()));
  std::filesystem::remove_all(folder);
}
