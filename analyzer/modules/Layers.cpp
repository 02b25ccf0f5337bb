#include "Layers.h"

#include "BatchFirst.h"
#include "LayerShapes.h"
#include "analyzer/ir/Typing.h"

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

/// What a loss makes of the losses of all elements, as its options say.
Reduction reductionIn(llvm::ArrayRef<const Node *> arguments) {
  Reduction reduction = Reduction::Mean;
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
      else if (named->trait == Trait::SumsLosses)
        reduction = Reduction::Sum;
      else if (isFixed && !named->isFramework)
        self(self, named->init, depth + 1);
      else if (named->isVariable() && !named->isFramework && givesOne(reduction))
        reduction = Reduction::Unknown;
      return;
    }
    if (code->kind == NodeKind::Member && named && named->kind == SymbolKind::Member &&
        givesOne(reduction))
      reduction = Reduction::Unknown;
    for (const Node *child : code->children)
      self(self, child, depth + 1);
  };
  for (const Node *argument : arguments)
    visit(visit, argument, 0);
  return reduction;
}

class LayerReader {
public:
  explicit LayerReader(const ModuleUses &uses) : uses(uses) {}

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
    const bool isCallOfClosure = module->kind == NodeKind::OperatorCall && module->op == "()";
    if (module->kind == NodeKind::OperatorCall && module->arguments.size() == 1 && !isCallOfClosure)
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
    if (isLoss(layer.rule))
      layer.reduction = reductionIn(arguments);
    else
      layer.steps.push_back(uses.shapeOf(layer.rule, arguments));
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

  /// A container makes of its input what its layers make of it one after the other.
  Layer ofParts(llvm::ArrayRef<const Node *> arguments, unsigned depth) {
    Layer container;
    container.steps = {SizedLayer{.kind = SizedLayer::Same}};
    for (const Node *argument : arguments) {
      if (const Node *list = as(NodeKind::List, strip(argument)))
        return ofParts(namedIn(*list), depth);
      if (isNull(argument))
        return {};
      if (holdsModules(argument->type))
        container = grown(container, layerOf(argument, depth + 1));
    }
    return container;
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
      if (common->steps != layer.steps)
        common->steps = joined(common->steps, layer.steps);
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

Layer layerOf(const Node &module, const ModuleUses &uses) {
  return LayerReader(uses).layerOf(&module);
}

} // namespace gradtidy
