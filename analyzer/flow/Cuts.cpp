// Operations without a gradient, and what becomes of their results: a loss that is made of nothing
// else has no gradient, and a term that is made of nothing else adds none to it.
#include "Arguments.h"
#include "Interpreter.h"

#include "analyzer/events/Typing.h"

namespace gradtidy {

static bool mayHaveGradient(const Value &value) {
  return value.graph & (Graph::Attached | Graph::Unknown);
}

/// Whether the value is there whatever is trained: new numbers.
static bool isConstant(const Value &value) {
  return value.graph == Graph::Detached && value.made && value.made->kind == EventKind::Create;
}

const Event *commonCut(const Value &a, const Value &b) {
  if (a.cut && (b.cut || isConstant(b)))
    return a.cut;
  return b.cut && isConstant(a) ? b.cut : nullptr;
}

void State::addCuts(PathId path, const Value &added) {
  if (Value *value = values.edit(path)) {
    value->cut = added.cut;
    value->idleTerm = added.idleTerm;
    if (added.derived) // Of a list, that of one element.
      value->derived = added.derived;
  }
}

/// Whether the event gives the indices that belong to values: the second part of `x.max(1)`.
static bool givesIndices(const Event &event, const PathTable &paths) {
  return event.kind == EventKind::Combine && !event.isDifferentiable && !event.run &&
         event.resultRole == TypeRole::Tensor && paths.last(event.result).kind == PathStep::Element;
}

/// Whether the event computes tensors, or hands them on, and does nothing else of which one would
/// have to know.
static bool isFollowed(const Event &event, const PathTable &paths) {
  switch (event.kind) {
  case EventKind::Forward:
    return event.isStateless && !event.callee;
  case EventKind::Construct: // Of a list.
    return event.subject.role == TypeRole::None;
  case EventKind::Move:
    return !isModule(event.subject.role);
  case EventKind::Combine:
    return event.run || event.operation != Operation::None || event.isAnyDevice ||
           !event.site->isCall() || givesIndices(event, paths);
  default:
    return false;
  }
}

/// Whether no gradient goes through the event, whatever it is given.
static bool endsGradients(const Event &event, const TensorType &result, const PathTable &paths) {
  if (event.isArithmetic || event.isAttribute)
    return false;
  if (event.kind == EventKind::Move ||
      (event.typing && event.typing->rule == ResultRule::Cast && event.run))
    return isIntegral(result.element);
  if (givesIndices(event, paths))
    return true;
  return event.kind == EventKind::Combine && event.run && !event.run->isRandom() &&
         !event.changesElements && (event.run->lacksGradient() || !event.isDifferentiable);
}

/// Whether the gradient of what the event computes depends on the elements of its argument
/// \p index: what is added to that makes a difference.
static bool usesElements(const Event &event, unsigned index) {
  if (!event.run)
    return event.kind != EventKind::Move && !event.isAnyDevice && !keepsValues(event.operation);
  for (const Overload &overload : event.run->overloads) {
    if (!fits(overload, event))
      continue;
    if (overload.gradient != GradientRule::Formula && !keepsValues(event.operation))
      return true;
    for (const Overload::Saved &rule : overload.saves)
      if (rule.result || llvm::is_contained(rule.arguments, index))
        return true;
  }
  return false;
}

static bool isNumber(const Operand &operand) {
  const ir::Type *type = operand.expr ? operand.expr->spelled().type : nullptr;
  return type && type->isArithmetic;
}

/// Whether the event adds or subtracts: the gradient of each term is that of the sum.
static bool isSum(const Event &event) {
  unsigned terms = 0;
  forArguments(event, [&](unsigned, const Operand &operand) {
    terms += operand.role == TypeRole::Tensor || isNumber(operand);
  });
  if (!event.run || terms < 2)
    return false;
  const auto isLinear = [&](const Overload &overload) {
    return overload.gradient == GradientRule::Formula && overload.saves.empty();
  };
  const ResultRule rule = event.typing ? event.typing->rule : ResultRule::None;
  const bool isOfElements =
      rule == ResultRule::None || rule == ResultRule::Elementwise || rule == ResultRule::Same;
  const std::vector<Overload> &overloads = event.run->overloads;
  return isOfElements && !overloads.empty() && overloads.front().tensors.size() == 2 &&
         llvm::all_of(overloads, isLinear);
}

// --- numbers

namespace {

/// Goes back from a number to what reads it from a tensor.
class NumberTrail {
public:
  using Body = llvm::function_ref<const FunctionBody *(const Event &)>;
  using Methods =
      llvm::function_ref<llvm::SmallVector<const FunctionBody *, 8>(const ir::Symbol &)>;

