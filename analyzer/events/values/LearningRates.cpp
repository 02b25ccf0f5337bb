#include "LearningRates.h"

#include "Values.h"
#include "analyzer/events/Conditions.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace gradtidy {

/// The variable that \p expr names, or null.
static const VarDecl *namedBy(const Expr *expr) {
  const auto *reference = dyn_cast<DeclRefExpr>(strip(expr));
  return reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

std::optional<double> numberOf(const Expr *expr, const Stmt &body, const ASTContext &context) {
  Expr::EvalResult result;
  if (expr->isValueDependent())
    return std::nullopt;
  if (expr->EvaluateAsRValue(result, context)) {
    if (result.Val.isInt())
      return static_cast<double>(result.Val.getInt().getExtValue());
    if (!result.Val.isFloat())
      return std::nullopt;
    llvm::APFloat value = result.Val.getFloat();
    bool losesInfo = false;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return value.convertToDouble();
  }
  const VarDecl *variable = namedBy(expr);
  const bool isFixed =
      variable && variable->isLocalVarDecl() && variable->hasInit() && isOnlyRead(&body, variable);
  return isFixed ? numberOf(variable->getInit(), body, context) : std::nullopt;
}

LearningRate rateOf(const Expr &options, const FunctionCode &function) {
  const Expr *expr = strip(&options);
  while (!isArithmetic(expr)) {
    const auto *setter = dyn_cast<CXXMemberCallExpr>(expr);
    const auto *construct = dyn_cast<CXXConstructExpr>(expr);
    const Expr *next = nullptr;
    if (setter && simpleName(setter->getMethodDecl()) == "lr" && setter->getNumArgs() == 1)
      next = setter->getArg(0);
    else if (setter)
      next = setter->getImplicitObjectArgument();
    else if (construct && construct->getNumArgs() > 0)
      next = construct->getArg(0);
    if (!next || isa<CXXDefaultArgExpr>(next))
      return {};
    expr = strip(next);
  }
  return rateIn(*function.map.node(expr), function.lowered);
}

/// Whether \p statement, or a part of it, gives the options that \p variable holds a momentum.
static bool setsMomentumOf(const VarDecl &variable, const Stmt *statement, const Stmt &body,
                           const ASTContext &context) {
  if (!statement)
    return false;
  // `options.momentum(0.9)`, `options.momentum() = 0.9`
  const auto *assignment = dyn_cast<BinaryOperator>(statement);
  const bool isAssignment = assignment && assignment->getOpcode() == BO_Assign;
  const auto *setter = dyn_cast<CXXMemberCallExpr>(
      isAssignment ? assignment->getLHS()->IgnoreParenImpCasts() : statement);
  const Expr *value = isAssignment                          ? assignment->getRHS()
                      : setter && setter->getNumArgs() == 1 ? setter->getArg(0)
                                                            : nullptr;
  if (setter && value && simpleName(setter->getMethodDecl()) == "momentum") {
    const Expr *object = setter->getImplicitObjectArgument();
    while (const auto *inner = dyn_cast<CXXMemberCallExpr>(strip(object)))
      object = inner->getImplicitObjectArgument();
    if (namedBy(object) == &variable && numberOf(value, body, context) != 0)
      return true;
  }
  return llvm::any_of(statement->children(), [&](const Stmt *child) {
    return setsMomentumOf(variable, child, body, context);
  });
}

/// \param depth Through how many functions the options have come.
static bool setsMomentum(const Expr &options, const Stmt &body, const ASTContext &context,
                         unsigned depth);

/// Whether a part of \p statement returns options that have a momentum.
static bool returnsMomentum(const Stmt *statement, const Stmt &body, const ASTContext &context,
                            unsigned depth) {
  if (!statement || isa<LambdaExpr>(statement))
    return false;
  const auto *returned = dyn_cast<ReturnStmt>(statement);
  if (returned && returned->getRetValue())
    return setsMomentum(*returned->getRetValue(), body, context, depth);
  return llvm::any_of(statement->children(), [&](const Stmt *child) {
    return returnsMomentum(child, body, context, depth);
  });
}

static bool setsMomentum(const Expr &options, const Stmt &body, const ASTContext &context,
                         unsigned depth) {
  constexpr unsigned maxDepth = 4;
  const Expr *expr = strip(&options);
  while (true) {
    const auto *call = dyn_cast<CallExpr>(expr);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (const Stmt *called = callee && depth < maxDepth ? callee->getBody() : nullptr;
        called && returnsMomentum(called, *called, context, depth + 1))
      return true;
    const auto *setter = dyn_cast<CXXMemberCallExpr>(expr);
    const auto *construct = dyn_cast<CXXConstructExpr>(expr);
    if (setter && simpleName(setter->getMethodDecl()) == "momentum" && setter->getNumArgs() == 1)
      return numberOf(setter->getArg(0), body, context) != 0;
    if (setter) {
      expr = strip(setter->getImplicitObjectArgument());
    } else if (construct && construct->getNumArgs() > 0) {
      expr = strip(construct->getArg(0));
    } else {
      const VarDecl *variable = namedBy(expr);
      return variable && variable->isLocalVarDecl() && variable->hasInit() &&
             (setsMomentumOf(*variable, &body, body, context) ||
              (strip(variable->getInit()) != expr &&
               setsMomentum(*variable->getInit(), body, context, depth)));
    }
  }
}

bool setsMomentum(const Expr &options, const Stmt &body, const ASTContext &context) {
  return setsMomentum(options, body, context, /*depth=*/0);
}

} // namespace gradtidy
