#include "LastLayer.h"

#include "BatchFirst.h"
#include "analyzer/events/values/TypingReader.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace gradtidy {
namespace {

class LastLayer {
public:
  LastLayer(ModuleUses &uses, Vocabulary &vocabulary, ASTContext &context)
      : uses(uses), vocabulary(vocabulary), context(context) {}

  Layer layerOf(const Expr *module, unsigned depth = 0) {
    module = strip(module);
    if (depth > 8 || module->getType().isNull() || module->isTypeDependent())
      return {};
    const Held &held = uses.heldBy(module->getType());
    if (held.modules.size() != 1 || uses.isUser(held.modules.front()))
      return {};
    const CXXRecordDecl *record = held.modules.front();
    const bool isContainer = vocabulary.traitOf(record) == Trait::Container;
    Layer layer;
    if (!isContainer)
      layer = {vocabulary.operationOf(record), vocabulary.ruleOf(record)};
    if (const auto *access = dyn_cast<CXXOperatorCallExpr>(module);
        access && access->getNumArgs() == 1)
      return layerOf(access->getArg(0), depth + 1); // `net->`, `*net`
    if (const auto *call = dyn_cast<CallExpr>(module)) {
      const bool isFactoryCall = isFactory(call->getDirectCallee());
      if (registersModule(uses.traitOfCallee(call)) && !isContainer)
        return call->getNumArgs() > 1 ? layerOf(call->getArg(1), depth + 1) : layer;
      if (registersModule(uses.traitOfCallee(call)) || isFactoryCall)
        return isContainer ? ofParts(call->arguments(), depth)
                           : made(layer, {call->getArgs(), call->getNumArgs()});
    }
    if (const auto *construct = dyn_cast<CXXConstructExpr>(module)) {
      if (!isContainer && construct->getNumArgs() == 1 &&
          uses.heldBy(strip(construct->getArg(0))->getType()).modules.size() == 1)
        return layerOf(construct->getArg(0), depth + 1); // Another handle.
      return isContainer ? ofParts(construct->arguments(), depth)
                         : made(layer, {construct->getArgs(), construct->getNumArgs()});
    }
    const Entity entity = uses.rootOf(module);
    if (!entity)
      return layer;
    const Layer found = layerOf(entity, depth);
    layer.batchFirst = found.batchFirst;
    if (isContainer || found.operation == layer.operation)
      return found.rule == ResultRule::None && !isContainer ? layer : found;
    return layer;
  }

private:
  Layer made(Layer layer, ArrayRef<const Expr *> arguments) {
    const TypingReader reader(nullptr, vocabulary, context);
    layer.axes = spatialAxesOf(layer.rule);
    if (layer.rule == ResultRule::Linear || layer.rule == ResultRule::Embed || layer.axes)
      layer.features = reader.numberAt(1, arguments);
    if (layer.rule == ResultRule::Linear || layer.axes)
      layer.intake = {reader.numberAt(0, arguments), layer.axes};
    if (layer.rule == ResultRule::Loss || layer.rule == ResultRule::ClassLoss)
      layer.reduction = reader.reductionIn(arguments);
    layer.isPlain = layer.rule == ResultRule::ClassLoss && arguments.empty();
    if (layer.operation == Operation::Recur)
      layer.batchFirst = putsBatchFirst(arguments, vocabulary, context);
    return layer;
  }

  /// The modules of `{{"fc", Linear(4, 2)}, {"softmax", Softmax(1)}}`.
  static SmallVector<const Expr *, 8> namedIn(const InitListExpr &list) {
    SmallVector<const Expr *, 8> modules;
    for (const Expr *element : list.inits())
      if (const auto *named = dyn_cast<CXXConstructExpr>(strip(element));
          named && named->getNumArgs() == 2)
        modules.push_back(named->getArg(1));
    return modules;
  }

  /// A container takes what its first layer takes, and gives what its last one does.
  template <typename Range> Layer ofParts(const Range &arguments, unsigned depth) {
    Layer container = ofLast(arguments, depth);
    container.intake = intakeOf(arguments, depth);
    return container;
  }
  template <typename Range> Intake intakeOf(const Range &arguments, unsigned depth) {
    for (const Expr *argument : arguments) {
      if (const auto *list = dyn_cast<InitListExpr>(strip(argument)))
        return intakeOf(namedIn(*list), depth);
      return layerOf(argument, depth + 1).intake;
    }
    return {};
  }

  /// Layers that only rearrange leave it to those before them.
  template <typename Range> Layer ofLast(const Range &arguments, unsigned depth) {
    std::optional<Layer> last;
    for (const Expr *argument : llvm::reverse(arguments)) {
      if (const auto *list = dyn_cast<InitListExpr>(strip(argument)))
        return ofLast(namedIn(*list), depth);
      if (isa<CXXDefaultArgExpr>(argument))
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
  Layer layerOf(Entity entity, unsigned depth) {
    const EntityFacts &facts = uses.of(entity);
    if (facts.escapes || facts.same.size() > 1)
      return {};
    std::vector<const Expr *> values = facts.arguments;
    for (const EntityDefinition &definition : facts.definitions) {
      if (definition.kind == MemberDefinition::Insertion)
        return {};
      if (!isNull(definition.value) && !isRegistration(definition.value, entity))
        values.push_back(definition.value);
    }
    std::optional<Layer> common;
    for (const Expr *value : values) {
      const Layer layer = layerOf(value, depth + 1);
      if ((layer.operation == Operation::None && layer.rule == ResultRule::None) ||
          (common && (common->operation != layer.operation || common->rule != layer.rule)))
        return {};
      if (common && (common->features != layer.features || common->axes != layer.axes))
        common->features = Shape::unknown;
      if (common && !(common->intake == layer.intake))
        common->intake = {};
      if (common && common->reduction != layer.reduction)
        common->reduction = Reduction::Unknown;
      if (common)
        common->isPlain &= layer.isPlain;
      if (common && common->batchFirst != layer.batchFirst)
        common->batchFirst = Answer::Unknown;
      if (!common)
        common = layer;
    }
    return common.value_or(Layer());
  }

  /// `layers = register_module("layers", layers)`
  bool isRegistration(const Expr *value, Entity entity) {
    const auto *call = dyn_cast<CallExpr>(originalOf(value));
    return call && registersModule(uses.traitOfCallee(call)) &&
           llvm::any_of(call->arguments(), [&](const Expr *argument) {
             return uses.rootOf(originalOf(argument)) == entity;
           });
  }

  ModuleUses &uses;
  Vocabulary &vocabulary;
  ASTContext &context;
};

} // namespace

Layer lastLayer(const Expr *module, ModuleUses &uses, Vocabulary &vocabulary, ASTContext &context) {
  return LastLayer(uses, vocabulary, context).layerOf(module);
}

} // namespace gradtidy
