#include "Assertions.h"

#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
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
  if (const auto *choice = dyn_cast<IfStmt>(statement))
    return isMessage(choice->getThen()) && (!choice->getElse() || isMessage(choice->getElse()));
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

/// Whether \p statement does nothing, and nothing is left out of it by the preprocessor.
bool isEmpty(const Stmt *statement, const ASTContext &context) {
  const auto *block = dyn_cast<CompoundStmt>(statement);
  const bool hasText =
      block && Lexer::getSourceText(CharSourceRange::getTokenRange(block->getSourceRange()),
                                    context.getSourceManager(), context.getLangOpts())
                   .contains('#');
  return block && block->body_empty() && !hasText && !block->getBeginLoc().isMacroID();
}

/// How often the text of the function names \p variable, also where the preprocessor leaves it out.
unsigned mentions(const VarDecl &variable, const FunctionCode &function,
                  const ASTContext &context) {
  const SourceManager &sources = context.getSourceManager();
  const SourceLocation begin = sources.getExpansionLoc(function.body->getBeginLoc());
  const auto [file, offset] = sources.getDecomposedLoc(begin);
  const unsigned end = sources.getFileOffset(sources.getExpansionLoc(function.body->getEndLoc()));
  const StringRef text = sources.getBufferData(file);
  Lexer lexer(sources.getLocForStartOfFile(file), context.getLangOpts(), text.begin(),
              text.begin() + offset, text.end());
  unsigned count = 0;
  Token token;
  while (!lexer.LexFromRawLexer(token) && sources.getFileOffset(token.getLocation()) < end)
    count += token.is(tok::raw_identifier) && token.getRawIdentifier() == variable.getName();
  return count;
}

class Assertion {
public:
  Assertion(const CallExpr &read, const FunctionCode &function)
      : function(function), question(&read), isNan(testsNan(objectOf(&read))),
        isFloating(read.getType()->isRealFloatingType()) {
    if (!decidesOnEnd(&read))
      question = nullptr;
  }

  /// What asks for the number; null if it is read for more.
  const Stmt *asked() const { return question; }

private:
  bool decidesOnEnd(const Stmt *value, bool isNamed = false) {
    const BinaryOperator *condition = nullptr; // `!isNan && …`
    for (const Stmt *outer = function.statementAround(value); outer;
         value = outer, outer = function.statementAround(outer)) {
      if (const auto *choice = dyn_cast<IfStmt>(outer))
        return value == choice->getCond() && !choice->getElse() &&
               (isEnd(choice->getThen()) || (!isNamed && isRemembered(*choice, condition)));
      if (const auto *declarations = dyn_cast<DeclStmt>(outer))
        return !isNamed && declarations->isSingleDecl() &&
               isAskedForEnd(dyn_cast<VarDecl>(declarations->getSingleDecl()));
      const auto *expr = dyn_cast<Expr>(outer);
      if (!expr || !handsOn(expr, value))
        return false;
      if (const auto *both = dyn_cast<BinaryOperator>(expr);
          both && both->getOpcode() == BO_LAnd && value == both->getRHS())
        condition = both;
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

  /// Whether a variable keeps that there was a NaN, for a message. What is asked no more after the
  /// first is asked in every round while all is well.
  bool isRemembered(const IfStmt &choice, const BinaryOperator *condition) {
    const Stmt *then = choice.getThen();
    if (const auto *block = dyn_cast<CompoundStmt>(then); block && block->size() == 1)
      then = block->body_front();
    const auto *assignment = dyn_cast<BinaryOperator>(then);
    const auto *count = dyn_cast<UnaryOperator>(then);
    const VarDecl *flag = assignment && assignment->isAssignmentOp() &&
                                  (isa<CXXBoolLiteralExpr>(assignment->getRHS()) ||
                                   assignment->isCompoundAssignmentOp())
                              ? variableOf(assignment->getLHS())
                          : count && count->isIncrementOp() ? variableOf(count->getSubExpr())
                                                            : nullptr;
    if (!isNan || !flag || !flag->isLocalVarDecl() || !flag->getType()->isArithmeticType())
      return false;
    bool isSaid = false, isMore = false;
    forEach(function.body, [&](const Stmt *part) {
      const auto *reference = dyn_cast<DeclRefExpr>(part);
      if (!reference || reference->getDecl() != flag)
        return;
      const Stmt *value = reference;
      const Stmt *outer = function.statementAround(value);
      while (isa_and_nonnull<Expr>(outer) && !isMessage(outer))
        outer = function.statementAround(value = outer);
      const auto *asked = dyn_cast_or_null<IfStmt>(outer);
      const bool isMessageOf =
          (outer && isMessage(outer)) || (asked && value == asked->getCond() && isMessage(asked));
      isSaid |= isMessageOf;
      const auto *reset = dyn_cast_or_null<BinaryOperator>(function.statementOf(reference));
      const bool isReset = reset && reset->getOpcode() == BO_Assign &&
                           isa<CXXBoolLiteralExpr, IntegerLiteral>(strip(reset->getRHS()));
      isMore |=
          !isMessageOf && !isReset && asked != &choice && function.statementOf(reference) != then;
    });
    if (!isSaid || isMore)
      return false;
    bool asksMore = false;
    forEach(condition ? condition->getLHS() : nullptr, [&](const Stmt *part) {
      const auto *reference = dyn_cast<DeclRefExpr>(part);
      asksMore |= isa<CallExpr, MemberExpr>(part) || (reference && reference->getDecl() != flag);
    });
    if (condition && !asksMore)
      question = &choice;
    return true;
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

  const FunctionCode &function;
  const Stmt *question;
  bool isNan, isFloating;
};

} // namespace

const Stmt *assertionOf(const CallExpr &read, const FunctionCode &function,
                        const ASTContext &context) {
  const Stmt *asked = Assertion(read, function).asked();
  return asked && !isForDebugging(read.getBeginLoc(), context) ? asked : nullptr;
}

bool isVain(const CallExpr &read, const FunctionCode &function, const ASTContext &context) {
  const Stmt *value = &read;
  const Stmt *outer = function.statementAround(value);
  for (; isa_and_nonnull<Expr>(outer); outer = function.statementAround(value = outer))
    if (!handsOn(cast<Expr>(outer), value))
      return false;
  if (const auto *choice = dyn_cast_or_null<IfStmt>(outer))
    return value == choice->getCond() && !choice->getElse() && isEmpty(choice->getThen(), context);
  const auto *declarations = dyn_cast_or_null<DeclStmt>(outer);
  const auto *variable = declarations && declarations->isSingleDecl()
                             ? dyn_cast<VarDecl>(declarations->getSingleDecl())
                             : nullptr;
  // Some only want to wait.
  return variable && variable->isLocalVarDecl() && !variable->hasAttr<UnusedAttr>() &&
         !variable->getLocation().isMacroID() &&
         !variable->getName().contains_insensitive("sync") &&
         !variable->getName().contains_insensitive("dummy") &&
         mentions(*variable, function, context) == 1;
}

} // namespace gradtidy
