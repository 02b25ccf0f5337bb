#include "Transients.h"
#include "analyzer/ir/UserWords.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {

using namespace ir;

namespace {

/// \p object without the arrow of a holder.
const Node *withoutArrow(const Node *object) {
  object = strip(object);
  return object && object->kind == NodeKind::OperatorCall && object->op == "->"
             ? strip(object->arguments.front())
             : object;
}

/// What a call for a forward pass is made on; null for other code.
const Node *forwardObject(const Node &code) {
  const Node *object = nullptr;
  if (code.kind == NodeKind::OperatorCall && code.op == "()" && !code.arguments.empty())
    object = code.arguments.front();
  else if (code.kind == NodeKind::MemberCall && isForward(code.symbol))
    object = code.object;
  else if (const Node *open = code.isCall() ? as(NodeKind::Open, code.callee()) : nullptr;
           open && !open->symbol && words::isForward(open->op)) // In a template.
    object = open->object;
  return object ? withoutArrow(object) : nullptr;
}

/// What a call only brings to a device; null for other code.
const Node *movedObject(const Node &code) {
  return code.kind == NodeKind::MemberCall && code.calls(FunctionRole::Move)
             ? withoutArrow(code.object)
             : nullptr;
}

/// How often \p variable is named in \p code other than to call it for a forward pass, or to move
/// it.
unsigned otherMentions(const Node &code, Entity variable) {
  if (code.kind == NodeKind::Reference)
    return canonical(code.symbol) == variable;
  unsigned found = 0;
  for (const Node *child : code.children)
    found += otherMentions(*child, variable);
  const Node *called = forwardObject(code), *moved = movedObject(code);
  const Node *object = called ? called : moved;
  return found - (object && entityOf(object) == variable);
}

class Search {
public:
  Search(const Node &body, const ModuleUses &uses, ModuleNatures &natures)
      : body(body), uses(uses), natures(natures) {
    forEach(&body, [&](const Node &part) {
      asksForMode |= part.kind == NodeKind::Member && part.symbol && part.symbol->isMethod() &&
                     part.symbol->aspects.has(Aspect::AsksForMode);
    });
  }

  std::vector<Transient> findAll() {
    std::vector<Transient> found;
    forEach(&body, [&](const Node &code) {
      if (code.kind == NodeKind::Declaration)
        for (const Symbol *variable : code.declared)
          if (isOwnLocal(*variable) && isTransient(variable->init))
            found.push_back({variable->init, variable});
      if (const Node *object = forwardObject(code); object && isTransient(object))
        found.push_back({object, nullptr});
    });
    return found;
  }

private:
  bool isOwnLocal(const Symbol &variable) const {
    return variable.isLocal && variable.hasLocalStorage() && variable.init &&
           holdsModules(variable.type) && otherMentions(body, canonical(&variable)) == 0;
  }

  /// Whether \p value makes a module, be it in a template.
  static bool makesModule(const Node &value) {
    if (asConstruction(&value))
      return !isNull(&value) && ModuleUses::makesModule(value);
    const bool isMade = value.kind == NodeKind::New || value.kind == NodeKind::OpenConstruct ||
                        (value.isCall() && isFactory(value.symbol));
    return isMade && holdsModules(value.type);
  }

  bool isTransient(const Node *value) {
    value = strip(value);
    if (!makesModule(*value) || takesTensors(*value) || !isStateful(*value))
      return false;
    const llvm::ArrayRef<const Symbol *> modules = modulesIn(value->type);
    // What has a mode alone may be called in one of them only.
    return llvm::all_of(modules, [&](const Symbol *module) { return isPlain(*module); }) &&
           (!asksForMode ||
            llvm::any_of(modules, [&](const Symbol *module) { return hasLayers(*module); }));
  }

