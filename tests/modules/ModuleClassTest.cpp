// What the view of module classes says of their members, and of what depends on the mode.
#include "analyzer/modules/ModuleClasses.h"

#include "analyzer/frontend/UserCode.h"
#include "analyzer/ir/Parse.h"
#include "analyzer/ir/Places.h"
#include "analyzer/ir/Print.h"
#include "analyzer/lowering/UnitLowering.h"
#include "analyzer/model/Model.h"
#include "tests/ir/Search.h"

#include "clang/AST/ASTContext.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

using namespace gradtidy;
using namespace gradtidy::test;

namespace {

constexpr const char *prelude = R"(
#include <torch/torch.h>
namespace nn = torch::nn;
using torch::Tensor;
)";

/// The module classes of a program of one source or several.
class Classes {
public:
  explicit Classes(const std::string &code) : Classes({{"f.cpp", prelude + code}}) {}

  /// Names and texts of sources, which include nothing but the framework and \p header as "net.h".
  explicit Classes(const std::vector<std::pair<std::string, std::string>> &sources,
                   const std::string &header = {}) {
    llvm::SmallString<128> path;
    REQUIRE(!llvm::sys::fs::createUniqueDirectory("classes", path));
    folder = std::filesystem::canonical(path.str().str()).string();
    std::ofstream(folder + "/net.h") << "#pragma once\n" << prelude << header;
    std::vector<std::string> texts;
    for (const auto &[name, code] : sources) {
      std::ofstream(folder + "/" + name) << code;
      clang::IgnoringDiagConsumer silent;
      const auto ast = clang::tooling::buildASTFromCodeWithArgs(
          code, {"-std=c++20", "-isystem" STAND_IN}, folder + "/" + name, "modules-test",
          std::make_shared<clang::PCHContainerOperations>(),
          clang::tooling::getClangStripDependencyFileAdjuster(),
          clang::tooling::FileContentMappings(), &silent);
      REQUIRE(ast);
      const auto lowered = lowerUnit(ast->getASTContext(), Model::bundled(), UserCode(folder));
      llvm::raw_string_ostream out(texts.emplace_back());
      print(out, *lowered, ir::SourcePlaces(ast->getSourceManager(), folder));
    }
    llvm::Expected<ParsedUnit> linked = link(
        std::vector<llvm::StringRef>(texts.begin(), texts.end()), Model::bundled(), nullptr, {});
    if (!linked)
      FAIL(llvm::toString(linked.takeError()));
    program = std::move(*linked);
    findModules(*program.unit);
  }

  ~Classes() { std::filesystem::remove_all(folder); }

  const ModuleClass &operator[](llvm::StringRef name) const {
    for (const ModuleClass &view : program.unit->classes())
      if (view.record->name == name)
        return view;
    FAIL("no class " << name.str());
    std::abort();
  }

  Answer modeOf(llvm::StringRef name) const { return (*this)[name].dependsOnMode; }

  const ModuleMember &member(llvm::StringRef className, llvm::StringRef name) const {
    for (const ModuleMember &member : (*this)[className].members)
      if (member.field->name == name)
        return member;
    FAIL("no member " << name.str());
    std::abort();
  }

  /// What is known of the module that the function calls first.
  const CalledModule &calledBy(llvm::StringRef function) const {
    return firstOf(functionOf(*program.unit, function), EventKind::Forward).module();
  }

  std::string folder;
  ParsedUnit program;
};

} // namespace

namespace Catch {
template <> struct StringMaker<Answer> {
  static std::string convert(Answer answer) {
    return answer == Answer::Yes ? "Yes" : answer == Answer::No ? "No" : "Unknown";
  }
};
} // namespace Catch

TEST_CASE("Modules: members and what becomes of them") {
  Classes classes(R"(
struct Net : nn::Module {
  Net(nn::Linear given) : given(given) {
    kept = register_module("kept", nn::Linear(1, 1));
    lost = nn::Linear(1, 1);
  }
  Tensor forward(Tensor x) { return kept(lost(given(relu(x)))); }
  nn::Linear kept{nullptr}, lost{nullptr}, given;
  nn::ReLU relu;
  Tensor scale = torch::ones({1});
  int number = 0;
};)");
  CHECK(classes["Net"].isVisible);
  CHECK(classes["Net"].members.size() == 5);
  CHECK(classes["Net"].registeredNames == std::vector<llvm::StringRef>{"kept"});
  CHECK(classes.member("Net", "kept").registered == Answer::Yes);
  CHECK(classes.member("Net", "lost").registered == Answer::No);
  CHECK(classes.member("Net", "lost").forwardUses.size() == 1);
  CHECK(classes.member("Net", "lost").definitions.size() == 1);
  CHECK_FALSE(classes.member("Net", "lost").isHandedIn);
  CHECK(classes.member("Net", "given").isHandedIn);
  CHECK(classes.member("Net", "relu").stateful == Answer::No);
  CHECK(classes.member("Net", "relu").isMade);
  CHECK(classes.member("Net", "scale").role == TypeRole::Tensor);
  CHECK(classes.member("Net", "scale").forwardUses.empty());
}

