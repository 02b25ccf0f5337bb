#include "Clocks.h"

#include "CodeForms.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

/// Of `left - right`, of times of a class or of plain numbers.
struct Difference {
  const Node *left = nullptr, *right = nullptr; ///< Null if it is another operation.
};

/// The difference of two of its parameters that the function, which does nothing else with them,
/// gives back: of its arguments in \p call.
static Difference differenceBy(const Node &call);

static Difference differenceIn(const Node &node) {
  const auto operands = node.kind == NodeKind::Binary ? node.children : node.arguments;
  const bool isBinary = node.kind == NodeKind::Binary || node.kind == NodeKind::OperatorCall;
  if (isBinary)
    return node.op == "-" && operands.size() == 2 ? Difference{operands[0], operands[1]}
                                                  : Difference{};
  return node.kind == NodeKind::Call ? differenceBy(node) : Difference{};
}

static Difference differenceBy(const Node &call) {
  const Symbol *definition = call.symbol ? definitionOf(call.symbol) : nullptr;
  if (!definition || !definition->body || definition->parameters.size() != 2 ||
      call.arguments.size() != 2)
    return {};
  Difference taken;
  forEach(definition->body, [&](const Node &part) {
    if (part.kind != NodeKind::Binary && part.kind != NodeKind::OperatorCall)
      return;
    const Difference difference = differenceIn(part);
    const Entity left = difference.left ? entityOf(originalOf(difference.left)) : nullptr;
    const Entity right = difference.left ? entityOf(originalOf(difference.right)) : nullptr;
    const auto argumentFor = [&](Entity entity) -> const Node * {
      const auto found = llvm::find(definition->parameters, entity);
      return found == definition->parameters.end()
                 ? nullptr
                 : call.arguments[found - definition->parameters.begin()];
    };
    if (left && right && argumentFor(left) && argumentFor(right))
      taken = {argumentFor(left), argumentFor(right)};
  });
  return taken;
}

/// What holds a time: a variable, a member, or an element of one that is an array.
struct Holder {
  Entity entity = nullptr;     ///< Null if it is something else.
  const Node *index = nullptr; ///< Of an element.

  /// Whether what is written at \p other may be what holds it: indices that are no constants may
  /// be any.
  bool mayBe(const Holder &other) const {
    const auto isConstant = [](const Node *each) { return each && each->integer; };
    const bool isOther =
        isConstant(index) && isConstant(other.index) && *index->integer != *other.index->integer;
    return entity && entity == other.entity && !index == !other.index && !isOther;
  }
};

static Holder holderOf(const Node *time) {
  const Node *element = originalOf(time);
  const Node *subscript = as(NodeKind::Subscript, element);
  return subscript ? Holder{entityOf(subscript->children.front()), subscript->children.back()}
                   : Holder{entityOf(element)};
}

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
static const Node *takenFrom(const Holder &place, const Node &code, const FunctionBody &function) {
  if (const Difference difference = differenceIn(code);
      difference.left && place.mayBe(holderOf(difference.left)))
    return isIdle(code, function) ? nullptr : difference.right;
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
            difference.left && holderOf(difference.left).entity == member)
          found = difference.right;
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

bool readsClock(const Symbol &function) {
  const bool isOfObject = function.isMethod() && !function.isStaticMethod;
  const bool isAsked = function.parameters.empty() && !isOfObject && !function.isClosure;
  const Symbol *definition = isAsked ? definitionOf(&function) : nullptr;
  const Type *result = definition && definition->body ? definition->type : nullptr;
  if (!result || !(result->isArithmetic || (result->record && result->record->isStandard)))
    return false;
  unsigned readings = 0;
  bool doesMore = false;
  forEach(definition->body, [&](const Node &part) {
    if (!part.isCall() || !part.symbol)
      return;
    readings += part.symbol->operation == Operation::ReadClock;
    doesMore |= !part.symbol->isStandard;
  });
  return readings == 1 && !doesMore;
}

/// Whether \p outer is the time \p inner in another form, by the standard library:
/// `now.time_since_epoch()`, `duration_cast<seconds>(time)`, `time.count()`.
static bool isConverted(const Node &outer, const Node &inner) {
  if (outer.kind == NodeKind::Member)
    return outer.object == &inner;
  const Symbol *callee = outer.isCall() ? outer.symbol : nullptr;
  return callee && callee->isStandard && outer.arguments.size() == (outer.object ? 0 : 1);
}

Reading readingOf(const Node &now, const FunctionBody &function) {
  Reading reading;
  Holder place;
  const Node *inner = &now;
  for (const Node *outer : function.around(&now)) {
    if (outer->kind == NodeKind::Declaration) {
      place.entity = onlyVariableOf(*outer);
      break;
    }
    const Difference difference = differenceIn(*outer);
    if (difference.left == inner) {
      reading.since = isIdle(*outer, function) ? nullptr : holderOf(difference.right).entity;
      return reading;
    }
    if (const std::optional<Assignment> assigned = asAssignment(*outer)) {
      place = holderOf(assigned->target);
      break;
    }
    const bool isCopy = asConstruction(outer) && outer->arguments.size() == 1;
    if (!isCopy && !isCast(*outer) && !isConverted(*outer, *inner) &&
        outer->kind != NodeKind::Parentheses)
      break;
    inner = outer;
  }
  if (!place.entity)
    place.entity = initialized(*function.function, now);
  if (!place.entity)
    return reading;
  const Node *since = takenFrom(place, *function.body, function);
  if (!since && place.entity->kind == SymbolKind::Member)
    since = takenInMethods(place.entity);
  reading.place = place.entity;
  reading.since = holderOf(since).entity;
  return reading;
}

} // namespace gradtidy
