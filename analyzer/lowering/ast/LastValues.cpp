#include "LastValues.h"

#include "Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/CharInfo.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

#include <algorithm>

using namespace clang;

namespace gradtidy {

/// Goes through a function in the order in which it is written.
class LastValues::Reader {
public:
  explicit Reader(LastValues &result) : result(result) {}

  void visit(const Stmt *statement) {
    const unsigned begin = ++number, around = loop;
    if (const VarDecl *variable = mentioned(statement))
      result.uses[variable].lastMention = begin;
    else if (const auto *address = dyn_cast<UnaryOperator>(statement);
             address && address->getOpcode() == UO_AddrOf)
      escape(mentioned(strip(address)));
    else if (const auto *declarations = dyn_cast<DeclStmt>(statement))
      declare(*declarations);
    else if (const auto *closure = dyn_cast<LambdaExpr>(statement))
      return keep(*closure);
    else if (isa<GotoStmt, LabelStmt>(statement))
      result.hasJumps = true;
    else if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(statement))
      loop = begin;
    for (const Stmt *child : statement->children())
      if (child)
        visit(child);
    loop = around;
    if (isa<CallExpr>(statement))
      result.calls[cast<Expr>(statement)] = {begin, number, loop};
  }

private:
  static const VarDecl *mentioned(const Stmt *statement) {
    const auto *reference = dyn_cast_or_null<DeclRefExpr>(statement);
    return reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  }

  /// `auto &y = x` gives x another name.
  void declare(const DeclStmt &declarations) {
    for (const Decl *declaration : declarations.decls())
      if (const auto *variable = dyn_cast<VarDecl>(declaration)) {
        result.uses[variable].declaration = number;
        if (variable->getType()->isReferenceType() && variable->hasInit())
          escape(mentioned(strip(variable->getInit())));
      }
  }

  void keep(const LambdaExpr &closure) {
    for (const LambdaCapture &capture : closure.captures())
      if (capture.capturesVariable())
        escape(dyn_cast<VarDecl>(capture.getCapturedVar()));
  }

  void escape(const VarDecl *variable) {
    if (!variable)
      return;
    Uses &uses = result.uses[variable];
    uses.firstEscape = std::min(uses.firstEscape, number);
    uses.lastEscape = number;
  }

  LastValues &result;
  unsigned number = 0;
  unsigned loop = 0; ///< The innermost one around what is visited.
};

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

LastValues::LastValues(const FunctionDecl &function) : function(function) {
  Reader(*this).visit(function.getBody());
}

bool LastValues::isLastMention(const CallExpr &assignment, const VarDecl &variable) const {
  const auto call = calls.find(&assignment);
  if (call == calls.end() || hasJumps)
    return false;
  const auto [begin, end, loop] = call->second;
  const Uses named = uses.lookup(&variable);
  // What the assignment itself reads is the value from before.
  const bool hasEscaped = named.firstEscape < begin || named.lastEscape > end;
  const bool comesRound = loop > named.declaration;
  return !hasEscaped && !comesRound && named.lastMention <= end &&
         !(function.getASTContext().getDiagnostics().hasErrorOccurred() &&
           isWrittenBehind(assignment, variable, function));
}

} // namespace gradtidy
