#include "LoopSelections.h"

#include "CodeForms.h"
#include "analyzer/ir/UserWords.h"
#include "analyzer/model/Operators.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"

namespace gradtidy {

using namespace ir;

namespace {

bool isSubscript(const Symbol &callee) { return callee.spelling == "operator[]"; }

/// `t[i]`, `t.index({i})`, `t.select(0, i)`
bool selects(const Node &call) {
  return isSubscript(*call.symbol) || call.calls(Aspect::SelectsEntry) ||
         call.symbol->operation == Operation::Index;
}

/// The variable or structured binding that \p node names, or null.
Entity valueNamedBy(const Node &node) {
  return node.kind == NodeKind::Reference ? entityOf(&node) : nullptr;
}

bool isLiteral(const Node &index) {
  if (index.kind == NodeKind::Reference)
    return !valueNamedBy(index);
  return index.kind != NodeKind::Member && index.kind != NodeKind::This &&
         llvm::all_of(index.children, [](const Node *child) { return isLiteral(*child); });
}

/// The statements of a block around \p site from the declaration of \p variable to that which
/// \p site is part of; none if no block around it declares the variable.
llvm::ArrayRef<const Node *> sinceDeclaration(Entity variable, const Node &site) {
  for (const Node *inner = &site; inner->parent; inner = inner->parent) {
    const Node *block = as(NodeKind::Compound, inner->parent);
    const auto end = block ? llvm::find(block->children, inner) : nullptr;
    if (!block || end == block->children.end())
      continue;
    for (auto begin = end + 1; begin != block->children.begin();)
      if (const Node *before = as(NodeKind::Declaration, *--begin))
        for (const Symbol *declared : before->declared)
          if (canonical(declared) == variable)
            return {begin, end + 1};
  }
  return {};
}

/// Whether the loop, or other code, \p code declares \p variable, which \p site names.
bool isDeclaredIn(const Node &code, Entity variable, const Node &site) {
  // Most are declared not far away, and code may be long.
  const llvm::ArrayRef<const Node *> statements = sinceDeclaration(variable, site);
  return statements.empty() ? declares(code, variable) : isWithin(statements.front(), code);
}

bool isCountedIn(const Node &loop, Entity number) {
  bool isFound = false;
  forEach(&loop, [&](const Node &part) {
    const bool isStep = part.kind == NodeKind::Unary && (part.op == "++" || part.op == "--");
    isFound |= (part.isAssignment() || isStep) && entityOf(part.children.front()) == number;
  });
  return isFound;
}

/// Whether \p index names what the iterations of the loop declare or change.
bool dependsOn(const Node &index, const Node &loop) {
  bool isFound = false;
  forEach(&index, [&](const Node &part) {
    const Entity named = valueNamedBy(part);
    isFound |= named && (isDeclaredIn(loop, named, part) || isCountedIn(loop, named));
  });
  return isFound;
}

/// A tensor, and what is selected of it.
class Selection {
public:
  /// \param seesThrough also what is computed from what is selected is followed to that.
  Selection(const Node *tensor, const Node &loop, bool seesThrough = false)
      : loop(loop), whole(tensor), seesThrough(seesThrough) {
    while (step())
      ;
  }

  bool isOfVariableIndex() const { return !indices.empty(); }
  /// Whether the index has two dimensions or more: of rows, and of what is in a row.
  bool isOfVariableIndices() const { return indices.size() > 1; }
  /// The expression that nothing more is known of.
  const Node *origin() const { return whole; }
  bool isComputed() const { return hasComputed; }

  /// The variable or member that holds the tensor in all iterations of the loop, or null.
  Entity lasting() const {
    const Node *owner = whole;
    while (owner && owner->kind == NodeKind::Member) {
      owner = strip(owner->object);
      if (const Node *arrow = as(NodeKind::OperatorCall, owner);
          arrow && arrow->arguments.size() == 1)
        owner = strip(arrow->arguments.front());
    }
    const Entity variable = owner ? valueNamedBy(*owner) : nullptr;
    const bool isLasting =
        variable ? !isDeclaredIn(loop, variable, *owner) : as(NodeKind::This, owner) != nullptr;
    return isLasting ? entityOf(whole) : nullptr;
  }

private:
  bool step() {
    whole = strip(whole);
    if (!whole)
      return false;
    if (const Symbol *variable = variableOf(whole); variable && steps++ < 8) {
      const bool isElement = loop.kind == NodeKind::RangeFor && variable == loop.symbol;
      if (!variable->init || !isDeclaredIn(loop, canonical(variable), *whole) || isElement)
        return false;
      whole = variable->init;
      return true;
    }
    const Node *call = asCall(whole);
    const Node *object = call && call->symbol ? objectOf(*call) : nullptr;
    const bool isSelection = object && selects(*call);
    const bool isCopy =
        object && (call->calls(FunctionRole::Move) || call->calls(FunctionRole::MoveToCpu));
    if (!object || !(isSelection || isCopy || keepsValues(call->symbol->operation)))
      return seesThrough && call && call->symbol && stepThrough(*call);
    if (isSelection)
      for (const Node *argument : call->arguments)
        if (strip(argument) != strip(object))
          addIndex(*argument);
    whole = object;
    return true;
  }

