// How ValueFlow goes through calls.
#include "ValueFlow.h"

#include "analyzer/events/values/Values.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace gradtidy {

ValueFlow::Step ValueFlow::intoCall(const CallExpr *call) {
  if (registers(uses.traitOfCallee(call)))
    return intoRegistration(call);
  if (const auto *operation = dyn_cast<CXXOperatorCallExpr>(call))
    return intoOperator(operation);
  return isMethodCall(call) ? intoMethod(call) : intoFunction(call);
}

/// A call that clang could not resolve for errors elsewhere.
ValueFlow::Step ValueFlow::intoUnresolvedCall(const RecoveryExpr *recovery) {
  const auto *callee = dyn_cast<OverloadExpr>(recovery->subExpressions().front());
  if (callee && callee == value)
    return Step::Used;
  if (callee && registers(uses.traitOf(callee)) && entity && !isDerived) {
    uses.facts[entity].isRegistered = true;
    return Step::NoUse;
  }
  return lose();
}

/// The variable that \p expr is a member of: `net` of `net.conv`, which somebody registers part by
/// part.
static Entity ownerOfPart(const Expr *expr) {
  const auto *member = dyn_cast<MemberExpr>(originalOf(expr));
  const auto *owner = member ? dyn_cast<DeclRefExpr>(strip(member->getBase())) : nullptr;
  return owner ? canonical(owner->getDecl()) : nullptr;
}

ValueFlow::Step ValueFlow::intoRegistration(const CallExpr *call) {
  if (value == call->getCallee())
    return Step::Used;
  if (entity && !isDerived) {
    uses.facts[entity].isRegistered = true;
    if (Entity owner = ownerOfPart(value))
      uses.facts[owner].isRegistered = true;
  }
  return Step::NoUse;
}

static bool isOfFramework(const CallExpr *call) {
  const FunctionDecl *callee = call->getDirectCallee();
  return callee && !isStandard(callee);
}

ValueFlow::Step ValueFlow::intoOperator(const CXXOperatorCallExpr *call) {
  const bool isFirst = value == call->getArg(0);
  const bool isProduct = call->isInfixBinaryOp() && call->getOperator() == OO_Star;
  switch (isProduct ? OO_None : call->getOperator()) {
  case OO_Subscript:
  case OO_Star:
  case OO_Arrow:
  case OO_PlusPlus:
  case OO_MinusMinus:
    isDerived |= isTensor && isFirst && isOfFramework(call);
    return isFirst ? onwardIfHeld(call) : Step::Used;
  case OO_Call:
    meets(!isFirst && uses.holdsModules(call->getArg(0)->getType()));
    return isFirst || isTensor ? Step::Used : lose();
  default:
    return intoOperation(call);
  }
}

ValueFlow::Step ValueFlow::intoOperation(const CXXOperatorCallExpr *call) {
  if (!matters(call))
    return Step::Used;
  if (!isTensor)
    return lose();
  use.isChange |= value == call->getArg(0) && !isDerived && call->isAssignmentOp();
  meets(takesOther(call));
  isDerived = true;
  return Step::Onward;
}

// ---- Methods and functions ---------------------------------------------------------------------

ValueFlow::Step ValueFlow::intoMethod(const CallExpr *call) {
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(uses.calleeOf(call));
  if (!method)
    return lose();
  if (value == call->getCallee())
    return intoObject(call, method);
  if (!passed({call->getArgs(), call->getNumArgs()}, method))
    return lose();
  return uses.definitionOf(method) ? onwardIfHeld(call) : intoUnseenMethod(call, method);
}

/// The value is the object of the call.
ValueFlow::Step ValueFlow::intoObject(const CallExpr *call, const CXXMethodDecl *method) {
  if (!isTensor && entity && !isDerived)
    noteManagement(call, method);
  // A number on the host: the tensor may stay there.
  if (isTensor && !use.isOperand && !use.isChange && call->getType()->isArithmeticType())
    return Step::NoUse;
  if (isTensor && !isStandard(method))
    compute(call, method);
  return onwardIfHeld(call);
}

