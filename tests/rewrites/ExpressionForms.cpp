// Forms of expressions that give a tensor.
#include "Forms.h"

#include "clang/AST/ParentMapContext.h"

using namespace clang;

namespace rewrites {
namespace {

struct Row {
  const char *name, *summary, *before, *after;
  const char *helpers = "";
  /// The expression is given on by reference, so no reference may be bound to it.
  bool givesReference = false;
};

} // namespace

// $T is the type of the expression, $E the expression once more.
static constexpr Row callRows[] = {
    {"lambda-call", "a call stands in a lambda that is called on the spot", "[&] { return ",
     "; }()"},
    {"function-object-call", "a call stands in a std::function",
     "std::function<$T()>([&] { return ", "; })()"},
    {"invoke-call", "a call stands in a lambda that a helper calls",
     "rewritten::invoke([&] { return ", "; })",
     "template <class F> auto invoke(F &&function) { return function(); }"},
    {"identity-value", "a call goes through a function that returns its parameter",
     "rewritten::same(", ")", "template <class T> T same(T value) { return value; }"},
    {"identity-reference",
     "a call goes through a function that returns a const reference to its parameter",
     "rewritten::same(", ")", "template <class T> const T &same(const T &value) { return value; }",
     true},
    {"forward-call", "a call goes through std::forward in a helper", "rewritten::pass(", ")",
     "template <class T> T &&pass(T &&value) { return std::forward<T>(value); }", true},
    {"move-call", "the result of a call is moved", "std::move(", ")", "", true},
    {"tuple-call", "a call is the element of a tuple", "std::get<0>(std::make_tuple(", "))", "",
     true},
    {"member-call", "a call is the member of an aggregate", "rewritten::Holder<$T>{", "}.value",
     "template <class T> struct Holder { T value; };", true},
    {"optional-call", "a call is the value of a std::optional", "std::optional<$T>(", ").value()",
     "", true},
    {"cast-call", "a call is cast to its own type", "static_cast<$T>(", ")"},
    {"conditional-call", "a call is on both branches of a conditional operator",
     "(rewritten::on() ? ", " : $E)", "inline bool on() { return true; }"},
};

static constexpr Row operandRows[] = {
    {"identity-operand",
     "a tensor variable goes through a function that returns a reference to its parameter",
     "rewritten::same(", ")", "template <class T> T &same(T &value) { return value; }"},
    {"lambda-operand", "a tensor variable is given by a lambda that is called on the spot",
     "[&]() -> auto & { return ", "; }()"},
    {"pointer-operand", "a tensor variable is read through its address", "(*&", ")"},
};

std::string fillIn(llvm::StringRef text, llvm::ArrayRef<std::pair<char, std::string>> values) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto *value =
        text[i] == '$' && i + 1 < text.size()
            ? llvm::find_if(values, [&](const auto &v) { return v.first == text[i + 1]; })
            : values.end();
    if (value == values.end()) {
      result += text[i];
      continue;
    }
    result += value->second;
    ++i;
  }
  return result;
}

/// Whether a reference that is declared lives as long as \p expression.
static bool bindsReference(ASTContext &context, const Expr *expression) {
  DynTypedNode at = DynTypedNode::create(*expression);
  for (;;) {
    const auto parents = context.getParents(at);
    if (parents.empty())
      return false;
    const auto *parent = parents[0].get<Expr>();
    if (!parent)
      return parents[0].get<VarDecl>() && parents[0].get<VarDecl>()->getType()->isReferenceType();
    if (const auto *temporary = dyn_cast<MaterializeTemporaryExpr>(parent))
      return temporary->getExtendingDecl();
    if (!isa<CXXBindTemporaryExpr, ImplicitCastExpr, ExprWithCleanups>(parent))
      return false;
    at = parents[0];
  }
}

/// Whether \p expression stands in a body, where lambdas can see the variables around it.
static bool isInBody(ASTContext &context, const Expr *expression) {
  DynTypedNode at = DynTypedNode::create(*expression);
  for (;;) {
    const auto parents = context.getParents(at);
    if (parents.empty())
      return false;
    if (parents[0].get<CompoundStmt>())
      return true;
    if (parents[0].get<FunctionDecl>() || parents[0].get<FieldDecl>() ||
        parents[0].get<ParmVarDecl>())
      return false;
    at = parents[0];
  }
}

static std::vector<Place> wrap(const Program &program, const Row &row,
                               const std::vector<const Expr *> &expressions) {
  std::vector<Place> places;
  const bool repeats = llvm::StringRef(row.after).contains("$E");
  for (const Expr *expression : expressions) {
    if (!isInBody(program.context, expression) ||
        (row.givesReference && bindsReference(program.context, expression)))
      continue;
    const Range range = *program.range(expression->getSourceRange());
    const auto again = program.oneLine(range);
    if (repeats && !again)
      continue;
    const std::string type = program.typeName(expression->getType().getUnqualifiedType());
    const std::pair<char, std::string> values[] = {{'T', type}, {'E', again.value_or("")}};
    Place place;
    place.before(range.begin, fillIn(row.before, values));
    place.after(range.end, fillIn(row.after, values));
    places.push_back(std::move(place));
  }
  return places;
}

std::vector<Form> expressionForms() {
  std::vector<Form> forms;
  for (const Row &row : callRows)
    forms.push_back({row.name, row.summary, row.helpers,
                     [&row](const Program &program) { return wrap(program, row, program.calls); }});
  for (const Row &row : operandRows)
    forms.push_back({row.name, row.summary, row.helpers, [&row](const Program &program) {
                       return wrap(program, row,
                                   {program.tensorUses.begin(), program.tensorUses.end()});
                     }});
  return forms;
}

} // namespace rewrites
