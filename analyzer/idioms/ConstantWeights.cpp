#include "ConstantWeights.h"

#include "CodeForms.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace gradtidy {

using namespace ir;

static bool isWeighted(const Symbol &layer) {
  const Symbol *record = moduleClassOf(layer.type);
  return record && record->operation == Operation::WeightedSum;
}

/// What \p call is about: its object, or its first argument.
static const Node *subjectOf(const Node &call) {
  const Node *object = objectOf(call);
  return object || call.arguments.empty() ? object : call.arguments.front();
}

/// The layer whose weights \p tensor is; null if it is anything else.
static Entity layerOf(const Node *tensor) {
  tensor = originalOf(tensor);
  while (tensor && tensor->kind == NodeKind::MemberCall && tensor->symbol &&
         tensor->symbol->purpose == FunctionRole::Detach) // weight.data()
    tensor = originalOf(tensor->object);
  const Node *member = as(NodeKind::Member, tensor);
  const Entity layer = member && member->symbol && member->symbol->aspects.has(Aspect::Weights)
                           ? ownerOf(member->object)
                           : nullptr;
  return layer && isWeighted(*layer) ? layer : nullptr;
}

static bool isChoice(const Node &code) {
  return code.isLoop() || code.kind == NodeKind::If || code.kind == NodeKind::Switch ||
         code.kind == NodeKind::Conditional || code.kind == NodeKind::Lambda;
}

namespace {

/// What the code of a class or function does to the weights of its layers.
class Fills {
public:
  llvm::DenseMap<Entity, const Node *> constant; ///< What fills them, whatever happens.
  llvm::DenseSet<Entity> varied;                 ///< Something else may get into them.
  llvm::DenseSet<Entity> single;                 ///< Layers that give a single number.

  /// Of a function.
  explicit Fills(const Symbol &definition) { collect(definition); }

  /// Of a class.
  explicit Fills(const Class &record) {
    for (const Symbol *member : record.members)
      readMaking(member, member->init);
    for (const Method &method : record.methods)
      if (const Symbol *definition = definitionOf(method.symbol))
        collect(*definition);
  }

  bool isConstant(Entity layer) const { return constant.count(layer) && !varied.contains(layer); }

private:
  void collect(const Symbol &definition) {
    for (const Initializer &init : definition.initializers)
      readMaking(init.member, init.value);
    if (definition.body)
      collect(*definition.body, /*isSure=*/true);
  }

  void collect(const Node &code, bool isSure) {
    for (const Symbol *declared : code.declared)
      if (declared->isVariable())
        readMaking(declared, declared->init);
    read(code, isSure);
    for (const Node *child : code.children)
      collect(*child, isSure && !isChoice(code));
  }

  void readMaking(const Symbol *layer, const Node *made) {
    if (layer && made && isWeighted(*layer) && givesOne(*made))
      single.insert(canonical(layer));
  }

  void read(const Node &expr, bool isSure) {
    if (const auto assigned = asAssignment(expr)) {
      if (const Entity layer = layerOf(assigned->target))
        varied.insert(layer);
      readMaking(ownerOf(assigned->target), assigned->value);
      return;
    }
    const Symbol *callee = expr.isCall() ? expr.symbol : nullptr;
    const Node *first = callee ? subjectOf(expr) : nullptr;
    if (!first)
      return;
    const Entity layer = layerOf(first);
    const bool isFill = callee->operation == Operation::Fill;
    const bool onlyReads = expr.kind == NodeKind::MemberCall && !callee->worksInPlace;
    if (layer && isFill && isSure)
      constant.try_emplace(layer, &expr);
    else if (layer && !isFill && !onlyReads)
      varied.insert(layer);
    if (const Entity loaded = callee->purpose == FunctionRole::Load ? ownerOf(first) : nullptr)
      varied.insert(loaded);
  }

  /// Whether the second number of the layer that is made is 1.
  static bool givesOne(const Node &made) {
    if (made.arguments.size() > 1 && isArithmetic(*made.arguments[0])) {
      const Node *number = as(NodeKind::Integer, strip(made.arguments[1]));
      return number && number->integer == 1;
    }
    return llvm::any_of(made.children, [](const Node *child) { return givesOne(*child); });
  }
};

/// Follows the values of a forward pass from layer to layer.
class LayerFlow {
public:
  struct Step {
    Entity before, behind;
  };
  llvm::SmallVector<Step, 4> steps; ///< Layers with weights, with nothing between that has any.

  /// Of a function.
  explicit LayerFlow(const Symbol &definition) { run(definition.body); }

  /// Of the forward passes of a class.
  explicit LayerFlow(const Class &record) {
    for (const Method &method : record.methods)
      if (const Symbol *definition = definitionOf(method.symbol);
          definition && isForward(method.symbol))
        run(definition->body);
  }

private:
  void run(const Node *code) {
    if (!code)
      return;
    for (const Symbol *declared : code->declared)
      if (declared->isVariable() && declared->init)
        last[canonical(declared)] = layerOf(declared->init);
    if (code->isExpression)
      layerOf(code);
    else if (code->kind != NodeKind::Declaration)
      for (const Node *child : code->children)
        run(child);
  }

