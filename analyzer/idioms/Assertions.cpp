#include "Assertions.h"

#include "CodeForms.h"
#include "analyzer/ir/UserWords.h"

#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;
using clang::SourceLocation;

static bool isNanTest(const Node &code) { return code.calledAspects().hasAny(numberTests); }

/// Whether \p value, or what the variables in it were made of, is the answer to a test for NaN.
static bool testsNan(const Node *value, unsigned depth = 0) {
  bool isFound = false;
  forEach(value, [&](const Node &part) {
    const Symbol *variable = part.kind == NodeKind::Reference ? part.symbol : nullptr;
    isFound |= isNanTest(part) ||
               (variable && variable->isLocal && depth < 2 && testsNan(variable->init, depth + 1));
  });
  return isFound;
}

/// Whether \p code ends what runs, with an error.
static bool givesUp(const Node *code, bool isAnyEnd) {
  bool isFound = false;
  forEach(code, [&](const Node &part) {
    const Symbol *callee = part.isCall() ? part.symbol : nullptr;
    isFound |=
        part.kind == NodeKind::Throw ||
        (callee && callee->neverReturns &&
         (isAnyEnd || !llvm::is_contained({"exit", "_exit", "_Exit", "quick_exit"}, callee->name)));
  });
  return isFound;
}

/// Whether \p code does nothing but to print.
static bool isMessage(const Node *code) {
  if (code->kind == NodeKind::Compound)
    return !code->children.empty() && llvm::all_of(code->children, isMessage);
  if (code->kind == NodeKind::If)
    return isMessage(code->body) && (!code->otherwise || isMessage(code->otherwise));
  const Node &expr = code->spelled();
  return expr.kind == NodeKind::OperatorCall
             ? expr.op == "<<"
             : llvm::is_contained(
                   {"printf", "fprintf", "puts", "fputs", "print", "println", "perror", "fflush"},
                   nameOfCallee(expr));
}

/// Whether a value that \p outer makes of another tells no more than that.
static bool handsOn(const Node &outer) {
  switch (outer.kind) {
  case NodeKind::Binary:
    return isComparison(outer) || outer.op == "&&" || outer.op == "||";
  case NodeKind::Parentheses:
  case NodeKind::Unary:
  case NodeKind::Member:
  case NodeKind::Cast:
  case NodeKind::FunctionalCast:
    return true;
  default:
    return outer.calledAspects().hasAny(
               {Aspect::TakesMagnitude, Aspect::ConvertsScalar, Aspect::ReadsScalar}) ||
           isNanTest(outer) || nameOfCallee(outer) == "__builtin_expect";
  }
}

/// Whether the text around \p site is there for debugging alone: `#ifndef NDEBUG`, or a macro that
/// says so.
static bool isForDebugging(SourceLocation site, const clang::SourceManager &sources,
                           const clang::LangOptions &language) {
  for (SourceLocation inner = site; inner.isMacroID();
       inner = sources.getImmediateMacroCallerLoc(inner))
    if (words::speaksOfDebugging(clang::Lexer::getImmediateMacroName(inner, sources, language)))
      return true;
  const auto [file, offset] = sources.getDecomposedLoc(sources.getExpansionLoc(site));
  llvm::StringRef rest = sources.getBufferData(file).take_front(offset);
  llvm::SmallVector<bool, 8> open; // By directives: whether they ask for debugging.
  while (!rest.empty()) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    line = line.ltrim();
    if (!line.consume_front("#"))
      continue;
    line = line.ltrim();
    if (line.starts_with("if"))
      open.push_back(words::speaksOfDebugging(line));
    else if (line.starts_with("endif") && !open.empty())
      open.pop_back();
  }
  return llvm::is_contained(open, true);
}

/// Whether \p code does nothing, and nothing is left out of it by the preprocessor.
static bool isEmpty(const Node &code, const clang::SourceManager &sources,
                    const clang::LangOptions &language) {
  return code.kind == NodeKind::Compound && code.children.empty() && !code.begin().isMacroID() &&
         !clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(code.range), sources,
                                      language)
              .contains('#');
}

/// How often the text of the function names \p variable, also where the preprocessor leaves it out.
static unsigned countInText(const Symbol &variable, const FunctionBody &function,
                            const clang::SourceManager &sources,
                            const clang::LangOptions &language) {
  const SourceLocation begin = sources.getExpansionLoc(function.body->begin());
  const auto [file, offset] = sources.getDecomposedLoc(begin);
  const unsigned end = sources.getFileOffset(sources.getExpansionLoc(function.body->end()));
  const llvm::StringRef text = sources.getBufferData(file);
  clang::Lexer lexer(sources.getLocForStartOfFile(file), language, text.begin(),
                     text.begin() + offset, text.end());
  unsigned count = 0;
  clang::Token token;
  while (!lexer.LexFromRawLexer(token) && sources.getFileOffset(token.getLocation()) < end)
    count += token.is(clang::tok::raw_identifier) && token.getRawIdentifier() == variable.name;
  return count;
}

namespace {

class Assertion {
public:
  Assertion(const Node &read, const FunctionBody &function)
      : function(function), question(&read), isNan(testsNan(objectOf(read))),
        isFloating(isArithmetic(read) && !read.type->isInteger) {
    if (!decidesOnEnd(&read))
      question = nullptr;
  }

