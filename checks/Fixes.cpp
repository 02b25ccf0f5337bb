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
  bool arrow = expr->getType()->isPointerType() || object.role == TypeRole::ModuleHolder;
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

namespace {

/// Behind the semicolon of \p statement, if it has one. Invalid where the statement goes on.
clang::SourceLocation endOfStatement(const Visit &visit, const clang::Stmt *statement) {
  const clang::SourceManager &sources = visit.context.getSourceManager();
  clang::SourceLocation end = clang::Lexer::findLocationAfterToken(
      statement->getEndLoc(), clang::tok::semi, sources, visit.context.getLangOpts(),
      /*SkipTrailingWhitespaceAndNewLine=*/false);
  if (end.isValid() || llvm::isa<clang::Expr>(statement))
    return end;
  // Of blocks and declarations the last token is the end.
  return clang::Lexer::getLocForEndOfToken(statement->getEndLoc(), 0, sources,
                                           visit.context.getLangOpts());
}

} // namespace

Fix insertAfter(const Visit &visit, const Event &event, llvm::StringRef text) {
  const clang::Expr *statement = event.function->fullExpressionOf(event.site);
  if (!statement || statement->getBeginLoc().isMacroID())
    return {};
  if (event.function->compoundOf(statement))
    return insertBehind(visit, statement, text);
  return enclose(visit, *statement, "{ ", (" " + text + " }").str());
}

Fix enclose(const Visit &visit, const clang::Expr &statement, llvm::StringRef before,
            llvm::StringRef behind) {
  const clang::SourceLocation end = endOfStatement(visit, &statement);
  if (statement.getBeginLoc().isMacroID() || end.isInvalid())
    return {}; // Part of a larger statement.
  return {clang::FixItHint::CreateInsertion(statement.getBeginLoc(), before),
          clang::FixItHint::CreateInsertion(end, behind)};
}

Fix insertBehind(const Visit &visit, const clang::Stmt *statement, llvm::StringRef text) {
  const clang::SourceManager &sources = visit.context.getSourceManager();
  clang::SourceLocation begin = statement->getBeginLoc();
  clang::SourceLocation end = endOfStatement(visit, statement);
  if (begin.isMacroID() || end.isInvalid())
    return {};
  // A comment behind the statement stays there.
  llvm::StringRef rest = llvm::StringRef(sources.getCharacterData(end)).split('\n').first;
  if (rest.ltrim().starts_with("//"))
    end = end.getLocWithOffset(static_cast<int>(rest.rtrim('\r').size()));
  return {
      clang::FixItHint::CreateInsertion(end, ("\n" + indentation(begin, sources) + text).str())};
}

clang::SourceLocation endOf(const Visit &visit, const clang::Expr *expr) {
  return clang::Lexer::getLocForEndOfToken(expr->getEndLoc(), 0, visit.context.getSourceManager(),
                                           visit.context.getLangOpts());
}

Fix removeStatement(const Visit &visit, const Event &event) {
  const clang::SourceManager &sources = visit.context.getSourceManager();
  const clang::Stmt *statement = event.function->statementOf(event.site);
  if (!statement || !event.function->compoundOf(statement) || statement->getBeginLoc().isMacroID())
    return {};
  clang::SourceLocation begin = statement->getBeginLoc();
  clang::SourceLocation end = endOfStatement(visit, statement);
  if (end.isInvalid())
    return {};
  llvm::StringRef rest = sources.getCharacterData(end);
  llvm::StringRef indent = indentation(begin, sources);
  llvm::StringRef behind = rest.take_until([](char c) { return c == '\n'; }).trim();
  bool isAlone = sources.getSpellingColumnNumber(begin) == indent.size() + 1 &&
                 (behind.empty() || behind.starts_with("//"));
  if (isAlone) {
    begin = begin.getLocWithOffset(-static_cast<int>(indent.size()));
    end = end.getLocWithOffset(static_cast<int>(rest.find('\n') + 1));
  }
  return {clang::FixItHint::CreateRemoval(clang::CharSourceRange::getCharRange(begin, end))};
}

Fix append(const Visit &visit, const clang::Expr *expr, llvm::StringRef text) {
  if (!expr || textOf(visit, expr).empty())
    return {};
  const clang::Expr *inner = expr->IgnoreImplicit();
  const auto *operation = llvm::dyn_cast<clang::CXXOperatorCallExpr>(inner);
  bool isOperation =
      llvm::isa<clang::BinaryOperator, clang::UnaryOperator, clang::AbstractConditionalOperator>(
          inner) ||
      (operation && operation->getOperator() != clang::OO_Call &&
       operation->getOperator() != clang::OO_Subscript);
  clang::SourceLocation end = endOf(visit, inner);
  if (!isOperation)
    return {clang::FixItHint::CreateInsertion(end, text)};
  return {clang::FixItHint::CreateInsertion(inner->getBeginLoc(), "("),
          clang::FixItHint::CreateInsertion(end, (")" + text).str())};
}

/// Whether the memory to which \p pointer leads is written: `p[0] = 1`, `memcpy(p, …)`.
static bool isWritten(const clang::Expr &pointer, const FunctionBody &function) {
  const clang::Stmt *inner = &pointer;
  bool isElement = false;
  for (const clang::Stmt *outer = function.statementAround(inner);
       llvm::isa_and_nonnull<clang::Expr>(outer); outer = function.statementAround(inner = outer)) {
    if (const auto *operation = llvm::dyn_cast<clang::BinaryOperator>(outer);
        operation && operation->isAssignmentOp())
      return isElement && operation->getLHS() == inner;
    if (const auto *call = llvm::dyn_cast<clang::CallExpr>(outer)) {
      const clang::FunctionDecl *callee = call->getDirectCallee();
      return callee && callee->getIdentifier() && callee->getName().starts_with("mem") &&
             call->getArg(0) == inner;
    }
    isElement |= llvm::isa<clang::ArraySubscriptExpr, clang::UnaryOperator>(outer);
  }
  return false;
}

Fix appendForRead(const Visit &visit, llvm::StringRef text) {
  const FunctionBody &function = *visit.event.function;
  const clang::Stmt *statement = function.statementOf(visit.event.site);
  const auto isOther = [&](const Event &event) {
    return event.hostRead != HostRead::None && &event != &visit.event &&
           function.statementOf(event.site) == statement;
  };
  const auto *pointer = llvm::cast<clang::Expr>(visit.event.site);
  if (llvm::isa<clang::DeclStmt>(statement) || isWritten(*pointer, function) ||
      visit.event.operation != Operation::PointToMemory ||
      llvm::any_of(function.blocks,
                   [&](const Block &block) { return llvm::any_of(block.events, isOther); }))
    return {};
  return append(visit, visit.event.subject.expr, text);
}

llvm::StringRef textOf(const Visit &visit, const clang::Expr *expr) {
  return textOf(visit, expr->IgnoreImplicit()->getSourceRange());
}

llvm::StringRef textOf(const Visit &visit, clang::SourceRange range) {
  if (range.getBegin().isMacroID() || range.getEnd().isMacroID())
    return {};
  return clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(range),
                                     visit.context.getSourceManager(), visit.context.getLangOpts());
}

} // namespace gradtidy