  void addIndex(const Node &argument) {
    if (isLiteral(argument))
      return;
    const size_t before = indices.size();
    forEach(&argument, [&](const Node &part) {
      if (const Entity named = valueNamedBy(part))
        indices.insert(named);
    });
    if (indices.size() == before)
      indices.insert(&argument);
  }

  /// To the first tensor of which the call computes something.
  bool stepThrough(const Node &call) {
    const Symbol &callee = *call.symbol;
    if (!callee.isFramework || callee.purpose == FunctionRole::Create)
      return false;
    const Node *object = objectOf(call);
    const auto operand = llvm::find_if(call.arguments, isTensor);
    if (!isTensor(object) && operand == call.arguments.end())
      return false;
    whole = isTensor(object) ? object : *operand;
    hasComputed = true;
    // `t == i` is of all elements, but only for this iteration.
    if (callee.aspects.has(Aspect::ComparesEqual))
      for (const Node *argument : call.arguments)
        if (argument != whole && !isTensor(argument) && dependsOn(*argument, loop))
          addIndex(*argument);
    return true;
  }

  const Node &loop;
  const Node *whole;
  bool seesThrough;
  bool hasComputed = false;
  unsigned steps = 0;
  llvm::SmallPtrSet<const void *, 4> indices; ///< What the index is made of.
};

/// Whether the loop gives \p tensor, or some of its elements, other values.
bool isChangedIn(const Node &loop, Entity tensor) {
  bool isChanged = false;
  forEach(&loop, [&](const Node &part) {
    if (isChanged || !part.isCall() || !changesObject(part))
      return;
    const Node *object = objectOf(part);
    isChanged = object && Selection(object, loop).lasting() == tensor;
  });
  return isChanged;
}

/// `for (int corner = 0; corner < 4; ++corner)`
bool isShort(const Node &loop) {
  constexpr int fewIterations = 16;
  const Node *condition = loop.kind == NodeKind::For ? loop.condition : nullptr;
  return condition && isRelation(*condition) && condition->children.back()->integer &&
         *condition->children.back()->integer <= fewIterations;
}

using IsQuestion = llvm::function_ref<bool(const Node &)>;

/// Whether \p code calls something for which \p isQuestion holds.
bool asks(const Node *code, IsQuestion isQuestion) {
  bool isFound = false;
  forEach(code,
          [&](const Node &part) { isFound |= part.isCall() && part.symbol && isQuestion(part); });
  return isFound;
}

bool isNoQuestion(const Node &) { return false; }

/// Whether \p call asks what a tensor is like, whatever its elements are.
bool asksForAttribute(const Node &call) {
  return call.calls(FunctionRole::Attribute) || call.calls(FunctionRole::Defined) ||
         (call.symbol->isStandard && call.calledName() == "has_value");
}

bool readsScalar(const Node &call) { return call.calls(Aspect::ReadsScalar); }

/// Whether \p statement may leave the iteration of the loop it stands in, other than with an error.
bool mayLeaveIteration(const Node &statement, bool isInLoop = false) {
  switch (statement.kind) {
  case NodeKind::Lambda:
    return false;
  case NodeKind::Break:
  case NodeKind::Continue:
    return !isInLoop;
  case NodeKind::Return:
    return true;
  default:
    isInLoop |= statement.isLoop();
    return llvm::any_of(statement.children,
                        [&](const Node *child) { return mayLeaveIteration(*child, isInLoop); });
  }
}

/// Whether an iteration of \p loop may go without \p site, but for conditions with a call for which
/// \p isQuestion holds.
bool isSkipped(const Node *site, const Node &loop, const FunctionBody &function,
               IsQuestion isQuestion) {
  if (!function.isConditional(site, &loop))
    return false;
  const Node *inner = site;
  for (const Node *outer = site->parent; outer != &loop; outer = (inner = outer)->parent) {
    switch (outer->kind) {
    case NodeKind::Compound:
      for (const Node *before : outer->children) {
        if (before == inner)
          break;
        const Node *choice = as(NodeKind::If, before);
        if (mayLeaveIteration(*before) && !(choice && asks(choice->condition, isQuestion)))
          return true;
      }
      break;
    case NodeKind::If: {
      const Node *other = inner == outer->body ? outer->otherwise : outer->body;
      if (inner != outer->condition && !asks(outer->condition, isQuestion) &&
          !asks(other, readsScalar)) // Whatever the answer, a number is read.
        return true;
      break;
    }
    case NodeKind::Binary: {
      const bool isLogical = outer->op == "&&" || outer->op == "||";
      if (isLogical && inner == outer->children.back() &&
          !(outer->op == "&&" && asks(outer->children.front(), isQuestion)))
        return true;
      break;
    }
    case NodeKind::Conditional:
      if (inner != outer->condition)
        return true;
      break;
    case NodeKind::Switch:
    case NodeKind::Catch:
      return true;
    default:
      break;
    }
  }
  return false;
}

// --- parameters

/// `net->parameters()`, `group.params()`, or a variable that was made of one.
bool givesParameters(const Node *range) {
  range = strip(range);
  if (const Symbol *variable = variableOf(range); variable && variable->init)
    range = strip(variable->init);
  const Node *call = asCall(originalOf(range));
  return call && call->calls(Aspect::ListsParameters);
}

/// Whether the loop asks \p element, or an element of it, for its gradient.
bool asksForGradient(const Node &loop, const Symbol &element) {
  bool isFound = false;
  forEach(&loop, [&](const Node &part) {
    const Node *object = part.isCall() && part.symbol ? objectOf(part) : nullptr;
    isFound |= object && part.calls(FunctionRole::Gradient) &&
               variableOf(Selection(object, loop).origin()) == &element;
  });
  return isFound;
}

/// Whether \p number is computed of \p element, through the tensors that the loop declares.
bool isComputedOf(const Node *number, const Node &loop, const Symbol &element) {
  llvm::SmallPtrSet<const Symbol *, 16> reached;
  llvm::SmallVector<const Node *, 16> pending{number};
  const auto follow = [&](const Symbol &variable) {
    if (variable.init)
      pending.push_back(variable.init);
    forEach(&loop, [&](const Node &part) {
      const std::optional<Assignment> assigned = asAssignment(part);
      if (assigned && variableOf(assigned->target) == &variable)
        pending.push_back(assigned->value);
    });
  };
  while (!pending.empty()) {
    const Node *part = pending.pop_back_val();
    if (part->kind == NodeKind::Reference) {
      const Symbol *variable = part->symbol;
      if (variable == &element)
        return true;
      if (variable && variable->isVariable() && isTensor(part) &&
          declares(loop, canonical(variable)) && reached.insert(variable).second)
        follow(*variable);
    }
    // What is looked up for a parameter may be anywhere.
    if (!part->isCall() || isTensor(part))
      llvm::append_range(pending, part->children);
  }
  return false;
}

// --- batches

bool slices(const Node &call);

/// Whether a method of the user's gives nothing but slices of the object's members.
bool slicesMembers(const Symbol &function) {
  const Symbol *definition = function.isConstMethod ? definitionOf(&function) : nullptr;
  if (!definition)
    return false;
  unsigned sliced = 0, others = 0;
  forEach(definition->body, [&](const Node &part) {
    if (!part.isCall())
      return;
    const Node *member = as(NodeKind::Member, strip(objectOf(part)));
    const bool isSlice = member && as(NodeKind::This, strip(member->object)) && part.symbol &&
                         part.symbol->isFramework && slices(part);
    ++(isSlice ? sliced : others);
  });
  return sliced > 0 && others == 0;
}

/// `x.slice(0, i, j)`, `x.narrow(0, i, n)`, `x.index({Slice(i, j)})`, and `batch.slice(i, j)` of
/// the user's
bool slices(const Node &call) {
  const Symbol *callee = call.symbol;
  if (!call.isCall() || !callee || !objectOf(call))
    return false;
  if (callee->aspects.has(Aspect::SelectsRange) || slicesMembers(*callee))
    return true;
  bool isSlice = false;
  if (callee->operation == Operation::Index)
    forEach(&call, [&](const Node &part) {
      const Symbol *made = asConstruction(&part) ? classOf(part.symbol) : nullptr;
      isSlice |= made && made->aspects.has(Aspect::IndexRange) && part.arguments.size() > 1 &&
                 !isLiteral(part);
    });
  return isSlice;
}

/// What the iterations of a loop do with numbers: whether they come out the same whenever it runs.
class Counting {
public:
  explicit Counting(const Node &loop) : loop(loop) {}

