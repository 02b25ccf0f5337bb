#include "ShownNumbers.h"

#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace gradtidy {
namespace {

constexpr unsigned maxDepth = 4; ///< How many variables a number is followed through.

bool isWord(StringRef name, llvm::ArrayRef<StringRef> words) {
  return llvm::any_of(words, [&](StringRef word) { return name.contains_insensitive(word); });
}

/// A function that hands on what it gets, or computes another number of it.
bool computesNumber(const CallExpr &call) {
  const FunctionDecl *callee = call.getDirectCallee();
  if (!callee)
    return false;
  const bool isOfScalar =
      llvm::StringSwitch<bool>(simpleName(callee))
          .Cases({"to", "toFloat", "toDouble", "toInt", "toLong", "toBool"}, true)
          .Default(false);
  return isOfScalar || (call.getType()->isArithmeticType() &&
                        (callee->getBuiltinID() != 0 || isStandard(callee)) &&
                        llvm::all_of(call.arguments(), [](const Expr *each) {
                          return each->getType()->isArithmeticType();
                        }));
}

bool isOfStream(const CXXOperatorCallExpr &operation) {
  return operation.getOperator() == OO_LessLess;
}

bool isText(QualType type) {
  const CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record && record->getIdentifier() && record->getName() == "basic_string";
}

/// Whether one of the arguments is a text, such as the name of what is logged.
bool takesText(const Expr &call) {
  return llvm::any_of(call.children(), [](const Stmt *argument) {
    bool isFound = false;
    forEach(argument, [&](const Stmt *part) { isFound |= isa<StringLiteral>(part); });
    return isFound || isText(cast<Expr>(argument)->getType());
  });
}

class Reader {
public:
  Reader(const FunctionCode &function, Vocabulary &vocabulary)
      : function(function), vocabulary(vocabulary) {}

  Shown shownBy(const Stmt *value, bool isFloating, unsigned depth = 0);

private:
  static bool isNanTest(const CallExpr &call) {
    return call.getDirectCallee() &&
           llvm::is_contained({"isnan", "isinf", "isfinite"}, simpleName(call.getDirectCallee()));
  }

  Shown shownByCall(const CallExpr &call, const Stmt *value, bool isFloating);
  Shown shownByVariable(const VarDecl *variable, bool isFloating, unsigned depth);
  Shown shownByAssignment(const Expr &target, bool isFloating, unsigned depth);