  /// What asks for the number; null if it is read for more.
  const Node *asked() const { return question; }

private:
  bool decidesOnEnd(const Node *value, bool isNamed = false) {
    const Node *condition = nullptr; // `!isNan && …`
    for (const Node *outer : function.around(value)) {
      if (outer->kind == NodeKind::If)
        return value == outer->condition && !outer->otherwise &&
               (isEnd(outer->body) || (!isNamed && isRemembered(*outer, condition)));
      if (outer->kind == NodeKind::Declaration)
        return !isNamed && isAskedForEnd(onlyVariableOf(*outer));
      if (!outer->isExpression || !handsOn(*outer))
        return false;
      if (outer->kind == NodeKind::Binary && outer->op == "&&" && value == outer->children.back())
        condition = outer;
      isNan |= isNanTest(*outer);
      isFloating |= outer->calls(Aspect::GivesReal);
      value = outer;
    }
    return false;
  }

  bool isEnd(const Node *then) const {
    return isNan ? givesUp(then, /*isAnyEnd=*/true) || isMessage(then)
                 : isFloating && givesUp(then, /*isAnyEnd=*/false);
  }

  /// The flag that \p then sets, or the count that it raises, if that is all.
  static const Symbol *flagSetBy(const Node &then) {
    const bool isSet =
        then.isAssignment() && (then.op != "=" || as(NodeKind::Boolean, then.children.back()));
    const bool isCounted = then.kind == NodeKind::Unary && then.op == "++";
    const Symbol *flag = isSet || isCounted ? variableOf(then.children.front()) : nullptr;
    return flag && flag->isLocal && flag->type->isArithmetic ? flag : nullptr;
  }

  /// Whether a variable keeps that there was a NaN, for a message. What is asked no more after the
  /// first is asked in every round while all is well.
  bool isRemembered(const Node &choice, const Node *condition) {
    const Node *then = choice.body;
    if (then->kind == NodeKind::Compound && then->children.size() == 1)
      then = then->children.front();
    const Symbol *flag = isNan ? flagSetBy(*then) : nullptr;
    if (!flag)
      return false;
    bool isSaid = false, isMore = false;
    forEach(function.body, [&](const Node &part) {
      if (part.kind != NodeKind::Reference || part.symbol != flag)
        return;
      const Node *outer = function.statementAround(&part);
      while (outer && outer->isExpression && !isMessage(outer))
        outer = function.statementAround(outer);
      const bool isMessageOf = outer && isMessage(outer);
      isSaid |= isMessageOf;
      const Node *statement = function.statementOf(&part);
      const Node *given = statement->isAssignment() && statement->op == "="
                              ? strip(statement->children.back())
                              : nullptr;
      const bool isReset = as(NodeKind::Boolean, given) || as(NodeKind::Integer, given);
      isMore |= !isMessageOf && !isReset && outer != &choice && statement != then;
    });
    if (!isSaid || isMore)
      return false;
    bool asksMore = false;
    forEach(condition ? condition->children.front() : nullptr, [&](const Node &part) {
      asksMore |= part.isCall() || part.kind == NodeKind::Member ||
                  (part.kind == NodeKind::Reference && part.symbol != flag);
    });
    if (condition && !asksMore)
      question = &choice;
    return true;
  }

  /// Whether all that names the variable does so for an assertion.
  bool isAskedForEnd(const Symbol *variable) {
    bool isAll = variable && variable->isLocal, isAsked = false;
    forEach(isAll ? function.body : nullptr, [&](const Node &part) {
      if (part.kind != NodeKind::Reference || part.symbol != variable || !isAll)
        return;
      isAll = decidesOnEnd(&part, /*isNamed=*/true);
      isAsked = true;
    });
    return isAll && isAsked;
  }

  const FunctionBody &function;
  const Node *question;
  bool isNan, isFloating;
};

} // namespace

const Node *assertionOf(const Node &read, const FunctionBody &function,
                        const clang::SourceManager &sources, const clang::LangOptions &language) {
  const Node *asked = Assertion(read, function).asked();
  return asked && !isForDebugging(read.begin(), sources, language) ? asked : nullptr;
}

/// Whether a local variable, to which numbers are added, is named for nothing but that.
static bool isUnreadSum(const Node &update, const FunctionBody &function,
                        const clang::SourceManager &sources, const clang::LangOptions &language) {
  const Symbol *sum = variableOf(update.children.front());
  if (!sum || !sum->hasLocalStorage() || !sum->type->isArithmetic || sum->type->isReference)
    return false;
  unsigned updates = 0;
  bool isRead = false;
  forEach(function.body, [&](const Node &part) {
    if (part.kind != NodeKind::Reference || part.symbol != sum)
      return;
    const Node *outer = function.statementAround(&part);
    const bool isUpdate = outer->isAssignment() && strip(outer->children.front()) == &part &&
                          function.statementOf(outer) == outer;
    isRead |= !isUpdate;
    ++updates;
  });
  return !isRead && countInText(*sum, function, sources, language) == updates + 1;
}

bool isVain(const Node &read, const FunctionBody &function, const clang::SourceManager &sources,
            const clang::LangOptions &language) {
  const Node *value = &read, *outer = function.statementAround(value);
  for (; outer && outer->isExpression; outer = function.statementAround(value = outer)) {
    if (outer->isAssignment() && outer->op != "=" && value == outer->children.back())
      return function.statementOf(outer) == outer &&
             isUnreadSum(*outer, function, sources, language);
    const bool computes =
        outer->kind == NodeKind::Binary && llvm::is_contained({"+", "-", "*", "/"}, outer->op);
    if (!handsOn(*outer) && !computes)
      return false;
  }
  if (as(NodeKind::If, outer))
    return value == outer->condition && !outer->otherwise &&
           isEmpty(*outer->body, sources, language);
  const Symbol *variable = as(NodeKind::Declaration, outer) ? onlyVariableOf(*outer) : nullptr;
  // Some only want to wait.
  return variable && variable->isLocal && !variable->mayBeUnused &&
         !variable->location.isMacroID() && !words::speaksOfWaiting(variable->name) &&
         countInText(*variable, function, sources, language) == 1;
}

} // namespace gradtidy
