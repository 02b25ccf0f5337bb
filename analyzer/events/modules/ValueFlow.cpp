#include "ValueFlow.h"

#include "analyzer/events/values/Values.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace gradtidy {

// ---- The place ---------------------------------------------------------------------------------

bool VisitedPlace::isInLambda() const {
  return llvm::any_of(parents, [](Parent parent) {
    const auto *statement = dyn_cast<const Stmt *>(parent);
    return statement && isa<LambdaExpr>(statement);
  });
}

// ---- The way -----------------------------------------------------------------------------------

ValueFlow::ValueFlow(ModuleUses &uses, const VisitedPlace &place, Entity entity, const Expr *site,
                     ModeCalls &modeCalls)
    : uses(uses), vocabulary(uses.vocabulary), place(place), entity(entity), modeCalls(modeCalls),
      isTensor(!uses.holdsModules(entity ? entity->getType() : site->getType())), value(site),
      use{site, place.function, false, false, false, false} {}

std::optional<EntityUse> ValueFlow::follow() {
  for (const VisitedPlace::Parent parent : llvm::drop_begin(llvm::reverse(place.parents))) {
    const Step step = into(parent);
    if (step == Step::NoUse)
      return std::nullopt;
    if (step == Step::Used)
      break;
    value = cast<Expr>(cast<const Stmt *>(parent));
  }
  use.isRecorded = place.guards == 0;
  return use;
}

ValueFlow::Step ValueFlow::into(VisitedPlace::Parent parent) {
  if (const auto *declaration = dyn_cast<const Decl *>(parent))
    return keep(dyn_cast<ValueDecl>(declaration));
  if (const auto *initialiser = dyn_cast<CXXCtorInitializer *>(parent))
    return initialiser->isAnyMemberInitializer() ? keep(initialiser->getAnyMember()) : lose();
  const auto *statement = cast<const Stmt *>(parent);
  const auto *expr = dyn_cast<Expr>(statement);
  return expr ? intoExpression(expr) : intoStatement(statement);
}

ValueFlow::Step ValueFlow::intoStatement(const Stmt *statement) {
  if (const auto *loop = dyn_cast<CXXForRangeStmt>(statement))
    return value == loop->getRangeInit() ? keep(loop->getLoopVariable()) : Step::Used;
  if (isa<ReturnStmt>(statement)) {
    const bool isResult =
        isTensor && place.function && isForward(place.function) && !place.isInLambda();
    return isResult ? Step::Used : give();
  }
  return dropped();
}

ValueFlow::Step ValueFlow::intoExpression(const Expr *expr) {
  if (std::optional<Assigned> assigned = asAssignment(expr))
    return intoAssignment(*assigned);
  if (const auto *call = dyn_cast<CallExpr>(expr))
    return intoCall(call);
  if (const auto *recovery = dyn_cast<RecoveryExpr>(expr); recovery && !onlyDamaged(recovery))
    return intoUnresolvedCall(recovery);
  if (isTensor && isIndex(expr))
    return Step::Used;
  if (const auto *construct = dyn_cast<CXXConstructExpr>(expr))
    return intoConstruction(construct);
  if (const auto *member = dyn_cast<MemberExpr>(expr))
    return intoMember(member);
  if (const auto *operation = dyn_cast<BinaryOperator>(expr))
    return intoBinary(operation);
  if (const auto *member = dyn_cast<CXXDependentScopeMemberExpr>(expr))
    return !isTensor && member->getMember().getAsString() == "forward" ? Step::Used : lose();
  if (const auto *list = dyn_cast<InitListExpr>(expr))
    isAmongOthers |= llvm::any_of(list->inits(), [&](const Expr *element) {
      return element != value && uses.holdsTensors(element->getType());
    });
  const auto *operation = dyn_cast<UnaryOperator>(expr);
  const auto *choice = dyn_cast<ConditionalOperator>(expr);
  const bool isTest =
      (operation && operation->getOpcode() == UO_LNot) || (choice && value == choice->getCond());
  const bool isNumber = isa<CastExpr>(expr) && expr->getType()->isArithmeticType();
  return isTest || isNumber || isa<LambdaExpr>(expr) ? Step::Used : Step::Onward;
}

ValueFlow::Step ValueFlow::intoAssignment(const Assigned &assigned) {
  if (value == assigned.target) {
    isTarget |= !isDerived;
    return isDerived ? Step::Used : Step::Onward;
  }
  Entity target = uses.rootOf(assigned.target);
  if (!target)
    return lose();
  holdIn(target);
  return Step::Onward;
}