  const FunctionCode &function;
  Vocabulary &vocabulary;
};

Shown Reader::shownBy(const Stmt *value, bool isFloating, unsigned depth) {
  bool isNan = false;
  for (const Stmt *outer = function.statementAround(value); outer;
       value = outer, outer = function.statementAround(outer)) {
    // Nobody sees the answer while all is well.
    if (isNan && (isa<IfStmt, WhileStmt, AbstractConditionalOperator>(outer) ||
                  (isa<BinaryOperator>(outer) && cast<BinaryOperator>(outer)->isLogicalOp())))
      return Shown::Logged;
    if (isa<ReturnStmt>(outer))
      return Shown::Returned;
    if (const auto *declarations = dyn_cast<DeclStmt>(outer))
      return declarations->isSingleDecl()
                 ? shownByVariable(dyn_cast<VarDecl>(declarations->getSingleDecl()), isFloating,
                                   depth)
                 : Shown::No;
    if (const auto *operation = dyn_cast<BinaryOperator>(outer)) {
      if (operation->isCompoundAssignmentOp())
        return value == operation->getRHS() ? Shown::Logged : Shown::No;
      if (operation->isAssignmentOp())
        return value == operation->getRHS()
                   ? shownByAssignment(*operation->getLHS(), isFloating, depth)
                   : Shown::No;
      if (!operation->isAdditiveOp() && !operation->isMultiplicativeOp())
        return Shown::No;
      continue;
    }
    if (const auto *choice = dyn_cast<ConditionalOperator>(outer)) {
      if (value == choice->getCond())
        return Shown::No;
      continue;
    }
    if (const auto *call = dyn_cast<CallExpr>(outer)) {
      isNan |= isNanTest(*call);
      if (computesNumber(*call))
        continue;
      return shownByCall(*call, value, isFloating);
    }
    if (const auto *unknown = dyn_cast<RecoveryExpr>(outer)) // Of a header that is missing.
      return takesText(*unknown) ? Shown::Logged : Shown::No;
    if (!isa<CastExpr, ParenExpr, UnaryOperator, FullExpr, MaterializeTemporaryExpr, MemberExpr,
             CXXBindTemporaryExpr, InitListExpr, CXXStdInitializerListExpr, CXXConstructExpr>(
            outer) ||
        (isa<Expr>(outer) && vocabulary.roleOf(cast<Expr>(outer)->getType()) == TypeRole::Tensor))
      return Shown::No;
  }
  return Shown::No;
}

/// Whether \p call is there for what it shows, keeps or says of the number.
Shown Reader::shownByCall(const CallExpr &call, const Stmt *value, bool isFloating) {
  const FunctionDecl *callee = call.getDirectCallee();
  if (const auto *operation = dyn_cast<CXXOperatorCallExpr>(&call)) {
    if (!isOfStream(*operation) || value != operation->getArg(1))
      return Shown::No;
    // Where only some batches have that size, it is all the same.
    const Stmt *inner = &call;
    for (const Stmt *outer = function.statementAround(inner); outer;
         outer = function.statementAround(inner = outer)) {
      const auto *choice = dyn_cast<IfStmt>(outer);
      bool asksSize = false;
      if (choice)
        forEach(choice->getCond(), [&](const Stmt *part) {
          const auto *asked = dyn_cast<CallExpr>(part);
          asksSize |= asked && asked->getDirectCallee() &&
                      vocabulary.roleOf(asked->getDirectCallee()) == FunctionRole::Attribute;
        });
      if (choice && !asksSize)
        return Shown::Logged;
    }
    return Shown::Printed;
  }
  if (isText(call.getType()) || (!callee && takesText(call)))
    return Shown::Logged;
  if (!callee || vocabulary.isFramework(callee) || function.expressionStatementOf(&call) == nullptr)
    return Shown::No;
  const bool isLog =
      isWord(simpleName(callee), {"log", "print", "record", "metric", "scalar", "report", "plot"});
  const bool isList = llvm::is_contained({"push_back", "emplace_back"}, simpleName(callee));
  return isLog || (isFloating && (isList || takesText(call))) ? Shown::Logged : Shown::No;
}

Shown Reader::shownByAssignment(const Expr &target, bool isFloating, unsigned depth) {
  if (const VarDecl *variable = variableOf(&target); variable && variable->isLocalVarDeclOrParm())
    return shownByVariable(variable, isFloating, depth);
  // Such as a field or element of what is logged later.
  return isFloating && target.getType()->isRealFloatingType() ? Shown::Logged : Shown::No;
}

/// The same of all that names the variable, but for what puts a number there.
Shown Reader::shownByVariable(const VarDecl *variable, bool isFloating, unsigned depth) {
  if (!variable || !variable->getType()->isArithmeticType() || depth == maxDepth)
    return Shown::No;
  Shown shown = Shown::Logged;
  bool isUsed = false;
  forEach(function.body, [&](const Stmt *part) {
    const auto *reference = dyn_cast<DeclRefExpr>(part);
    if (!reference || reference->getDecl() != variable || shown == Shown::No)
      return;
    const Stmt *outer = function.statementAround(reference);
    while (isa_and_nonnull<ParenExpr>(outer))
      outer = function.statementAround(outer);
    if (const auto *operation = dyn_cast_or_null<BinaryOperator>(outer);
        operation && operation->isAssignmentOp() && variableOf(operation->getLHS()) == variable &&
        operation->getLHS()->getBeginLoc() == reference->getBeginLoc())
      return;
    isUsed = true;
    // Of a number that goes from round to round, only what else is done with it counts.
    const Stmt *whole = function.statementOf(reference);
    const auto *update = dyn_cast_or_null<BinaryOperator>(whole);
    if (update && update->isAssignmentOp() && variableOf(update->getLHS()) == variable)
      return;
    const Shown use = shownBy(reference, isFloating, depth + 1);
    if (use == Shown::No || use == Shown::Returned)
      shown = use;
  });
  return isUsed ? shown : Shown::No;
}

} // namespace

Shown shownBy(const CallExpr &read, const FunctionCode &function, Vocabulary &vocabulary) {
  QualType type = read.getType();
  const bool isInteger = type->isIntegralOrEnumerationType();
  return Reader(function, vocabulary).shownBy(&read, !isInteger);
}

} // namespace gradtidy
