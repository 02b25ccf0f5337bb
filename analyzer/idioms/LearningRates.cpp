#include "LearningRates.h"

#include "CodeForms.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

LearningRate rateOf(const Node &options, const FunctionBody &function) {
  const Node *expr = strip(&options);
  while (!isArithmetic(*expr)) {
    const Node *next = nullptr;
    if (expr->kind == NodeKind::MemberCall)
      next = expr->calls(Aspect::LearningRateOption) && expr->arguments.size() == 1
                 ? expr->arguments.front()
                 : expr->object;
    else if (asConstruction(expr) && !expr->arguments.empty())
      next = expr->arguments.front();
    if (!next || next->kind == NodeKind::DefaultArgument)
      return {};
    expr = strip(next);
  }
  return rateIn(*expr, function);
}

/// Whether \p code gives the options that \p variable holds a momentum: `options.momentum(0.9)`,
/// `options.momentum() = 0.9`.
static bool setsMomentumOf(const Symbol &variable, const Node &code, const FunctionBody &function) {
  const bool isAssignment = code.kind == NodeKind::Binary && code.op == "=";
  const Node *setter =
      as(NodeKind::MemberCall, isAssignment ? withoutParentheses(code.children.front()) : &code);
  if (!setter || !setter->calls(Aspect::MomentumOption) ||
      (!isAssignment && setter->arguments.empty()))
    return false;
  const Node *object = setter->object;
  while (const Node *inner = as(NodeKind::MemberCall, strip(object)))
    object = inner->object;
  const Node &value = isAssignment ? *code.children.back() : *setter->arguments.front();
  return variableOf(object) == &variable && numberOf(value, function) != 0;
}

/// \param depth Through how many functions the options have come.
static bool setsMomentum(const Node &options, const FunctionBody &function, unsigned depth);

/// Whether a part of \p code returns options that have a momentum.
static bool returnsMomentum(const Node &code, const FunctionBody &function, unsigned depth) {
  if (code.kind == NodeKind::Lambda)
    return false;
  if (code.kind == NodeKind::Return && !code.children.empty())
    return setsMomentum(*code.children.front(), function, depth);
  return llvm::any_of(code.children,
                      [&](const Node *child) { return returnsMomentum(*child, function, depth); });
}

static bool setsMomentum(const Node &options, const FunctionBody &function, unsigned depth) {
  constexpr unsigned maxDepth = 4;
  const Node *expr = strip(&options);
  while (true) {
    const Symbol *called =
        expr->isCall() && depth < maxDepth ? definitionOf(expr->symbol) : nullptr;
    if (called && called->body) {
      const FunctionBody body(called, called->body);
      if (returnsMomentum(*body.body, body, depth + 1))
        return true;
    }
    if (expr->kind == NodeKind::MemberCall) {
      if (expr->calls(Aspect::MomentumOption) && expr->arguments.size() == 1)
        return numberOf(*expr->arguments.front(), function) != 0;
      expr = strip(expr->object);
    } else if (asConstruction(expr) && !expr->arguments.empty()) {
      expr = strip(expr->arguments.front());
    } else {
      break;
    }
  }
  const Symbol *variable = variableOf(expr);
  if (!variable || !variable->isLocal || !variable->init)
    return false;
  bool isSet = false;
  forEach(function.body,
          [&](const Node &code) { isSet |= setsMomentumOf(*variable, code, function); });
  return isSet || (strip(variable->init) != expr && setsMomentum(*variable->init, function, depth));
}

bool setsMomentum(const Node &options, const FunctionBody &function) {
  return setsMomentum(options, function, /*depth=*/0);
}

} // namespace gradtidy
