#include "Clocks.h"

#include "analyzer/events/Event.h"
#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace gradtidy {

struct Operands {
  const Expr *left = nullptr, *right = nullptr; ///< Null if it is another operation.
};

/// Of `left - right` or `left = right`, of times of a class or of plain numbers.
static Operands operandsOf(const Stmt *statement, OverloadedOperatorKind overloaded,
                           BinaryOperatorKind builtin) {
  if (const auto *operation = dyn_cast<BinaryOperator>(statement);
      operation && operation->getOpcode() == builtin)
    return {operation->getLHS(), operation->getRHS()};
  const auto *operation = dyn_cast<CXXOperatorCallExpr>(statement);
  return operation && operation->getOperator() == overloaded && operation->getNumArgs() == 2
             ? Operands{operation->getArg(0), operation->getArg(1)}
             : Operands{};
}

/// Whether nothing comes of \p number: it gets no further than variables that nothing reads.
static bool isIdle(const Stmt &number, const FunctionCode &function, unsigned depth = 0) {
  const Stmt *outer = function.statementAround(&number);
  for (; isa_and_nonnull<Expr>(outer); outer = function.statementAround(outer))
    if (const auto *call = dyn_cast<CallExpr>(outer);
        call && !(call->getDirectCallee() && isStandard(call->getDirectCallee())))
      return false;
  const auto *declaration = dyn_cast_or_null<DeclStmt>(outer);
  const auto *variable = declaration && declaration->isSingleDecl()
                             ? dyn_cast<VarDecl>(declaration->getSingleDecl())
                             : nullptr;
  if (!variable || depth > 4)
    return false;
  bool isRead = false;
  forEach(function.body, [&](const Stmt *part) {
    const auto *reference = dyn_cast<DeclRefExpr>(part);
    isRead |=
        reference && reference->getDecl() == variable && !isIdle(*reference, function, depth + 1);
  });
  return !isRead;
}

/// What is taken from the time that \p place holds in \p statement, if something comes of it.
static const Expr *takenFrom(Entity place, const Stmt &statement, const FunctionCode &function) {
  if (const Operands difference = operandsOf(&statement, OO_Minus, BO_Sub);
      difference.left && entityOf(strip(originalOf(difference.left))) == place)
    return isIdle(statement, function) ? nullptr : originalOf(difference.right);
  for (const Stmt *child : statement.children())
    if (const Expr *found = child ? takenFrom(place, *child, function) : nullptr)
      return found;
  return nullptr;
}

/// The same in a method of the class that has the member.
static const Expr *takenInMethods(const FieldDecl &member) {
  const auto *record = dyn_cast<CXXRecordDecl>(member.getParent());
  const auto isDifference = [&](const Stmt *part, const Expr *&found) {
    const Operands difference = operandsOf(part, OO_Minus, BO_Sub);
    if (difference.left && entityOf(strip(originalOf(difference.left))) == canonical(&member))
      found = originalOf(difference.right);
  };
  const Expr *found = nullptr;
  if (record)
    for (const CXXMethodDecl *method : record->methods())
      if (const Stmt *body = method->getBody(); body && !found)
        forEach(body, [&](const Stmt *part) { isDifference(part, found); });
  return found;
}

/// The member of its object that the constructor \p function gives the time.
static const FieldDecl *initialized(const FunctionDecl *function, const Stmt &time) {
  const auto *constructor = dyn_cast<CXXConstructorDecl>(function);
  if (constructor)
    for (const CXXCtorInitializer *initializer : constructor->inits())
      if (const FieldDecl *member = initializer->getMember();
          member && strip(originalOf(initializer->getInit())) == &time)
        return member;
  return nullptr;
}

Reading readingOf(const CallExpr &now, const FunctionCode &function) {
  Reading reading;
  const Stmt *inner = &now;
  for (const Stmt *outer = function.statementAround(inner); outer;
       outer = function.statementAround(inner = outer)) {
    if (const auto *declaration = dyn_cast<DeclStmt>(outer)) {
      reading.place =
          declaration->isSingleDecl() ? dyn_cast<VarDecl>(declaration->getSingleDecl()) : nullptr;
      break;
    }
    const Operands difference = operandsOf(outer, OO_Minus, BO_Sub);
    if (difference.left == inner) {
      reading.since =
          isIdle(*outer, function) ? nullptr : entityOf(strip(originalOf(difference.right)));
      return reading;
    }
    if (const Operands assigned = operandsOf(outer, OO_Equal, BO_Assign); assigned.left) {
      reading.place = entityOf(strip(originalOf(assigned.left)));
      break;
    }
    const auto *copy = dyn_cast<CXXConstructExpr>(outer);
    if (!isa<CastExpr, FullExpr, MaterializeTemporaryExpr, CXXBindTemporaryExpr>(outer) &&
        !(copy && copy->getNumArgs() == 1))
      break;
  }
  if (!reading.place)
    reading.place = initialized(function.function, now);
  if (!reading.place)
    return reading;
  const Expr *since = takenFrom(reading.place, *function.body, function);
  const auto *member = dyn_cast<FieldDecl>(reading.place);
  if (!since && member)
    since = takenInMethods(*member);
  reading.since = since ? entityOf(strip(since)) : nullptr;
  return reading;
}

} // namespace gradtidy
