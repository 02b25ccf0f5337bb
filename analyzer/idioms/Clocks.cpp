#include "Clocks.h"

#include "CodeForms.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

/// Of `left - right`, of times of a class or of plain numbers.
struct Difference {
  const Node *left = nullptr, *right = nullptr; ///< Null if it is another operation.
};

static Difference differenceIn(const Node &node) {
  const auto operands = node.kind == NodeKind::Binary ? node.children : node.arguments;
  const bool isBinary = node.kind == NodeKind::Binary || node.kind == NodeKind::OperatorCall;
  return isBinary && node.op == "-" && operands.size() == 2 ? Difference{operands[0], operands[1]}
                                                            : Difference{};
}

/// The variable or member that holds \p time.
static Entity holderOf(const Node *time) { return entityOf(originalOf(time)); }

/// Whether nothing comes of \p number: it gets no further than variables that nothing reads.
static bool isIdle(const Node &number, const FunctionBody &function, unsigned depth = 0) {
  const Node *outer = nullptr;
  for (const Node *each : function.around(&number)) {
    outer = each;
    if (!outer->isExpression)
      break;
    if (outer->isCall() && !(outer->symbol && outer->symbol->isStandard))
      return false;
  }
  const Symbol *variable = as(NodeKind::Declaration, outer) ? onlyVariableOf(*outer) : nullptr;
  if (!variable || depth > 4)
    return false;
  bool isRead = false;
  forEach(function.body, [&](const Node &part) {
    isRead |= part.kind == NodeKind::Reference && part.symbol == variable &&
              !isIdle(part, function, depth + 1);
  });
  return !isRead;
}

/// What is taken from the time that \p place holds in \p code, if something comes of it.
static const Node *takenFrom(Entity place, const Node &code, const FunctionBody &function) {
  if (const Difference difference = differenceIn(code);
      difference.left && holderOf(difference.left) == place)
    return isIdle(code, function) ? nullptr : originalOf(difference.right);
  for (const Node *child : code.children)
    if (const Node *found = takenFrom(place, *child, function))
      return found;
  return nullptr;
}

/// The same in a method of the class that has the member.
static const Node *takenInMethods(Entity member) {
  const Node *found = nullptr;
  for (const Method &method : ir::classOf(*member->owner).methods)
    if (const Symbol *definition = definitionOf(method.symbol); definition && !found)
      forEach(definition->body, [&](const Node &part) {
        if (const Difference difference = differenceIn(part);
            difference.left && holderOf(difference.left) == member)
          found = originalOf(difference.right);
      });
  return found;
}

/// The member of its object that the constructor \p function gives the time.
static Entity initialized(const Symbol &function, const Node &time) {
  for (const Initializer &initializer : function.initializers)
    if (initializer.member && originalOf(initializer.value) == &time)
      return canonical(initializer.member);
  return nullptr;
}

Reading readingOf(const Node &now, const FunctionBody &function) {
  Reading reading;
  const Node *inner = &now;
  for (const Node *outer : function.around(&now)) {
    if (outer->kind == NodeKind::Declaration) {
      reading.place = onlyVariableOf(*outer);
      break;
    }
    const Difference difference = differenceIn(*outer);
    if (difference.left == inner) {
      reading.since = isIdle(*outer, function) ? nullptr : holderOf(difference.right);
      return reading;
    }
    if (const std::optional<Assignment> assigned = asAssignment(*outer)) {
      reading.place = holderOf(assigned->target);
      break;
    }
    const bool isCopy = asConstruction(outer) && outer->arguments.size() == 1;
    if (!isCopy && !isCast(*outer) && outer->kind != NodeKind::Parentheses)
      break;
    inner = outer;
  }
  if (!reading.place)
    reading.place = initialized(*function.function, now);
  if (!reading.place)
    return reading;
  const Node *since = takenFrom(reading.place, *function.body, function);
  if (!since && reading.place->kind == SymbolKind::Member)
    since = takenInMethods(reading.place);
  reading.since = entityOf(strip(since));
  return reading;
}

} // namespace gradtidy