/// The value is an argument.
ValueFlow::Step ValueFlow::intoUnseenMethod(const CallExpr *call, const CXXMethodDecl *method) {
  const Expr *object = methodObject(call);
  const bool isThis = !object || isa<CXXThisExpr>(strip(object));
  if (isTensor && !isStandard(method)) {
    meets(object && uses.heldBy(object->getType()).any());
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

ValueFlow::Step ValueFlow::intoFunction(const CallExpr *call) {
  const FunctionDecl *callee = uses.calleeOf(call);
  if (value == call->getCallee())
    return Step::Used;
  if (!callee)
    return lose();
  const bool takesClosure = llvm::any_of(call->arguments(), [](const Expr *argument) {
    return Vocabulary::isClosure(argument->getType());
  });
  if (!passed({call->getArgs(), call->getNumArgs()}, callee) || takesClosure ||
      (isFactory(callee) && makesUsersModule(call)))
    return lose();
  if (isTensor && !isStandard(callee)) {
    meets(vocabulary.isFramework(callee) && (isAmongOthers || takesOther(call)));
    use.isChange |= !isDerived && vocabulary.roleOf(callee) == FunctionRole::Differentiate;
    isDerived |= !vocabulary.worksInPlace(callee) || value != call->getArg(0);
  }
  return onwardIfHeld(call);
}

// ---- What is done with an object ---------------------------------------------------------------

/// Whether a flag that is true unless it is given is true.
static bool isTrue(const CallExpr *call) {
  const auto *flag =
      call->getNumArgs() == 1 ? dyn_cast<CXXBoolLiteralExpr>(strip(call->getArg(0))) : nullptr;
  return call->getNumArgs() == 0 || (flag && flag->getValue());
}

/// Whether \p statement puts the object whose method it is part of into evaluation mode.
static bool evaluatesThis(const Stmt *statement, Vocabulary &vocabulary) {
  if (!statement)
    return false;
  if (const auto *call = dyn_cast<CXXMemberCallExpr>(statement))
    if (const CXXMethodDecl *method = call->getMethodDecl();
        method && isa<CXXThisExpr>(strip(call->getImplicitObjectArgument()))) {
      const FunctionRole role = vocabulary.roleOf(method);
      if (role == FunctionRole::Eval || (role == FunctionRole::Train && !isTrue(call)))
        return true;
    }
  return llvm::any_of(statement->children(),
                      [&](const Stmt *child) { return evaluatesThis(child, vocabulary); });
}

void ValueFlow::noteManagement(const CallExpr *call, const CXXMethodDecl *method) {
  const FunctionRole role = vocabulary.roleOf(method);
  if (role == FunctionRole::Train && isTrue(call))
    modeCalls.trained.insert(entity);
  else if (role == FunctionRole::Train || role == FunctionRole::Eval) {
    // What goes with the object itself is no frozen part of it: it is not registered.
    const auto [known, isNew] = modeCalls.evaluating.try_emplace(place.function);
    if (isNew && place.function)
      known->second = evaluatesThis(place.function->getBody(), vocabulary);
    if (!known->second)
      modeCalls.evaluated.insert(entity);
  } else if (role == FunctionRole::Parameters || uses.isManagement(method) ||
             vocabulary.traitOf(method) == Trait::ReachesModule)
    uses.facts[entity].isManaged = true;
}

/// Whether the entity is a member of a class that the function is no part of: what it takes to the
/// host, it looks at.
bool ValueFlow::isOthers() const {
  const auto *field = dyn_cast_or_null<FieldDecl>(entity);
  return field && classOf(place.function) != field->getParent()->getCanonicalDecl();
}

/// Whether the conversion is, or may be, one to a device, and not only to a type of numbers.
bool ValueFlow::movesDevice(const CXXMethodDecl *method) {
  return method->param_empty() ||
         llvm::any_of(method->parameters(), [&](const ParmVarDecl *parameter) {
           const TypeRole role = vocabulary.roleOf(parameter->getType());
           return role == TypeRole::Device || role == TypeRole::Tensor;
         });
}

/// What a tensor's method computes.
void ValueFlow::compute(const CallExpr *call, const CXXMethodDecl *method) {
  const Trait trait = vocabulary.traitOf(method);
  // The result of an operation with others is no longer what should have been moved.
  use.isMove |= trait == Trait::MovesTensor && !use.isOperand && movesDevice(method) &&
                !(vocabulary.roleOf(method) == FunctionRole::MoveToCpu && isOthers());
  // Who reads its gradient trains it by hand.
  use.isChange |=
      !isDerived && ((trait != Trait::RequiresGrad && vocabulary.worksInPlace(method)) ||
                     vocabulary.roleOf(method) == FunctionRole::Gradient);
  meets(takesOther(call) && !simpleName(method).ends_with("_as"));
  isDerived |= !vocabulary.worksInPlace(method);
}

/// Whether a tensor meets others in the call.
bool ValueFlow::takesOther(const CallExpr *call) {
  return llvm::any_of(call->arguments(), [&](const Expr *argument) {
    return argument != value && uses.holdsTensors(argument->getType());
  });
}

// ---- What is handed to functions ---------------------------------------------------------------

/// Hands the entity on to the parameter that takes the value. False if nobody knows what happens to
/// it there.
bool ValueFlow::passed(Arguments arguments, const FunctionDecl *callee) {
  if (!uses.isUser(callee))
    return isStandard(callee) || vocabulary.isFramework(callee);
  const size_t index = llvm::find(arguments, value) - arguments.begin();
  if (index >= arguments.size() || index >= callee->getNumParams())
    return false;
  const FunctionDecl *definition = uses.definitionOf(callee);
  if (!definition || index >= definition->getNumParams())
    return passedUnseen(arguments, callee, callee->getParamDecl(index));
  if (entity && !isDerived)
    uses.facts[entity].parameters.insert(canonical(definition->getParamDecl(index)));
  return true;
}

bool ValueFlow::passedUnseen(Arguments arguments, const FunctionDecl *callee,
                             const ParmVarDecl *parameter) {
  const QualType type = parameter->getType();
  const bool isRead = !uses.holdsModules(type) &&
                      (!type->isReferenceType() || type.getNonReferenceType().isConstQualified());
  const bool isLent = !isRead && entity && cannotRegister(arguments, callee);
  if (isLent && !isDerived)
    uses.facts[entity].isLent = true;
  return isRead || isLent;
}

/// Whether the unseen function that a module calls gets nothing that could own the value.
bool ValueFlow::cannotRegister(Arguments arguments, const FunctionDecl *callee) {
  const CXXRecordDecl *record = classOf(place.function);
  const auto *method = dyn_cast<CXXMethodDecl>(callee);
  const auto reaches = [&](QualType type) {
    return uses.holdsModules(type) || vocabulary.reachesTraining(type);
  };
  return record && vocabulary.roleOf(record) == TypeRole::Module &&
         (!method || method->isStatic()) &&
         (callee->getReturnType()->isVoidType() || !reaches(callee->getReturnType())) &&
         llvm::none_of(arguments, [&](const Expr *other) {
           return other != value && reaches(other->getType());
         });
}

} // namespace gradtidy
