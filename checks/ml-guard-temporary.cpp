// A guard acts as long as it lives. Without a name it is gone at the end of its statement, and
// `Guard guard();` declares a function: what follows is not guarded.

#include "Check.h"
#include "Fixes.h"

#include "clang/AST/ExprCXX.h"

namespace gradtidy {
namespace {

class GuardTemporary : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &guard = visit.event;
    const bool isGuard =
        guard.kind == EventKind::EnterGradMode || guard.kind == EventKind::EnterAutocast;
    if (!isGuard || !guard.isDiscarded)
      return;

    Finding finding(Level::Certain, guard);
    const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(guard.site);
    const clang::Decl *declared = declaration ? declaration->getSingleDecl() : nullptr;
    if (const auto *variable = llvm::dyn_cast_or_null<clang::VarDecl>(declared)) {
      finding.level = Level::Likely;
      finding.location = variable->getLocation();
      finding.message = "'" + variable->getNameAsString() +
                        "' guards nothing: it ends with its block, in the rest of which nothing "
                        "is computed";
      if (const clang::CompoundStmt *block = guard.function->compoundOf(declaration))
        finding.notes.push_back({block->getRBracLoc(), "it ends here"});
    } else if (const auto *function = llvm::dyn_cast_or_null<clang::FunctionDecl>(declared)) {
      finding.location = function->getLocation();
      finding.message = "'" + function->getNameAsString() +
                        "' is a function that is declared here, no guard: what follows is not "
                        "guarded";
      finding.fixes = dropParentheses(visit, *function);
    } else {
      finding.message =
          "the guard has no name, so it ends with this statement: what follows is not "
          "guarded";
      finding.fixes = giveName(visit, llvm::cast<clang::Expr>(*guard.site));
    }
    reporter.report(std::move(finding));
  }

private:
  static Fix dropParentheses(const Visit &visit, const clang::FunctionDecl &function) {
    const clang::SourceRange parameters = function.getFunctionTypeLoc().getParensRange();
    if (parameters.isInvalid() || parameters.getBegin().isMacroID())
      return {};
    return {clang::FixItHint::CreateRemoval(parameters)};
  }

  /// `Guard(…);` becomes `Guard guard(…);`, without parentheses where nothing is in them.
  static Fix giveName(const Visit &visit, const clang::Expr &temporary) {
    const auto *made = llvm::dyn_cast<clang::CXXTemporaryObjectExpr>(&temporary);
    clang::SourceRange arguments;
    if (made)
      arguments = made->getParenOrBraceRange();
    const auto *cast = llvm::dyn_cast<clang::CXXFunctionalCastExpr>(&temporary);
    if (cast)
      arguments = {cast->getLParenLoc(), cast->getRParenLoc()};
    // As a branch by itself it would end with that.
    if (arguments.isInvalid() || temporary.getBeginLoc().isMacroID() ||
        !visit.event.function->expressionStatementOf(&temporary))
      return {};
    if (made && made->getNumArgs() == 0)
      return {clang::FixItHint::CreateReplacement(arguments, " guard")};
    return {clang::FixItHint::CreateInsertion(arguments.getBegin(), " guard")};
  }
};

} // namespace

std::unique_ptr<Check> makeGuardTemporary() { return std::make_unique<GuardTemporary>(); }

} // namespace gradtidy
