#include "ModuleUses.h"

#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace gradtidy {

ModuleUses::ModuleUses(ASTContext &context, Vocabulary &vocabulary)
    : vocabulary(vocabulary), isUserCode(vocabulary.code().isUserCode()), heldTypes(vocabulary) {
  const bool hasErrors = context.getDiagnostics().hasErrorOccurred();
  if (hasErrors)
    strays = findStrayMethods(context);
  const llvm::DenseSet<SourceLocation> registering = collect(context);
  for (auto &[entity, known] : facts)
    known.escapes |= llvm::any_of(known.givers, [&](const FunctionDecl *giver) {
      return hasErrors || mayBeCalled(giver, context);
    });
  if (hasErrors)
    damaged = findDamagedClasses(context, *this, vocabulary, registering);
}

bool ModuleUses::mayBeCalled(const FunctionDecl *function, const ASTContext &context) const {
  const auto *method = dyn_cast<CXXMethodDecl>(function);
  return !method || method->isVirtual() || method->isTemplated() ||
         method->isTemplateInstantiation() || !callersOf(method).empty() ||
         !context.getSourceManager().isInMainFile(method->getLocation());
}

void ModuleUses::link(Entity entity, const ValueDecl *to) {
  Entity target = to ? canonical(to) : nullptr;
  if (!target || target == entity)
    return;
  if (!entity) {
    facts[target].isRegistered = true;
  } else if (!heldBy(target->getType()).any()) {
    facts[entity].escapes = true;
  } else {
    facts[entity].same.insert(target);
    facts[target].same.insert(entity);
  }
}

// ---- What is known of entities -----------------------------------------------------------------

const EntityFacts &ModuleUses::of(Entity entity) const {
  static const EntityFacts none;
  auto found = facts.find(entity);
  return found == facts.end() ? none : found->second;
}

const std::vector<EntityDefinition> &ModuleUses::definitionsOf(const FieldDecl *field) const {
  const EntityFacts &own = of(canonical(field));
  if (own.definitions.empty())
    for (Entity other : own.same)
      if (isa<FieldDecl>(other) && other->getLocation() == field->getLocation())
        return of(other).definitions;
  return own.definitions;
}

static void addNew(llvm::SmallVectorImpl<Entity> &found, llvm::ArrayRef<Entity> entities) {
  for (Entity entity : entities)
    if (!llvm::is_contained(found, entity))
      found.push_back(entity);
}

llvm::SmallVector<Entity, 8> ModuleUses::aliasesOf(Entity entity) const {
  llvm::SmallVector<Entity, 8> found{entity};
  for (size_t i = 0; i < found.size(); ++i)
    addNew(found, of(found[i]).same.getArrayRef());
  return found;
}

ModuleUses::Reached ModuleUses::reachedFrom(Entity entity) const {
  llvm::SmallVector<Entity, 8> found = aliasesOf(entity);
  const size_t aliases = found.size();
  for (size_t i = 0; i < found.size(); ++i) {
    const EntityFacts &reached = of(found[i]);
    addNew(found, reached.parameters.getArrayRef());
    if (i >= aliases)
      addNew(found, reached.same.getArrayRef());
  }
  return {std::move(found), aliases};
}

// ---- What expressions are values of ------------------------------------------------------------

Entity ModuleUses::rootOf(const Expr *expr) {
  for (; expr; expr = wholeOf(expr)) {
    expr = strip(expr);
    if (const auto *reference = dyn_cast<DeclRefExpr>(expr))
      return isa<VarDecl, BindingDecl>(reference->getDecl()) ? canonical(reference->getDecl())
                                                             : nullptr;
    const auto *member = dyn_cast<MemberExpr>(expr);
    const auto *field = member ? dyn_cast<FieldDecl>(member->getMemberDecl()) : nullptr;
    if (field && isUserCode(field))
      return heldBy(field->getType()).any() ? canonical(field) : nullptr;
  }
  return nullptr;
}

