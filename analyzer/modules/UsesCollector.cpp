// What collects what ModuleUses knows.
#include "FunctionalModes.h"
#include "ValueFlow.h"

namespace gradtidy {

using namespace ir;

/// Follows every mention of an entity to where its value goes.
class ModuleUses::Collector {
public:
  explicit Collector(ModuleUses &uses) : uses(uses) {}

  void visit(const LoweredUnit::Contents &unit) {
    for (const Symbol *record : uses.records) {
      visitMembers(*record);
      followPattern(*record);
    }
    for (const auto &body : unit.functions)
      if (!body->function->isClosure) // It is a part of the code around it.
        visit(*body->function);
  }

  llvm::DenseSet<llvm::StringRef> openNames; ///< Of members of nobody knows which class.
  ModeCalls modeCalls;
  /// Functions that call what depends on a mode, but not on the module's.
  llvm::DenseSet<const Symbol *> modeIgnorant;
  llvm::DenseSet<const Symbol *> asking; ///< Classes that call is_training().

private:
  // --- the code

  void visit(const Symbol &function) {
    if (const Symbol *owner = gradtidy::classOf(&function))
      visitMembers(*owner);
    place.function = function.first;
    for (const Symbol *parameter : function.parameters)
      begin(parameter, MemberDefinition::Assignment, parameter->init);
    for (const Initializer &initializer : function.initializers) {
      if (initializer.member)
        define(initializer.member, MemberDefinition::MemberInitializer, initializer.value);
      visitRoot(initializer.value, initializer.member);
    }
    visitRoot(function.body, nullptr);
    place.function = nullptr;
  }

  /// The members of a class of the user, with what they begin with.
  void visitMembers(const Symbol &record) {
    if (!record.isUser || !seen.insert(&record).second)
      return;
    for (const Symbol *member : ir::classOf(record).members) {
      begin(member, MemberDefinition::DefaultInitializer, member->init);
      if (member->type && member->type->record)
        visitMembers(*member->type->record);
    }
  }

  /// What stands outside of functions: what \p entity begins with.
  void begin(const Symbol *entity, MemberDefinition::Kind kind, const Node *init) {
    if (!init || !seen.insert(entity).second)
      return;
    define(entity, kind, init);
    visitRoot(init, entity);
  }

  /// \p root stands in no other code: it is what \p keeper begins with, a base class, or a body.
  void visitRoot(const Node *root, const Symbol *keeper) {
    if (!root)
      return;
    place.root = root;
    place.keeper = keeper;
    place.guards = 0;
    visit(*root);
  }

  void visit(const Node &node) {
    const unsigned guards = place.guards;
    look(node);
    for (const Node *child : node.children)
      if (!isPassedOver(node, *child))
        visit(*child);
    if (node.kind == NodeKind::Declaration)
      place.guards += declaresGuard(node);
    else
      place.guards = guards;
  }

  /// What the compiler makes of a loop over a range, and what a closure captures: it is named again
  /// in its body.
  static bool isPassedOver(const Node &node, const Node &child) {
    if (node.kind == NodeKind::Lambda)
      return child.kind == NodeKind::Reference;
    if (node.kind != NodeKind::RangeFor || &child == node.body)
      return false;
    const bool isRange =
        child.kind == NodeKind::Declaration && llvm::is_contained(child.children, node.object);
    const bool isDeclared = child.kind == NodeKind::Declaration && !child.declared.empty() &&
                            !child.declared.front()->isImplicit;
    return !isRange && !isDeclared;
  }

  void look(const Node &node) {
    if (std::optional<Assignment> assigned = asAssignment(node))
      if (Entity target = uses.rootOf(assigned->target))
        define(target,
               isElement(assigned->target) ? MemberDefinition::Insertion
                                           : MemberDefinition::Assignment,
               assigned->value);
    switch (node.kind) {
    case NodeKind::Declaration:
      for (const Symbol *variable : node.declared)
        if (variable->isVariable() && variable->init)
          define(variable, MemberDefinition::Assignment, variable->init);
      break;
    case NodeKind::Reference:
    case NodeKind::Member:
      lookAtName(node);
      break;
    case NodeKind::Open:
      if (!node.symbol)
        openNames.insert(node.op);
      break;
    case NodeKind::Return:
      if (place.function && !node.children.empty() && !isInLambda(&node))
        uses.returns[place.function].push_back(node.children.front());
      break;
    case NodeKind::Construct:
    case NodeKind::Temporary:
      if (node.symbol) {
        calls(*node.symbol);
        hand(node.arguments, *node.symbol);
      }
      break;
    default:
      if (node.isCall())
        lookAtCall(node);
      break;
    }
  }

