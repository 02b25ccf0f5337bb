#include "TensorContent.h"

#include "analyzer/events/values/Values.h"

#include <algorithm>

using namespace clang;

namespace gradtidy {

// ---- Values ------------------------------------------------------------------------------------

Content TensorContents::of(const Expr *value, unsigned depth) {
  if (depth > 8)
    return Content::Unknown;
  value = strip(value);
  ++depth;
  if (std::optional<Assigned> assigned = asAssignment(value))
    return of(assigned->value, depth);
  const Entity root = uses.rootOf(value);
  if (const auto *operation = dyn_cast<CXXOperatorCallExpr>(value); operation && !root)
    return ofOperation(operation, depth);
  if (const auto *call = dyn_cast<CXXMemberCallExpr>(value))
    return ofMethod(call, depth);
  if (const auto *call = dyn_cast<CallExpr>(value); call && !root)
    return ofFunction(call, depth);
  if (const auto *construct = dyn_cast<CXXConstructExpr>(value)) {
    if (construct->getNumArgs() == 0)
      return Content::Nothing;
    return construct->getNumArgs() == 1 ? of(construct->getArg(0), depth) : Content::Unknown;
  }
  if (const auto *list = dyn_cast<InitListExpr>(value)) {
    Content content = Content::Nothing;
    for (const Expr *element : list->inits())
      content = std::max(content, of(element, depth));
    return content;
  }
  return ofVariable(root, depth);
}

/// Of another variable, or null. Whoever hands it in may have put it where it is wanted, and what
/// is a member of something else is also kept there.
Content TensorContents::ofVariable(Entity variable, unsigned depth) {
  if (!variable || isa<FieldDecl, ParmVarDecl>(variable))
    return Content::Unknown;
  Content content = Content::Nothing;
  for (const EntityDefinition &definition : uses.of(variable).definitions)
    content = std::max(content, of(definition.value, depth));
  return content;
}

static bool isInteger(const Expr *value) {
  value = convertedFrom(value);
  return value && isArithmetic(value) && !value->getType()->isRealFloatingType();
}

/// Comparisons, and whole numbers computed with whole numbers, are indices.
Content TensorContents::ofOperation(const CXXOperatorCallExpr *operation, unsigned depth) {
  bool isWhole = operation->getOperator() != OO_Slash;
  bool isRandom = false;
  for (const Expr *operand : operation->arguments()) {
    const bool isTensor = uses.holdsTensors(operand->getType());
    isWhole &= isTensor ? of(operand, depth) == Content::Indices : isInteger(operand);
    isRandom |= mentions(operand, Trait::MakesRandom);
  }
  const bool isFlag = operation->isComparisonOp() || operation->getOperator() == OO_Exclaim;
  return (isFlag && !isRandom) || isWhole ? Content::Indices : Content::Data;
}

Content TensorContents::ofMethod(const CXXMemberCallExpr *call, unsigned depth) {
  const CXXMethodDecl *method = call->getMethodDecl();
  if (!method || !vocabulary.isFramework(method))
    return Content::Unknown;
  if (vocabulary.roleOf(method) == FunctionRole::Detach)
    return Content::Data; // Not what it comes from, nor moved with it.
  const Expr *object = call->getImplicitObjectArgument();
  if (!uses.holdsTensors(object->getType()))
    return Content::Unknown;
  const Content content = of(object, depth);
  bool isWhole = false, isFloat = false;
  for (const Expr *argument : call->arguments()) {
    isWhole |= mentions(argument, Trait::IntegerType);
    isFloat |= mentions(argument, Trait::FloatType);
  }
  if (content == Content::Data && isWhole && !mentions(object, Trait::MakesRandom))
    return Content::Indices;
  return content == Content::Indices && isFloat ? Content::Data : content;
}

Content TensorContents::ofFunction(const CallExpr *call, unsigned depth) {
  const FunctionDecl *callee = uses.calleeOf(call);
  if (callee && vocabulary.isFramework(callee))
    return ofCreation(call, callee);
  Content content = Content::Unknown;
  if (callee && uses.definitionOf(callee))
    for (const Expr *returned : uses.returns.lookup(callee->getCanonicalDecl()))
      content = std::max(content, of(returned, depth));
  return content;
}

Content TensorContents::ofCreation(const CallExpr *call, const FunctionDecl *callee) {
  const Trait trait = vocabulary.traitOf(callee);
  const Expr *first = call->getNumArgs() > 0 ? convertedFrom(call->getArg(0)) : nullptr;
  if (trait == Trait::MakesScalar && first && isArithmetic(first))
    return Content::Scalar;
  if (simpleName(callee) == "full" && makesScalar(call))
    return Content::Scalar;
  if (trait == Trait::MakesRandom || mentions(call, Trait::FloatType))
    return Content::Data;
  const auto isFraction = [](const Expr *argument) {
    const Expr *number = convertedFrom(argument);
    return number && isArithmetic(number) && !isInteger(number);
  };
  const bool isWhole =
      mentions(call, Trait::IntegerType) ||
      (trait == Trait::MakesIndices && llvm::none_of(call->arguments(), isFraction));
  return isWhole && !mentions(call, Trait::MakesRandom) ? Content::Indices : Content::Data;
}

// ---- What is written of them -------------------------------------------------------------------

bool TensorContents::isComputed(const Expr *value) {
  if (!isPlaced(value) || mentions(value, Trait::MakesRandom))
    return false;
  value = strip(value);
  while (const auto *call = dyn_cast<CXXMemberCallExpr>(value))
    value = strip(call->getImplicitObjectArgument());
  const auto *call = dyn_cast<CallExpr>(value);
  return call && llvm::any_of(call->arguments(), [&](const Expr *argument) {
           return uses.holdsTensors(argument->getType());
         });
}

/// Whether a device or options that somebody chose have a part in it.
bool TensorContents::isPlaced(const Stmt *statement) {
  if (!statement)
    return false;
  if (const auto *expr = dyn_cast<Expr>(statement))
    if (Entity entity = entityOf(expr); entity && uses.isUser(entity)) {
      RecursionGuard guard(active, entity);
      return guard.isFirst &&
             (vocabulary.roleOf(entity->getType()) == TypeRole::Device ||
              llvm::any_of(uses.of(entity).definitions, [&](const EntityDefinition &definition) {
                return isPlaced(definition.value);
              }));
    }
  return llvm::any_of(statement->children(), [&](const Stmt *child) { return isPlaced(child); });
}

bool TensorContents::mentions(const Stmt *statement, Trait trait) {
  if (!statement)
    return false;
  const NamedDecl *named = nullptr;
  if (const auto *reference = dyn_cast<DeclRefExpr>(statement))
    named = reference->getDecl();
  else if (const auto *member = dyn_cast<MemberExpr>(statement))
    named = member->getMemberDecl();
  if (named && vocabulary.traitOf(named) == trait)
    return true;
  if (const auto *call = dyn_cast<CallExpr>(statement);
      call && call->getNumArgs() == 1 && uses.traitOfCallee(call) == trait) {
    const auto *flag = dyn_cast<CXXBoolLiteralExpr>(strip(call->getArg(0)));
    if (flag && !flag->getValue())
      return false;
  }
  return llvm::any_of(statement->children(),
                      [&](const Stmt *child) { return mentions(child, trait); });
}

} // namespace gradtidy
