#include "Selection.h"

#include "Syntax.h"
#include "Values.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace gradtidy {

/// Whether \p expr makes a tensor with at least one dimension that selects elements: a comparison
/// of tensors, or a list of positions. A tensor without dimensions selects like an integer does.
static bool isMask(const Expr *expr, Vocabulary &vocabulary) {
  expr = strip(expr);
  while (const auto *construct = dyn_cast<CXXConstructExpr>(expr)) {
    if (construct->getNumArgs() != 1)
      return false;
    expr = strip(construct->getArg(0));
  }
  if (const auto *reference = dyn_cast<DeclRefExpr>(expr)) {
    const auto *variable = dyn_cast<VarDecl>(reference->getDecl());
    return variable && variable->isLocalVarDecl() && variable->hasInit() &&
           isMask(variable->getInit(), vocabulary);
  }
  const auto *call = dyn_cast<CallExpr>(expr);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (const Expr *object = callee ? objectOf(call) : nullptr; // `(a > b).squeeze()`
      object && vocabulary.operationOf(callee) == Operation::View)
    return isMask(object, vocabulary);
  return callee && vocabulary.traitOf(callee) == Trait::MakesMask &&
         vocabulary.roleOf(call->getType()) == TypeRole::Tensor;
}

static bool holdsMask(const Expr *indices, Vocabulary &vocabulary) {
  indices = strip(indices);
  while (const auto *construct = dyn_cast<CXXConstructExpr>(indices)) {
    if (construct->getNumArgs() == 0 || isMask(construct, vocabulary))
      break;
    indices = strip(construct->getArg(0));
  }
  const auto *list = dyn_cast<InitListExpr>(indices);
  if (!list)
    return isMask(indices, vocabulary);
  return llvm::any_of(list->inits(), [&](const Expr *index) { return isMask(index, vocabulary); });
}

/// Whether \p index is a number, a range or a new dimension.
static bool isRange(const Expr *index, Vocabulary &vocabulary) {
  index = strip(index);
  while (const auto *construct = dyn_cast<CXXConstructExpr>(index)) {
    if (vocabulary.traitOf(construct->getConstructor()->getParent()) != Trait::Index ||
        construct->getNumArgs() != 1)
      break;
    index = strip(construct->getArg(0));
  }
  const QualType type = index->getType().getNonReferenceType();
  return !type->isDependentType() && !type->isBooleanType() && !vocabulary.holdsTensors(type);
}

bool takesRanges(const CallExpr &call, Vocabulary &vocabulary) {
  if (call.getNumArgs() != 1)
    return false;
  const Expr *indices = strip(call.getArg(0));
  while (const auto *construct = dyn_cast<CXXConstructExpr>(indices)) {
    if (construct->getNumArgs() == 0)
      return false;
    indices = strip(construct->getArg(0));
  }
  const auto *list = dyn_cast<InitListExpr>(indices);
  return list &&
         llvm::all_of(list->inits(), [&](const Expr *index) { return isRange(index, vocabulary); });
}

const Expr *copiedFrom(const Expr *expr, Vocabulary &vocabulary) {
  const auto *call = dyn_cast<CXXMemberCallExpr>(strip(expr));
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (!callee)
    return nullptr;
  const Operation operation = vocabulary.operationOf(callee);
  const bool isCopy = operation == Operation::SelectElements ||
                      (operation == Operation::Index && call->getNumArgs() == 1 &&
                       holdsMask(call->getArg(0), vocabulary));
  return isCopy ? call->getImplicitObjectArgument() : nullptr;
}

} // namespace gradtidy
