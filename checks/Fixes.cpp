#include "Fixes.h"

namespace gradtidy {

using ir::NodeKind;

std::string memberPrefix(const Visit &visit, const Operand &object) {
  const ir::Node *expr = object.expr;
  if (!expr)
    return "";
  bool arrow = (expr->type && expr->type->isPointer) || object.role == TypeRole::ModuleHolder;
  if (expr->kind == NodeKind::OperatorCall && expr->op == "->") {
    arrow = true;
    expr = expr->arguments.front();
  }
  if (expr->begin().isMacroID() || expr->hasSideEffects)
    return "";
  const llvm::StringRef text = visit.source.text(expr->range);
  // `step()` in a method of the optimizer itself: there is no object to name.
  if (text.empty() || expr->kind == NodeKind::This)
    return "";
  return (text + (arrow ? "->" : ".")).str();
}

std::string phrase(const LoweredUnit &unit, Phrase phrase,
                   llvm::ArrayRef<std::pair<llvm::StringRef, llvm::StringRef>> parts) {
  std::string text = unit.phrase(phrase).str();
  for (const auto &[name, value] : parts) {
    const std::string place = ("{" + name + "}").str();
    if (const size_t at = text.find(place); at != std::string::npos)
      text.replace(at, place.size(), value);
  }
  return text;
}

std::string castTo(const Visit &visit, ElementType element) {
  const LoweredUnit &unit = visit.unit.code();
  const llvm::StringRef constant = unit.constant(element);
  return constant.empty() ? "" : phrase(unit, Phrase::Cast, {{"type", constant}});
}

std::string callOf(llvm::StringRef object, llvm::StringRef call) {
  return object.empty() || call.empty() ? "" : (object + call + ";").str();
}

Fix insertBefore(const Visit &visit, const ir::Node *statement, llvm::StringRef text) {
  const clang::SourceLocation begin = statement->begin();
  if (text.empty() || begin.isMacroID())
    return {};
  return {clang::FixItHint::CreateInsertion(begin,
                                            (text + "\n" + visit.source.indentation(begin)).str())};
}

/// Behind the semicolon of \p statement, if it has one. Invalid where the statement goes on.
static clang::SourceLocation endOfStatement(const Visit &visit, const ir::Node *statement) {
  const clang::SourceLocation end = visit.source.behindSemicolon(statement->end());
  if (end.isValid() || statement->isExpression)
    return end;
  // Of blocks and declarations the last token is the end.
  return visit.source.behind(statement->end());
}

Fix insertAfter(const Visit &visit, const Event &event, llvm::StringRef text) {
  const ir::Node *statement = event.function->fullExpressionOf(event.site);
  if (text.empty() || !statement || statement->begin().isMacroID())
    return {};
  if (event.function->compoundOf(statement))
    return insertBehind(visit, statement, text);
  return enclose(visit, *statement, "{ ", (" " + text + " }").str());
}

Fix enclose(const Visit &visit, const ir::Node &statement, llvm::StringRef before,
            llvm::StringRef behind) {
  const clang::SourceLocation end = endOfStatement(visit, &statement);
  if (statement.begin().isMacroID() || end.isInvalid())
    return {}; // Part of a larger statement.
  return {clang::FixItHint::CreateInsertion(statement.begin(), before),
          clang::FixItHint::CreateInsertion(end, behind)};
}

Fix insertBehind(const Visit &visit, const ir::Node *statement, llvm::StringRef text) {
  const clang::SourceLocation begin = statement->begin();
  clang::SourceLocation end = endOfStatement(visit, statement);
  if (text.empty() || begin.isMacroID() || end.isInvalid())
    return {};
  // A comment behind the statement stays there.
  const llvm::StringRef rest =
      llvm::StringRef(visit.source.manager.getCharacterData(end)).split('\n').first;
  if (rest.ltrim().starts_with("//"))
    end = end.getLocWithOffset(static_cast<int>(rest.rtrim('\r').size()));
  return {clang::FixItHint::CreateInsertion(end,
                                            ("\n" + visit.source.indentation(begin) + text).str())};
}

clang::SourceLocation endOf(const Visit &visit, const ir::Node *expr) {
  return visit.source.behind(expr->end());
}

Fix removeStatement(const Visit &visit, const Event &event) {
  const clang::SourceManager &sources = visit.source.manager;
  const ir::Node *statement = event.function->statementOf(event.site);
  if (!statement || !event.function->compoundOf(statement) || statement->begin().isMacroID())
    return {};
  clang::SourceLocation begin = statement->begin();
  clang::SourceLocation end = endOfStatement(visit, statement);
  if (end.isInvalid())
    return {};
  const llvm::StringRef rest = sources.getCharacterData(end);
  const llvm::StringRef indent = visit.source.indentation(begin);
  const llvm::StringRef behind = rest.take_until([](char c) { return c == '\n'; }).trim();
  const bool isAlone = sources.getSpellingColumnNumber(begin) == indent.size() + 1 &&
                       (behind.empty() || behind.starts_with("//"));
  if (isAlone) {
    begin = begin.getLocWithOffset(-static_cast<int>(indent.size()));
    end = end.getLocWithOffset(static_cast<int>(rest.find('\n') + 1));
  }
  return {clang::FixItHint::CreateRemoval(clang::CharSourceRange::getCharRange(begin, end))};
}

Fix append(const Visit &visit, const ir::Node *expr, llvm::StringRef text) {
  if (text.empty() || !expr || textOf(visit, expr).empty())
    return {};
  const bool isOperation =
      expr->kind == NodeKind::Binary || expr->kind == NodeKind::Unary ||
      expr->kind == NodeKind::Conditional ||
      (expr->kind == NodeKind::OperatorCall && expr->op != "()" && expr->op != "[]");
  const clang::SourceLocation end = endOf(visit, expr);
  if (!isOperation)
    return {clang::FixItHint::CreateInsertion(end, text)};
  return {clang::FixItHint::CreateInsertion(expr->begin(), "("),
          clang::FixItHint::CreateInsertion(end, (")" + text).str())};
}

/// Whether the memory to which \p pointer leads is written: `p[0] = 1`, `memcpy(p, …)`.
static bool isWritten(const ir::Node &pointer, const FunctionBody &function) {
  const ir::Node *inner = &pointer;
  bool isElement = false;
  for (const ir::Node *outer = function.statementAround(inner); outer && outer->isExpression;
       outer = function.statementAround(inner = outer)) {
    if (outer->isAssignment())
      return isElement && outer->children.front() == inner;
    if (outer->isCall())
      return outer->calledName().starts_with("mem") && !outer->arguments.empty() &&
             outer->arguments.front() == inner;
    isElement |= outer->kind == NodeKind::Subscript || outer->kind == NodeKind::Unary;
  }
  return false;
}

Fix appendForRead(const Visit &visit, llvm::StringRef text) {
  const FunctionBody &function = *visit.event.function;
  const ir::Node *statement = function.statementOf(visit.event.site);
  const auto isOther = [&](const Event &event) {
    return event.hostRead != HostRead::None && &event != &visit.event &&
           function.statementOf(event.site) == statement;
  };
  if (statement->kind == NodeKind::Declaration || isWritten(*visit.event.site, function) ||
      visit.event.operation != Operation::PointToMemory ||
      llvm::any_of(function.blocks,
                   [&](const Block &block) { return llvm::any_of(block.events, isOther); }))
    return {};
  return append(visit, visit.event.subject.expr, text);
}

llvm::StringRef textOf(const Visit &visit, const ir::Node *expr) {
  return textOf(visit, expr->range);
}

llvm::StringRef textOf(const Visit &visit, clang::SourceRange range) {
  return visit.source.text(range);
}

} // namespace gradtidy
