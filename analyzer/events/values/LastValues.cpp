#include "LastValues.h"

#include "Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/CharInfo.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace gradtidy {

static bool isMention(const Stmt *statement, const VarDecl &variable) {
  const auto *reference = dyn_cast<DeclRefExpr>(statement);
  return reference && reference->getDecl() == &variable;
}

namespace {

/// Goes through a function in the order in which it is written.
class Reader {
public:
  Reader(const Expr &assignment, const VarDecl &variable)
      : assignment(assignment), variable(variable) {}

  /// False as soon as the value may be read.
  bool visit(const Stmt *statement) {
    if (statement == &assignment) {
      isBehind = true; // What the assignment itself reads is the value from before.
      return loops == 0;
    }
    if (isMention(statement, variable))
      return !isBehind;
    if (makesAlias(statement))
      return false;
    if (const auto *closure = dyn_cast<LambdaExpr>(statement))
      return llvm::none_of(closure->captures(), [&](const LambdaCapture &capture) {
        return capture.capturesVariable() && capture.getCapturedVar() == &variable;
      });
    if (isa<GotoStmt, LabelStmt>(statement))
      return false;
    const unsigned around = loops;
    if (isDeclared && isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(statement))
      ++loops;
    if (const auto *declarations = dyn_cast<DeclStmt>(statement))
      isDeclared |= llvm::is_contained(declarations->decls(), &variable);
    for (const Stmt *child : statement->children())
      if (child && !visit(child))
        return false;
    loops = around;
    return true;
  }

  bool isDeclared = false;

private:
  /// Whether the variable gets another name: `&x`, `auto &y = x`.
  bool makesAlias(const Stmt *statement) const {
    if (const auto *address = dyn_cast<UnaryOperator>(statement))
      return address->getOpcode() == UO_AddrOf && isMention(strip(address), variable);
    const auto *declarations = dyn_cast<DeclStmt>(statement);
    return declarations && llvm::any_of(declarations->decls(), [&](const Decl *declaration) {
             const auto *alias = dyn_cast<VarDecl>(declaration);
             return alias && alias->getType()->isReferenceType() && alias->hasInit() &&
                    isMention(strip(alias->getInit()), variable);
           });
  }

  const Expr &assignment;
  const VarDecl &variable;
  unsigned loops = 0; ///< Around what is visited, and within the scope of the variable.
  bool isBehind = false;
};

} // namespace

/// Whether \p function is written with the name of \p variable behind \p assignment: where there
/// are errors, statements that mention it may be missing.
static bool isWrittenBehind(const Expr &assignment, const VarDecl &variable,
                            const FunctionDecl &function) {
  const ASTContext &context = function.getASTContext();
  const StringRef name = variable.getName();
  StringRef rest = Lexer::getSourceText(
      CharSourceRange::getTokenRange(assignment.getEndLoc(), function.getBody()->getEndLoc()),
      context.getSourceManager(), context.getLangOpts());
  rest = rest.drop_until([](char each) { return each == ';'; });
  const auto isPart = [](char each) { return isAsciiIdentifierContinue(each); };
  for (size_t at = rest.find(name); at != StringRef::npos; at = rest.find(name, at + 1)) {
    const StringRef behind = rest.drop_front(at + name.size());
    if (!isPart(rest[at - 1]) && (behind.empty() || !isPart(behind.front())))
      return true;
  }
  return false;
}

bool isLastMention(const Expr &assignment, const VarDecl &variable, const FunctionDecl &function) {
  Reader reader(assignment, variable);
  reader.isDeclared = isa<ParmVarDecl>(variable);
  return reader.visit(function.getBody()) &&
         !(function.getASTContext().getDiagnostics().hasErrorOccurred() &&
           isWrittenBehind(assignment, variable, function));
}

} // namespace gradtidy
