#include "LastLayer.h"

#include "BatchFirst.h"
#include "analyzer/events/Typing.h"

namespace gradtidy {

using namespace ir;

bool isOwnRegistration(const Node *value, Entity entity, const ModuleUses &uses) {
  const Node *call = asCall(originalOf(value));
  return call && registersModule(traitOfCallee(*call)) &&
         llvm::any_of(call->arguments, [&](const Node *argument) {
           return uses.rootOf(originalOf(argument)) == entity;
         });
}

namespace {

/// \p expr without what changes neither value nor type.
const Node *peel(const Node *expr) {
  for (;;) {
    const Node *inner = withoutParentheses(expr);
    const bool isCopy = asConstruction(inner) && inner->arguments.size() == 1 && inner->symbol &&
                        inner->symbol->isCopying;
    if (inner->kind == NodeKind::FunctionalCast && !inner->children.empty())
      inner = inner->children.front();
    else if (isCopy)
      inner = inner->arguments.front();
    if (inner == expr)
      return expr;
    expr = inner;
  }
}

/// The number that \p expr is, or an object of one number is made of; `Typing::noNumber` for a
/// constant whose value is not known.
std::optional<std::int64_t> integerIn(const Node *expr, unsigned depth = 0) {
  expr = peel(expr);
  const bool isList = expr->kind == NodeKind::List;
  if ((isList || asConstruction(expr)) && depth < 4) {
    const llvm::ArrayRef<const Node *> parts = isList ? expr->children : expr->arguments;
    return parts.size() == 1 ? integerIn(parts.front(), depth + 1) : std::nullopt;
  }
  return expr->type && expr->type->isBoolean ? std::nullopt : expr->integer;
}

/// The number at \p index of those that a layer, or its options, are made with.
std::int64_t numberAt(unsigned index, llvm::ArrayRef<const Node *> arguments) {
  while (!arguments.empty()) {
    const Node *first = peel(arguments.front());
    if (isArithmetic(*first)) {
      const bool isNumber = arguments.size() > index && isArithmetic(*peel(arguments[index]));
      const std::int64_t number = isNumber ? integerIn(arguments[index]).value_or(0) : 0;
      return number > 0 ? number : Shape::unknown;
    }
    while (first->kind == NodeKind::MemberCall) // `LinearOptions(…).bias(…)`
      first = peel(first->object);
    if (!asConstruction(first))
      break;
    arguments = first->arguments;
  }
  return Shape::unknown;
}

/// What a loss makes of the losses of all elements, as its options say.
Reduction reductionIn(llvm::ArrayRef<const Node *> arguments) {
  Reduction reduction = Reduction::Reduced;
  const auto visit = [&](const auto &self, const Node *code, unsigned depth) -> void {
    if (!code || code->kind == NodeKind::DefaultArgument || depth > 24 ||
        (code->type && code->type->role == TypeRole::Tensor))
      return;
    const Symbol *named = code->symbol;
    if (code->kind == NodeKind::Reference && named) {
      const bool isFixed = named->kind == SymbolKind::Variable && named->init && named->type &&
                           named->type->isConst && !named->type->isReference;
      if (named->trait == Trait::KeepsLosses)
        reduction = Reduction::Kept;
      else if (isFixed && !named->isFramework)
        self(self, named->init, depth + 1);
      else if (named->isVariable() && !named->isFramework && reduction == Reduction::Reduced)
        reduction = Reduction::Unknown;
      return;
    }
    if (code->kind == NodeKind::Member && named && named->kind == SymbolKind::Member &&
        reduction == Reduction::Reduced)
      reduction = Reduction::Unknown;
    for (const Node *child : code->children)
      self(self, child, depth + 1);
  };
  for (const Node *argument : arguments)
    visit(visit, argument, 0);
  return reduction;
}

class LastLayer {
public:
  explicit LastLayer(const ModuleUses &uses) : uses(uses) {}

