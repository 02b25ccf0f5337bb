#include "Coverages.h"

#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

namespace gradtidy {

using namespace clang;

/// Whether \p part names \p variable.
static bool names(const Stmt *part, const VarDecl *variable) {
  if (!part)
    return false;
  if (const auto *reference = dyn_cast<DeclRefExpr>(part))
    return reference->getDecl() == variable;
  return llvm::any_of(part->children(), [&](const Stmt *child) { return names(child, variable); });
}

/// The variable of which \p view, a chain of calls, is a view; null if it is none.
static const VarDecl *baseOf(const Expr &view) {
  const Expr *base = strip(&view);
  while (const auto *call = dyn_cast<CallExpr>(base)) {
    const Expr *object = objectOf(call);
    if (!object)
      return nullptr;
    base = strip(object);
  }
  const auto *reference = dyn_cast<DeclRefExpr>(base);
  return reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

/// Whether \p write stands in one branch of a choice within \p loop of which there is no other.
static bool isLeftOut(const CallExpr &write, const Stmt *loop, const FunctionCode &function) {
  for (const Stmt *outer = function.statementAround(&write); outer && outer != loop;
       outer = function.statementAround(outer))
    if (const auto *choice = dyn_cast<IfStmt>(outer))
      return !choice->getElse();
  return function.isConditional(&write, loop);
}

static bool isCallOf(const Expr *expr, StringRef name) {
  const auto *call = dyn_cast<CallExpr>(expr);
  return call && call->getDirectCallee() && isStandard(call->getDirectCallee()) &&
         simpleName(call->getDirectCallee()) == name;
}

/// Whether \p variable is the largest of several numbers: `n = std::max(n, …)`, `*max_element(…)`.
static bool isLargest(const VarDecl *variable, const Stmt &code) {
  if (const Expr *init = variable->getInit())
    if (const auto *element = dyn_cast<UnaryOperator>(strip(init));
        element && element->getOpcode() == UO_Deref &&
        isCallOf(strip(element->getSubExpr()), "max_element"))
      return true;
  const auto *assignment = dyn_cast<BinaryOperator>(&code);
  if (assignment && assignment->getOpcode() == BO_Assign && names(assignment->getLHS(), variable) &&
      isCallOf(strip(assignment->getRHS()), "max") && names(assignment->getRHS(), variable))
    return true;
  return llvm::any_of(code.children(),
                      [&](const Stmt *child) { return child && isLargest(variable, *child); });
}

/// The variable among the sizes of the tensor that \p made makes which is the largest of several.
static const VarDecl *largestSizeIn(const Stmt *made, const Stmt &code) {
  if (const auto *reference = dyn_cast_or_null<DeclRefExpr>(made))
    if (const auto *variable = dyn_cast<VarDecl>(reference->getDecl());
        variable && variable->getType()->isIntegerType() && isLargest(variable, code))
      return variable;
  if (made)
    for (const Stmt *child : made->children())
      if (const VarDecl *variable = largestSizeIn(child, code))
        return variable;
  return nullptr;
}

/// How many calls in \p code change elements of \p tensor or of views of it; no more than 2 are
/// counted.
static unsigned countWrites(const Stmt &code, const VarDecl *tensor, const Vocabulary &vocabulary) {
  unsigned count = 0;
  if (const auto *call = dyn_cast<CallExpr>(&code); call && call->getDirectCallee()) {
    const Expr *object = objectOf(call);
    const Operator *run = vocabulary.operatorOf(call->getDirectCallee());
    const auto *assignment = dyn_cast<CXXOperatorCallExpr>(call);
    const bool isWrite =
        (run && run->changesElements()) || (assignment && assignment->isAssignmentOp());
    count += isWrite && object && baseOf(*object) == tensor;
  }
  for (const Stmt *child : code.children())
    if (child && count < 2)
      count += countWrites(*child, tensor, vocabulary);
  return count;
}

/// Whether \p write fills as much of \p tensor as each sample has, in a dimension that is as long
/// as the longest of them, and nothing else fills the rest.
static bool isShorter(const Expr &view, const VarDecl *tensor, const FunctionCode &function,
                      const Vocabulary &vocabulary) {
  const VarDecl *longest =
      tensor && tensor->getInit() ? largestSizeIn(tensor->getInit(), *function.body) : nullptr;
  bool takesRange = false;
  for (const auto *call = dyn_cast<CallExpr>(strip(&view)); call;) {
    const FunctionDecl *callee = call->getDirectCallee();
    takesRange |= callee && vocabulary.ruleOf(callee) == ResultRule::Slice;
    const Expr *object = objectOf(call);
    call = object ? dyn_cast<CallExpr>(strip(object)) : nullptr;
  }
  return longest && takesRange && !names(&view, longest) &&
         countWrites(*function.body, tensor, vocabulary) == 1;
}

Coverage coverageOf(const Expr &view, const CallExpr &write, const FunctionCode &function,
                    const Vocabulary &vocabulary) {
  const VarDecl *base = baseOf(view);
  for (const Stmt *loop : function.loopsAround(&write)) {
    if (!base)
      break;
    const SourceRange range = loop->getSourceRange();
    if (range.getBegin() < base->getLocation() && base->getLocation() < range.getEnd())
      break; // It is another tensor in each round.
    const auto *each = dyn_cast<CXXForRangeStmt>(loop);
    if ((each && names(&view, each->getLoopVariable())) || isLeftOut(write, loop, function))
      return Coverage::Some;
  }
  return isShorter(view, base, function, vocabulary) ? Coverage::Some : Coverage::Part;
}

} // namespace gradtidy