TEST_CASE("A member that gets out of sight may be registered") {
  Classes classes(R"(
void adopt(nn::Module &owner, nn::Linear &module);
void look(nn::Linear &module);
struct Net : nn::Module {
  Net() : fc(1, 1), other(1, 1), seen(1, 1) { adopt(*this, fc); look(seen); }
  nn::Linear fc, other, seen;
};
struct Elsewhere : nn::Module { Elsewhere(); nn::Linear fc{1, 1}; };)");
  CHECK(classes.member("Net", "fc").registered == Answer::Unknown);
  CHECK(classes.member("Net", "other").registered == Answer::No);
  CHECK(classes.member("Net", "seen").registered == Answer::No);
  CHECK_FALSE(classes["Elsewhere"].isVisible);
}

TEST_CASE("A constructor with errors is seen as far as clang goes") {
  Classes classes(R"(
void block(nn::Sequential &layers, int64_t size) { layers->push_back(nn::Linear(size, size)); }
struct NetImpl : nn::Module {
  NetImpl(po::variables_map &options);
  Tensor forward(Tensor x);
  nn::Linear kept{nullptr}, lost{nullptr}, copied{nullptr};
  nn::Sequential filled, pushed;
  std::vector<nn::Linear> several, forgotten;
  Tensor position, registered;
};
TORCH_MODULE(Net);
struct OuterImpl : nn::Module {
  OuterImpl(po::variables_map &options)
      : first(register_module("first", Net(options["a"].as<int>()))),
        second(Net(options["b"].as<int>())) {}
  Tensor forward(Tensor x) { return second->forward(first->forward(x)); }
  Net first, second;
};
NetImpl::NetImpl(po::variables_map &options) {
  int64_t size = options["size"].as<int64_t>();
  kept = register_module("kept", nn::Linear(options["in"].as<int64_t>(), size));
  lost = nn::Linear(options["in"].as<int64_t>(), size);
  auto made = nn::Linear(size, options["out"].as<int64_t>());
  register_module("copied", made);
  copied = made;
  block(filled, options["size"].as<int64_t>());
  pushed->push_back(nn::Linear(options["in"].as<int64_t>(), size));
  for (int i = 0; i < options["count"].as<int>(); ++i) {
    several.push_back(register_module("layer", nn::Linear(options["in"].as<int>(), 4)));
    forgotten.push_back(nn::Linear(options["in"].as<int>(), 4));
  }
  position = torch::randn({1, options["size"].as<int64_t>()});
  registered = register_buffer("registered", torch::randn({1, options["size"].as<int64_t>()}));
}
Tensor NetImpl::forward(Tensor x) { return lost(kept(x)) + position; })");
  CHECK(classes["NetImpl"].isVisible);
  auto registered = [&](llvm::StringRef name) {
    return classes.member("NetImpl", name).registered;
  };
  CHECK(registered("kept") == Answer::Yes);
  CHECK(registered("lost") == Answer::No);
  CHECK(classes.member("NetImpl", "lost").definitions.size() == 1);
  CHECK(registered("copied") != Answer::No);
  CHECK(registered("filled") == Answer::No);
  CHECK(classes.member("NetImpl", "filled").stateful == Answer::Yes);
  CHECK(registered("pushed") == Answer::No);
  CHECK(classes.member("NetImpl", "pushed").stateful == Answer::Yes);
  CHECK(registered("several") == Answer::Yes);
  CHECK(registered("forgotten") == Answer::No);
  CHECK(registered("position") == Answer::No);
  CHECK(classes.member("NetImpl", "position").stateful == Answer::Yes);
  CHECK(registered("registered") == Answer::Yes);
  CHECK(classes.member("OuterImpl", "first").registered == Answer::Yes);
  CHECK(classes.member("OuterImpl", "second").registered == Answer::No);
}

