#include "Formulas.h"

#include "CodeForms.h"

namespace gradtidy {

using namespace ir;

namespace {

class Reader {
public:
  explicit Reader(const FunctionBody &function) : function(function) {}

  bool isSoftmax(const Node *numerator, const Node *denominator) const {
    const Node *exponential = callOf(valueOf(numerator), Aspect::Exponential);
    const Node *sum = callOf(valueOf(denominator), Aspect::Sum);
    return exponential && sum && !sum->arguments.empty() &&
           areAlike(*exponential, *valueOf(inputOf(*sum)));
  }

  bool isSigmoid(const Node *numerator, const Node *denominator) const {
    const Node *sum = operation("+", valueOf(denominator), 2);
    if (!isNumber(numerator, 1) || !sum)
      return false;
    const bool isFirst = isNumber(sum->arguments[0], 1);
    const Node *exponential = callOf(valueOf(sum->arguments[isFirst ? 1 : 0]), Aspect::Exponential);
    return isNumber(sum->arguments[isFirst ? 0 : 1], 1) && exponential &&
           operation("-", valueOf(inputOf(*exponential)), 1);
  }

  bool isTanhDerivative(const Node *minuend, const Node *subtrahend) const {
    const Node *root = isNumber(minuend, 1) ? squaredIn(valueOf(subtrahend)) : nullptr;
    return root && callOf(valueOf(root), Aspect::HyperbolicTangent);
  }

private:
  /// Of what \p expr is the square, or null: `x * x`, `x.square()`, `pow(x, 2)`.
  const Node *squaredIn(const Node *expr) const {
    if (const Node *product = operation("*", expr, 2))
      return areAlike(*strip(product->arguments[0]), *strip(product->arguments[1]))
                 ? product->arguments[0]
                 : nullptr;
    if (const Node *square = callOf(expr, Aspect::Square))
      return inputOf(*square);
    const Node *power = callOf(expr, Aspect::Power);
    return power && isNumber(power->arguments.back(), 2) ? inputOf(*power) : nullptr;
  }

  /// Whether the function gives \p variable another value, or its elements.
  bool isChanged(const Symbol &variable) const {
    bool isFound = false;
    forEach(function.body, [&](const Node &code) {
      isFound |= code.isCall() && changesObject(code) && variableOf(objectOf(code)) == &variable;
    });
    return isFound;
  }

  /// What a variable that keeps its value was made with.
  const Node *valueOf(const Node *expr) const {
    expr = originalOf(expr);
    const Symbol *variable = variableOf(expr);
    const bool isFixed = variable && variable->isLocal && variable->init &&
                         originalOf(variable->init) != expr && !isChanged(*variable);
    return isFixed ? valueOf(variable->init) : expr;
  }

  static const Node *operation(llvm::StringRef op, const Node *expr, size_t operands) {
    const Node *call = as(NodeKind::OperatorCall, expr);
    return call && call->op == op && call->arguments.size() == operands ? call : nullptr;
  }

  static const Node *callOf(const Node *expr, Aspect aspect) {
    const Node *call = asCall(expr);
    return call && call->calls(aspect) && call->symbol->isFramework ? call : nullptr;
  }

  static const Node *inputOf(const Node &call) {
    const Node *object = objectOf(call);
    return object ? object : call.arguments.front();
  }

  bool isNumber(const Node *expr, double number) const {
    expr = originalOf(expr);
    return isArithmetic(*expr) && numberOf(*expr, function) == number;
  }

  const FunctionBody &function;
};

} // namespace

Operation formulaOf(const Node &call, const FunctionBody &function) {
  if (call.kind != NodeKind::OperatorCall || call.arguments.size() != 2)
    return Operation::None;
  const Node *left = call.arguments[0], *right = call.arguments[1];
  const Reader reader(function);
  if (call.op == "-" && reader.isTanhDerivative(left, right))
    return Operation::TanhDerivative;
  if (call.op != "/")
    return Operation::None;
  return reader.isSoftmax(left, right)   ? Operation::Softmax
         : reader.isSigmoid(left, right) ? Operation::Sigmoid
                                         : Operation::None;
}

} // namespace gradtidy
