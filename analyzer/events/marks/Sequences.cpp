#include "Sequences.h"

#include "analyzer/events/Typing.h"
#include "analyzer/events/values/Integers.h"
#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/SetVector.h"

using namespace clang;

namespace gradtidy {

// --- the state from which a layer starts --------------------------------------------------------

/// What \p expr is made of: a number, through conversions.
static const Expr *numberIn(const Expr *expr) {
  expr = strip(expr);
  while (const auto *made = dyn_cast<CXXConstructExpr>(expr)) {
    if (made->getNumArgs() != 1)
      break;
    expr = strip(made->getArg(0));
  }
  return expr;
}

/// Whether \p expr is \p size, or a variable that holds it.
static bool is(const Expr *expr, const CallExpr &size) {
  expr = numberIn(expr);
  if (expr == &size)
    return true;
  const VarDecl *variable = variableOf(expr);
  return variable && variable->isLocalVarDecl() && variable->hasInit() &&
         numberIn(variable->getInit()) == &size;
}

/// The variables of \p function that hold the states from which layers start, or parts of them, and
/// the arguments that are these states.
struct States {
  llvm::SmallSetVector<const VarDecl *, 4> variables;
  llvm::SmallVector<const Expr *, 2> arguments;
};

static States statesIn(const FunctionCode &function, Vocabulary &vocabulary) {
  States states;
  const auto addVariables = [&](const Expr *expr) {
    forEach(expr, [&](const Stmt *part) {
      const auto *reference = dyn_cast<DeclRefExpr>(part);
      if (const VarDecl *variable = reference ? variableOf(reference) : nullptr;
          variable && variable->isLocalVarDecl())
        states.variables.insert(variable);
    });
  };
  forEach(function.body, [&](const Stmt *statement) {
    const auto *call = dyn_cast<CallExpr>(statement);
    const Expr *object = nullptr;
    unsigned first = 0;
    if (const auto *method = dyn_cast_or_null<CXXMemberCallExpr>(call)) {
      object = isForward(method->getMethodDecl()) ? method->getImplicitObjectArgument() : nullptr;
    } else if (const auto *applied = dyn_cast_or_null<CXXOperatorCallExpr>(call);
               applied && applied->getOperator() == OO_Call) {
      object = applied->getArg(0);
      first = 1;
    }
    const CXXRecordDecl *layer = object ? vocabulary.classOf(object->getType()) : nullptr;
    if (!layer || vocabulary.operationOf(layer) != Operation::Recur ||
        call->getNumArgs() < first + 2 || isa<CXXDefaultArgExpr>(call->getArg(first + 1)))
      return;
    states.arguments.push_back(call->getArg(first + 1));
    addVariables(call->getArg(first + 1));
  });
  for (size_t i = 0; i < states.variables.size() && i < 8; ++i)
    addVariables(states.variables[i]->getInit());
  return states;
}

int samplesCountedBy(const CallExpr &size, const FunctionCode &function, Vocabulary &vocabulary) {
  const auto *number =
      size.getNumArgs() == 1 ? dyn_cast<IntegerLiteral>(strip(size.getArg(0))) : nullptr;
  if (!number || number->getValue().ugt(1))
    return -1;
  const States states = statesIn(function, vocabulary);
  bool isUsed = false;
  const auto look = [&](const Expr *made) {
    forEach(made, [&](const Stmt *part) {
      const auto *list = dyn_cast<InitListExpr>(part);
      isUsed |= list && list->getNumInits() == 3 && is(list->getInit(1), size);
    });
  };
  for (const Expr *argument : states.arguments)
    look(argument);
  for (const VarDecl *variable : states.variables)
    look(variable->getInit());
  return isUsed ? static_cast<int>(number->getValue().getZExtValue()) : -1;
}

// --- what is taken of sequences -----------------------------------------------------------------

/// The dimension, of three, that \p axis counts from either end; -1 for the last and unknown ones.
static int dimensionOf(std::int64_t axis) {
  if (axis < 0)
    axis += 3;
  return axis == 0 || axis == 1 ? static_cast<int>(axis) : -1;
}

/// The indices in `x.index({Slice(), -1})`, or none.
static ArrayRef<Expr *> indicesIn(const CallExpr &call) {
  const Expr *list = call.getNumArgs() == 1 ? strip(call.getArg(0)) : nullptr;
  for (unsigned depth = 0; list && depth < 4; ++depth) {
    if (const auto *values = dyn_cast<InitListExpr>(list))
      return values->inits();
    if (const auto *wrapped = dyn_cast<CXXStdInitializerListExpr>(list))
      list = strip(wrapped->getSubExpr());
    else if (const auto *made = dyn_cast<CXXConstructExpr>(list))
      list = made->getNumArgs() ? strip(made->getArg(0)) : nullptr;
    else
      break;
  }
  return {};
}

/// Whether the index is a `Slice()` of everything.
static bool isWhole(const Expr *index) {
  index = strip(index);
  while (const auto *made = dyn_cast<CXXConstructExpr>(index)) {
    const CXXRecordDecl *record = made->getConstructor()->getParent();
    if (record->getIdentifier() && record->getName() == "Slice")
      return llvm::all_of(made->arguments(),
                          [](const Expr *part) { return isa<CXXDefaultArgExpr>(part); });
    if (made->getNumArgs() == 0)
      return false;
    index = strip(made->getArg(0));
  }
  return false;
}

static bool isLast(const Expr *index) {
  index = numberIn(index);
  const auto *minus = dyn_cast<UnaryOperator>(index);
  const auto *one = minus && minus->getOpcode() == UO_Minus
                        ? dyn_cast<IntegerLiteral>(strip(minus->getSubExpr()))
                        : nullptr;
  return one && one->getValue() == 1;
}

/// Whether \p index is `x.size(axis) - 1` of the tensor \p x that the call takes it of.
static bool isLastOf(const CallExpr &call, const Expr *index, std::int64_t axis,
                     const ASTContext &context) {
  const auto *method = dyn_cast<CXXMemberCallExpr>(&call);
  const VarDecl *subject = method ? variableOf(method->getImplicitObjectArgument()) : nullptr;
  index = numberIn(index);
  if (const VarDecl *variable = variableOf(index);
      variable && variable->isLocalVarDecl() && variable->hasInit())
    index = numberIn(variable->getInit());
  const auto *minus = dyn_cast<BinaryOperator>(index);
  if (!subject || !minus || minus->getOpcode() != BO_Sub)
    return false;
  const auto *size = dyn_cast<CXXMemberCallExpr>(numberIn(minus->getLHS()));
  return size && simpleName(size->getMethodDecl()) == "size" && size->getNumArgs() == 1 &&
         variableOf(size->getImplicitObjectArgument()) == subject &&
         integerIn(*size->getArg(0), context) == axis && integerIn(*minus->getRHS(), context) == 1;
}

/// The dimension of which the subject of the event loses all but the last entry or the mean.
static int pooledBy(const CallExpr &call, const Event &event, const ASTContext &context) {
  const Typing &typing = *event.typing;
  switch (typing.rule) {
  case ResultRule::Select:
    if (typing.numbers.size() == 1 && typing.numbers[0] == -1)
      return 0; // `x[-1]`
    return typing.numbers.size() == 2 &&
                   (typing.numbers[1] == -1 ||
                    (call.getNumArgs() == 2 &&
                     isLastOf(call, call.getArg(1), typing.numbers[0], context)))
               ? dimensionOf(typing.numbers[0])
               : -1;
  case ResultRule::Pick: {
    const ArrayRef<Expr *> indices = indicesIn(call);
    if (!indices.empty() && isLast(indices[0]))
      return 0;
    return indices.size() > 1 && isWhole(indices[0]) &&
                   (isLast(indices[1]) || isLastOf(call, indices[1], 1, context))
               ? 1
               : -1;
  }
  case ResultRule::Reduce: {
    const bool isNamed = typing.shape && typing.shape->sizes.size() == 1 && !typing.shape->isOpen;
    if (simpleName(call.getDirectCallee()) != "mean")
      return -1;
    if (isNamed)
      return dimensionOf(typing.shape->sizes[0]);
    return typing.numbers.size() == 1 ? dimensionOf(typing.numbers[0]) : -1;
  }
  default:
    return -1;
  }
}

/// Whether the list of sizes begins with what the subject has there, and is one of three of which
/// the second is certainly more than one, or nobody says that it is one.
static bool keepsFirst(const CallExpr &call, const Event &event) {
  const auto &shape = event.typing->shape;
  if (!shape || shape->isOpen || shape->sizes.size() != 3 || shape->sizes[1] == 1)
    return false;
  if (shape->sizes[0] == -1)
    return shape->sizes[1] > 1 && shape->sizes[2] > 0;
  bool isOwn = false;
  const auto look = [&](const Expr *expr, const auto &self, bool isFirst) -> void {
    expr = numberIn(expr);
    const auto *method = dyn_cast<CXXMemberCallExpr>(expr);
    if (method && simpleName(method->getMethodDecl()) == "size" && method->getNumArgs() == 1) {
      const auto *axis = dyn_cast<IntegerLiteral>(strip(method->getArg(0)));
      const auto *subject =
          event.subject.expr ? variableOf(CodeMap::expr(event.subject.expr)) : nullptr;
      isOwn = axis && axis->getValue() == 0 && subject &&
              variableOf(method->getImplicitObjectArgument()) == subject;
    } else if (const VarDecl *variable = variableOf(expr);
               isFirst && variable && variable->isLocalVarDecl() && variable->hasInit()) {
      self(variable->getInit(), self, false);
    }
  };
  if (const ArrayRef<Expr *> sizes = indicesIn(call); !sizes.empty())
    look(sizes.front(), look, true);
  return isOwn;
}

OrderMark orderOf(const CallExpr &call, const Event &event, const ASTContext &context) {
  OrderMark mark;
  if (!event.typing)
    return mark;
  mark.pooled = pooledBy(call, event, context);
  mark.keepsFirst =
      (event.typing->rule == ResultRule::Reshape || event.typing->rule == ResultRule::Expand) &&
      keepsFirst(call, event);
  return mark;
}

// --- sequences that are filled up ---------------------------------------------------------------

OrderMark orderOfPadded(const CallExpr &pad, const ASTContext &context) {
  OrderMark mark;
  bool isFirst = false;
  if (pad.getNumArgs() < 2 || isa<CXXDefaultArgExpr>(pad.getArg(1)))
    mark.samples = 1;
  else if (!pad.getArg(1)->isValueDependent() &&
           pad.getArg(1)->EvaluateAsBooleanCondition(isFirst, context))
    mark.samples = isFirst ? 0 : 1;
  const Expr *filling = pad.getNumArgs() > 2 ? strip(pad.getArg(2)) : nullptr;
  const auto *number = dyn_cast_or_null<FloatingLiteral>(filling);
  const auto *integer = dyn_cast_or_null<IntegerLiteral>(filling);
  mark.isPlain = !filling || isa<CXXDefaultArgExpr>(filling) ||
                 (number && number->getValue().isZero()) || (integer && integer->getValue() == 0);
  return mark;
}

bool isPlainLoss(ArrayRef<const Expr *> arguments, Vocabulary &vocabulary) {
  const auto isWritten = [](const Expr *argument) { return !isa<CXXDefaultArgExpr>(argument); };
  return llvm::count_if(arguments, isWritten) == 2 &&
         llvm::all_of(arguments.take_front(2), [&](const Expr *argument) {
           return vocabulary.roleOf(argument->getType()) == TypeRole::Tensor;
         });
}

} // namespace gradtidy