  /// Whether tensors are handed to what makes the module: its weights, perhaps.
  static bool takesTensors(const Node &value) {
    bool takes = false;
    forEach(&value, [&](const Node &part) {
      const bool isCalled = part.isCall() && part.kind != NodeKind::OperatorCall;
      const bool isMade = asConstruction(&part) && !(part.symbol && part.symbol->isCopying);
      takes |= (isCalled || isMade) && llvm::any_of(part.arguments, [](const Node *argument) {
                 return holdsTensors(argument->type);
               });
    });
    return takes;
  }

  bool isStateful(const Node &value) {
    return (isDependent(value) ? natures.of(value.type) : natures.of(&value)).stateful ==
           Answer::Yes;
  }

  /// Whether all that is known of objects of the class is what they are made with. Norms have no
  /// parameters if their options say so.
  bool isPlain(const Symbol &module) {
    if (!module.isUser)
      return !module.name.empty() && !module.aspects.has(Aspect::Normalizes);
    return module.record && uses.isVisible(module) && hasLayers(module) && !setsValues(module);
  }

  /// Whether some layers with parameters of their own are certainly among its members.
  bool hasLayers(const Symbol &module) {
    if (!module.isUser)
      return natures.of(module).stateful == Answer::Yes && natures.of(module).mode != Answer::Yes;
    if (!module.record || !visited.insert(&module).second)
      return false;
    const bool result = llvm::any_of(module.record->members, [&](const Symbol *field) {
      return llvm::any_of(modulesIn(field->type), [&](const Symbol *part) {
        return hasLayers(*part) || (!part->isUser && isFilled(*field));
      });
    });
    visited.erase(&module);
    return result;
  }

  /// Whether layers of the framework, and no modules of the user, are in the container.
  bool isFilled(const Symbol &field) {
    bool holdsOthers = false;
    for (const MemberDefinition &definition : uses.definitionsOf(&field))
      forEach(definition.value, [&](const Node &part) {
        holdsOthers |=
            part.isExpression && part.kind != NodeKind::This &&
            llvm::any_of(modulesIn(part.type), [](const Symbol *module) { return module->isUser; });
      });
    return !holdsOthers && natures.ofEntity(canonical(&field)).stateful == Answer::Yes;
  }

  /// Whether methods of the class, or of its parts, may give parameters other values, load them,
  /// or freeze them: a filter is the same one each time.
  bool setsValues(const Symbol &module) {
    if (!module.isUser || !module.record || !visited.insert(&module).second)
      return false;
    bool result = llvm::any_of(module.record->methods, [&](const Method &method) {
      const Symbol *definition = definitionOf(method.symbol);
      bool sets = false;
      if (definition && !isForward(method.symbol))
        forEach(definition->body, [&](const Node &part) { sets |= mayReachValues(part); });
      return sets;
    });
    for (const Symbol *field : module.record->members)
      for (const Symbol *part : modulesIn(field->type))
        result |= setsValues(*part);
    visited.erase(&module);
    return result;
  }

  bool mayReachValues(const Node &part) const {
    if (part.kind == NodeKind::Open)
      return uses.worksInPlace(part.op) || part.openAspects.has(Aspect::ReachesValues) ||
             words::reachesValues(part.op);
    const bool isNamed =
        part.symbol && (part.kind == NodeKind::Member ||
                        (part.kind == NodeKind::Reference && part.symbol->isFunction()));
    return isNamed && (uses.worksInPlace(part.symbol->name) ||
                       part.symbol->aspects.has(Aspect::ReachesValues) ||
                       words::reachesValues(part.symbol->name));
  }

  const Node &body;
  const ModuleUses &uses;
  ModuleNatures &natures;
  bool asksForMode = false;                     ///< It calls is_training().
  llvm::SmallPtrSet<const Symbol *, 4> visited; ///< Classes that are looked into.
};

} // namespace

std::vector<Transient> findTransients(const Node &body, const ModuleUses &uses,
                                      ModuleNatures &natures) {
  return Search(body, uses, natures).findAll();
}

} // namespace gradtidy
