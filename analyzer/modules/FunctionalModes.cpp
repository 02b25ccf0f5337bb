#include "FunctionalModes.h"

#include "Forms.h"
#include "analyzer/ir/UserWords.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

/// \p expr if it is a literal, or an argument that is left out; else null.
static const Node *literalIn(const Node *expr) {
  expr = strip(expr);
  return expr->kind == NodeKind::Boolean || expr->kind == NodeKind::Integer ||
                 expr->kind == NodeKind::Real || expr->kind == NodeKind::DefaultArgument
             ? expr
             : nullptr;
}

static bool isTrue(const Node *expr) {
  const Node *literal = literalIn(expr);
  return literal && literal->type && literal->type->isBoolean && literal->integer == 1;
}

static bool isZero(const Node *expr) {
  const Node *literal = literalIn(expr);
  return literal && !(literal->type && literal->type->isBoolean) &&
         (literal->integer == 0 || literal->real == 0.0);
}

/// What a local variable is made of that nothing changes; \p expr if it is something else.
static const Node *madeOf(const Node *expr) {
  const Symbol *variable = as(NodeKind::Reference, expr) ? expr->symbol : nullptr;
  if (!variable || !variable->isVariable() || !variable->hasLocalStorage() || !variable->init ||
      !variable->owner || !variable->type || variable->type->isReference)
    return expr;
  bool isFixed = true;
  if (!variable->type->isConst)
    forEach(codeOf(*variable->owner), [&](const Node &part) {
      isFixed &= part.kind != NodeKind::Reference || part.symbol != variable || part.isOnlyRead;
    });
  return isFixed ? strip(variable->init) : expr;
}

/// Whether the options that \p expr makes say that the function trains. Not where code that cannot
/// be seen, or a variable that may change, has a part in them, or nothing is dropped.
static bool meansTraining(const Node *expr) {
  std::optional<bool> said;
  for (expr = madeOf(strip(expr));;) {
    if (expr->kind == NodeKind::MemberCall) {
      const bool isSetter = expr->arguments.size() == 1;
      if (isSetter && expr->calls(Aspect::DropoutOption) && isZero(expr->arguments.front()))
        return false;
      if (isSetter && expr->calls(Aspect::TrainingOption) && !said)
        said = isTrue(expr->arguments.front());
      expr = strip(expr->object);
      continue;
    }
    if (asConstruction(expr) && expr->symbol && expr->symbol->isCopying &&
        !expr->arguments.empty()) {
      expr = madeOf(strip(expr->arguments.front()));
      continue;
    }
    const bool isNew = asConstruction(expr) || expr->kind == NodeKind::List ||
                       expr->kind == NodeKind::DefaultArgument;
    const Symbol *record = isNew && expr->type ? expr->type->record : nullptr;
    return record && said.value_or(record->trait == Trait::TrainsByDefault);
  }
}

/// The argument for that parameter, or null.
static const Node *argumentFor(Aspect option, const Node &call, const Symbol &callee) {
  for (auto [parameter, argument] : llvm::zip(callee.parameters, call.arguments))
    if (parameter->aspects.has(option))
      return argument;
  return nullptr;
}

/// Whether \p call of a batch normalization is given running statistics, which it uses in
/// evaluation. Without them it has no other way than to train.
static bool keepsStatistics(const Node &call, const Symbol &callee) {
  const Node *given = argumentFor(Aspect::StatisticsOption, call, callee);
  const Node *original = given ? originalOf(given) : nullptr;
  return original && (original->kind == NodeKind::Member || original->kind == NodeKind::This);
}

static bool isFraction(const Type *type) {
  return type && type->isArithmetic && !type->isInteger && !type->isEnumeration;
}

/// Whether \p callee trains where it is given \p arguments.
static bool trainsWith(const Symbol &callee, llvm::ArrayRef<const Node *> arguments) {
  for (auto [parameter, argument] : llvm::zip(callee.parameters, arguments)) {
    const Type *type = parameter->type;
    if (isFraction(type) && isZero(argument))
      return false;
    if (type && type->isBoolean && parameter->aspects.has(Aspect::TrainingOption))
      return isTrue(argument);
    if (type && type->record && type->record->name.ends_with("Options"))
      return meansTraining(argument);
  }
  return false;
}

/// Whether \p rate is the same in both modes: a number, or a member that holds one.
static bool isFixedRate(const Node *rate) {
  rate = madeOf(strip(rate));
  if (rate->kind == NodeKind::Real)
    return !isZero(rate);
  while (rate && rate->kind == NodeKind::Member && rate->symbol &&
         rate->symbol->kind == SymbolKind::Member) {
    rate = strip(rate->object);
    if (as(NodeKind::This, rate))
      return true;
  }
  return false;
}

/// Whether \p call computes more than dropout, and drops as it is told by a rate alone.
static bool dropsByRate(const Node &call, const Symbol &callee) {
  const Node *rate = argumentFor(Aspect::InnerDropoutOption, call, callee);
  return rate && isFraction(rate->type) && rate->kind != NodeKind::DefaultArgument &&
         isFixedRate(rate);
}

bool ignoresMode(const Node &call) {
  const Symbol *callee = call.symbol;
  if (callee && callee->isFramework && dropsByRate(call, *callee))
    return true;
  if (!callee || callee->trait != Trait::ModeDependent)
    return false;
  return (callee->aspects.has(Aspect::DropsElements) ||
          (callee->aspects.has(Aspect::KeepsStatistics) && keepsStatistics(call, *callee))) &&
         trainsWith(*callee, call.arguments);
}

bool ignoresMode(const Symbol &layer, llvm::ArrayRef<const Node *> arguments) {
  const Node *named =
      arguments.empty() ? nullptr : as(NodeKind::Reference, strip(arguments.front()));
  const Symbol *callee =
      named && named->symbol && named->symbol->isFunction() ? named->symbol : nullptr;
  return callee && layer.isFramework && callee->trait == Trait::ModeDependent &&
         callee->aspects.has(Aspect::DropsElements) && trainsWith(*callee, arguments);
}

bool samplesOnPurpose(const Symbol &method) {
  return words::speaksOfSampling(method.name) ||
         (method.owner && words::speaksOfSampling(method.owner->name));
}

} // namespace gradtidy
