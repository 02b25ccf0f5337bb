// How ValueFlow goes through calls.
#include "ValueFlow.h"

namespace gradtidy {

using namespace ir;

/// Whether the value is what is called, or the object of which a method is called.
bool ValueFlow::isCallee(const Node &call) const {
  return !call.children.empty() && value == call.children.front() &&
         !llvm::is_contained(call.arguments, value);
}

ValueFlow::Step ValueFlow::intoCall(const Node &call) {
  if (registers(traitOfCallee(call)))
    return intoRegistration(call);
  if (call.kind == NodeKind::OperatorCall)
    return intoOperator(call);
  return isMethodCall(call) ? intoMethod(call) : intoFunction(call);
}

/// A call that clang could not resolve for errors elsewhere.
ValueFlow::Step ValueFlow::intoUnresolvedCall(const Node &damaged) {
  const Node *callee =
      damaged.children.empty() ? nullptr : as(NodeKind::Open, damaged.children.front());
  if (callee && callee == value)
    return Step::Used;
  if (callee && callee->symbol && registers(callee->symbol->trait) && entity && !isDerived) {
    uses.facts[entity].isRegistered = true;
    return Step::NoUse;
  }
  return lose();
}

/// The variable that \p expr is a member of: `net` of `net.conv`, which somebody registers part by
/// part.
static Entity ownerOfPart(const Node *expr) {
  const Node *member = as(NodeKind::Member, originalOf(expr));
  const Node *owner = member ? as(NodeKind::Reference, strip(member->object)) : nullptr;
  return owner ? canonical(owner->symbol) : nullptr;
}

ValueFlow::Step ValueFlow::intoRegistration(const Node &call) {
  if (isCallee(call))
    return Step::Used;
  if (entity && !isDerived) {
    uses.facts[entity].isRegistered = true;
    if (Entity owner = ownerOfPart(value))
      uses.facts[owner].isRegistered = true;
  }
  return Step::NoUse;
}

ValueFlow::Step ValueFlow::intoOperator(const Node &call) {
  const bool isFirst = !call.arguments.empty() && value == call.arguments.front();
  const bool isProduct = call.op == "*" && call.arguments.size() == 2;
  const bool isAccess = call.op == "[]" || (call.op == "*" && !isProduct) || call.op == "->" ||
                        call.op == "++" || call.op == "--";
  if (isAccess) {
    isDerived |= isTensor && isFirst && call.symbol && !call.symbol->isStandard;
    return isFirst ? onwardIfHeld(call) : Step::Used;
  }
  if (call.op == "()") {
    meets(!isFirst && holdsModules(call.arguments.front()->type));
    return isFirst || isTensor ? Step::Used : lose();
  }
  return intoOperation(call);
}

ValueFlow::Step ValueFlow::intoOperation(const Node &call) {
  if (!matters(call))
    return Step::Used;
  if (!isTensor)
    return lose();
  use.isChange |= value == call.arguments.front() && !isDerived && isAssignmentOperator(call);
  meets(takesOther(call));
  isDerived = true;
  return Step::Onward;
}

// ---- Methods and functions ---------------------------------------------------------------------

ValueFlow::Step ValueFlow::intoMethod(const Node &call) {
  const Symbol *method = calleeOf(call);
  if (!method || !method->isMethod())
    return lose();
  if (isCallee(call))
    return intoObject(call, *method);
  if (!passed(call.arguments, *method))
    return lose();
  return definitionOf(method) ? onwardIfHeld(call) : intoUnseenMethod(call, *method);
}

/// The value is the object of the call.
ValueFlow::Step ValueFlow::intoObject(const Node &call, const Symbol &method) {
  if (!isTensor && entity && !isDerived)
    noteManagement(call, method);
  // A number on the host: the tensor may stay there.
  if (isTensor && !use.isOperand && !use.isChange && isArithmetic(call))
    return Step::NoUse;
  if (isTensor && !method.isStandard)
    compute(call, method);
  return onwardIfHeld(call);
}

/// The value is an argument.
ValueFlow::Step ValueFlow::intoUnseenMethod(const Node &call, const Symbol &method) {
  const Node *object = methodObject(call);
  const bool isThis = !object || strip(object)->kind == NodeKind::This;
  if (isTensor && !method.isStandard) {
    meets(object && holdsAny(object->type));
    isDerived = true;
  } else if (Entity container = object ? uses.rootOf(object) : nullptr) {
    holdIn(container);
  } else if (isThis && entity) {
    uses.facts[entity].isRegistered = true;
    return Step::NoUse;
  } else {
    return lose();
  }
  return onwardIfHeld(call);
}

ValueFlow::Step ValueFlow::intoFunction(const Node &call) {
  const Symbol *callee = calleeOf(call);
  if (isCallee(call))
    return Step::Used;
  if (!callee)
    return lose();
  const bool takesClosure =
      llvm::any_of(call.arguments, [](const Node *argument) { return isClosure(argument->type); });
  const bool makesUsers =
      llvm::any_of(modulesIn(call.type), [](const Symbol *module) { return module->isUser; });
  if (!passed(call.arguments, *callee) || takesClosure || (isFactory(callee) && makesUsers))
    return lose();
  if (isTensor && !callee->isStandard) {
    meets(callee->isFramework && (isAmongOthers || takesOther(call)));
    use.isChange |= !isDerived && callee->purpose == FunctionRole::Differentiate;
    isDerived |= !callee->worksInPlace || value != call.arguments.front();
  }
  return onwardIfHeld(call);
}

// ---- What is done with an object ---------------------------------------------------------------

/// Whether \p code puts the object whose method it is part of into evaluation mode.
static bool evaluatesThis(const Node *code) {
  bool evaluates = false;
  forEach(code, [&](const Node &call) {
    if (call.kind != NodeKind::MemberCall || !call.symbol ||
        strip(call.object)->kind != NodeKind::This)
      return;
    const FunctionRole role = call.symbol->purpose;
    evaluates |= role == FunctionRole::Eval || (role == FunctionRole::Train && !saysTrue(call));
  });
  return evaluates;
}

void ValueFlow::noteManagement(const Node &call, const Symbol &method) {
  const FunctionRole role = method.purpose;
  if (role == FunctionRole::Train && saysTrue(call))
    modeCalls.trained.insert(entity);
  else if (role == FunctionRole::Train || role == FunctionRole::Eval) {
    // What goes with the object itself is no frozen part of it: it is not registered.
    const auto [known, isNew] = modeCalls.evaluating.try_emplace(place.function);
    if (isNew && place.function)
      known->second = evaluatesThis(codeOf(*place.function));
    if (!known->second)
      modeCalls.evaluated.insert(entity);
  } else if (role == FunctionRole::Parameters || ModuleUses::isManagement(&method) ||
             method.trait == Trait::ReachesModule)
    uses.facts[entity].isManaged = true;
}

/// Whether the entity is a member of a class that the function is no part of: what it takes to the
/// host, it looks at.
bool ValueFlow::isOthers() const {
  return entity && entity->kind == SymbolKind::Member && classOf(place.function) != entity->owner;
}

/// Whether the conversion is, or may be, one to a device, and not only to a type of numbers.
static bool movesDevice(const Symbol &method) {
  return method.parameters.empty() || llvm::any_of(method.parameters, [](const Symbol *parameter) {
           const TypeRole role = parameter->type ? parameter->type->role : TypeRole::None;
           return role == TypeRole::Device || role == TypeRole::Tensor;
         });
}

/// What a tensor's method computes.
void ValueFlow::compute(const Node &call, const Symbol &method) {
  // The result of an operation with others is no longer what should have been moved.
  use.isMove |= method.trait == Trait::MovesTensor && !use.isOperand && movesDevice(method) &&
                !(method.purpose == FunctionRole::MoveToCpu && isOthers());
  // Who reads its gradient trains it by hand.
  use.isChange |= !isDerived && ((method.trait != Trait::RequiresGrad && method.worksInPlace) ||
                                 method.purpose == FunctionRole::Gradient);
  meets(takesOther(call) && !method.name.ends_with("_as"));
  isDerived |= !method.worksInPlace;
}

/// Whether a tensor meets others in the call.
bool ValueFlow::takesOther(const Node &call) const {
  return llvm::any_of(call.arguments, [&](const Node *argument) {
    return argument != value && holdsTensors(argument->type);
  });
}

// ---- What is handed to functions ---------------------------------------------------------------

/// Hands the entity on to the parameter that takes the value. False if nobody knows what happens to
/// it there.
bool ValueFlow::passed(Arguments arguments, const Symbol &callee) {
  if (!callee.isUser)
    return callee.isStandard || callee.isFramework;
  const size_t index = llvm::find(arguments, value) - arguments.begin();
  if (index >= arguments.size() || index >= callee.parameters.size())
    return false;
  const Symbol *definition = definitionOf(&callee);
  if (!definition || index >= definition->parameters.size())
    return passedUnseen(arguments, callee, *callee.parameters[index]);
  if (entity && !isDerived)
    uses.facts[entity].parameters.insert(canonical(definition->parameters[index]));
  return true;
}

bool ValueFlow::passedUnseen(Arguments arguments, const Symbol &callee, const Symbol &parameter) {
  const Type *type = parameter.type;
  const bool isRead = type && !holdsModules(type) && (!type->isReference || type->isConst);
  const bool isLent = !isRead && entity && cannotRegister(arguments, callee);
  if (isLent && !isDerived)
    uses.facts[entity].isLent = true;
  return isRead || isLent;
}

/// Whether the unseen function that a module calls gets nothing that could own the value.
bool ValueFlow::cannotRegister(Arguments arguments, const Symbol &callee) {
  const auto reaches = [](const Type *type) {
    return holdsModules(type) || (type && type->leadsToTraining);
  };
  const bool isFree = !callee.isMethod() || callee.isStaticMethod;
  return isModuleClass(classOf(place.function)) && isFree &&
         ((callee.type && callee.type->isVoid) || !reaches(callee.type)) &&
         llvm::none_of(arguments,
                       [&](const Node *other) { return other != value && reaches(other->type); });
}

} // namespace gradtidy