  /// \p methodsOf gives the methods of the class that a member is of.
  NumberTrail(llvm::ArrayRef<const Event *> callers, Body bodyOf, Methods methodsOf)
      : callers(callers), bodyOf(bodyOf), methodsOf(methodsOf) {}

  /// What reads a tensor for \p expr, which stands in \p function; null if that is unknown.
  const Event *readFor(const ir::Node *expr, const FunctionBody &function) {
    const ir::Node *node = expr ? ir::stripped(&expr->spelled()) : nullptr;
    if (!node || !seen.insert(node).second || seen.size() > limit)
      return nullptr;
    switch (node->kind) {
    case ir::NodeKind::Reference:
    case ir::NodeKind::Member:
      return node->symbol ? readFor(*node->symbol, function) : nullptr;
    case ir::NodeKind::Binary:
    case ir::NodeKind::Unary:
    case ir::NodeKind::FunctionalCast:
    case ir::NodeKind::List:
    case ir::NodeKind::Other:
      return readForAny(node->children, function);
    case ir::NodeKind::Construct:
    case ir::NodeKind::Temporary:
      return readForAny(node->arguments, function);
    case ir::NodeKind::Conditional:
      return readForAny(llvm::ArrayRef(node->children).drop_front(), function);
    default:
      return node->isCall() ? readForCall(*node, function) : nullptr;
    }
  }

private:
  static constexpr unsigned limit = 100;

  const Event *readForAny(llvm::ArrayRef<const ir::Node *> nodes, const FunctionBody &function) {
    for (const ir::Node *node : nodes)
      if (const Event *read = readFor(node, function))
        return read;
    return nullptr;
  }

  const Event *readForCall(const ir::Node &call, const FunctionBody &function) {
    for (const Block &block : function.blocks)
      for (const Event &event : block.events) {
        if (event.site != &call)
          continue;
        if (event.operation == Operation::ReadScalar)
          return &event;
        const FunctionBody *body = event.kind == EventKind::Call ? bodyOf(event) : nullptr;
        if (!body)
          continue;
        for (const Block &inner : body->blocks)
          for (const Event &end : inner.events)
            if (end.kind == EventKind::Return && !end.operands.empty())
              if (const Event *read = readFor(end.operands.front().expr, *body))
                return read;
      }
    const bool isOfStandard = call.symbol && call.symbol->isStandard;
    return isOfStandard ? readForAny(call.arguments, function) : nullptr;
  }

  /// The same for a variable, by what gives it its value in the function.
  const Event *readFor(const ir::Symbol &variable, const FunctionBody &function) {
    if (variable.kind == ir::SymbolKind::Parameter && variable.owner == function.function &&
        !callers.empty() && bodyOf(*callers.back()) == &function &&
        variable.index < callers.back()->operands.size())
      return NumberTrail(callers.drop_back(), bodyOf, methodsOf)
          .readFor(callers.back()->operands[variable.index].expr, *callers.back()->function);
    if (variable.isLocal && variable.init)
      if (const Event *read = readFor(variable.init, function))
        return read;
    if (const Event *read = readForAssigned(variable, function))
      return read;
    if (variable.kind == ir::SymbolKind::Member)
      for (const FunctionBody *method : methodsOf(variable))
        if (const Event *read = method == &function ? nullptr : readForAssigned(variable, *method))
          return read;
    return nullptr;
  }