  Layer layerOf(const Node *module, unsigned depth = 0) {
    module = strip(module);
    const llvm::ArrayRef<const Symbol *> modules = modulesIn(module->type);
    if (depth > 8 || isDependent(*module) || modules.size() != 1 || modules.front()->isUser)
      return {};
    const Symbol &record = *modules.front();
    const bool isContainer = record.trait == Trait::Container;
    Layer layer;
    if (!isContainer)
      layer = {record.operation, record.rule};
    if (module->kind == NodeKind::OperatorCall && module->arguments.size() == 1)
      return layerOf(module->arguments.front(), depth + 1); // `net->`, `*net`
    if (module->isCall()) {
      const bool isRegistration = registersModule(traitOfCallee(*module));
      if (isRegistration && !isContainer)
        return module->arguments.size() > 1 ? layerOf(module->arguments[1], depth + 1) : layer;
      if (isRegistration || isFactory(module->symbol))
        return isContainer ? ofParts(module->arguments, depth) : made(layer, module->arguments);
    }
    if (asConstruction(module)) {
      if (!isContainer && module->arguments.size() == 1 &&
          modulesIn(strip(module->arguments.front())->type).size() == 1)
        return layerOf(module->arguments.front(), depth + 1); // Another handle.
      return isContainer ? ofParts(module->arguments, depth) : made(layer, module->arguments);
    }
    const Entity entity = uses.rootOf(module);
    if (!entity)
      return layer;
    const Layer found = ofEntity(entity, depth);
    layer.batchFirst = found.batchFirst;
    if (isContainer || found.operation == layer.operation)
      return found.rule == ResultRule::None && !isContainer ? layer : found;
    return layer;
  }

private:
  Layer made(Layer layer, llvm::ArrayRef<const Node *> arguments) const {
    layer.axes = spatialAxesOf(layer.rule);
    if (layer.rule == ResultRule::Linear || layer.rule == ResultRule::Embed || layer.axes)
      layer.features = numberAt(1, arguments);
    if (layer.rule == ResultRule::Linear || layer.axes)
      layer.intake = {numberAt(0, arguments), layer.axes};
    if (layer.rule == ResultRule::Loss || layer.rule == ResultRule::ClassLoss)
      layer.reduction = reductionIn(arguments);
    layer.isPlain = layer.rule == ResultRule::ClassLoss && arguments.empty();
    if (layer.operation == Operation::Recur)
      layer.batchFirst = putsBatchFirst(arguments, uses);
    return layer;
  }

  /// The modules of `{{"fc", Linear(4, 2)}, {"softmax", Softmax(1)}}`.
  static llvm::SmallVector<const Node *, 8> namedIn(const Node &list) {
    llvm::SmallVector<const Node *, 8> modules;
    for (const Node *element : list.children)
      if (const Node *named = asConstruction(strip(element)); named && named->arguments.size() == 2)
        modules.push_back(named->arguments[1]);
    return modules;
  }

  /// A container takes what its first layer takes, and gives what its last one does.
  Layer ofParts(llvm::ArrayRef<const Node *> arguments, unsigned depth) {
    Layer container = ofLast(arguments, depth);
    container.intake = intakeOf(arguments, depth);
    return container;
  }
  Intake intakeOf(llvm::ArrayRef<const Node *> arguments, unsigned depth) {
    if (arguments.empty())
      return {};
    if (const Node *list = as(NodeKind::List, strip(arguments.front())))
      return intakeOf(namedIn(*list), depth);
    return layerOf(arguments.front(), depth + 1).intake;
  }

  /// Layers that only rearrange leave it to those before them.
  Layer ofLast(llvm::ArrayRef<const Node *> arguments, unsigned depth) {
    std::optional<Layer> last;
    for (const Node *argument : llvm::reverse(arguments)) {
      if (const Node *list = as(NodeKind::List, strip(argument)))
        return ofLast(namedIn(*list), depth);
      if (argument->kind == NodeKind::DefaultArgument)
        continue;
      const Layer layer = layerOf(argument, depth + 1);
      if (layer.operation == Operation::Rearrange && layer.rule != ResultRule::Same) {
        if (last) // It changes the shape.
          return *last;
        continue;
      }
      if (!last && layer.operation != Operation::Rearrange) {
        last = layer;
        if (layer.rule != ResultRule::Same)
          return layer;
        continue;
      }
      if (layer.rule == ResultRule::Linear || layer.axes) {
        last->features = layer.features;
        last->axes = layer.axes;
      }
      if (layer.rule != ResultRule::Same)
        return *last;
    }
    return last.value_or(Layer());
  }

  Layer ofEntity(Entity entity, unsigned depth) {
    const EntityFacts &facts = uses.of(entity);
    if (facts.escapes || facts.same.size() > 1)
      return {};
    std::vector<const Node *> values = facts.arguments;
    for (const MemberDefinition &definition : facts.definitions) {
      if (definition.kind == MemberDefinition::Insertion)
        return {};
      if (!isNull(definition.value) && !isOwnRegistration(definition.value, entity, uses))
        values.push_back(definition.value);
    }
    std::optional<Layer> common;
    for (const Node *value : values) {
      const Layer layer = layerOf(value, depth + 1);
      if (!layer.isKnown() ||
          (common && (common->operation != layer.operation || common->rule != layer.rule)))
        return {};
      if (!common) {
        common = layer;
        continue;
      }
      if (common->features != layer.features || common->axes != layer.axes)
        common->features = Shape::unknown;
      if (!(common->intake == layer.intake))
        common->intake = {};
      if (common->reduction != layer.reduction)
        common->reduction = Reduction::Unknown;
      common->isPlain &= layer.isPlain;
      if (common->batchFirst != layer.batchFirst)
        common->batchFirst = Answer::Unknown;
    }
    return common.value_or(Layer());
  }

  const ModuleUses &uses;
};

} // namespace

Layer lastLayer(const Node &module, const ModuleUses &uses) {
  return LastLayer(uses).layerOf(&module);
}

} // namespace gradtidy