const Expr *ModuleUses::wholeOf(const Expr *expr) {
  if (std::optional<Assigned> assigned = asAssignment(expr))
    return assigned->target;
  if (const auto *member = dyn_cast<MemberExpr>(expr)) {
    const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
    return field && isStandard(field) ? member->getBase() : nullptr;
  }
  if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(expr))
    return subscript->getBase();
  if (const auto *operation = dyn_cast<CXXOperatorCallExpr>(expr))
    return wholeOfOperation(operation);
  if (const auto *call = dyn_cast<CXXMemberCallExpr>(expr))
    return wholeOfMethod(call);
  if (const auto *call = dyn_cast<CallExpr>(expr)) { // std::get, std::move
    const FunctionDecl *callee = call->getDirectCallee();
    const bool handsOn =
        callee && isStandard(callee) && !isFactory(callee) && call->getNumArgs() > 0;
    return handsOn ? call->getArg(0) : nullptr;
  }
  const auto *construct = dyn_cast<CXXConstructExpr>(expr);
  return construct && construct->getNumArgs() == 1 && isCopyOrMove(construct) ? construct->getArg(0)
                                                                              : nullptr;
}

const Expr *ModuleUses::wholeOfOperation(const CXXOperatorCallExpr *operation) {
  const bool isAccess = operation->getOperator() == OO_Subscript ||
                        operation->getOperator() == OO_Arrow ||
                        (operation->getOperator() == OO_Star && operation->getNumArgs() == 1);
  if (!isAccess)
    return nullptr;
  const Expr *object = operation->getArg(0);
  return holdsModules(object->getType()) == holdsModules(operation->getType()) ? object : nullptr;
}

/// `layers.back()`, `holder.ptr()`, but not what a tensor computes.
const Expr *ModuleUses::wholeOfMethod(const CXXMemberCallExpr *call) {
  const CXXMethodDecl *method = call->getMethodDecl();
  const Held &held = heldBy(call->getType());
  const bool isAccess =
      method && !isUserCode(method) && held.any() && (!held.hasTensors || isStandard(method));
  return isAccess ? call->getImplicitObjectArgument() : nullptr;
}

bool ModuleUses::handsOnModule(const CXXConstructExpr *construct) {
  return construct->getNumArgs() == 1 && holdsModules(construct->getArg(0)->getType());
}

bool ModuleUses::makesElement(const CallExpr *call) const {
  const auto *member = dyn_cast<CXXMemberCallExpr>(call);
  const CXXMethodDecl *method = member ? member->getMethodDecl() : nullptr;
  if (!method || !isStandard(method))
    return false;
  const StringRef name = simpleName(method);
  const auto *container = dyn_cast<ClassTemplateSpecializationDecl>(method->getParent());
  const bool emplaces = name == "emplace_back" || name == "emplace_front" ||
                        (name == "emplace" && container && container->getName() == "optional");
  if (!emplaces || !container)
    return false;
  const QualType element = container->getTemplateArgs()[0].getAsType();
  const CXXRecordDecl *record = element->getAsCXXRecordDecl();
  const TypeRole role = vocabulary.roleOf(element);
  return record && !isStandard(record) && // What a pointer is made of is an argument.
         (role == TypeRole::ModuleHolder || role == TypeRole::Module) &&
         llvm::none_of(call->arguments(), isNull);
}

// ---- Functions ---------------------------------------------------------------------------------

const FunctionDecl *ModuleUses::declared(const FunctionDecl *function) const {
  function = function->getCanonicalDecl();
  auto found = strays.declarations.find(function);
  return found == strays.declarations.end() ? function : found->second;
}

const ModuleUses::Functions &ModuleUses::calleesOf(const FunctionDecl *function) const {
  static const Functions none;
  auto found = callees.find(function->getCanonicalDecl());
  return found == callees.end() ? none : found->second;
}

const ModuleUses::Functions &ModuleUses::callersOf(const FunctionDecl *function) const {
  static const Functions none;
  auto found = callers.find(function->getCanonicalDecl());
  return found == callers.end() ? none : found->second;
}

