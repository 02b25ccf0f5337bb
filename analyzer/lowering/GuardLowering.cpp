// Guards that come to life, and how long they live.
#include "FunctionLowering.h"
#include "analyzer/lowering/ast/Guards.h"

namespace gradtidy {

using namespace clang;

/// Whether a pointer or optional holds nothing that is given this.
static bool isNone(ArrayRef<const Expr *> arguments, Vocabulary &vocabulary) {
  if (arguments.empty() || isa<CXXDefaultArgExpr>(arguments.front()))
    return true;
  const QualType first = strip(arguments.front())->getType();
  return first->isNullPtrType() || vocabulary.is(first, {Aspect::Nothing});
}

/// Whether a pointer or optional is made that holds nothing.
static bool isEmpty(const Expr *made, ArrayRef<const Expr *> arguments, Vocabulary &vocabulary) {
  const CXXRecordDecl *record = made->getType()->getAsCXXRecordDecl();
  return record && isStandard(record) && isNone(arguments, vocabulary);
}

bool FunctionLowering::isDiscardedGuard(const Stmt *statement) {
  const auto *temporary = dyn_cast<Expr>(statement);
  return temporary && survey.statements.contains(temporary) &&
         isa<CXXTemporaryObjectExpr, CXXFunctionalCastExpr>(temporary) &&
         isGuard(values.roleOf(temporary));
}

void FunctionLowering::lowerGradMode(const VarDecl *variable, const Stmt *site) {
  if (variable->getInit() && asksForGradMode(variable->getInit(), vocabulary))
    emit(EventKind::KeepGradMode, site).subject.path = pathOf(variable);
  if (const FieldDecl *guard = guardMemberOf(variable->getType(), vocabulary))
    enterGuard(pathOf(variable), vocabulary.roleOf(guard->getType()),
               argumentsOf(guard, variable->getInit()), site);
}

void FunctionLowering::keepMode(PathId place, const Expr *value, const Stmt *site) {
  const Expr *module = moduleAskedForMode(value, vocabulary);
  if (!module)
    return;
  Event &event = emit(EventKind::KeepMode, site);
  event.subject.path = place;
  event.operands.push_back(values.operand(module));
}

void FunctionLowering::enterGuard(PathId guard, const Expr *value, const Stmt *site) {
  const Expr *made = strip(value);
  TypeRole role = values.roleOf(made);
  llvm::SmallVector<const Expr *, 2> arguments;
  if (const auto *construct = dyn_cast<CXXConstructExpr>(made))
    arguments.append(construct->arg_begin(), construct->arg_end());
  else if (const auto *call = dyn_cast<CallExpr>(made))
    arguments.append(call->arg_begin(), call->arg_end());
  if (arguments.size() == 1 && isGuard(values.roleOf(arguments.front())))
    return enterGuard(guard, arguments.front(), site);
  if (isa<CXXConstructExpr>(made) && (!isGuard(role) || isEmpty(made, arguments, vocabulary)))
    return;
  enterGuard(guard, role, arguments, site);
}

void FunctionLowering::enterGuard(PathId guard, TypeRole role, Expressions arguments,
                                  const Stmt *site) {
  if (role == TypeRole::AutocastGuard) {
    emit(EventKind::EnterAutocast, site).subject.path = guard;
    return;
  }
  Event &event = emit(EventKind::EnterGradMode, site);
  event.subject.path = guard;
  event.subject.role = role;
  const bool isInference = role == TypeRole::InferenceGuard;
  if (role == TypeRole::NoGradGuard || arguments.empty()) {
    event.constant = role != TypeRole::NoGradGuard && !isInference;
  } else if (std::optional<bool> argument = literalBool(arguments.front())) {
    event.constant = *argument != isInference;
  } else {
    event.choice = flagOf(arguments.front());
    event.choice.isNegated ^= isInference;
  }
}

bool FunctionLowering::lowerGuardCall(const CallSite &site) {
  if (!site.object || !isGuard(values.roleOf(site.object)) || !site.method ||
      !isStandard(site.method))
    return false;
  const PathId guard = values.pathOf(site.object);
  const bool isAnother = site.name == "reset" || site.isAssignment;
  if (site.name == "emplace")
    enterGuard(guard, values.roleOf(site.object), site.arguments, site.call);
  else if (isAnother && !isNone(site.arguments, vocabulary))
    enterGuard(guard, site.arguments.front(), site.call);
  else if (isAnother)
    emit(EventKind::EndLifetime, site.call).subject.path = guard;
  return true;
}

} // namespace gradtidy