  const Event *readForAssigned(const ir::Symbol &variable, const FunctionBody &function) {
    const Event *found = nullptr;
    const auto isIt = [&](const ir::Node *node) {
      node = ir::stripped(node);
      return node && node->symbol == &variable &&
             (node->kind == ir::NodeKind::Reference || node->kind == ir::NodeKind::Member);
    };
    ir::forEach(function.body, [&](const ir::Node &node) {
      if (found)
        return;
      if (node.kind == ir::NodeKind::Binary && node.isAssignment() && isIt(node.children[0]))
        found = readFor(node.children[1], function);
      else if (node.kind == ir::NodeKind::MemberCall && node.symbol && node.symbol->isStandard &&
               isIt(node.object))
        found = readForAny(node.arguments, function); // `values.push_back(loss.item<float>())`
    });
    return found;
  }

  llvm::ArrayRef<const Event *> callers;
  Body bodyOf;
  Methods methodsOf;
  llvm::SmallPtrSet<const ir::Node *, 16> seen;
};

} // namespace

const Event *Interpreter::readFor(const ir::Node *number, const FunctionBody &function) const {
  const auto bodyOf = [&](const Event &call) {
    return call.callee ? graph.calleeOf(*call.callee, call.isVirtual) : nullptr;
  };
  const auto methodsOf = [&](const ir::Symbol &member) {
    llvm::SmallVector<const FunctionBody *, 8> methods;
    for (const ir::Method &method : unit.classOf(*member.owner).methods)
      if (const FunctionBody *body = graph.calleeOf(*method.symbol, /*isVirtual=*/false))
        methods.push_back(body);
    return methods;
  };
  return NumberTrail(callers, bodyOf, methodsOf).readFor(number, function);
}

/// Whether the factory gives the elements the values of \p operand.
static bool givesValue(const Event &factory, const Operand &operand) {
  if (!factory.typing || !operand.expr || operand.isTensor || operand.role != TypeRole::None)
    return false;
  return factory.typing->rule == ResultRule::Values ||
         (factory.typing->rule == ResultRule::Full && isNumber(operand));
}

const Event *Interpreter::readForNew(const Event &factory) const {
  for (const Operand &operand : factory.operands)
    if (givesValue(factory, operand))
      if (const Event *read = readFor(operand.expr, *factory.function))
        return read;
  return nullptr;
}

// --- results

void Interpreter::cutGradients(const Event &event, const State &state, Value &result) const {
  result.cut = result.idleTerm = nullptr;
  if (!(state.gradMode().possible & GradMode::On) || event.isGuarded ||
      !isFollowed(event, tables.paths))
    return;
  const Event *cut = nullptr, *idle = nullptr, *term = nullptr;
  const Operand *number = nullptr;
  unsigned tensors = 0;
  bool hasOther = false, isUsed = false, ends = false;
  forArguments(event, [&](unsigned index, const Operand &operand) {
    if (isModule(operand.role))
      return;
    if (!operand.isTensor) {
      number = index == 1 ? &operand : number;
      return;
    }
    ++tensors;
    const Value value = state.valueOf(operand);
    ends |= mayHaveGradient(value);
    if (value.cut) {
      cut = value.cut;
      if (tables.types[value.type].shape.isOne())
        term = value.cut;
    } else if (const ListFacts *list = state.list(operand.path); !list || !list->isEmpty) {
      hasOther |= value.graph & ~unsigned(Graph::Detached);
    }
    if (value.idleTerm) {
      idle = value.idleTerm;
      isUsed |= usesElements(event, index);
    }
  });
  if (ends && endsGradients(event, tables.types[result.type], tables.paths))
    result.cut = cut ? cut : &event;
  else if (cut && !hasOther)
    result.cut = cut;
  else if (idle && !isUsed)
    result.idleTerm = idle;
  else if (term && isSum(event))
    result.idleTerm = term;
  else if (ends && number && tensors == 1 && isSum(event))
    result.idleTerm = readFor(number->expr, *event.function);
}

} // namespace gradtidy
