#include "NumberUses.h"

#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace gradtidy {
namespace {

StringRef nameOf(const CallExpr &call) {
  return call.getDirectCallee() ? simpleName(call.getDirectCallee()) : StringRef();
}

/// The test for NaN or infinite numbers, of one tensor that a variable holds.
struct Test {
  StringRef name; ///< Empty if there is none.
  const VarDecl *tensor = nullptr;
};

Test testOf(const Stmt *statement) {
  const auto *call = dyn_cast<CallExpr>(statement);
  if (!call || (nameOf(*call) != "isnan" && nameOf(*call) != "isinf"))
    return {};
  const Expr *tensor = objectOf(call)            ? objectOf(call)
                       : call->getNumArgs() == 1 ? call->getArg(0)
                                                 : nullptr;
  return {nameOf(*call), tensor ? variableOf(strip(tensor)) : nullptr};
}

/// The first test that \p value is computed of.
Test testIn(const Stmt *value) {
  Test found;
  forEach(value, [&](const Stmt *part) {
    if (const Test test = testOf(part); test.tensor && !found.tensor)
      found = test;
  });
  return found;
}

bool isRead(const CallExpr &call) { return objectOf(&call) && nameOf(call) == "item"; }

/// A number of a scalar, or the scalar for a number.
bool isConversion(const Stmt *outer) {
  const auto *call = dyn_cast<CallExpr>(outer);
  return call ? llvm::StringSwitch<bool>(nameOf(*call))
                    .Cases({"to", "toFloat", "toDouble"}, true)
                    .Default(false)
              : isa<CastExpr, ParenExpr, FullExpr, MaterializeTemporaryExpr, MemberExpr,
                    CXXBindTemporaryExpr, CXXConstructExpr>(outer);
}

bool isOfTensors(const CallExpr &call) {
  if (const auto *operation = dyn_cast<CXXOperatorCallExpr>(&call))
    return llvm::is_contained({OO_Plus, OO_Minus, OO_Star, OO_Slash, OO_PlusEqual, OO_MinusEqual,
                               OO_StarEqual, OO_SlashEqual},
                              operation->getOperator());
  return llvm::StringSwitch<bool>(nameOf(call))
      .Cases({"add", "sub", "mul", "div", "add_", "sub_", "mul_", "div_"}, true)
      .Default(false);
}

const Stmt *joinedBy(const Stmt *value, const FunctionCode &function, Vocabulary &vocabulary,
                     bool isNamed);

/// The same of the number that a variable keeps.
const Stmt *joinedBy(const VarDecl &variable, const FunctionCode &function,
                     Vocabulary &vocabulary) {
  const Stmt *joined = nullptr;
  bool isAll = true;
  forEach(function.body, [&](const Stmt *part) {
    const auto *reference = dyn_cast<DeclRefExpr>(part);
    if (!reference || reference->getDecl() != &variable || !isAll)
      return;
    const Stmt *one = joinedBy(reference, function, vocabulary, /*isNamed=*/true);
    isAll = one != nullptr;
    joined = joined ? joined : one;
  });
  return isAll ? joined : nullptr;
}

const Stmt *joinedBy(const Stmt *value, const FunctionCode &function, Vocabulary &vocabulary,
                     bool isNamed) {
  for (const Stmt *outer = function.statementAround(value); outer;
       value = outer, outer = function.statementAround(outer)) {
    if (const auto *declarations = dyn_cast<DeclStmt>(outer)) {
      const auto *variable =
          declarations->isSingleDecl() ? dyn_cast<VarDecl>(declarations->getSingleDecl()) : nullptr;
      return variable && variable->isLocalVarDecl() && !isNamed
                 ? joinedBy(*variable, function, vocabulary)
                 : nullptr;
    }
    if (isConversion(outer))
      continue;
    if (const auto *operation = dyn_cast<BinaryOperator>(outer);
        operation && (operation->isAdditiveOp() || operation->isMultiplicativeOp()) &&
        operation->getOpcode() != BO_Rem)
      continue;
    if (const auto *sign = dyn_cast<UnaryOperator>(outer); sign && sign->getOpcode() == UO_Minus)
      continue;
    const auto *call = dyn_cast<CallExpr>(outer);
    const bool isTensor =
        call && isOfTensors(*call) && vocabulary.roleOf(call->getType()) == TypeRole::Tensor;
    const unsigned operands = call ? call->getNumArgs() + isa<CXXMemberCallExpr>(call) : 0;
    return isTensor && operands == 2 && vocabulary.isFramework(call->getDirectCallee()) ? call
                                                                                        : nullptr;
  }
  return nullptr;
}

} // namespace

const Stmt *otherTestOf(const CallExpr &read, const FunctionCode &function,
                        const Vocabulary &vocabulary) {
  const Expr *tested = objectOf(&read);
  const Test test = tested ? testIn(tested) : Test();
  if (!test.tensor)
    return nullptr;
  const Stmt *other = nullptr;
  bool isBehind = false, isChanged = false;
  forEach(function.body, [&](const Stmt *statement) {
    const auto *call = dyn_cast<CallExpr>(statement);
    isBehind |= call == &read;
    if (!call || !isBehind || other)
      return;
    const Expr *object = objectOf(call);
    isChanged |= object && variableOf(object) == test.tensor && vocabulary.changesObject(*call);
    const Test second = isRead(*call) ? testIn(objectOf(call)) : Test();
    if (!isChanged && second.tensor == test.tensor && second.name != test.name &&
        function.loopsAround(call) == function.loopsAround(&read))
      other = call;
  });
  return other;
}

const Stmt *joinedBy(const CallExpr &read, const FunctionCode &function, Vocabulary &vocabulary) {
  return joinedBy(&read, function, vocabulary, /*isNamed=*/false);
}

} // namespace gradtidy
