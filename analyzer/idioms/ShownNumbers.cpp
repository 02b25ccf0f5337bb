#include "ShownNumbers.h"

#include "CodeForms.h"
#include "analyzer/ir/UserWords.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

namespace {

constexpr unsigned maxDepth = 4; ///< How many variables a number is followed through.

/// A function that hands on what it gets, or computes another number of it.
bool computesNumber(const Node &call) {
  if (!call.symbol)
    return false;
  return call.calls(Aspect::ConvertsScalar) ||
         (isArithmetic(call) && (call.symbol->isBuiltin || call.symbol->isStandard) &&
          llvm::all_of(call.arguments, [](const Node *each) { return isArithmetic(*each); }));
}

bool isText(const Type *type) {
  return type && type->record && type->record->name == "basic_string";
}

/// Whether one of the arguments is a text, such as the name of what is logged.
bool takesText(const Node &call) {
  return llvm::any_of(call.children, [](const Node *argument) {
    bool isFound = false;
    forEach(argument, [&](const Node &part) { isFound |= part.kind == NodeKind::String; });
    return isFound || isText(argument->type);
  });
}

bool isOneOf(llvm::StringRef op, std::initializer_list<llvm::StringRef> operators) {
  return llvm::is_contained(operators, op);
}

/// Whether the value of \p outer is that of the one expression in it.
bool handsOn(const Node &outer) {
  if (outer.type && outer.type->role == TypeRole::Tensor)
    return false;
  switch (outer.kind) {
  case NodeKind::Cast:
  case NodeKind::FunctionalCast:
  case NodeKind::Parentheses:
  case NodeKind::Unary:
  case NodeKind::Member:
  case NodeKind::List:
  case NodeKind::Construct:
  case NodeKind::Temporary:
    return true;
  default: // A list that the compiler makes of another.
    return outer.kind == NodeKind::Other && strip(&outer) != &outer;
  }
}

class Reader {
public:
  explicit Reader(const FunctionBody &function) : function(function) {}

  Shown shownBy(const Node *value, bool isFloating, unsigned depth = 0) const;

private:
  Shown shownByCall(const Node &call, const Node *value, bool isFloating) const;
  Shown shownByVariable(const Symbol *variable, bool isFloating, unsigned depth) const;
  Shown shownByAssignment(const Node &target, bool isFloating, unsigned depth) const;

  const FunctionBody &function;
};

Shown Reader::shownBy(const Node *value, bool isFloating, unsigned depth) const {
  bool isNan = false;
  for (const Node *outer : function.around(value)) {
    const bool isLogical = outer->kind == NodeKind::Binary && isOneOf(outer->op, {"&&", "||"});
    // Nobody sees the answer while all is well.
    if (isNan && (outer->kind == NodeKind::If || outer->kind == NodeKind::While ||
                  outer->kind == NodeKind::Conditional || isLogical))
      return Shown::Logged;
    if (outer->kind == NodeKind::Return)
      return Shown::Returned;
    if (outer->kind == NodeKind::Declaration)
      return shownByVariable(onlyVariableOf(*outer), isFloating, depth);
    if (outer->isAssignment()) {
      if (value != outer->children.back())
        return Shown::No;
      return outer->op == "=" ? shownByAssignment(*outer->children.front(), isFloating, depth)
                              : Shown::Logged;
    }
    if (outer->kind == NodeKind::Damaged) // Of a header that is missing.
      return takesText(*outer) ? Shown::Logged : Shown::No;
    if (outer->isCall()) {
      isNan |= outer->calledAspects().hasAny(numberTests);
      if (!computesNumber(*outer))
        return shownByCall(*outer, value, isFloating);
    } else if (outer->kind == NodeKind::Binary) {
      if (!isOneOf(outer->op, {"+", "-", "*", "/", "%"}))
        return Shown::No;
    } else if (outer->kind == NodeKind::Conditional) {
      if (value == outer->condition)
        return Shown::No;
    } else if (!handsOn(*outer)) {
      return Shown::No;
    }
    value = outer;
  }
  return Shown::No;
}

/// Whether \p call is there for what it shows, keeps or says of the number.
Shown Reader::shownByCall(const Node &call, const Node *value, bool isFloating) const {
  if (call.kind == NodeKind::OperatorCall) {
    if (call.op != "<<" || value != call.arguments.back())
      return Shown::No;
    // Where only some batches have that size, it is all the same.
    for (const Node *outer : function.around(&call)) {
      bool asksSize = false;
      if (outer->kind == NodeKind::If)
        forEach(outer->condition, [&](const Node &part) {
          asksSize |=
              part.isCall() && part.symbol && part.symbol->purpose == FunctionRole::Attribute;
        });
      if (outer->kind == NodeKind::If && !asksSize)
        return Shown::Logged;
    }
    return Shown::Printed;
  }
  if (isText(call.type) || (!call.symbol && takesText(call)))
    return Shown::Logged;
  if (!call.symbol || call.symbol->isFramework || !function.expressionStatementOf(&call))
    return Shown::No;
  const bool isLog = words::speaksOfLogging(call.calledName());
  const bool isList = isOneOf(call.calledName(), {"push_back", "emplace_back"});
  return isLog || (isFloating && (isList || takesText(call))) ? Shown::Logged : Shown::No;
}

Shown Reader::shownByAssignment(const Node &target, bool isFloating, unsigned depth) const {
  if (const Symbol *variable = variableOf(&target);
      variable && (variable->isLocal || variable->kind == SymbolKind::Parameter))
    return shownByVariable(variable, isFloating, depth);
  // Such as a field or element of what is logged later.
  return isFloating && isArithmetic(target) && !target.type->isInteger ? Shown::Logged : Shown::No;
}

/// The same of all that names the variable, but for what puts a number there.
Shown Reader::shownByVariable(const Symbol *variable, bool isFloating, unsigned depth) const {
  const Type *type = variable ? variable->type : nullptr;
  if (!type || !type->isArithmetic || type->isReference || depth == maxDepth)
    return Shown::No;
  const auto assigns = [&](const Node *node) {
    return node && node->isAssignment() && variableOf(node->children.front()) == variable;
  };
  Shown shown = Shown::Logged;
  bool isUsed = false;
  forEach(function.body, [&](const Node &part) {
    if (part.kind != NodeKind::Reference || part.symbol != variable || shown == Shown::No)
      return;
    const Node *outer = part.parent;
    while (as(NodeKind::Parentheses, outer))
      outer = outer->parent;
    if (assigns(outer) && strip(outer->children.front()) == &part)
      return;
    isUsed = true;
    // Of a number that goes from iteration to iteration, only what else is done with it counts.
    if (assigns(function.statementOf(&part)))
      return;
    const Shown use = shownBy(&part, isFloating, depth + 1);
    if (use == Shown::No || use == Shown::Returned)
      shown = use;
  });
  return isUsed ? shown : Shown::No;
}

} // namespace

Shown shownBy(const Node &read, const FunctionBody &function) {
  return Reader(function).shownBy(&read, !(read.type && read.type->isInteger));
}

} // namespace gradtidy
