#include "NumberUses.h"

#include "CodeForms.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

namespace {

/// The test for NaN or infinite numbers, of one tensor that a variable holds.
struct Test {
  Aspects kind; ///< None if there is no test.
  const Symbol *tensor = nullptr;
};

Test testOf(const Node &call) {
  const Aspects kind = call.calledAspects();
  if (!kind.hasAny({Aspect::TestsNan, Aspect::TestsInfinite}))
    return {};
  const Node *tensor = objectOf(call);
  if (!tensor && call.arguments.size() == 1)
    tensor = call.arguments.front();
  return {kind, variableOf(tensor)};
}

/// The first test that \p value is computed of.
Test testIn(const Node *value) {
  Test found;
  forEach(value, [&](const Node &part) {
    if (const Test test = testOf(part); test.tensor && !found.tensor)
      found = test;
  });
  return found;
}

/// A number of a scalar, or the scalar for a number.
bool isConversion(const Node &outer) {
  if (outer.isCall())
    return outer.calls(Aspect::ConvertsScalar);
  return isCast(outer) || outer.kind == NodeKind::Parentheses || outer.kind == NodeKind::Member ||
         asConstruction(&outer);
}

/// Of plain numbers.
bool computes(const Node &outer) {
  return outer.kind == NodeKind::Unary
             ? outer.op == "-"
             : outer.kind == NodeKind::Binary &&
                   (outer.op == "+" || outer.op == "-" || outer.op == "*" || outer.op == "/");
}

const Node *joinedBy(const Node &value, const FunctionBody &function, bool isNamed);

/// The same of the number that a variable keeps.
const Node *joinedByVariable(const Symbol &variable, const FunctionBody &function) {
  const Node *joined = nullptr;
  bool isAll = true;
  forEach(function.body, [&](const Node &part) {
    if (part.kind != NodeKind::Reference || part.symbol != &variable || !isAll)
      return;
    const Node *one = joinedBy(part, function, /*isNamed=*/true);
    isAll = one != nullptr;
    joined = joined ? joined : one;
  });
  return isAll ? joined : nullptr;
}

const Node *joinedBy(const Node &value, const FunctionBody &function, bool isNamed) {
  for (const Node *outer : function.around(&value)) {
    if (outer->kind == NodeKind::Declaration) {
      const Symbol *variable = onlyVariableOf(*outer);
      return variable && variable->isLocal && !isNamed ? joinedByVariable(*variable, function)
                                                       : nullptr;
    }
    if (isConversion(*outer) || computes(*outer))
      continue;
    const bool isTensor =
        outer->calls(Aspect::Arithmetic) && outer->type && outer->type->role == TypeRole::Tensor;
    const size_t operands = outer->arguments.size() + (outer->kind == NodeKind::MemberCall);
    return isTensor && operands == 2 ? outer : nullptr;
  }
  return nullptr;
}

} // namespace

const Node *otherTestOf(const Node &read, const FunctionBody &function) {
  const Test test = testIn(objectOf(read));
  if (!test.tensor)
    return nullptr;
  const Node *other = nullptr;
  bool isBehind = false, isChanged = false;
  forEach(function.body, [&](const Node &part) {
    isBehind |= &part == &read;
    if (!part.isCall() || !isBehind || other)
      return;
    const Node *object = objectOf(part);
    isChanged |= object && variableOf(object) == test.tensor && changesObject(part);
    const Test second = object && part.calls(Aspect::ReadsScalar) ? testIn(object) : Test();
    if (!isChanged && second.tensor == test.tensor && second.kind != test.kind &&
        function.loopsAround(&part) == function.loopsAround(&read))
      other = &part;
  });
  return other;
}

const Node *joinedBy(const Node &read, const FunctionBody &function) {
  return joinedBy(read, function, /*isNamed=*/false);
}

} // namespace gradtidy
