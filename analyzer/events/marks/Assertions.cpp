#include "Assertions.h"

#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace gradtidy {
namespace {

StringRef nameOf(const CallExpr &call) {
  if (const FunctionDecl *callee = call.getDirectCallee())
    return simpleName(callee);
  // In templates and damaged code, overloads may be open.
  const auto *open = dyn_cast<OverloadExpr>(call.getCallee()->IgnoreParenImpCasts());
  return open && open->getName().isIdentifier() ? open->getName().getAsIdentifierInfo()->getName()
                                                : StringRef();
}

bool isNanTest(const Stmt *statement) {
  const auto *call = dyn_cast<CallExpr>(statement);
  return call &&
         llvm::StringSwitch<bool>(nameOf(*call))
             .Cases({"isnan", "isinf", "isfinite", "isposinf", "isneginf", "isnormal"}, true)
             .Default(false);
}

/// Whether \p value, or what the variables in it were made of, is the answer to a test for NaN.
bool testsNan(const Stmt *value, unsigned depth = 0) {
  bool isFound = false;
  forEach(value, [&](const Stmt *part) {
    isFound |= isNanTest(part);
    const auto *reference = dyn_cast<DeclRefExpr>(part);
    const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (variable && variable->isLocalVarDecl() && variable->hasInit() && depth < 2)
      isFound |= testsNan(variable->getInit(), depth + 1);
  });
  return isFound;
}

/// Whether \p statement ends what runs, with an error.
bool givesUp(const Stmt *statement, bool isAnyEnd) {
  bool isFound = false;
  forEach(statement, [&](const Stmt *part) {
    const auto *call = dyn_cast<CallExpr>(part);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    const bool isExit = callee && llvm::StringSwitch<bool>(simpleName(callee))
                                      .Cases({"exit", "_exit", "_Exit", "quick_exit"}, true)
                                      .Default(false);
    isFound |= isa<CXXThrowExpr>(part) || (callee && callee->isNoReturn() && (isAnyEnd || !isExit));
  });
  return isFound;
}

/// Whether \p statement does nothing but to print.
bool isMessage(const Stmt *statement) {
  if (const auto *block = dyn_cast<CompoundStmt>(statement))
    return !block->body_empty() && llvm::all_of(block->body(), isMessage);
  const auto *expr = dyn_cast<Expr>(statement);
  const auto *call = expr ? dyn_cast<CallExpr>(expr->IgnoreUnlessSpelledInSource()) : nullptr;
  if (!call)
    return false;
  if (const auto *operation = dyn_cast<CXXOperatorCallExpr>(call))
    return operation->getOperator() == OO_LessLess;
  return llvm::StringSwitch<bool>(nameOf(*call))
      .Cases({"printf", "fprintf", "puts", "fputs", "print", "println", "perror", "fflush"}, true)
      .Default(false);
}

/// Whether a value that \p outer makes of \p inner tells no more than that.
bool handsOn(const Expr *outer, const Stmt *inner) {
  if (const auto *operation = dyn_cast<BinaryOperator>(outer))
    return operation->isComparisonOp() || operation->isLogicalOp();
  if (const auto *call = dyn_cast<CallExpr>(outer))
    return isNanTest(call) || llvm::StringSwitch<bool>(nameOf(*call))
                                  .Cases({"__builtin_expect", "abs", "fabs", "to", "toBool",
                                          "toFloat", "toDouble", "item"},
                                         true)
                                  .Default(false);
  return isa<CastExpr, ParenExpr, UnaryOperator, FullExpr, MaterializeTemporaryExpr, MemberExpr,
             CXXBindTemporaryExpr>(outer);
}

/// Whether the text around \p site is there for debugging alone: `#ifndef NDEBUG`, or a macro that
/// says so.
bool isForDebugging(SourceLocation site, const ASTContext &context) {
  const SourceManager &sources = context.getSourceManager();
  for (SourceLocation inner = site; inner.isMacroID();
       inner = sources.getImmediateMacroCallerLoc(inner))
    if (Lexer::getImmediateMacroName(inner, sources, context.getLangOpts())
            .contains_insensitive("debug"))
      return true;
  const auto [file, offset] = sources.getDecomposedLoc(sources.getExpansionLoc(site));
  StringRef rest = sources.getBufferData(file).take_front(offset);
  llvm::SmallVector<bool, 8> open; // By directives: whether they ask for debugging.
  while (!rest.empty()) {
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    line = line.ltrim();
    if (!line.consume_front("#"))
      continue;
    line = line.ltrim();
    if (line.starts_with("if"))
      open.push_back(line.contains_insensitive("debug"));
    else if (line.starts_with("endif") && !open.empty())
      open.pop_back();
  }
  return llvm::is_contained(open, true);
}

class Assertion {
public:
  Assertion(const CallExpr &read, const FunctionBody &function)
      : function(function), isNan(testsNan(objectOf(&read))),
        isFloating(read.getType()->isRealFloatingType()), isOne(decidesOnEnd(&read)) {}

  bool holds() const { return isOne; }

private:
  bool decidesOnEnd(const Stmt *value, bool isNamed = false) {
    for (const Stmt *outer = function.statementAround(value); outer;
         value = outer, outer = function.statementAround(outer)) {
      if (const auto *choice = dyn_cast<IfStmt>(outer))
        return value == choice->getCond() && !choice->getElse() && isEnd(choice->getThen());
      if (const auto *declarations = dyn_cast<DeclStmt>(outer))
        return !isNamed && declarations->isSingleDecl() &&
               isAskedForEnd(dyn_cast<VarDecl>(declarations->getSingleDecl()));
      const auto *expr = dyn_cast<Expr>(outer);
      if (!expr || !handsOn(expr, value))
        return false;
      isNan |= isNanTest(expr);
      const auto *known = dyn_cast<CallExpr>(expr);
      isFloating |= known && llvm::is_contained({"toFloat", "toDouble"}, nameOf(*known));
    }
    return false;
  }

  bool isEnd(const Stmt *then) const {
    return isNan ? givesUp(then, /*isAnyEnd=*/true) || isMessage(then)
                 : isFloating && givesUp(then, /*isAnyEnd=*/false);
  }

  /// Whether all that names the variable does so for an assertion.
  bool isAskedForEnd(const VarDecl *variable) {
    bool isAll = variable && variable->isLocalVarDecl(), isAsked = false;
    forEach(isAll ? function.body : nullptr, [&](const Stmt *part) {
      const auto *reference = dyn_cast<DeclRefExpr>(part);
      if (!reference || reference->getDecl() != variable || !isAll)
        return;
      isAll = decidesOnEnd(reference, /*isNamed=*/true);
      isAsked = true;
    });
    return isAll && isAsked;
  }

  const FunctionBody &function;
  bool isNan, isFloating;
  bool isOne;
};

} // namespace

bool isAsserted(const CallExpr &read, const FunctionBody &function, const ASTContext &context) {
  return Assertion(read, function).holds() && !isForDebugging(read.getBeginLoc(), context);
}

} // namespace gradtidy
