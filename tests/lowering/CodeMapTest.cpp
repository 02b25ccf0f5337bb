// The source map: which nodes and symbols code has, and what they say.
#include "analyzer/lowering/ast/Vocabulary.h"

#include "analyzer/ir/Event.h"

#include "clang/AST/ASTContext.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"

#include <catch2/catch.hpp>

using namespace gradtidy;
using ir::NodeKind;

namespace {

/// The function f() of some code.
class Mapped {
public:
  explicit Mapped(const std::string &code)
      : unit(clang::tooling::buildASTFromCodeWithArgs(code, {"-std=c++20"}, "f.cpp")),
        vocabulary(Model::bundled(), unit->getASTContext(),
                   [](const clang::Decl *) { return true; }),
        map(vocabulary.code()) {
    clang::ASTContext &context = unit->getASTContext();
    const auto found = context.getTranslationUnitDecl()->lookup(&context.Idents.get("f"));
    REQUIRE(!found.empty());
    function = llvm::cast<clang::FunctionDecl>(*found.begin())->getDefinition();
    REQUIRE(function);
    body = map.node(function->getBody());
  }

  /// The first node of that kind, or null.
  const ir::Node *first(NodeKind kind) const {
    const ir::Node *result = nullptr;
    ir::forEach(body, [&](const ir::Node &node) {
      if (!result && node.kind == kind)
        result = &node;
    });
    return result;
  }

  std::unique_ptr<clang::ASTUnit> unit;
  Vocabulary vocabulary;
  CodeMap &map;
  const clang::FunctionDecl *function = nullptr;
  const ir::Node *body = nullptr;
};

const char *const text = R"(
struct Text { Text(const char *letters); ~Text(); int size() const; };
)";

} // namespace

TEST_CASE("Implicit casts, temporaries and cleanups are the node that they wrap") {
  const Mapped mapped(std::string(text) + "int f(short x) { return Text(\"a\").size() + x; }");
  const ir::Node *sum = mapped.first(NodeKind::Binary);
  REQUIRE(sum);
  CHECK(sum->parent->kind == NodeKind::Return);
  CHECK(sum->op == "+");
  REQUIRE(sum->children.size() == 2);
  CHECK(sum->children[0]->kind == NodeKind::MemberCall);
  CHECK(sum->children[0]->calledName() == "size");
  CHECK(sum->children[1]->kind == NodeKind::Reference);
  CHECK(ir::variableIn(sum->children[1])->name == "x");
  for (const ir::Node *child : sum->children)
    CHECK(child->parent == sum);
}

TEST_CASE("What nobody wrote is not spelled") {
  const Mapped mapped(std::string(text) + "Text f(Text x) { return (x); }");
  const ir::Node *made = mapped.first(NodeKind::Return)->children.front();
  CHECK(made->kind == NodeKind::Construct);
  CHECK(made->spelled().kind == NodeKind::Reference);
}

TEST_CASE("Statements know their parts") {
  const Mapped mapped(R"(
int g();
void f(bool flag, int (&list)[3]) {
  if (flag)
    g();
  else
    for (int each : list)
      while (each)
        break;
})");
  const ir::Node *choice = mapped.first(NodeKind::If);
  REQUIRE(choice);
  CHECK(choice->condition->kind == NodeKind::Reference);
  CHECK(choice->body->kind == NodeKind::Call);
  REQUIRE(choice->otherwise->kind == NodeKind::RangeFor);
  CHECK(choice->otherwise->symbol->name == "each");
  CHECK(choice->otherwise->symbol->isRangeElement);
  CHECK(ir::variableIn(choice->otherwise->object)->name == "list");
  CHECK(choice->otherwise->body->isLoop());
  CHECK(mapped.body->children.size() == 1);
}

TEST_CASE("Expressions know whether they are constants and change something") {
  const Mapped mapped("constexpr int two = 2; int f(int x) { return two * 3 + (x = 1); }");
  const ir::Node *sum = mapped.first(NodeKind::Binary);
  CHECK(sum->hasSideEffects);
  CHECK_FALSE(sum->isConstant);
  CHECK(sum->children[0]->integer == 6);
  CHECK_FALSE(sum->children[0]->hasSideEffects);
  CHECK(ir::withoutParentheses(sum->children[1])->isAssignment());
}

