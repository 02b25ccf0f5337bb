#include "Registrations.h"

#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"

#include <algorithm>

using namespace clang;

namespace gradtidy {

Answer Registrations::of(llvm::ArrayRef<Entity> reached) {
  Answer registered = Answer::No;
  for (Entity entity : reached) {
    const EntityFacts &facts = uses.of(entity);
    const bool isSeen =
        facts.isRegistered || llvm::any_of(facts.definitions, [&](const EntityDefinition &each) {
          return isResult(each.value);
        });
    registered = std::max(registered, isSeen          ? Answer::Yes
                                      : facts.escapes ? Answer::Unknown
                                                      : Answer::No);
  }
  return registered;
}

bool Registrations::isResult(const Expr *value) {
  const Expr *source = value ? convertedFrom(value) : nullptr;
  if (const auto *list = dyn_cast_or_null<InitListExpr>(source))
    return list->getNumInits() &&
           llvm::all_of(list->inits(), [&](const Expr *element) { return isResult(element); });
  const auto *call = dyn_cast_or_null<CallExpr>(source);
  if (!call || registers(uses.traitOfCallee(call)))
    return call;
  const FunctionDecl *callee = uses.calleeOf(call);
  return callee && uses.definitionOf(callee) && isReturnedResult(callee->getCanonicalDecl());
}

bool Registrations::isReturnedResult(const FunctionDecl *function) {
  RecursionGuard guard(active, function);
  const auto isRegistered = [&](Entity entity) { return uses.of(entity).isRegistered; };
  return guard.isFirst && llvm::any_of(uses.returns.lookup(function), [&](const Expr *result) {
           const Entity root = uses.rootOf(result);
           return isResult(result) ||
                  (root && llvm::any_of(uses.reachedFrom(root).entities, isRegistered));
         });
}

// ---- Replacements ------------------------------------------------------------------------------

/// Whether the value is a module that is made here, or a tensor that is made or computed.
bool Registrations::makesAnother(const Expr *value) {
  value = strip(value);
  if (const auto *made = dyn_cast<CXXConstructExpr>(value))
    return uses.makesModule(made);
  const auto *call = dyn_cast<CallExpr>(value);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (!callee || vocabulary.roleOf(callee->getReturnType()) != TypeRole::Tensor)
    return false;
  if (vocabulary.operationOf(callee) == Operation::Permute)
    return true;
  const FunctionRole role = vocabulary.roleOf(callee);
  const auto *operation = dyn_cast<CXXOperatorCallExpr>(call);
  if (vocabulary.traitOf(callee) == Trait::KeepsStrides &&
      !callee->getReturnType()->isReferenceType())
    return true;
  return role == FunctionRole::Create || role == FunctionRole::CreateLike ||
         (operation && operation->getOperator() != OO_Call && !asAssignment(call) &&
          !callee->getReturnType()->isReferenceType());
}

/// Whether the arguments of the registration name the entity.
bool Registrations::names(const CallExpr *registration, Entity entity) {
  return llvm::any_of(registration->arguments(),
                      [&](const Expr *argument) { return uses.rootOf(argument) == entity; });
}

/// Whether some registration names the entity.
bool Registrations::isNamed(Entity entity) {
  return llvm::any_of(uses.registrations, [&](const auto &entry) {
    return llvm::any_of(entry.second, [&](const CallExpr *call) { return names(call, entity); });
  });
}

/// Whether all registrations that name the entity stand in constructors of its class.
bool Registrations::isRegisteredAtOnce(Entity entity) {
  return llvm::all_of(uses.registrations, [&](const auto &entry) {
    return llvm::all_of(entry.second, [&](const CallExpr *call) {
      return !names(call, entity) || isInConstructor(*call, *entry.first);
    });
  });
}

/// The statement of its own in the body of the constructor \p function that assigns \p value, or
/// null.
static const Stmt *assignmentIn(const FunctionDecl *function, const Expr *value) {
  const FunctionDecl *definition = nullptr;
  if (!isa_and_nonnull<CXXConstructorDecl>(function) || !function->hasBody(definition))
    return nullptr;
  for (const Stmt *statement : definition->getBody()->children())
    if (const auto *expr = dyn_cast<Expr>(statement))
      if (std::optional<Assigned> assigned = asAssignment(expr->IgnoreImplicit());
          assigned && assigned->value == value && entityOf(strip(assigned->target)))
        return statement;
  return nullptr;
}

/// Whether the member has the value of \p first when it gets that of \p second. \p isLater says
/// that this is after construction.
bool Registrations::isBefore(const EntityDefinition &first, const EntityDefinition &second,
                             bool isLater) const {
  if (first.kind == MemberDefinition::MemberInitializer)
    return isLater || first.function == second.function;
  if (first.function != second.function)
    return isLater && phases.isConstruction(first.function);
  const Stmt *before = assignmentIn(first.function, first.value);
  const Stmt *after = assignmentIn(first.function, second.value);
  return before && after &&
         context.getSourceManager().isBeforeInTranslationUnit(before->getBeginLoc(),
                                                              after->getBeginLoc());
}

/// Whether a tensor that constructors register gets another value later: a parameter any, a buffer
/// one that is computed of its own. What else takes the place of a buffer may be what the module
/// keeps between its calls.
bool Registrations::isReassignment(const EntityDefinition &definition, Entity entity) {
  bool isParameter = false, isBuffer = false;
  for (const EntityDefinition &first : uses.of(entity).definitions)
    if (const auto *call = dyn_cast_or_null<CallExpr>(convertedFrom(first.value))) {
      const Trait trait = uses.traitOfCallee(call);
      if (registers(trait) && !phases.isConstruction(first.function))
        return false;
      isParameter |= trait == Trait::RegistersParameter;
      isBuffer |= trait == Trait::RegistersBuffer;
    }
  if (!isRegisteredAtOnce(entity))
    return false;
  for (const auto &[record, calls] : uses.registrations)
    for (const CallExpr *call : calls) {
      if (!names(call, entity))
        continue;
      isParameter |= uses.traitOfCallee(call) == Trait::RegistersParameter;
      isBuffer |= uses.traitOfCallee(call) == Trait::RegistersBuffer;
    }
  return isParameter || (isBuffer && mentions(definition.value, entity));
}

bool Registrations::isInConstructor(const CallExpr &call, const CXXRecordDecl &record) const {
  const SourceManager &sources = context.getSourceManager();
  return llvm::any_of(record.ctors(), [&](const CXXConstructorDecl *constructor) {
    const FunctionDecl *definition = nullptr;
    return constructor->hasBody(definition) &&
           !sources.isBeforeInTranslationUnit(call.getBeginLoc(), definition->getBeginLoc()) &&
           sources.isBeforeInTranslationUnit(call.getBeginLoc(), definition->getEndLoc());
  });
}

bool Registrations::mentions(const Stmt *value, Entity entity) {
  if (const auto *expr = dyn_cast<MemberExpr>(value); expr && uses.rootOf(expr) == entity)
    return true;
  return llvm::any_of(value->children(),
                      [&](const Stmt *child) { return child && mentions(child, entity); });
}

bool Registrations::isReplacement(const EntityDefinition &definition, const FieldDecl *field) {
  if (definition.kind != MemberDefinition::Assignment || !makesAnother(definition.value))
    return false;
  const Entity entity = canonical(field);
  const EntityFacts &facts = uses.of(entity);
  if (facts.escapes || !facts.parameters.empty())
    return false;
  if (!uses.holdsModules(field->getType()) && !phases.isConstruction(definition.function))
    return isReassignment(definition, entity);
  const bool isLater =
      uses.holdsModules(field->getType()) && !phases.isConstruction(definition.function);
  if (isNamed(entity))
    return isLater && isRegisteredAtOnce(entity);
  return llvm::any_of(facts.definitions, [&](const EntityDefinition &first) {
    const auto *call = dyn_cast_or_null<CallExpr>(convertedFrom(first.value));
    return isBefore(first, definition, isLater) && call && registers(uses.traitOfCallee(call));
  });
}

// ---- Names -------------------------------------------------------------------------------------

std::vector<llvm::StringRef> Registrations::namesIn(const CXXRecordDecl *record) const {
  std::vector<llvm::StringRef> names;
  for (const CallExpr *call : uses.registrations.lookup(record->getCanonicalDecl()))
    for (const Expr *argument : call->arguments()) {
      const Expr *name = strip(argument);
      while (const auto *construct = dyn_cast<CXXConstructExpr>(name)) {
        if (construct->getNumArgs() == 0)
          break;
        name = strip(construct->getArg(0));
      }
      if (const auto *literal = dyn_cast<StringLiteral>(name))
        names.push_back(literal->getString());
    }
  return names;
}

} // namespace gradtidy
