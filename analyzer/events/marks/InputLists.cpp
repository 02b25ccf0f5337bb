#include "InputLists.h"

#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace gradtidy {
namespace {

bool isMention(const Stmt *statement, Entity list) {
  const auto *expr = dyn_cast<Expr>(statement);
  return expr && entityOf(expr) == list;
}

/// What \p mention, in \p function, does to the list.
enum class Use : unsigned char { Reads, Adds, Other };

Use useOf(const Expr &mention, const FunctionCode &function) {
  const Stmt *inner = &mention;
  for (const Stmt *outer = function.statementAround(inner); outer;
       outer = function.statementAround(inner = outer)) {
    if (const auto *construct = dyn_cast<CXXConstructExpr>(outer))
      return isCopyOrMove(construct) ? Use::Reads : Use::Other; // Of a copy.
    if (const auto *member = dyn_cast<MemberExpr>(outer)) {
      const auto *method = dyn_cast<CXXMethodDecl>(member->getMemberDecl());
      const StringRef name = simpleName(method);
      if (name == "push_back" || name == "emplace_back")
        return Use::Adds;
      return method && (method->isConst() || name == "reserve") ? Use::Reads : Use::Other;
    }
    const auto *cast = dyn_cast<ImplicitCastExpr>(outer);
    if (cast && cast->getType().isConstQualified())
      return Use::Reads;
    if (!cast && !isa<ParenExpr>(outer))
      return Use::Other;
  }
  return Use::Other;
}

/// What a part of the program does to the list.
struct Uses {
  const Expr *added = nullptr; ///< The first that is added whatever happens.
  unsigned count = 0;          ///< Of what is added.
  bool isOther = false;        ///< It may lose elements, or be filled under a condition.
};

void collect(const Stmt &part, Entity list, const FunctionCode &function, const Stmt *within,
             Uses &uses) {
  if (isMention(&part, list)) {
    const auto &mention = cast<Expr>(part);
    const Use use = useOf(mention, function);
    const bool isSure = use == Use::Adds && !function.isConditional(&mention, within);
    uses.count += use == Use::Adds;
    if (isSure && !uses.added)
      uses.added = &mention;
    uses.isOther |= use == Use::Other || (use == Use::Adds && !isSure);
  }
  if (const auto *closure = dyn_cast<LambdaExpr>(&part))
    uses.isOther |= llvm::any_of(closure->captures(), [&](const LambdaCapture &capture) {
      return capture.capturesVariable() && canonical(capture.getCapturedVar()) == list;
    });
  for (const Stmt *child : part.children())
    if (child)
      collect(*child, list, function, within, uses);
}

bool declares(const Stmt &part, Entity list) {
  if (const auto *declarations = dyn_cast<DeclStmt>(&part))
    if (llvm::is_contained(declarations->decls(), list))
      return true;
  return llvm::any_of(part.children(),
                      [&](const Stmt *child) { return child && declares(*child, list); });
}

bool mentions(const Stmt &part, Entity list) {
  return isMention(&part, list) || llvm::any_of(part.children(), [&](const Stmt *child) {
           return child && mentions(*child, list);
         });
}

/// Whether each run of the function calls \p method of its own object.
bool callsAlways(const FunctionCode &function, const CXXMethodDecl &method) {
  bool isFound = false;
  forEach(function.body, [&](const Stmt *statement) {
    const auto *call = dyn_cast<CXXMemberCallExpr>(statement);
    isFound |= call && call->getMethodDecl() &&
               call->getMethodDecl()->getCanonicalDecl() == method.getCanonicalDecl() &&
               isa<CXXThisExpr>(strip(call->getImplicitObjectArgument())) &&
               !function.isConditional(call);
  });
  return isFound;
}

/// What the method that \p function is of, the others that it calls and the constructors do to the
/// member. Something else, too, if not all of the class can be seen.
Uses usesOfMember(const CXXMethodDecl &method, Entity member, const FunctionCode &function) {
  Uses uses;
  collect(*function.body, member, function, nullptr, uses);
  for (const CXXMethodDecl *other : method.getParent()->methods()) {
    const FunctionDecl *definition = nullptr;
    if (other == method.getCanonicalDecl() || other->isImplicit() || other->isDefaulted() ||
        other->isDeleted() || isa<CXXDestructorDecl>(other))
      continue;
    if (!other->hasBody(definition)) {
      uses.isOther = true;
      continue;
    }
    if (!mentions(*definition->getBody(), member))
      continue;
    const FunctionBody lowered(function.map.symbol(definition),
                               function.map.node(definition->getBody()));
    Uses inner;
    collect(*definition->getBody(), member, FunctionCode(lowered, function.map), nullptr, inner);
    uses.isOther |= inner.isOther;
    if (isa<CXXConstructorDecl>(other) || inner.count == 0)
      continue; // It fills the list once, or reads it.
    uses.count += inner.count;
    if (!uses.added && callsAlways(function, *other))
      uses.added = inner.added;
  }
  return uses;
}

} // namespace

Growth growthOf(const Expr &argument, const CallExpr &call, const FunctionCode &function) {
  const Expr *named = originalOf(&argument);
  const Entity list = entityOf(named);
  const CXXRecordDecl *record =
      list ? list->getType().getNonReferenceType()->getAsCXXRecordDecl() : nullptr;
  if (!record || !isStandard(record))
    return {};
  const auto usesIn = [&](const Stmt &part, const Stmt *within) {
    Uses uses;
    collect(part, list, function, within, uses);
    return uses;
  };
  const Uses all = usesIn(*function.body, nullptr);
  const auto growth = [&](const Uses &uses) {
    return uses.isOther ? Growth{} : Growth{function.map.node(uses.added), uses.count == all.count};
  };
  if (const auto *variable = dyn_cast<VarDecl>(list)) {
    for (const Stmt *loop : function.loopsAround(&call)) {
      if (declares(*loop, list))
        return {};
      if (const Growth found = growth(usesIn(*loop, loop)); found.list)
        return found;
    }
    return variable->isStaticLocal() ? growth(all) : Growth{};
  }
  const auto *member = dyn_cast<MemberExpr>(named);
  const auto *method = dyn_cast<CXXMethodDecl>(function.function);
  const bool isOwn = member && isa<CXXThisExpr>(strip(member->getBase())) && method &&
                     !isa<CXXConstructorDecl>(method);
  return isOwn ? growth(usesOfMember(*method, list, function)) : Growth{};
}

} // namespace gradtidy
