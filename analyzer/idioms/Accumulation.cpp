#include "Accumulation.h"

#include "CodeForms.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

/// The divisor of the remainder that \p condition asks for, or null.
static const Node *divisorIn(const Node *condition) {
  condition = strip(condition);
  if (as(NodeKind::Unary, condition) && condition->op == "!")
    return divisorIn(condition->children.front());
  if (!as(NodeKind::Binary, condition))
    return nullptr;
  if (condition->op == "%")
    return strip(condition->children[1]);
  if (!llvm::is_contained({"==", "<", "||", "&&"}, condition->op))
    return nullptr;
  const Node *divisor = divisorIn(condition->children[0]);
  return divisor ? divisor : divisorIn(condition->children[1]);
}

/// The same of a condition under which what follows is left out: `if (i % N != 0) continue;`.
static const Node *divisorOfOthers(const Node *condition) {
  condition = as(NodeKind::Binary, strip(condition));
  if (!condition)
    return nullptr;
  if (condition->op == "%")
    return strip(condition->children[1]);
  if (condition->op != "!=" && condition->op != "||")
    return nullptr;
  const Node *first = divisorOfOthers(condition->children[0]);
  return first || condition->op == "!=" ? first : divisorOfOthers(condition->children[1]);
}

/// What \p block asks, before it comes to \p inner, in order to leave all rounds but every Nth.
static const Node *roundsLeft(const Node &block, const Node *inner) {
  const Node *rounds = nullptr;
  for (const Node *child : block.children) {
    if (child == inner)
      break;
    const Node *taken = child->kind == NodeKind::If && !child->otherwise ? child->body : nullptr;
    if (as(NodeKind::Compound, taken) && taken->children.size() == 1)
      taken = taken->children.front();
    if (as(NodeKind::Return, taken) || as(NodeKind::Continue, taken))
      if (const Node *divisor = divisorOfOthers(child->condition))
        rounds = divisor;
  }
  return rounds;
}

const Node *roundsBetween(const Node &site, const FunctionBody &function) {
  const Node *inner = &site;
  for (const Node *outer : function.around(&site)) {
    if (outer->isLoop())
      return nullptr;
    if (outer->kind == NodeKind::If && inner == outer->body)
      if (const Node *rounds = divisorIn(outer->condition))
        return rounds;
    if (outer->kind == NodeKind::Compound)
      if (const Node *rounds = roundsLeft(*outer, inner))
        return rounds;
    inner = outer;
  }
  return nullptr;
}

namespace {

/// Looks for what is done with a number, by whichever of its names, besides counting, comparing and
/// printing.
class OtherUses {
public:
  OtherUses(llvm::ArrayRef<Entity> names, std::optional<double> value)
      : names(names), value(value) {}

  bool areIn(const Node *code) {
    if (!code || isComparison(*code) || (code->kind == NodeKind::Binary && code->op == "%") ||
        (code->kind == NodeKind::OperatorCall && code->op == "<<"))
      return false;
    if (const Entity named = entityOf(code))
      return isName(named) || areInInit(*named) || areIn(code->object);
    // Of a literal nobody knows which is meant: the same number, or its inverse.
    if (value && code->kind == NodeKind::Integer)
      return code->integer == *value;
    if (value && code->kind == NodeKind::Real)
      return code->real && (*code->real == *value || *code->real * *value == 1);
    const bool isSet = code->kind == NodeKind::Binary && code->op == "=" &&
                       isName(entityOf(strip(code->children.front())));
    return llvm::any_of(code->children.drop_front(isSet ? 1 : 0), [&](const Node *child) {
      // What a closure captures it has a use for in its body, or for nothing.
      const bool isCaptured = code->kind == NodeKind::Lambda && entityOf(child);
      return !isCaptured && !isAnotherName(*code, child) && areIn(child);
    });
  }

private:
  bool isName(Entity entity) const { return entity && llvm::is_contained(names, entity); }

  /// Whether \p init, in \p code, is what one of the names begins with.
  bool isAnotherName(const Node &code, const Node *init) const {
    return llvm::any_of(code.declared, [&](const Symbol *declared) {
      return declared->init == init && isName(canonical(declared));
    });
  }

  /// What no function has made of the number, and \p entity begins with.
  bool areInInit(const Symbol &entity) {
    const bool isOuter = entity.kind == SymbolKind::Member || (entity.isStatic && !entity.isLocal);
    return isOuter && seen.insert(&entity).second && areIn(entity.init);
  }

  const llvm::ArrayRef<Entity> names;
  const std::optional<double> value;
  llvm::SmallPtrSet<Entity, 8> seen;
};

} // namespace

bool onlyCounts(const Node &rounds, const FunctionBody &function,
                llvm::ArrayRef<const FunctionBody *> all) {
  const bool isLiteral = rounds.kind == NodeKind::Integer;
  llvm::SmallVector<Entity, 2> names;
  for (const Node *named = &rounds; named && names.size() < 4;) {
    const Entity number = entityOf(named);
    if (!number)
      break;
    names.push_back(number);
    // A constant has the number of what it is made of.
    named = number->isVariable() && number->type && number->type->isConst ? strip(number->init)
                                                                          : nullptr;
  }
  if (isLiteral ? rounds.integer.value_or(0) <= 1 : names.empty())
    return false;
  OtherUses uses(names, isLiteral ? std::optional<double>(*rounds.integer) : std::nullopt);
  if (isLiteral)
    return !uses.areIn(function.body);
  return llvm::none_of(all, [&](const FunctionBody *each) {
    return uses.areIn(each->body) ||
           llvm::any_of(each->function->initializers,
                        [&](const Initializer &member) { return uses.areIn(member.value); });
  });
}

} // namespace gradtidy