  /// Whether the number is computed by counting, of numbers that the loop leaves alone.
  bool isCounted(const Node *number) {
    number = strip(number);
    if (!number || number->isConstant || number->kind == NodeKind::NullPointer ||
        number->kind == NodeKind::DefaultArgument)
      return true;
    if (const Entity entity = entityOf(number))
      return isCounted(entity);
    if (number->isCall())
      return isCountedCall(*number);
    switch (number->kind) {
    case NodeKind::Binary:
    case NodeKind::Unary:
    case NodeKind::Conditional:
    case NodeKind::Construct:
    case NodeKind::Temporary:
    case NodeKind::List:
      return llvm::all_of(number->children, [&](const Node *child) {
        return !child->isExpression || isCounted(child);
      });
    default:
      return number->kind == NodeKind::Reference; // A constant.
    }
  }

private:
  bool isCountedCall(const Node &call) {
    if (!call.symbol)
      return false;
    if (asksForSize(call))
      return true;
    const bool computes =
        llvm::StringSwitch<bool>(call.calledName())
            .Cases({"min", "max", "ceil", "floor", "range", "irange", "iota"}, true)
            .Default(isSubscript(*call.symbol));
    return computes &&
           llvm::all_of(call.arguments, [&](const Node *each) { return isCounted(each); });
  }

