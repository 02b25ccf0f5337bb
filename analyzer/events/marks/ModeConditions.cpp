#include "ModeConditions.h"

#include "FixedValues.h"
#include "analyzer/events/Conditions.h"
#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/StmtCXX.h"

namespace gradtidy {

using namespace clang;

/// Whether a number of that name may stand for a mode.
static bool mayNameMode(const NamedDecl &declaration) {
  const std::string lower = declaration.getName().lower();
  return llvm::any_of(std::initializer_list<StringRef>{"train", "eval", "infer", "test", "mode",
                                                       "phase", "stage", "epoch", "step"},
                      [&](StringRef word) { return StringRef(lower).contains(word); });
}

static bool isNumeric(QualType type) {
  return (type->isIntegerType() && !type->isBooleanType() && !type->isEnumeralType()) ||
         type->isRealFloatingType();
}

/// Whether the variable counts the rounds of a `for` loop around \p site.
static bool isCounter(const VarDecl &variable, const Stmt &site, const FunctionCode &function) {
  return llvm::any_of(function.loopsAround(&site), [&](const Stmt *loop) {
    const auto *counting = dyn_cast<ForStmt>(loop);
    const auto *init = counting ? dyn_cast_or_null<DeclStmt>(counting->getInit()) : nullptr;
    return init && llvm::is_contained(init->decls(), &variable);
  });
}

static bool isMember(const Expr *object) {
  const auto *access = dyn_cast<CXXOperatorCallExpr>(strip(object)); // Of a module holder.
  if (access && access->getOperator() == OO_Arrow)
    object = access->getArg(0);
  return isa<MemberExpr>(strip(object));
}

/// Whether \p expr is a number that is the same in both modes.
static bool isPlainNumber(const Expr *expr, const Stmt &site, const FunctionCode &function) {
  expr = expr->IgnoreParenImpCasts();
  if (!isNumeric(expr->getType()))
    return false;
  if (const auto *operation = dyn_cast<BinaryOperator>(expr))
    return !operation->isAssignmentOp() && isPlainNumber(operation->getLHS(), site, function) &&
           isPlainNumber(operation->getRHS(), site, function);
  if (const auto *conversion = dyn_cast<ExplicitCastExpr>(expr))
    return isPlainNumber(conversion->getSubExpr(), site, function);
  if (const auto *call = dyn_cast<CXXMemberCallExpr>(expr))
    return call->getNumArgs() == 0 && simpleName(call->getMethodDecl()) == "size" &&
           isMember(call->getImplicitObjectArgument());
  if (const VarDecl *variable = variableOf(expr))
    return !isa<ParmVarDecl>(variable) && !mayNameMode(*variable) &&
           (isCounter(*variable, site, function) ||
            (variable->isLocalVarDecl() && variable->hasInit() &&
             isOnlyRead(function.body, variable) &&
             isPlainNumber(variable->getInit(), site, function)));
  if (const auto *member = dyn_cast<MemberExpr>(expr)) {
    const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
    return field && isa<CXXThisExpr>(member->getBase()->IgnoreParenImpCasts()) &&
           !mayNameMode(*field) && isLeftAlone(*field);
  }
  return isa<IntegerLiteral, FloatingLiteral>(expr);
}

/// Whether the condition compares numbers that are the same in both modes.
static bool comparesNumbers(const Expr *condition, const Stmt &site, const FunctionCode &function) {
  condition = condition->IgnoreParenImpCasts();
  if (const auto *negation = dyn_cast<UnaryOperator>(condition);
      negation && negation->getOpcode() == UO_LNot)
    return comparesNumbers(negation->getSubExpr(), site, function);
  const auto *operation = dyn_cast<BinaryOperator>(condition);
  if (operation && operation->isLogicalOp())
    return comparesNumbers(operation->getLHS(), site, function) &&
           comparesNumbers(operation->getRHS(), site, function);
  return operation && operation->isComparisonOp() &&
         isPlainNumber(operation->getLHS(), site, function) &&
         isPlainNumber(operation->getRHS(), site, function);
}

/// Whether the class has its own notion of the modes.
static bool setsOwnMode(const FunctionCode &function) {
  const CXXRecordDecl *record = classOf(function.function);
  return record && record->hasDefinition() &&
         llvm::any_of(record->getDefinition()->methods(), [](const CXXMethodDecl *method) {
           return simpleName(method) == "train" || simpleName(method) == "eval";
         });
}

bool mayAskForMode(const Stmt &site, const FunctionCode &function) {
  for (const Stmt *place = &site; function.isConditional(place);) {
    const Stmt *choice = function.statementAround(place);
    while (choice && !isa<IfStmt>(choice))
      choice = function.statementAround(choice);
    if (!choice || function.isConditional(place, choice) || setsOwnMode(function) ||
        !comparesNumbers(cast<IfStmt>(choice)->getCond(), *choice, function))
      return true;
    place = choice;
  }
  return false;
}

} // namespace gradtidy
