#include "Fixes.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

namespace gradtidy {
namespace {

/// The white space in front of the line of \p location.
llvm::StringRef indentation(clang::SourceLocation location, const clang::SourceManager &sources) {
  auto [file, offset] = sources.getDecomposedLoc(location);
  llvm::StringRef text = sources.getBufferData(file);
  llvm::StringRef line = text.take_front(offset);
  line = line.substr(line.rfind('\n') + 1);
  return line.take_while([](char c) { return c == ' ' || c == '\t'; });
}

} // namespace

std::string memberPrefix(const Visit &visit, const Operand &object) {
  const clang::Expr *expr = object.expr;
  if (!expr)
    return "";
  expr = expr->IgnoreImpCasts();
  bool arrow = expr->getType()->isPointerType();
  if (const auto *operation = llvm::dyn_cast<clang::CXXOperatorCallExpr>(expr);
      operation && operation->getOperator() == clang::OO_Arrow) {
    arrow = true;
    expr = operation->getArg(0);
  }
  if (expr->getBeginLoc().isMacroID() || expr->HasSideEffects(visit.context))
    return "";
  llvm::StringRef text =
      clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(expr->getSourceRange()),
                                  visit.context.getSourceManager(), visit.context.getLangOpts());
  // `step()` in a method of the optimizer itself: there is no object to name.
  if (text.empty() || llvm::isa<clang::CXXThisExpr>(expr))
    return "";
  return (text + (arrow ? "->" : ".")).str();
}

Fix insertBefore(const Visit &visit, const clang::Stmt *statement, llvm::StringRef text) {
  clang::SourceLocation begin = statement->getBeginLoc();
  if (begin.isMacroID())
    return {};
  llvm::StringRef indent = indentation(begin, visit.context.getSourceManager());
  return {clang::FixItHint::CreateInsertion(begin, (text + "\n" + indent).str())};
}

Fix insertAfter(const Visit &visit, const Event &event, llvm::StringRef text) {
  const clang::SourceManager &sources = visit.context.getSourceManager();
  const clang::Expr *statement = event.function->fullExpressionOf(event.site);
  if (!statement || statement->getBeginLoc().isMacroID())
    return {};
  clang::SourceLocation begin = statement->getBeginLoc();
  clang::SourceLocation end = clang::Lexer::findLocationAfterToken(
      statement->getEndLoc(), clang::tok::semi, sources, visit.context.getLangOpts(),
      /*SkipTrailingWhitespaceAndNewLine=*/false);
  if (end.isInvalid())
    return {}; // Part of a larger statement.
  if (!event.function->compoundOf(statement))
    return {clang::FixItHint::CreateInsertion(begin, "{ "),
            clang::FixItHint::CreateInsertion(end, (" " + text + " }").str())};
  // A comment behind the statement stays there.
  llvm::StringRef rest = llvm::StringRef(sources.getCharacterData(end)).split('\n').first;
  if (rest.ltrim().starts_with("//"))
    end = end.getLocWithOffset(static_cast<int>(rest.rtrim('\r').size()));
  return {
      clang::FixItHint::CreateInsertion(end, ("\n" + indentation(begin, sources) + text).str())};
}

} // namespace gradtidy