TEST_CASE("A registration in a statement that clang dropped hides what the class registers") {
  Classes classes(R"(
struct Dropped : nn::Module {
  Dropped() : fc(1, 1) {
    UNLESS_SHARED register_module("fc", fc);
  }
  nn::Linear fc;
};
struct Whole : nn::Module {
  Whole() : fc(1, 1) { unknown_function(1); }
  nn::Linear fc;
};)");
  CHECK_FALSE(classes["Dropped"].isVisible);
  CHECK(classes["Whole"].isVisible);
}

TEST_CASE("The mode: layers, nested classes, what is registered without a member") {
  Classes classes(R"(
struct Plain : nn::Module {
  Plain() { fc = register_module("fc", nn::Linear(1, 1)); }
  nn::Linear fc{nullptr};
};
struct Dropping : nn::Module { nn::Dropout drop{0.5}; };
struct Nested : nn::Module { std::shared_ptr<Dropping> inner = std::make_shared<Dropping>(); };
struct Nameless : nn::Module { Nameless() { register_module("drop", nn::Dropout(0.5)); } };
struct Derived : Dropping {};
struct Elsewhere : nn::Module { Elsewhere(); };
struct Known : nn::Module { Known(); nn::BatchNorm1d norm{nullptr}; };)");
  CHECK(classes.modeOf("Plain") == Answer::No);
  CHECK(classes.modeOf("Dropping") == Answer::Yes);
  CHECK(classes.modeOf("Nested") == Answer::Yes);
  CHECK(classes.modeOf("Nameless") == Answer::Yes);
  CHECK(classes.modeOf("Derived") == Answer::Yes);
  CHECK(classes.modeOf("Elsewhere") == Answer::Unknown);
  CHECK(classes.modeOf("Known") == Answer::Yes);
}

TEST_CASE("The mode: contents of containers") {
  Classes classes(R"(
nn::Sequential block() { return nn::Sequential(nn::Linear(1, 1), nn::Dropout(0.5)); }
nn::Sequential plain() { nn::Sequential made; made->push_back(nn::ReLU()); return made; }
nn::Sequential unseen();
struct With : nn::Module { nn::Sequential layers{nn::Linear(1, 1), nn::Dropout(0.5)}; };
struct Without : nn::Module { nn::Sequential layers{nn::Linear(1, 1), nn::ReLU()}; };
struct Pushed : nn::Module {
  Pushed() { layers->push_back(nn::Dropout(0.5)); }
  nn::Sequential layers;
};
struct Made : nn::Module { nn::Sequential layers = block(); };
struct MadePlain : nn::Module { nn::Sequential layers = plain(); };
struct Unseen : nn::Module { nn::Sequential layers = unseen(); };
struct Vector : nn::Module { std::vector<nn::Sequential> layers{block()}; };)");
  CHECK(classes.modeOf("With") == Answer::Yes);
  CHECK(classes.modeOf("Without") == Answer::No);
  CHECK(classes.modeOf("Pushed") == Answer::Yes);
  CHECK(classes.modeOf("Made") == Answer::Yes);
  CHECK(classes.modeOf("MadePlain") == Answer::Unknown); // Filled in a function of its own.
  CHECK(classes.modeOf("Unseen") == Answer::Unknown);
  CHECK(classes.modeOf("Vector") == Answer::Yes);
}

TEST_CASE("The mode: options and functions") {
  Classes classes(R"(
double rate();
struct None : nn::Module { nn::LSTM lstm = nn::LSTM(nn::LSTMOptions(1, 1)); };
struct Some : nn::Module { nn::LSTM lstm = nn::LSTM(nn::LSTMOptions(1, 1).dropout(0.2)); };
struct Zero : nn::Module { nn::LSTM lstm = nn::LSTM(nn::LSTMOptions(1, 1).dropout(0)); };
struct Any : nn::Module { nn::LSTM lstm = nn::LSTM(nn::LSTMOptions(1, 1).dropout(rate())); };
struct Asking : nn::Module {
  Tensor forward(Tensor x) { return noise(x); }
  Tensor noise(Tensor x) { return is_training() ? x + 1 : x; }
};
struct Functional : nn::Module {
  Tensor forward(Tensor x) { return nn::functional::dropout(x); }
};)");
  CHECK(classes.modeOf("None") == Answer::No);
  CHECK(classes.modeOf("Some") == Answer::Yes);
  CHECK(classes.modeOf("Zero") == Answer::No);
  CHECK(classes.modeOf("Any") == Answer::Unknown);
  CHECK(classes.modeOf("Asking") == Answer::No);     // Its author knows of the mode.
  CHECK(classes.modeOf("Functional") == Answer::No); // It drops in any mode.
}

