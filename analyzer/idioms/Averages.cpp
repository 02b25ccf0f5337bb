#include "Averages.h"

#include "CodeForms.h"

namespace gradtidy {

using namespace ir;

/// Whether \p outer gives the number in it, as it is: a conversion, or a scalar's own.
static bool handsOn(const Node &outer) {
  if (outer.isCall())
    return argumentsOf(outer).empty() && outer.type && outer.type->isArithmetic &&
           !isTensor(objectOf(outer));
  return isCast(outer) || outer.kind == NodeKind::Parentheses || outer.kind == NodeKind::Member;
}

/// The division of what \p part names, be it converted, or null.
static const Node *divisionOf(const Node &part, const FunctionBody &function) {
  const Node *value = &part, *outer = function.statementAround(value);
  while (outer && (isCast(*outer) || outer->kind == NodeKind::Parentheses))
    outer = function.statementAround(value = outer);
  const bool isDivision = outer && outer->children.size() == 2 &&
                          (outer->op == "/" || outer->op == "/=") &&
                          outer->children.front() == value;
  return isDivision ? outer : nullptr;
}

static bool isLiteral(const Node &value) {
  bool isMore = false;
  forEach(&value, [&](const Node &part) {
    isMore |= part.isCall() || part.kind == NodeKind::Reference || part.kind == NodeKind::Member;
  });
  return !isMore;
}

SumOfReads sumOf(const Node &read, const FunctionBody &function) {
  const Node *value = &read, *update = function.statementAround(value);
  while (update && update->isExpression && handsOn(*update))
    update = function.statementAround(value = update);
  const bool isUpdate = update && update->isAssignment() && update->op == "+=" &&
                        value == update->children.back() && function.statementOf(update) == update;
  const Symbol *sum = isUpdate ? variableOf(update->children.front()) : nullptr;
  const auto loops = function.loopsAround(&read);
  if (!sum || !sum->hasLocalStorage() || !sum->type->isArithmetic || loops.empty())
    return {};
  SumOfReads result{loops.front(), sum, {}};
  bool isBehind = false, isOther = false;
  forEach(function.body, [&](const Node &part) {
    isBehind |= &part == update;
    if (part.kind != NodeKind::Reference || part.symbol != sum)
      return;
    if (const Node *division = divisionOf(part, function)) {
      if (isBehind && !llvm::is_contained(function.loopsAround(division), loops.front()))
        result.divisions.push_back(division);
      return;
    }
    const Node *outer = function.statementAround(&part);
    isOther |= outer->isAssignment() && outer->children.front() == &part && outer != update &&
               !(outer->op == "=" && isLiteral(*outer->children.back()));
  });
  return isOther ? SumOfReads() : result;
}

} // namespace gradtidy