  void lookAtName(const Node &node) {
    const Symbol *named = node.symbol;
    if (!named || !(named->isVariable() || named->kind == SymbolKind::Binding ||
                    named->kind == SymbolKind::Member))
      return;
    const Entity entity = canonical(named);
    if (named->isUser && named->isStatic && !named->isLocal && !seen.contains(entity)) {
      const VisitedPlace here = std::exchange(place, {});
      begin(entity, MemberDefinition::Assignment, entity->init);
      place = here;
    }
    mention(entity, node);
  }

  void lookAtCall(const Node &call) {
    const Symbol *callee = calleeOf(call);
    const Symbol *method = callee && callee->isMethod() ? callee : nullptr;
    const bool isOperator = call.kind == NodeKind::OperatorCall;
    if (callee) {
      calls(*callee);
      hand(call.arguments.drop_front(isOperator && method), *callee); // Without the object.
    }
    if (method && !isOperator)
      insert(call, *method);
    const Trait trait = traitOfCallee(call);
    if (trait == Trait::ModeDependent && place.function)
      (ignoresMode(call) ? modeIgnorant : uses.modeDependent).insert(place.function);
    if (callee && place.function && callee->purpose == FunctionRole::Backward)
      uses.training.insert(place.function);
    if (place.function && call.calls(Aspect::AsksForMode))
      asking.insert(gradtidy::classOf(place.function));
    if (registers(trait)) {
      if (const Symbol *record = gradtidy::classOf(place.function))
        uses.registrations[record].push_back(&call);
      follow(nullptr, call);
    }
  }

  // --- what is noted

  /// Whether the statement switches autograd off for the rest of its block.
  static bool declaresGuard(const Node &declaration) {
    return llvm::any_of(declaration.declared, [&](const Symbol *each) {
      const Symbol *type = each->isVariable() && each->type && !each->type->isReference
                               ? each->type->record
                               : nullptr;
      return type && type->trait == Trait::GradGuard;
    });
  }

  /// Of a tensor, which stays the same one whatever is written into it.
  static bool isElement(const Node *target) {
    const Node *element = as(NodeKind::OperatorCall, strip(target));
    const Type *type = element && element->op == "[]" && !element->arguments.empty()
                           ? element->arguments.front()->type
                           : nullptr;
    return type && type->role == TypeRole::Tensor;
  }

  void define(const Symbol *declaration, MemberDefinition::Kind kind, const Node *value) {
    Entity entity = canonical(declaration);
    if (!entity || !holdsAny(entity->type))
      return;
    uses.facts[entity].definitions.push_back({kind, value, place.function});
    uses.facts[entity].escapes |= isHidden(value);
  }

  /// Whether errors, or a template, hide where the value comes from. A value made on the spot is
  /// known, whatever it is made of.
  static bool isHidden(const Node *value) {
    value = strip(value);
    if (value->kind == NodeKind::Damaged)
      return true;
    if (!isDependent(*value) || value->kind == NodeKind::OpenConstruct ||
        value->kind == NodeKind::List || value->kind == NodeKind::New)
      return false;
    if (asCall(value) && registers(traitOfCallee(*value)))
      return false;
    const Symbol *callee = asCall(value) ? calleeOf(*value) : nullptr;
    return !callee || !(isFactory(callee) || callee->isFramework || definitionOf(callee));
  }

  /// Methods of a class template that only a skipped body calls, such as the constructor that a
  /// module holder calls, exist as written in the template alone.
  void followPattern(const Symbol &record) {
    const Class &whole = ir::classOf(record);
    const Symbol *pattern = nullptr;
    for (const Method &method : whole.methods)
      if (const Symbol *written = method.symbol->definition;
          written && written->owner && written->owner != &record && !definitionOf(method.symbol))
        pattern = written->owner;
    if (!pattern)
      return;
    for (auto [field, written] : llvm::zip(whole.members, ir::classOf(*pattern).members))
      if (isSameType(field->type, written->type))
        uses.link(canonical(field), written);
      else
        uses.facts[canonical(field)].escapes = true;
  }