ValueFlow::Step ValueFlow::intoBinary(const BinaryOperator *operation) {
  if (operation->getOpcode() != BO_Comma)
    return Step::Used;
  return value == operation->getLHS() ? dropped() : Step::Onward;
}

ValueFlow::Step ValueFlow::intoMember(const MemberExpr *member) {
  if (isa<CXXMethodDecl>(member->getMemberDecl()))
    return Step::Onward;
  if (!matters(member) || (!isTensor && uses.holdsTensors(member->getType())))
    return Step::Used;
  // `pair.first` is a part; a member of the user's class is an entity of its own.
  return uses.isUser(member->getMemberDecl()) ? Step::Used : Step::Onward;
}

/// Where the constructor is written: users inherit those of module holders from the framework.
static const CXXConstructorDecl *written(const CXXConstructorDecl *constructor) {
  if (auto inherited = constructor->getInheritedConstructor())
    return inherited.getConstructor();
  return constructor;
}

ValueFlow::Step ValueFlow::intoConstruction(const CXXConstructExpr *construct) {
  const CXXConstructorDecl *constructor = written(construct->getConstructor());
  if (isHandedOn(construct, constructor))
    return Step::Onward;
  const bool isSeen = constructor == construct->getConstructor() || !makesUsersModule(construct);
  return isSeen && passed({construct->getArgs(), construct->getNumArgs()}, constructor)
             ? Step::Onward
             : lose();
}

// ---- How a step ends ---------------------------------------------------------------------------

ValueFlow::Step ValueFlow::onwardIfHeld(const Expr *expr) {
  return matters(expr) ? Step::Onward : Step::Used;
}

static bool endsInAssignment(const Expr *expr) {
  expr = strip(expr);
  const auto *operation = dyn_cast<BinaryOperator>(expr);
  return operation && operation->isCommaOp() ? endsInAssignment(operation->getRHS())
                                             : asAssignment(expr).has_value();
}

/// Nobody takes the value. To have assigned it was no use.
ValueFlow::Step ValueFlow::dropped() const {
  return isTarget && endsInAssignment(value) ? Step::NoUse : Step::Used;
}

void ValueFlow::holdIn(const ValueDecl *where) {
  if (!isDerived || !entity)
    uses.link(entity, where);
  else if (isTensor && !use.isMove && !use.isOperand && isa_and_nonnull<VarDecl>(where))
    uses.facts[entity].derived.insert(canonical(where));
}

ValueFlow::Step ValueFlow::keep(const ValueDecl *where) {
  holdIn(where);
  return Step::Used;
}

ValueFlow::Step ValueFlow::lose() {
  if (entity && !isDerived)
    uses.facts[entity].escapes = true;
  return Step::Used;
}

/// The function gives the value to its callers.
ValueFlow::Step ValueFlow::give() {
  const CXXRecordDecl *record = classOf(place.function);
  const bool isHelper = record && !isTensor && !place.isInLambda() &&
                        isa_and_nonnull<FieldDecl>(entity) &&
                        vocabulary.roleOf(record) == TypeRole::None;
  if (!isHelper || isDerived)
    return lose();
  uses.facts[entity].givers.insert(place.function->getCanonicalDecl());
  return Step::Used;
}

// ---- Questions ---------------------------------------------------------------------------------

/// Whether the result can still be, or hold, the entity's value.
bool ValueFlow::matters(const Expr *expr) {
  if (expr->isTypeDependent())
    return true;
  const Held &held = uses.heldBy(expr->getType());
  return isTensor ? held.hasTensors : !held.modules.empty();
}

/// Whether the construction makes a copy, or a holder of what a shared pointer points to.
bool ValueFlow::isHandedOn(const CXXConstructExpr *construct,
                           const CXXConstructorDecl *constructor) {
  if (isCopyOrMove(construct))
    return true;
  if (construct->getNumArgs() != 1)
    return false;
  const QualType type = construct->getType();
  return (isTensor && uses.holdsTensors(type)) ||
         (!uses.isUser(constructor) &&
          uses.heldBy(construct->getArg(0)->getType()).modules == uses.heldBy(type).modules);
}

/// Whether the expression, or each of a list, selects elements of a tensor.
bool ValueFlow::isIndex(const Expr *expr) const {
  QualType type = expr->getType();
  if (type.isNull())
    return false;
  if (const ArrayType *array = type->getAsArrayTypeUnsafe())
    type = array->getElementType();
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record && vocabulary.traitOf(record) == Trait::Index;
}

bool ValueFlow::makesUsersModule(const Expr *expr) {
  return llvm::any_of(uses.heldBy(expr->getType()).modules,
                      [&](const CXXRecordDecl *module) { return uses.isUser(module); });
}

} // namespace gradtidy