Trait ModuleUses::traitOfCallee(const CallExpr *call) {
  if (const FunctionDecl *callee = call->getDirectCallee())
    return vocabulary.traitOf(callee);
  // In a template that nobody instantiates.
  const auto *overloads = dyn_cast<OverloadExpr>(call->getCallee()->IgnoreParens());
  return overloads ? traitOf(overloads) : Trait::None;
}

/// Whether its parameters leave open that \p function is what is called.
static bool takesArguments(const FunctionDecl *function, const CallExpr *call) {
  return function->isTemplated() || function->isVariadic() ||
         (function->getNumParams() >= call->getNumArgs() &&
          function->getMinRequiredArguments() <= call->getNumArgs());
}

const FunctionDecl *ModuleUses::calleeOf(const CallExpr *call) const {
  if (const FunctionDecl *callee = call->getDirectCallee())
    return callee;
  const auto *overloads = dyn_cast<OverloadExpr>(call->getCallee()->IgnoreParenImpCasts());
  if (!overloads)
    return nullptr;
  const FunctionDecl *only = nullptr;
  for (const NamedDecl *candidate : overloads->decls()) {
    const FunctionDecl *function = candidate->getUnderlyingDecl()->getAsFunction();
    if (!function || !takesArguments(function, call))
      continue;
    if (only && (isUserCode(function) || isUserCode(only)))
      return nullptr;
    only = function;
  }
  return only;
}

Trait ModuleUses::traitOf(const OverloadExpr *overloads) const {
  for (const NamedDecl *candidate : overloads->decls())
    if (Trait trait = vocabulary.traitOf(candidate->getUnderlyingDecl()); trait != Trait::None)
      return trait;
  return Trait::None;
}

const FunctionDecl *ModuleUses::definitionOf(const FunctionDecl *function) const {
  const FunctionDecl *definition = nullptr;
  if (!function->hasBody(definition))
    definition = strays.definitions.lookup(function->getCanonicalDecl());
  return definition && isUserCode(definition) ? definition : nullptr;
}

/// pretty_print()
static bool writesToStream(const CXXMethodDecl *method) {
  return llvm::any_of(method->parameters(), [](const ParmVarDecl *parameter) {
    const auto *type = parameter->getType().getNonReferenceType()->getAsCXXRecordDecl();
    return type && isStandard(type) && type->getName() == "basic_ostream";
  });
}

bool ModuleUses::isManagement(const FunctionDecl *function) {
  const auto *method = dyn_cast<CXXMethodDecl>(function);
  if (!method || !method->getIdentifier() || isForward(method) || method->getName() == "reset" ||
      method->getName() == "save" || // Which says nothing of parameters() and to().
      !isUserCode(method) || vocabulary.roleOf(method->getParent()) != TypeRole::Module ||
      writesToStream(method))
    return false;
  bool hides = false;
  method->getParent()->forallBases([&](const CXXRecordDecl *base) {
    hides |= vocabulary.isFramework(base) && !base->lookup(method->getDeclName()).empty();
    return true;
  });
  return hides;
}

// ---- Classes -----------------------------------------------------------------------------------

bool ModuleUses::isVisible(const CXXRecordDecl *record) const {
  if (damaged.contains(record->getCanonicalDecl()))
    return false;
  const bool isImplementedHere = llvm::any_of(record->methods(), [&](const CXXMethodDecl *method) {
    const FunctionDecl *definition = definitionOf(method);
    return definition && definition->isOutOfLine();
  });
  const auto isSeen = [&](const FunctionDecl *function) {
    if (function->isImplicit() || function->isDeleted() || function->isDefaulted() ||
        function->isPureVirtual() || definitionOf(function))
      return true;
    if (const FunctionDecl *pattern = function->getTemplateInstantiationPattern();
        pattern && definitionOf(pattern))
      return true;
    return isImplementedHere && !isa<CXXConstructorDecl>(function) && callersOf(function).empty();
  };
  return llvm::all_of(record->decls(), [&](const Decl *declaration) {
    if (const auto *generic = dyn_cast<FunctionTemplateDecl>(declaration))
      declaration = generic->getTemplatedDecl();
    const auto *method = dyn_cast<CXXMethodDecl>(declaration);
    return !method || isSeen(method);
  });
}

} // namespace gradtidy