TEST_CASE("The mode of modules that functions call") {
  Classes classes(R"(
struct NetImpl : nn::Module { Tensor forward(Tensor x) { return drop(x); } nn::Dropout drop{0.5}; };
TORCH_MODULE(Net);
Net net;
std::shared_ptr<nn::LinearImpl> linear;
nn::Sequential with(nn::Linear(1, 1), nn::Dropout(0.5));
nn::Sequential without(nn::Linear(1, 1), nn::ReLU());
nn::Sequential &alias = with;
Tensor ofNet(Tensor x) { return net(x); }
Tensor ofLinear(Tensor x) { return linear->forward(x); }
Tensor ofWith(Tensor x) { return with->forward(x); }
Tensor ofWithout(Tensor x) { return without->forward(x); }
Tensor ofAlias(Tensor x) { return alias->forward(x); }
Tensor ofAny(Tensor x, nn::Sequential given) { return given->forward(x); })");
  const auto modeOf = [&](llvm::StringRef function) {
    return classes.calledBy(function).dependsOnMode;
  };
  CHECK(modeOf("ofNet") == Answer::Yes);
  CHECK(modeOf("ofLinear") == Answer::No);
  CHECK(modeOf("ofWith") == Answer::Yes);
  CHECK(modeOf("ofWithout") == Answer::No);
  CHECK(modeOf("ofAlias") == Answer::Yes);
  CHECK(modeOf("ofAny") == Answer::Unknown);
}

TEST_CASE("Classes that hold themselves") {
  Classes classes(R"(
struct Node : nn::Module {
  std::shared_ptr<Node> next;
  Tensor forward(Tensor x) { return next ? next->forward(x) : x; }
};)");
  CHECK(classes.modeOf("Node") == Answer::No);
}

// ---- several sources ---------------------------------------------------------------------------

/// A class that a header declares, and whose bodies stand in several sources.
constexpr const char *header = R"(
struct NetImpl : nn::Module {
  NetImpl();
  Tensor forward(Tensor x);
  Tensor head(Tensor x);
  nn::Linear fc{nullptr}, lost{nullptr};
  nn::Sequential layers;
  bool training = true;
};
TORCH_MODULE(Net);
)";

constexpr const char *constructor = R"(
#include "net.h"
NetImpl::NetImpl() {
  fc = register_module("fc", nn::Linear(4, 8));
  lost = nn::Linear(8, 2);
  layers = register_module("layers", nn::Sequential(nn::Linear(8, 2), nn::Softmax(1)));
})";

constexpr const char *passes = R"(
#include "net.h"
Tensor NetImpl::forward(Tensor x) { return training ? layers->forward(lost(fc(x))) : x; }
Tensor NetImpl::head(Tensor x) { return fc(x); })";

constexpr const char *caller = R"(
#include "net.h"
Tensor run(Net net, Tensor x) { return net->forward(x); }
Tensor end(Net net, Tensor x) { return net->layers->forward(x); }
int main() { Net net; run(net, torch::ones({1, 4})); end(net, torch::ones({1, 8})); })";

TEST_CASE("A class is seen whole where several sources have its bodies") {
  const Classes one({{"a.cpp", caller}, {"b.cpp", constructor}}, header);
  CHECK_FALSE(one["NetImpl"].isVisible);
  const Classes all({{"a.cpp", caller}, {"b.cpp", constructor}, {"c.cpp", passes}}, header);
  CHECK(all["NetImpl"].isVisible);
  CHECK(all.modeOf("NetImpl") == Answer::No);
  CHECK(all.member("NetImpl", "fc").registered == Answer::Yes);
  const ModuleMember &lost = all.member("NetImpl", "lost");
  CHECK(lost.registered == Answer::No);
  CHECK(lost.definitions.size() == 1);
  CHECK(lost.forwardUses.size() == 1);
}