  static bool isSameType(const Type *one, const Type *other) {
    return one && other && one->record == other->record && one->modules == other->modules &&
           one->isReference == other->isReference && one->leadsToTensors == other->leadsToTensors;
  }

  /// What is put into a container.
  void insert(const Node &call, const Symbol &method) {
    const Node *object = methodObject(call);
    if (!object || method.isConstMethod || method.isUser)
      return;
    Entity container = uses.rootOf(object);
    if (!container)
      return;
    bool isFilled = false;
    const bool takesTensors = method.isStandard;
    const bool takesLists = takesTensors || holdsModules(container->type);
    for (const Node *argument : call.arguments)
      if (const Type *type = strip(argument)->kind == NodeKind::OpenConstruct
                                 ? strip(argument)->type
                                 : argument->type;
          holdsModules(type) || (takesTensors && holdsTensors(type)) ||
          (takesLists && strip(argument)->kind == NodeKind::List)) {
        define(container, MemberDefinition::Insertion, argument);
        isFilled = true;
      }
    if (!isFilled && makesElement(call))
      define(container, MemberDefinition::Insertion, &call);
  }

  void mention(Entity entity, const Node &site) {
    if (!entity || !holdsAny(entity->type))
      return;
    if (std::optional<EntityUse> use = follow(entity, site))
      uses.facts[entity].uses.push_back(*use);
    if (place.function && entity->kind == SymbolKind::Member && isManagement(place.function) &&
        !(passesModeOnly(*place.function) && uses.hasParameters(moduleClassOf(entity->type))))
      uses.facts[entity].isManaged = true;
  }

  /// Whether the function is train() or eval() of a class that hides nothing else of its base: who
  /// passes on the mode wants the part to be trained, and nothing does that.
  static bool passesModeOnly(const Symbol &function) {
    const auto isMode = [](const Symbol *method) {
      return method->purpose == FunctionRole::Train || method->purpose == FunctionRole::Eval;
    };
    return function.isMethod() && isMode(&function) && function.owner &&
           llvm::all_of(ir::classOf(*function.owner).methods, [&](const Method &other) {
             return isMode(other.symbol) || !isManagement(other.symbol);
           });
  }

  std::optional<EntityUse> follow(Entity entity, const Node &site) {
    return ValueFlow(uses, place, entity, site, modeCalls).follow();
  }

  void calls(const Symbol &callee) {
    if (!place.function || !callee.isUser)
      return;
    uses.callees[place.function].insert(callee.first);
    uses.callers[callee.first].insert(place.function);
  }

  /// Notes what modules the user's function gets.
  void hand(llvm::ArrayRef<const Node *> arguments, const Symbol &callee) {
    const Symbol *definition = definitionOf(&callee);
    if (!definition)
      return;
    for (auto [declaration, argument] : llvm::zip(definition->parameters, arguments))
      if (Entity parameter = canonical(declaration); holdsModules(parameter->type))
        uses.facts[parameter].arguments.push_back(argument);
  }

  ModuleUses &uses;
  VisitedPlace place;
  llvm::DenseSet<const Symbol *> seen; ///< Classes and what stands outside of functions.
};

/// Whether the class has its own notion of the modes.
static bool setsOwnMode(const Symbol &record) {
  return llvm::any_of(ir::classOf(record).methods, [](const Method &method) {
    return method.symbol->aspects.has(Aspect::SetsMode);
  });
}

void ModuleUses::collect(const LoweredUnit::Contents &unit) {
  Collector collector(*this);
  collector.visit(unit);
  for (const Symbol *record : records)
    if (record->isDependent)
      for (const Symbol *field : ir::classOf(*record).members)
        facts[canonical(field)].escapes |= collector.openNames.contains(field->name);
  for (const Symbol *function : collector.modeIgnorant)
    if (const Symbol *record = gradtidy::classOf(function);
        !record || collector.asking.contains(record) || setsOwnMode(*record))
      modeDependent.insert(function); // Its callers, or a branch, may heed the mode.
  // What is put back into training mode is to be trained, whoever cares for its mode.
  for (Entity entity : collector.modeCalls.evaluated)
    facts[entity].isManaged |= !collector.modeCalls.trained.contains(entity);
}

} // namespace gradtidy