  bool isCounted(Entity entity) {
    if (!seen.insert(entity).second)
      return true;
    bool isCounting = true;
    forEach(&loop, [&](const Node &part) {
      if (part.kind == NodeKind::Declaration) {
        for (const Symbol *declared : part.declared)
          if (canonical(declared) == entity && !declared->isRangeElement)
            isCounting &= isCounted(declared->init);
      } else if (part.kind == NodeKind::RangeFor) {
        if (canonical(part.symbol) == entity)
          isCounting &= asCall(strip(part.object)) && isCounted(part.object);
      } else if (part.isAssignment()) {
        if (entityOf(part.children.front()) == entity)
          isCounting &= isCounted(part.children.back());
      } else if (part.isCall()) {
        isCounting &= !mayChange(part, entity);
      }
    });
    return isCounting;
  }

  /// Whether a function gets hold of the variable.
  static bool mayChange(const Node &call, Entity entity) {
    if (!call.symbol)
      return false;
    return llvm::any_of(llvm::zip(argumentsOf(call), call.symbol->parameters),
                        [&](const auto &each) {
                          const auto &[argument, parameter] = each;
                          const Type *type = parameter->type;
                          return entityOf(argument) == entity && type &&
                                 (type->isPointer || (type->isReference && !type->isConst));
                        });
  }