TEST_CASE("What a module ends in, and its size, are known where another source makes it") {
  const Classes alone({{"a.cpp", caller}}, header);
  CHECK(alone.calledBy("run").parameters == 0);
  CHECK_FALSE(alone.calledBy("end").layer.isKnown());
  const Classes both({{"a.cpp", caller}, {"b.cpp", constructor}}, header);
  CHECK(both.calledBy("run").parameters == 4 * 8 + 8 * 2 + 8 * 2);
  CHECK(both.calledBy("end").layer.operation == Operation::Softmax);
  CHECK(both.calledBy("end").layer.steps.size() == 2);
}

TEST_CASE("What another source hands in counts") {
  const char *owner = R"(
struct OwnerImpl : nn::Module {
  OwnerImpl(nn::Sequential given) { layers = register_module("layers", given); }
  Tensor forward(Tensor x) { return layers->forward(x); }
  nn::Sequential layers{nullptr};
};
Tensor run(OwnerImpl &owner, Tensor x);
)";
  const std::string user = "#include \"net.h\"\n"
                           "Tensor run(OwnerImpl &owner, Tensor x) { return owner.forward(x); }";
  const auto maker = [](const std::string &layer) {
    return "#include \"net.h\"\nint main() { OwnerImpl owner(nn::Sequential(nn::Linear(4, 4), " +
           layer + ")); run(owner, torch::ones({1, 4})); }";
  };
  CHECK(Classes({{"a.cpp", user}}, owner).calledBy("run").dependsOnMode == Answer::Unknown);
  CHECK(Classes({{"a.cpp", user}, {"b.cpp", maker("nn::Dropout(0.5)")}}, owner)
            .calledBy("run")
            .dependsOnMode == Answer::Yes);
  CHECK(Classes({{"a.cpp", user}, {"b.cpp", maker("nn::ReLU()")}}, owner)
            .calledBy("run")
            .dependsOnMode == Answer::No);
}

TEST_CASE("Whoever registers or manages a member may stand in another source") {
  const char *adopting = R"(
struct NetImpl : nn::Module {
  NetImpl();
  Tensor forward(Tensor x) { return fc(x); }
  nn::Linear fc{nullptr}, other{nullptr};
};
TORCH_MODULE(Net);
void adopt(NetImpl &net);
)";
  const std::string made = "#include \"net.h\"\nNetImpl::NetImpl() : fc(4, 4), other(4, 4) {}";
  const Classes alone({{"a.cpp", made}}, adopting);
  CHECK(alone.member("NetImpl", "fc").registered == Answer::No);
  CHECK_FALSE(alone.member("NetImpl", "other").isManaged);
  const Classes both({{"a.cpp", made},
                      {"b.cpp", "#include \"net.h\"\nvoid adopt(NetImpl &net) {"
                                " net.register_module(\"fc\", net.fc); }\n"
                                "auto all(Net net) { return net->other->parameters(); }"}},
                     adopting);
  CHECK(both.member("NetImpl", "fc").registered == Answer::Yes);
  CHECK(both.member("NetImpl", "other").isManaged);
}

TEST_CASE("A flag for the mode is stuck if no source sets it") {
  const std::string setter = "#include \"net.h\"\nvoid stop(Net net) { net->training = false; }";
  CHECK(Classes({{"a.cpp", caller}, {"b.cpp", constructor}, {"c.cpp", passes}}, header)["NetImpl"]
            .stuckFlag);
  CHECK_FALSE(
      Classes({{"a.cpp", caller}, {"b.cpp", constructor}, {"c.cpp", passes}, {"d.cpp", setter}},
              header)["NetImpl"]
          .stuckFlag);
}

TEST_CASE("Modules that a forward pass makes are known by the sources of their class") {
  const char *block = R"(
struct BlockImpl : nn::Module {
  BlockImpl();
  Tensor forward(Tensor x);
  nn::Linear fc{nullptr};
};
TORCH_MODULE(Block);
)";
  const std::string user = R"(
#include "net.h"
struct OuterImpl : nn::Module { Tensor forward(Tensor x) { Block block; return block(x); } };)";
  const std::string bodies = R"(
#include "net.h"
BlockImpl::BlockImpl() { fc = register_module("fc", nn::Linear(4, 4)); }
Tensor BlockImpl::forward(Tensor x) { return fc(x); })";
  CHECK(Classes({{"a.cpp", user}}, block)["OuterImpl"].transients.empty());
  CHECK(Classes({{"a.cpp", user}, {"b.cpp", bodies}}, block)["OuterImpl"].transients.size() == 1);
}