  /// The layer whose neurons the elements of \p expr are, one for one; null if nobody knows.
  Entity layerOf(const Node *expr) {
    expr = strip(expr);
    if (expr->kind == NodeKind::Reference)
      return last.lookup(entityOf(expr));
    if (asConstruction(expr) && expr->arguments.size() == 1)
      return layerOf(expr->arguments.front());
    if (const auto assigned = asAssignment(*expr)) {
      const Entity layer = layerOf(assigned->value);
      if (const Entity target = entityOf(strip(assigned->target)))
        last[target] = layer;
      return layer;
    }
    if (expr->isCall())
      return layerOfCall(*expr);
    for (const Node *part : expr->children)
      if (part->isExpression && part->kind != NodeKind::Lambda)
        layerOf(part);
    return nullptr;
  }

  Entity layerOfCall(const Node &call) {
    const Symbol *callee = call.symbol;
    const Node *object = objectOf(call);
    const Entity module = object ? ownerOf(object) : nullptr;
    const bool isForwarded = module && module->type && isModule(module->type->role) &&
                             (isForward(callee) || call.op == "()");
    unsigned tensors = 0;
    Entity input = nullptr;
    const auto take = [&](const Node *part) {
      const Entity layer = layerOf(part);
      if (!holdsTensors(part->type))
        return;
      ++tensors;
      input = layer;
    };
    if (object && !isForwarded)
      take(object);
    for (const Node *argument : argumentsOf(call))
      if (argument->kind != NodeKind::DefaultArgument)
        take(argument);
    if (tensors != 1)
      input = nullptr;
    if (isForwarded)
      return layerOfForward(module, input);
    // Dropout makes the neurons differ.
    const bool keeps = callee && callee->isFramework && callee->trait != Trait::ModeDependent &&
                       callee->trait != Trait::TrainsByDefault &&
                       callee->operation != Operation::WeightedSum;
    return keeps ? input : nullptr;
  }

  Entity layerOfForward(Entity module, Entity input) {
    const Symbol *record = moduleClassOf(module->type);
    if (!isWeighted(*module))
      return record && record->isStateless ? input : nullptr;
    if (input && input != module)
      steps.push_back({input, module});
    return module;
  }

  llvm::DenseMap<const Symbol *, Entity> last;
};

} // namespace

EqualNeurons equalNeuronsOf(const Node &fill, const FunctionBody &function) {
  const Node *tensor = subjectOf(fill);
  const Entity layer = tensor ? layerOf(tensor) : nullptr;
  if (!layer)
    return {};
  const Symbol *record = layer->kind == SymbolKind::Member ? layer->owner : nullptr;
  if (record && record != gradtidy::classOf(function.function))
    return {};
  Fills fills = record ? Fills(ir::classOf(*record)) : Fills(*function.function);
  const LayerFlow flow = record ? LayerFlow(ir::classOf(*record)) : LayerFlow(*function.function);
  if (!fills.isConstant(layer) || fills.constant[layer] != &fill || fills.single.contains(layer))
    return {};
  for (const LayerFlow::Step &step : flow.steps)
    if (step.before == layer && fills.isConstant(step.behind))
      return {step.before, step.behind, &fill, fills.constant[step.behind]};
  return {};
}

// --- functions that are called for all parts

/// The variable that a branch asks for.
static Entity askedBy(const Node &branch) {
  for (const Node *child : branch.children)
    if (child->kind == NodeKind::Declaration && child != branch.init)
      return onlyVariableOf(*child);
  return entityOf(strip(branch.condition));
}

/// The call in \p code that fills the weights of the layers of a class with one value, and the
/// variable that names the layer. Null where something else is asked but of which class it is.
static const Node *fillIn(const Node *code, Entity &layer) {
  if (!code || code->isLoop() || code->kind == NodeKind::Lambda)
    return nullptr;
  if (code->kind == NodeKind::If) {
    const Node *found = fillIn(code->body, layer);
    return found && askedBy(*code) == layer ? found : fillIn(code->otherwise, layer);
  }
  if (code->isCall() && code->symbol && code->symbol->operation == Operation::Fill) {
    const Node *tensor = subjectOf(*code);
    layer = tensor ? layerOf(tensor) : nullptr;
    return layer ? code : nullptr;
  }
  for (const Node *child : code->children)
    if (const Node *found = fillIn(child, layer))
      return found;
  return nullptr;
}

EqualNeurons equalNeuronsOfApply(const Node &apply) {
  const Node *given = apply.arguments.empty() ? nullptr : convertedFrom(apply.arguments.front());
  const Node *object = objectOf(apply);
  if (!given || !object)
    return {};
  const Symbol *function = definitionOf(given->kind == NodeKind::Lambda && !given->declared.empty()
                                            ? given->declared.front()
                                            : given->symbol);
  if (!function || !function->body)
    return {};
  const Fills fills(*function);
  Entity layer = nullptr;
  const Node *fill = fillIn(function->body, layer);
  if (!fill || fills.varied.contains(layer))
    return {};
  const Symbol *filled = moduleClassOf(layer->type);
  const Entity whole = ownerOf(object);
  const Symbol *record = moduleClassOf(whole ? whole->type : strip(object)->type);
  if (!record || record->isFramework)
    return {};
  const Fills own(ir::classOf(*record));
  for (const LayerFlow::Step &step : LayerFlow(ir::classOf(*record)).steps)
    if (moduleClassOf(step.before->type) == filled && moduleClassOf(step.behind->type) == filled &&
        !own.single.contains(step.before))
      return {step.before, step.behind, fill, fill};
  return {};
}

} // namespace gradtidy
