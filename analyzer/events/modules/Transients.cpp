#include "Transients.h"

#include "analyzer/events/values/Values.h"

using namespace clang;

namespace gradtidy {
namespace {

/// What a call for a forward pass is made on, without the arrow of a holder; null for other
/// statements.
const Expr *forwardObject(const Stmt *statement) {
  const Expr *object = nullptr;
  if (const auto *call = dyn_cast<CXXOperatorCallExpr>(statement);
      call && call->getOperator() == OO_Call)
    object = call->getArg(0);
  else if (const auto *call = dyn_cast<CXXMemberCallExpr>(statement);
           call && isForward(call->getMethodDecl()))
    object = call->getImplicitObjectArgument();
  if (!object)
    return nullptr;
  object = strip(object);
  const auto *arrow = dyn_cast<CXXOperatorCallExpr>(object);
  return arrow && arrow->getOperator() == OO_Arrow ? strip(arrow->getArg(0)) : object;
}

/// How often \p variable is named below \p statement other than to call it for a forward pass.
unsigned otherMentions(const Stmt *statement, const VarDecl *variable) {
  if (const auto *reference = dyn_cast<DeclRefExpr>(statement))
    return reference->getDecl() == variable;
  unsigned found = 0;
  for (const Stmt *child : statement->children())
    found += child ? otherMentions(child, variable) : 0;
  const Expr *object = forwardObject(statement);
  const bool isCalled = object && entityOf(object) == variable;
  return found - isCalled;
}

/// Norms have no parameters if their options say so.
bool mayLackState(const VarDecl &variable) {
  const CXXRecordDecl *record = variable.getType()->getAsCXXRecordDecl();
  return record && record->getIdentifier() && record->getName().contains("Norm");
}

class Search {
public:
  Search(const Stmt *body, ModuleUses &uses, ModuleNatures &natures)
      : body(body), uses(uses), natures(natures) {}

  void visit(const Stmt *statement) {
    if (const auto *declarations = dyn_cast<DeclStmt>(statement))
      for (const Decl *declaration : declarations->decls())
        if (const auto *variable = dyn_cast<VarDecl>(declaration);
            variable && isTransient(variable))
          found.push_back(variable);
    for (const Stmt *child : statement->children())
      if (child)
        visit(child);
  }

  std::vector<const VarDecl *> found;

private:
  bool isTransient(const VarDecl *variable) {
    if (!variable->isLocalVarDecl() || !variable->hasLocalStorage() || !variable->hasInit())
      return false;
    const auto *made = dyn_cast<CXXConstructExpr>(strip(variable->getInit()));
    return made && !isNull(made) && uses.makesModule(made) &&
           uses.holdsModules(variable->getType()) &&
           natures.of(canonical(variable)).stateful == Answer::Yes && !mayLackState(*variable) &&
           otherMentions(body, variable) == 0;
  }

  const Stmt *body;
  ModuleUses &uses;
  ModuleNatures &natures;
};

} // namespace

std::vector<const VarDecl *> findTransients(const Stmt *body, ModuleUses &uses,
                                            ModuleNatures &natures) {
  Search search(body, uses, natures);
  search.visit(body);
  return std::move(search.found);
}

} // namespace gradtidy
