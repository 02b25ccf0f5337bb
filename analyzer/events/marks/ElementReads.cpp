#include "ElementReads.h"

#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace gradtidy {
namespace {

/// `t[i]`, `t.index({i})`, `t.select(0, i)`
bool selects(const CallExpr &call, const Vocabulary &vocabulary) {
  const FunctionDecl *callee = call.getDirectCallee();
  return callee &&
         (callee->getOverloadedOperator() == OO_Subscript || //
          simpleName(callee) == "select" || vocabulary.operationOf(callee) == Operation::Index);
}

bool isLiteral(const Stmt *index) {
  if (isa<DeclRefExpr, MemberExpr, CXXThisExpr>(index))
    return isa<DeclRefExpr>(index) && !isa<VarDecl>(cast<DeclRefExpr>(index)->getDecl());
  return llvm::all_of(index->children(),
                      [](const Stmt *child) { return !child || isLiteral(child); });
}

bool declares(const Stmt &loop, const VarDecl &variable) {
  bool isFound = false;
  forEach(&loop, [&](const Stmt *statement) {
    if (const auto *declarations = dyn_cast<DeclStmt>(statement))
      isFound |= llvm::is_contained(declarations->decls(), &variable);
  });
  return isFound;
}

/// A tensor, and what is selected of it.
class Selection {
public:
  Selection(const Expr *tensor, const Stmt &loop, const Vocabulary &vocabulary)
      : loop(loop), vocabulary(vocabulary), whole(tensor) {
    while (step())
      ;
  }

  bool isOfVariableIndex() const { return hasVariableIndex; }

  /// The variable or member that holds the tensor in all rounds of the loop, or null.
  Entity lasting() const {
    const Entity entity = entityOf(whole);
    const auto *variable = dyn_cast_or_null<VarDecl>(entity);
    return variable && declares(loop, *variable) ? nullptr : entity;
  }

private:
  bool step() {
    whole = strip(whole);
    if (const VarDecl *variable = variableOf(whole); variable && steps++ < 8) {
      const auto *range = dyn_cast<CXXForRangeStmt>(&loop);
      if (!variable->hasInit() || !declares(loop, *variable) ||
          (range && variable == range->getLoopVariable()))
        return false;
      whole = variable->getInit();
      return true;
    }
    const auto *call = dyn_cast<CallExpr>(whole);
    const Expr *object = call && call->getDirectCallee() ? objectOf(call) : nullptr;
    const bool isSelection = object && selects(*call, vocabulary);
    if (!object || !(isSelection || keepsValues(vocabulary.operationOf(call->getDirectCallee())) ||
                     simpleName(call->getDirectCallee()) == "to"))
      return false;
    if (isSelection)
      hasVariableIndex |= llvm::any_of(call->arguments(), [&](const Expr *argument) {
        return strip(argument) != strip(object) && !isLiteral(argument);
      });
    whole = object;
    return true;
  }

  const Stmt &loop;
  const Vocabulary &vocabulary;
  const Expr *whole;
  unsigned steps = 0;
  bool hasVariableIndex = false;
};

/// Whether the loop gives \p tensor, or some of its elements, other values.
bool isChangedIn(const Stmt &loop, Entity tensor, const Vocabulary &vocabulary) {
  bool isChanged = false;
  const auto isIts = [&](const Expr *expr) {
    return Selection(expr, loop, vocabulary).lasting() == tensor;
  };
  forEach(&loop, [&](const Stmt *statement) {
    const auto *call = dyn_cast<CallExpr>(statement);
    if (!call || isChanged)
      return;
    const auto *operation = dyn_cast<CXXOperatorCallExpr>(call);
    const Expr *object = objectOf(call);
    const bool changes =
        (operation && operation->isAssignmentOp()) ||
        (call->getDirectCallee() && simpleName(call->getDirectCallee()).ends_with("_"));
    isChanged = changes && object && isIts(object);
  });
  return isChanged;
}

/// `for (int corner = 0; corner < 4; ++corner)`
bool isShort(const Stmt &loop, const ASTContext &context) {
  constexpr int fewRounds = 16;
  const auto *counting = dyn_cast<ForStmt>(&loop);
  const auto *condition =
      counting ? dyn_cast_or_null<BinaryOperator>(counting->getCond()) : nullptr;
  Expr::EvalResult bound;
  return condition && condition->isRelationalOp() && !condition->getRHS()->isValueDependent() &&
         condition->getRHS()->EvaluateAsInt(bound, context) && bound.Val.getInt() <= fewRounds;
}

} // namespace

const Stmt *elementLoopOf(const CallExpr &read, const FunctionBody &function,
                          const Vocabulary &vocabulary, const ASTContext &context) {
  const Expr *element = objectOf(&read);
  if (!element)
    return nullptr;
  const auto loops = function.loopsAround(&read);
  const auto loop =
      llvm::find_if(loops, [&](const Stmt *each) { return !isShort(*each, context); });
  if (loop == loops.end())
    return nullptr;
  const Selection selection(element, **loop, vocabulary);
  const Entity tensor = selection.lasting();
  return tensor && selection.isOfVariableIndex() && !isChangedIn(**loop, tensor, vocabulary)
             ? *loop
             : nullptr;
}

} // namespace gradtidy
