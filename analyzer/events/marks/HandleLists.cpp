#include "HandleLists.h"

#include "analyzer/events/values/Integers.h"
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
bool isKeptBack(const Stmt &mention, const VarDecl &list, const FunctionCode &function) {
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

/// Whether the variable is a list of a module's parameters, made for it alone.
bool listsParameters(const VarDecl &list, Vocabulary &vocabulary) {
  if (!list.isLocalVarDecl() || !list.hasLocalStorage() || !list.hasInit())
    return false;
  const auto *made = dyn_cast<CallExpr>(originalOf(strip(list.getInit())));
  const FunctionDecl *maker = made ? made->getDirectCallee() : nullptr;
  const bool givesParameters = maker && (vocabulary.roleOf(maker) == FunctionRole::Parameters ||
                                         simpleName(maker) == "parameters"); // One of the user's.
  return givesParameters && made->isPRValue();
}

} // namespace

const VarDecl *deadListOf(const Expr &place, const FunctionCode &function, Vocabulary &vocabulary) {
  const VarDecl *list = listOf(place);
  const CXXRecordDecl *record = list ? list->getType()->getAsCXXRecordDecl() : nullptr;
  if (!record ||
      !(listsParameters(*list, vocabulary) || (isa<ParmVarDecl>(list) && isStandard(record) &&
                                               function.function == list->getDeclContext())))
    return nullptr;
  bool isDead = true;
  forEach(function.body, [&](const Stmt *statement) {
    const auto *reference = dyn_cast<DeclRefExpr>(statement);
    isDead &= !reference || reference->getDecl() != list || isKeptBack(*reference, *list, function);
  });
  return isDead ? list : nullptr;
}

namespace {

/// Whether the expression makes a module, which has state of its own.
bool makesModule(const Expr &expr, Vocabulary &vocabulary) {
  const CXXRecordDecl *record = vocabulary.classOf(expr.getType());
  if (!record || !isModule(vocabulary.roleOf(record)) || vocabulary.isStateless(*record))
    return false;
  const Expr *made = originalOf(strip(&expr));
  if (const auto *call = dyn_cast<CallExpr>(made))
    return call->getDirectCallee() && simpleName(call->getDirectCallee()) == "make_shared";
  const auto *construct = dyn_cast<CXXConstructExpr>(made);
  return construct && !(construct->getNumArgs() && isNull(construct->getArg(0)));
}

/// Whether `statement` puts another tensor into each element of the list.
bool replacesElements(const Stmt &statement, const VarDecl &list, const FunctionCode &function) {
  const auto *expr = dyn_cast<Expr>(&statement);
  const std::optional<Assigned> assigned = expr ? asAssignment(expr) : std::nullopt;
  return assigned && listOf(*assigned->target) == &list && !function.loopsAround(expr).empty();
}

/// Whether `statement` changes the tensor that an element of the list is.
bool changesElement(const Stmt &statement, const VarDecl &list, const Vocabulary &vocabulary) {
  const auto *call = dyn_cast<CallExpr>(&statement);
  if (const std::optional<Assigned> assigned = call ? asAssignment(call) : std::nullopt) {
    const auto *part = dyn_cast<CallExpr>(strip(assigned->target)); // list[i][j] = value
    return part && objectOf(part) && listOf(*objectOf(part)) == &list;
  }
  return call && objectOf(call) && listOf(*objectOf(call)) == &list &&
         vocabulary.changesObject(*call);
}

} // namespace

const Stmt *changeOfShared(const CXXConstructExpr &made, const FunctionCode &function,
                           Vocabulary &vocabulary) {
  const CXXRecordDecl *record = made.getConstructor()->getParent();
  if (!isStandard(record) || !record->getIdentifier() || record->getName() != "vector" ||
      made.getNumArgs() < 2 || !made.getArg(0)->getType()->isIntegerType())
    return nullptr;
  if (integerIn(*made.getArg(0), record->getASTContext()).value_or(2) <= 1)
    return nullptr;
  const Expr &element = *made.getArg(1);
  if (makesModule(element, vocabulary))
    return &made;
  const auto *declared = dyn_cast_or_null<DeclStmt>(function.statementOf(&made));
  const auto *list =
      declared && declared->isSingleDecl() ? dyn_cast<VarDecl>(declared->getSingleDecl()) : nullptr;
  if (!list || vocabulary.roleOf(element.getType()) != TypeRole::Tensor ||
      strip(list->getInit()) != &made)
    return nullptr;
  const Stmt *change = nullptr;
  bool isReplaced = false;
  forEach(function.body, [&](const Stmt *statement) {
    isReplaced |= replacesElements(*statement, *list, function);
    if (!change && changesElement(*statement, *list, vocabulary))
      change = statement;
  });
  return isReplaced ? nullptr : change;
}

} // namespace gradtidy