TEST_CASE("Symbols know what they are") {
  const Mapped mapped(R"(
int global = 1;
struct Pair { int first = 4; private: int second; };
int f(const int &given, int count = 7) { static Pair pair; auto local = given; return local; }
)");
  const ir::Symbol *function = mapped.map.symbol(mapped.function);
  CHECK(function->name == "f");
  CHECK(function->isFunction());
  REQUIRE(function->parameters.size() == 2);
  CHECK(function->parameters[0]->type->isReference);
  CHECK(function->parameters[0]->type->isConst);
  CHECK(function->parameters[1]->init->integer == 7);
  CHECK(function->parameters[1]->index == 1);
  const ir::Symbol *pair = mapped.body->children[0]->declared.front();
  CHECK(pair->isLocal);
  CHECK(pair->isStatic);
  CHECK(pair->owner == function);
  CHECK(pair->typeRange.isValid());
  const ir::Symbol *local = mapped.body->children[1]->declared.front();
  CHECK(local->hasLocalStorage());
  CHECK(local->typeRange.isInvalid()); // It is deduced.
  const ir::Class &members = ir::classOf(*pair->type->record);
  REQUIRE(members.members.size() == 2);
  CHECK(members.members[0]->isPublic);
  CHECK(members.members[0]->init->integer == 4);
  CHECK(members.members[1]->isPrivate);
}

TEST_CASE("Nodes are made once, and lead back to the AST") {
  Mapped mapped("int f(int x) { return x + 1; }");
  CHECK(mapped.map.node(mapped.function->getBody()) == mapped.body);
  ir::forEach(mapped.body,
              [&](const ir::Node &node) { CHECK(mapped.map.node(CodeMap::code(&node)) == &node); });
  const ir::Symbol *function = mapped.map.symbol(mapped.function);
  CHECK(CodeMap::function(function) == mapped.function);
}

TEST_CASE("Code is alike if it does the same with the same names") {
  const Mapped mapped(
      "bool f(int i) { return (i + 1) % 2 == 0 && (i + 1) % 2 == 0 && i % 2 == 0; }");
  const ir::Node *all = mapped.first(NodeKind::Binary);
  const ir::Node *two = all->children[0];
  CHECK(ir::areAlike(*two->children[0], *two->children[1]));
  CHECK_FALSE(ir::areAlike(*two->children[0], *all->children[1]));
}

TEST_CASE("Names know whether what they lead to is only read") {
  const Mapped mapped(R"(
struct Pair { int first; };
int g(int &);
int f(Pair pair, int x) { return pair.first + (x) + g(x); }
)");
  const ir::Node *member = mapped.first(NodeKind::Member);
  REQUIRE(member);
  CHECK(member->isOnlyRead);
  CHECK(member->object->isOnlyRead);
  std::vector<bool> ofNumber;
  ir::forEach(mapped.body, [&](const ir::Node &node) {
    if (node.kind == NodeKind::Reference && node.symbol->name == "x")
      ofNumber.push_back(node.isOnlyRead);
  });
  CHECK(ofNumber == std::vector<bool>{true, false});
}

TEST_CASE("Code may change what it lends, and nothing that it only reads") {
  const auto changes = [](const std::string &statement) {
    Mapped mapped(R"(
struct Text { int size() const; void clear(); int count; };
void take(Text &);
void look(const Text &);
template <typename T, typename... Others> void save(T &&value, Others &&...others);
template <typename T> void fill(T &value);
namespace std { template <typename T> T &&sink(T &&value); }
namespace std { template <typename T> void give(T &&value); }
void f(Text text, const Text fixed, int) { )" +
                  statement + " }");
    const ir::Symbol *function = mapped.map.symbol(mapped.function);
    const FunctionBody body(function, mapped.body);
    return body.mayChange(*function->parameters[0], mapped.body);
  };
  CHECK(changes("take(text);"));
  CHECK(changes("text.clear();"));
  CHECK(changes("text.count = 1;"));
  CHECK(changes("Text &other = text;"));
  CHECK(changes("fill(text);"));
  CHECK(changes("std::sink(text);"));
  CHECK(changes("save((text.clear(), 1));"));
  CHECK_FALSE(changes("look(text);"));
  CHECK_FALSE(changes("std::give(text);"));
  CHECK_FALSE(changes("text.size();"));
  CHECK_FALSE(changes("int n = (text.count) + 1;"));
  CHECK_FALSE(changes("save(text);"));
  CHECK_FALSE(changes("save(1, 2, (text));"));
  CHECK_FALSE(changes("look(fixed);"));
}

TEST_CASE("Code names variables and members, and no functions") {
  const Mapped mapped(R"(
struct Pair { int first; int size(); };
enum { one };
int g(int);
int f(Pair pair, int x) { return g(pair.first + pair.size() + x + one); }
)");
  const FunctionBody body(nullptr, mapped.body);
  std::vector<std::string> names;
  for (const ir::Symbol *named : body.namedIn(mapped.body))
    names.push_back(named->name.str());
  CHECK(names == std::vector<std::string>{"first", "pair", "pair", "x"});
}