  const Node &loop;
  llvm::SmallPtrSet<Entity, 8> seen;
};

/// Whether the loop gives \p batch, of a class of the user's, or a member of it, to a function that
/// may change it.
bool isHandedOut(const Node &loop, Entity batch) {
  bool isFound = false;
  forEach(&loop, [&](const Node &part) {
    if (!part.isCall() || !part.symbol)
      return;
    const Node *object = objectOf(part);
    isFound |= object && entityOf(strip(object)) == batch && !part.symbol->isConstMethod;
    for (const Node *argument : argumentsOf(part))
      isFound |= entityOf(strip(argument)) == batch;
  });
  return isFound;
}

/// The variable that a permutation is drawn into, or null.
const Symbol *drawnInto(const Node &draw, const Node &loop) {
  if (!draw.calls(Aspect::DrawsOrder))
    return nullptr;
  if (draw.symbol && draw.symbol->run && draw.symbol->run->out == Operator::Out::First &&
      !draw.arguments.empty())
    return variableOf(draw.arguments.front());
  const Symbol *order = nullptr;
  forEach(draw.symbol ? &loop : nullptr, [&](const Node &part) {
    for (const Symbol *variable :
         part.kind == NodeKind::Declaration ? part.declared : llvm::ArrayRef<const Symbol *>())
      if (variable->init && originalOf(variable->init) == &draw)
        order = variable;
    const std::optional<Assignment> assigned = asAssignment(part);
    if (assigned && originalOf(assigned->value) == &draw)
      order = variableOf(assigned->target);
  });
  return order;
}

unsigned mentionsIn(const Node &loop, const Symbol &variable) {
  unsigned mentions = 0;
  forEach(&loop, [&](const Node &part) {
    mentions += part.kind == NodeKind::Reference && part.symbol == &variable;
  });
  return mentions;
}

/// Whether the loop draws or makes an order; one that it draws and uses for nothing is none.
bool shuffles(const Node &loop) {
  const auto isUnused = [&](const Node &draw) {
    const Symbol *order = drawnInto(draw, loop);
    return order && mentionsIn(loop, *order) == (declares(loop, canonical(order)) ? 0U : 1U);
  };
  bool isFound = false;
  forEach(&loop, [&](const Node &part) {
    isFound |= part.isCall() &&
               (part.calls(Aspect::DrawsOrder) || words::speaksOfShuffling(part.calledName())) &&
               !isUnused(part);
  });
  return isFound;
}

/// Whether \p argument is made of something that holds tensors and outlives the iterations of the
/// loop, other than by slices.
bool outlives(const Node &argument, const Node &loop) {
  bool isSliced = false, isFound = false;
  forEach(&argument, [&](const Node &part) {
    isSliced |= slices(part);
    const Symbol *variable = part.kind == NodeKind::Reference ? part.symbol : nullptr;
    const Type *type = variable && variable->isVariable() ? variable->type : nullptr;
    isFound |= type && type->record && !type->isReference && type->role != TypeRole::Device &&
               !declares(loop, canonical(variable));
  });
  return isFound && !isSliced;
}

/// Whether a module gets, beside the batch, something that outlives the iteration of the loop: a
/// state that goes from one batch to the next.
bool carriesState(const Node &loop) {
  bool isFound = false;
  forEach(&loop, [&](const Node &part) {
    const Node *object = part.isCall() ? objectOf(part) : nullptr;
    const bool isOperator = part.kind == NodeKind::OperatorCall;
    const bool isForwardPass = object && (isOperator ? part.op == "()" : isForward(part.symbol));
    if (!isForwardPass || part.arguments.size() < (isOperator ? 3 : 2))
      return;
    for (const Node *argument : part.arguments)
      isFound |= argument != object && outlives(*argument, loop);
  });
  return isFound;
}

/// What \p value is a copy of on the CPU, or without its history; \p value if it is none.
const Node *copiedBy(const Node *value) {
  value = strip(value);
  while (const Node *call = as(NodeKind::MemberCall, value)) {
    if (!call->arguments.empty() ||
        !(call->calls(FunctionRole::MoveToCpu) || call->calls(FunctionRole::Detach)))
      break;
    value = strip(call->object);
  }
  return value;
}

} // namespace

ElementLoop elementLoopOf(const Node &read, const FunctionBody &function) {
  const Node *element = objectOf(read);
  if (!element)
    return {};
  const auto loops = function.loopsAround(&read);
  if (loops.empty()) {
    const Selection asked(element, *function.body);
    const Entity tensor = asked.lasting();
    return {.isOfCalls =
                tensor && asked.isOfVariableIndices() && !isChangedIn(*function.body, tensor)};
  }
  const auto loop = llvm::find_if_not(loops, [](const Node *each) { return isShort(*each); });
  if (loop == loops.end())
    return {};
  const Selection selection(element, **loop, /*seesThrough=*/true);
  const Entity tensor = selection.lasting();
  if (!tensor || !selection.isOfVariableIndex() || isChangedIn(**loop, tensor) ||
      (selection.isComputed() && !(tensor->type && tensor->type->role == TypeRole::Tensor)))
    return {};
  // Who goes on while there is something left may end where there is one.
  if (isSkipped(&read, **loop, function,
                (*loop)->kind == NodeKind::While ? asksForSize : isNoQuestion))
    return {};
  return {*loop, selection.isComputed()};
}

ElementLoop pixelLoopOf(const Node &move, const FunctionBody &function) {
  const Node *element = objectOf(move);
  const auto loops = function.loopsAround(&move);
  if (!element || loops.size() < 2 || isShort(*loops[0]) || isShort(*loops[1]))
    return {};
  const Selection selection(element, *loops[1]);
  const Entity tensor = selection.lasting();
  if (!tensor || !selection.isOfVariableIndices() || isChangedIn(*loops[1], tensor) ||
      isSkipped(&move, *loops[1], function, isNoQuestion))
    return {};
  return {loops[0]};
}

const Node *parameterLoopOf(const Node &read, const FunctionBody &function) {
  const Node *number = objectOf(read);
  const auto loops = function.loopsAround(&read);
  if (!number || loops.empty())
    return nullptr;
  const Node &loop = *loops.front();
  const Selection selection(number, loop, /*seesThrough=*/true);
  const Node *origin = selection.origin();
  if (const Node *item = as(NodeKind::MemberCall, origin); // Of named_parameters().
      item && item->arguments.empty() && item->object)
    origin = strip(item->object);
  const Symbol *element = variableOf(origin);
  const Symbol *ofRange = loop.kind == NodeKind::RangeFor ? loop.symbol : nullptr;
  if (ofRange && function.isStep && isTensor(number) && isComputedOf(number, loop, *ofRange))
    element = ofRange;
  const bool isElement = element && element == ofRange;
  const bool isList = element && selection.isOfVariableIndex() &&
                      !declares(loop, canonical(element)) && element->type &&
                      element->type->holdsTensors;
  const bool isParameter =
      (isElement && givesParameters(loop.object)) || (isList && givesParameters(origin));
  if (!(isElement || isList) || !(isParameter || asksForGradient(loop, *element)) ||
      isSkipped(&read, loop, function, asksForAttribute))
    return nullptr;
  return &loop;
}

const Node *lastOfLoop(const Node &read, const FunctionBody &function) {
  const auto loops = function.loopsAround(&read);
  const Node *assignment = as(NodeKind::Binary, function.expressionStatementOf(&read));
  const Symbol *variable =
      assignment && assignment->op == "=" ? variableOf(assignment->children.front()) : nullptr;
  if (loops.empty() || !variable || !variable->isLocal ||
      declares(*loops.front(), canonical(variable)) ||
      function.isConditional(assignment, loops.front()))
    return nullptr;
  return mentionsIn(*loops.front(), *variable) == 1 ? loops.front() : nullptr;
}

const Node *readBefore(const Node &read, const FunctionBody &function) {
  const auto loops = function.loopsAround(&read);
  const Symbol *tensor = variableOf(copiedBy(objectOf(read)));
  if (loops.empty() || !tensor || !isDeclaredIn(*loops.front(), canonical(tensor), read))
    return nullptr;
  const llvm::ArrayRef<const Node *> statements = sinceDeclaration(canonical(tensor), read);
  const Node *first = nullptr;
  bool isChanged = false, isReached = false;
  const auto look = [&](const Node &part) {
    isReached |= &part == &read;
    const Node *object = part.isCall() && part.symbol ? objectOf(part) : nullptr;
    if (!object || isReached || variableOf(copiedBy(object)) != tensor)
      return;
    isChanged |= changesObject(part);
    if (!first && part.arguments.empty() && part.calledName() == read.calledName() &&
        function.loopsAround(&part).front() == loops.front() &&
        !function.isConditional(&part, loops.front()))
      first = &part;
  };
  if (statements.empty())
    forEach(loops.front(), look);
  for (const Node *statement : statements)
    forEach(statement, look);
  return isChanged ? nullptr : first;
}

const Node *batchLoopOf(const Node &slice, const FunctionBody &function) {
  if (!slices(slice))
    return nullptr;
  const auto loops = function.loopsAround(&slice);
  if (loops.size() < 2)
    return nullptr;
  const Node &batches = *loops[0], &epochs = *loops[1];
  const Node *object = objectOf(slice);
  const Selection whole(object, epochs);
  const Entity tensor = whole.lasting();
  if (!tensor || whole.isOfVariableIndex() || isChangedIn(epochs, tensor) ||
      (!slice.symbol->isFramework && isHandedOut(epochs, tensor)))
    return nullptr;
  Counting counting(epochs);
  bool isOfIteration = false;
  for (const Node *argument : slice.arguments) {
    if (argument == object)
      continue;
    if (!counting.isCounted(argument))
      return nullptr;
    isOfIteration |= dependsOn(*argument, batches);
  }
  return isOfIteration && !shuffles(epochs) && !carriesState(batches) ? &batches : nullptr;
}

} // namespace gradtidy
