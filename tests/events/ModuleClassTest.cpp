// What the view of module classes says of their members, and of what depends on the mode.
#include "analyzer/events/modules/ModuleClasses.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"

#include <catch2/catch.hpp>

using namespace gradtidy;

namespace {

constexpr const char *prelude = R"(
#include <torch/torch.h>
namespace nn = torch::nn;
using torch::Tensor;
)";

class Classes {
public:
  explicit Classes(const std::string &code) {
    clang::IgnoringDiagConsumer silent;
    unit = clang::tooling::buildASTFromCodeWithArgs(
        prelude + code, {"-std=c++20", "-I" STAND_IN}, "f.cpp", "events-test",
        std::make_shared<clang::PCHContainerOperations>(),
        clang::tooling::getClangStripDependencyFileAdjuster(),
        clang::tooling::FileContentMappings(), &silent);
    REQUIRE(unit);
    clang::ASTContext &context = unit->getASTContext();
    vocabulary.emplace(Model::bundled(), context, [&context](const clang::Decl *declaration) {
      return context.getSourceManager().isInMainFile(declaration->getLocation());
    });
    classes.emplace(context, *vocabulary);
  }

  const ModuleClass &operator[](llvm::StringRef name) const {
    for (const ModuleClass &view : classes->all())
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

  /// Of the variable at the namespace scope of the code.
  const clang::VarDecl *variable(llvm::StringRef name) const {
    clang::ASTContext &context = unit->getASTContext();
    auto found = context.getTranslationUnitDecl()->lookup(&context.Idents.get(name));
    REQUIRE(!found.empty());
    return llvm::cast<clang::VarDecl>(*found.begin());
  }

  std::unique_ptr<clang::ASTUnit> unit;
  std::optional<Vocabulary> vocabulary;
  std::optional<ModuleClasses> classes;
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

TEST_CASE("The mode of types and expressions") {
  Classes classes(R"(
struct NetImpl : nn::Module { nn::Dropout drop{0.5}; };
TORCH_MODULE(Net);
Net net;
std::shared_ptr<nn::LinearImpl> linear;
nn::Sequential with(nn::Linear(1, 1), nn::Dropout(0.5));
nn::Sequential without(nn::Linear(1, 1), nn::ReLU());
nn::Sequential &alias = with;
int number = 0;)");
  auto type = [&](llvm::StringRef name) {
    return classes.classes->dependsOnMode(classes.variable(name)->getType());
  };
  auto value = [&](llvm::StringRef name) {
    return classes.classes->dependsOnMode(classes.variable(name)->getInit());
  };
  CHECK(type("net") == Answer::Yes);
  CHECK(type("linear") == Answer::No);
  CHECK(type("with") == Answer::Unknown);
  CHECK(type("number") == Answer::No);
  CHECK(value("with") == Answer::Yes);
  CHECK(value("without") == Answer::No);
  CHECK(value("alias") == Answer::Yes);
}

TEST_CASE("Classes that hold themselves") {
  Classes classes(R"(
struct Node : nn::Module {
  std::shared_ptr<Node> next;
  Tensor forward(Tensor x) { return next ? next->forward(x) : x; }
};)");
  CHECK(classes.modeOf("Node") == Answer::No);
}
