#include "Formulas.h"

#include "analyzer/events/values/LearningRates.h"
#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace gradtidy {
namespace {

class Reader {
public:
  Reader(const FunctionCode &function, Vocabulary &vocabulary, const ASTContext &context)
      : function(function), vocabulary(vocabulary), context(context) {}

  bool isSoftmax(const Expr *numerator, const Expr *denominator) const {
    const Expr *exponential = valueOf(numerator);
    const CallExpr *sum = callOf(valueOf(denominator), "sum");
    return sum && sum->getNumArgs() > 0 && callOf(exponential, "exp") &&
           isSame(*exponential, *valueOf(inputOf(*sum)));
  }

  bool isSigmoid(const Expr *numerator, const Expr *denominator) const {
    const auto *sum = dyn_cast<CXXOperatorCallExpr>(valueOf(denominator));
    if (!isOne(numerator) || !sum || sum->getOperator() != OO_Plus || sum->getNumArgs() != 2)
      return false;
    const bool isFirst = isOne(sum->getArg(0));
    const CallExpr *exponential = callOf(valueOf(sum->getArg(isFirst ? 1 : 0)), "exp");
    const auto *negative =
        exponential ? dyn_cast<CXXOperatorCallExpr>(valueOf(inputOf(*exponential))) : nullptr;
    return isOne(sum->getArg(isFirst ? 0 : 1)) && negative && negative->getOperator() == OO_Minus &&
           negative->getNumArgs() == 1;
  }

  bool isTanhDerivative(const Expr *minuend, const Expr *subtrahend) const {
    const Expr *root = isOne(minuend) ? squaredIn(valueOf(subtrahend)) : nullptr;
    return root && callOf(valueOf(root), "tanh");
  }

private:
  /// Of what \p expr is the square, or null: `x * x`, `x.square()`, `pow(x, 2)`.
  const Expr *squaredIn(const Expr *expr) const {
    if (const auto *product = dyn_cast<CXXOperatorCallExpr>(expr);
        product && product->getOperator() == OO_Star && product->getNumArgs() == 2)
      return isSame(*strip(product->getArg(0)), *strip(product->getArg(1))) ? product->getArg(0)
                                                                            : nullptr;
    if (const CallExpr *square = callOf(expr, "square"))
      return inputOf(*square);
    const CallExpr *power = callOf(expr, "pow");
    return power && isNumber(power->getArg(power->getNumArgs() - 1), 2) ? inputOf(*power) : nullptr;
  }

  /// Whether the function gives \p variable another value, or its elements.
  bool isChanged(const VarDecl &variable) const {
    bool found = false;
    forEach(function.body, [&](const Stmt *statement) {
      const auto *call = dyn_cast<CallExpr>(statement);
      const Expr *object = call ? objectOf(call) : nullptr;
      found |= object && variableOf(strip(object)) == &variable && vocabulary.changesObject(*call);
    });
    return found;
  }

  /// What a variable that keeps its value was made with.
  const Expr *valueOf(const Expr *expr) const {
    const Expr *original = strip(originalOf(strip(expr)));
    const VarDecl *variable = variableOf(original);
    const bool isFixed =
        variable && variable->isLocalVarDecl() && variable->hasInit() && !isChanged(*variable);
    return isFixed ? valueOf(variable->getInit()) : original;
  }

  const CallExpr *callOf(const Expr *expr, StringRef name) const {
    const auto *call = dyn_cast<CallExpr>(expr);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    return callee && simpleName(callee) == name && vocabulary.isFramework(callee) ? call : nullptr;
  }

  static const Expr *inputOf(const CallExpr &call) {
    const Expr *object = objectOf(&call);
    return object ? object : call.getArg(0);
  }

  bool isSame(const Expr &one, const Expr &other) const {
    llvm::FoldingSetNodeID first, second;
    one.Profile(first, context, /*Canonical=*/true);
    other.Profile(second, context, /*Canonical=*/true);
    return first == second;
  }

  bool isOne(const Expr *expr) const { return isNumber(expr, 1); }

  bool isNumber(const Expr *expr, double number) const {
    const Expr *original = strip(originalOf(strip(expr)));
    return isArithmetic(original) && numberOf(original, *function.body, context) == number;
  }

  const FunctionCode &function;
  Vocabulary &vocabulary;
  const ASTContext &context;
};

} // namespace

Operation formulaOf(const CallExpr &call, const FunctionCode &function, Vocabulary &vocabulary,
                    const ASTContext &context) {
  const auto *operation = dyn_cast<CXXOperatorCallExpr>(&call);
  if (!operation || operation->getNumArgs() != 2)
    return Operation::None;
  const Expr *left = operation->getArg(0), *right = operation->getArg(1);
  const Reader reader(function, vocabulary, context);
  if (operation->getOperator() == OO_Minus)
    return reader.isTanhDerivative(left, right) ? Operation::TanhDerivative : Operation::None;
  if (operation->getOperator() != OO_Slash)
    return Operation::None;
  return reader.isSoftmax(left, right)   ? Operation::Softmax
         : reader.isSigmoid(left, right) ? Operation::Sigmoid
                                         : Operation::None;
}

} // namespace gradtidy
