#include "HandleLists.h"

#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace gradtidy {
namespace {

/// The variable of which \p expr is an element, or null: `list[i]`, `list.front()`.
const VarDecl *listOf(const Expr &expr) {
  const auto *access = dyn_cast<CallExpr>(strip(&expr));
  const FunctionDecl *callee = access ? access->getDirectCallee() : nullptr;
  if (!callee)
    return nullptr;
  const StringRef name = simpleName(callee);
  const bool isAccess = callee->getOverloadedOperator() == OO_Subscript || name == "at" ||
                        name == "front" || name == "back";
  return isAccess && objectOf(access) ? variableOf(strip(objectOf(access))) : nullptr;
}

bool isAttribute(StringRef name) {
  return llvm::is_contained({"size", "empty", "device", "sizes", "dim", "dtype", "scalar_type",
                             "numel", "options", "defined", "requires_grad"},
                            name);
}

/// Whether what is done with \p mention, the list or an element, keeps it from everybody.
bool isKeptBack(const Stmt &mention, const VarDecl &list, const FunctionBody &function) {
  for (const Stmt *outer = function.statementAround(&mention); outer;
       outer = function.statementAround(outer)) {
    const auto *expr = dyn_cast<Expr>(outer);
    if (!expr)
      return false;
    if (const std::optional<Assigned> assigned = asAssignment(expr))
      return listOf(*assigned->target) == &list;
    if (const auto *call = dyn_cast<CXXMemberCallExpr>(expr);
        call && call->getMethodDecl() && isAttribute(simpleName(call->getMethodDecl())))
      return true;
  }
  return false;
}

} // namespace

const VarDecl *deadListOf(const Expr &place, const FunctionBody &function, Vocabulary &vocabulary) {
  const VarDecl *list = listOf(place);
  if (!list || !list->isLocalVarDecl() || !list->hasLocalStorage() || !list->hasInit() ||
      !list->getType()->isRecordType())
    return nullptr;
  const auto *made = dyn_cast<CallExpr>(originalOf(strip(list->getInit())));
  const FunctionDecl *maker = made ? made->getDirectCallee() : nullptr;
  const bool givesParameters = maker && (vocabulary.roleOf(maker) == FunctionRole::Parameters ||
                                         simpleName(maker) == "parameters"); // One of the user's.
  if (!givesParameters || !made->isPRValue())
    return nullptr;
  bool isDead = true;
  forEach(function.body, [&](const Stmt *statement) {
    const auto *reference = dyn_cast<DeclRefExpr>(statement);
    isDead &= !reference || reference->getDecl() != list || isKeptBack(*reference, *list, function);
  });
  return isDead ? list : nullptr;
}

} // namespace gradtidy
