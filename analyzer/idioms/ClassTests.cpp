#include "ClassTests.h"

#include "CodeForms.h"

namespace gradtidy {

using namespace ir;

/// The class that is a holder of modules, or null.
static const Symbol *asHolder(const Symbol *record) {
  return record && record->role == TypeRole::ModuleHolder ? record : nullptr;
}
static const Symbol *holderOf(const Type *type) { return type ? asHolder(type->record) : nullptr; }

static bool isModuleType(const Type *type) { return type && isModuleClass(type->record); }

/// The class that a `typeid` asks for, or null.
static const Symbol *askedBy(const Node &asked) {
  if (asked.children.empty())
    return asked.symbol;
  const Type *type = asked.children.front()->type;
  return type ? type->record : nullptr;
}

/// The `typeid` whose value, or a number or name that stands for it, \p expr is; or null.
static const Node *typeidIn(const Node *expr, unsigned depth = 0) {
  expr = depth > 4 ? nullptr : strip(constantIn(expr));
  if (!expr || expr->kind == NodeKind::TypeId)
    return expr;
  if (!expr->symbol || !expr->symbol->isStandard)
    return nullptr;
  if (asConstruction(expr)) // `std::type_index(typeid(x))`
    return expr->arguments.size() == 1 ? typeidIn(expr->arguments.front(), depth + 1) : nullptr;
  return expr->kind == NodeKind::MemberCall && expr->arguments.empty() // `typeid(x).hash_code()`
             ? typeidIn(expr->object, depth + 1)
             : nullptr;
}

/// Whether \p expr tells the class of a module that something holds: `any.type_info()`.
static bool givesClass(const Node *expr) {
  const Node *call = asCall(strip(expr));
  return call && traitOfCallee(*call) == Trait::GivesClass;
}

/// What asks for the opposite of \p comparison where that stands for it: `a != b` is `!(a == b)`.
static const Node *oppositeOf(const Node &comparison) {
  const Node *denied = as(NodeKind::Unary, comparison.parent);
  const Node *whole = denied && denied->op == "!" ? denied->parent : nullptr;
  return whole && whole->kind == NodeKind::Other && whole->range == comparison.range ? whole
                                                                                     : nullptr;
}

/// Whether nothing but the truth of \p expr is asked for.
static bool isCondition(const Node &expr) {
  const Node *inner = &expr, *outer = expr.parent;
  for (; as(NodeKind::Parentheses, outer); outer = outer->parent)
    inner = outer;
  if (!outer)
    return false;
  if (outer->kind == NodeKind::Unary)
    return outer->op == "!";
  if (outer->kind == NodeKind::Binary)
    return outer->op == "&&" || outer->op == "||";
  return inner == outer->condition &&
         (outer->kind == NodeKind::If || outer->kind == NodeKind::While ||
          outer->kind == NodeKind::Conditional);
}

/// Lets `module.as<Holder>()` stand for \p replaced, if \p module, or what it points to, has a
/// name.
static void propose(ClassTest &test, const Node &replaced, const Node *module) {
  module = withoutParentheses(module);
  bool isPointer = module->type && module->type->isPointer;
  const Node *inner = module;
  if (module->kind == NodeKind::Unary && (module->op == "&" || module->op == "*")) {
    isPointer = module->op == "*";
    inner = module->children.front();
  } else if (module->kind == NodeKind::OperatorCall && module->op == "*") {
    isPointer = true;
    inner = module->arguments.front();
  } else if (module->kind == NodeKind::MemberCall && module->calledName() == "get") {
    isPointer = true;
    inner = module->object;
  }
  inner = withoutParentheses(inner);
  if (inner->kind != NodeKind::Reference && inner->kind != NodeKind::Member)
    return;
  test.replaced = &replaced;
  test.module = inner;
  test.isPointer = isPointer;
}

static std::optional<ClassTest> ofComparison(const Node &whole, const Node *left,
                                             const Node *right) {
  const Node *first = typeidIn(left), *second = typeidIn(right);
  if (const Node *asked = first ? first : second; asked && givesClass(first ? right : left))
    if (const Symbol *holder = asHolder(askedBy(*asked)))
      return ClassTest{ClassTest::Comparison, &whole, holder};
  if (!first || !second)
    return std::nullopt;
  if (asHolder(askedBy(*first)))
    std::swap(first, second);
  const Symbol *holder = asHolder(askedBy(*second));
  if (!holder || !isModuleClass(askedBy(*first)))
    return std::nullopt;
  ClassTest test{ClassTest::Comparison, &whole, holder, second->typeArgument};
  const bool areWritten = as(NodeKind::TypeId, strip(left)) && as(NodeKind::TypeId, strip(right));
  if (areWritten && !first->children.empty()) {
    const Node *opposite = whole.op == "!=" ? &whole : oppositeOf(whole);
    test.isOpposite = opposite;
    if (const Node &replaced = opposite ? *opposite : whole; isCondition(replaced))
      propose(test, replaced, first->children.front());
  }
  return test;
}

/// `std::type_index(typeid(x))` that is not compared.
static std::optional<ClassTest> ofKey(const Node &made) {
  const Symbol *record = made.symbol ? made.symbol->owner : nullptr;
  const Node *asked =
      record && record->isStandard && record->name == "type_index" && made.arguments.size() == 1
          ? as(NodeKind::TypeId, strip(made.arguments.front()))
          : nullptr;
  const Node *outer = made.parent;
  while (outer && (outer->kind == NodeKind::Parentheses || isCast(*outer)))
    outer = outer->parent;
  const Node *compared = as(NodeKind::OperatorCall, outer);
  if (!asked || (compared && (compared->op == "==" || compared->op == "!=" ||
                              compared->op.starts_with("<") || compared->op.starts_with(">"))))
    return std::nullopt;
  if (const Symbol *holder = asHolder(askedBy(*asked)))
    return ClassTest{ClassTest::Key, asked, holder};
  return !asked->children.empty() && isModuleClass(askedBy(*asked))
             ? std::optional(ClassTest{ClassTest::Lookup, asked})
             : std::nullopt;
}

/// The parentheses of `(*cast)->…`, or null.
static const Node *dereferencedFor(const Node &cast) {
  const Node *star = as(NodeKind::Unary, cast.parent);
  const Node *parentheses =
      star && star->op == "*" ? as(NodeKind::Parentheses, star->parent) : nullptr;
  const Node *arrow = parentheses ? as(NodeKind::OperatorCall, parentheses->parent) : nullptr;
  return arrow && arrow->op == "->" ? parentheses : nullptr;
}

static std::optional<ClassTest> ofCast(const Node &cast) {
  const Type *to = cast.type, *from = cast.children.front()->type;
  const bool isPointer = to && to->isPointer;
  const Symbol *holder = holderOf(isPointer ? to->pointee : to);
  if (!holder || !from || !isModuleType(isPointer ? from->pointee : from))
    return std::nullopt;
  ClassTest test{isPointer ? ClassTest::Pointer : ClassTest::Reference, &cast, holder,
                 cast.typeArgument};
  // `(*dynamic_cast<Holder *>(&m))->weight`
  if (const Node *dereferenced = isPointer ? dereferencedFor(cast) : nullptr)
    propose(test, *dereferenced, cast.children.front());
  else if (isPointer && isCondition(cast))
    propose(test, cast, cast.children.front());
  return test;
}

/// `std::dynamic_pointer_cast<Holder>(module)`
static std::optional<ClassTest> ofPointers(const Node &call) {
  const Type *from = call.arguments.front()->type;
  const Symbol *holder = call.type ? holderOf(call.type->pointee) : nullptr;
  return holder && from && isModuleType(from->pointee)
             ? std::optional(ClassTest{ClassTest::Pointer, &call, holder})
             : std::nullopt;
}

std::optional<ClassTest> classTestOf(const Node &code) {
  if (code.kind == NodeKind::Cast)
    return code.op == "dynamic_cast" ? ofCast(code) : std::nullopt;
  if (asConstruction(&code))
    return ofKey(code);
  if ((code.op == "==" || code.op == "!=") &&
      (code.kind == NodeKind::Binary || code.arguments.size() == 2)) {
    const auto sides = code.kind == NodeKind::Binary ? code.children : code.arguments;
    return ofComparison(code, sides[0], sides[1]);
  }
  return code.calledName() == "dynamic_pointer_cast" && code.symbol->isStandard &&
                 code.arguments.size() == 1
             ? ofPointers(code)
             : std::nullopt;
}

} // namespace gradtidy
