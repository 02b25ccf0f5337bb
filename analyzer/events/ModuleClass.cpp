#include "ModuleClass.h"

#include "Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

/// What a module is, in two answers.
struct Nature {
  Answer stateful = Answer::No, mode = Answer::No;
  void join(const Nature &other) {
    stateful = std::max(stateful, other.stateful);
    mode = std::max(mode, other.mode);
  }
};
constexpr Nature unknown{Answer::Unknown, Answer::Unknown};

bool isNull(const clang::Expr *value) {
  value = strip(value);
  if (llvm::isa<clang::CXXNullPtrLiteralExpr, clang::GNUNullExpr>(value))
    return true;
  if (const auto *list = llvm::dyn_cast<clang::InitListExpr>(value))
    return list->getNumInits() == 1 && isNull(list->getInit(0));
  const auto *construct = llvm::dyn_cast<clang::CXXConstructExpr>(value);
  return construct && construct->getNumArgs() == 1 && isNull(construct->getArg(0));
}

bool isPointer(clang::QualType type) { return !pointee(type).isNull() || type->isPointerType(); }

} // namespace

class ModuleClasses::Implementation {
public:
  Implementation(clang::ASTContext &context, Vocabulary &vocabulary,
                 std::function<bool(const clang::Decl *)> isUserCode)
      : context(context), vocabulary(vocabulary), uses(context, vocabulary, std::move(isUserCode)) {
    findForward();
    for (const clang::CXXRecordDecl *record : uses.records)
      classes.push_back(view(record->getDefinition()));
  }

  Nature natureOf(clang::QualType type) {
    Nature result;
    for (const clang::CXXRecordDecl *module : uses.heldBy(type).modules)
      result.join(natureOf(module));
    return result;
  }
  Nature natureOf(const clang::Expr *value);

  std::vector<ModuleClass> classes;

private:
  // ---- What modules are ----
  Nature natureOf(const clang::CXXRecordDecl *module);
  Nature natureOfClass(const clang::CXXRecordDecl *module);
  Nature natureOf(Entity entity);
  Nature construction(const clang::CXXRecordDecl *module, const clang::Expr *expr);
  bool isKnownByType(clang::QualType type);
  Answer option(const clang::Stmt *construction, Trait kind, Answer absent);
  Answer natureOfTensor(const clang::Expr *value, unsigned depth = 0);
  bool mentions(const clang::Stmt *statement, Trait trait);
  bool asksForMode(const clang::FunctionDecl *function, const clang::CXXRecordDecl *record);

  // ---- Classes ----
  void findForward();
  bool isVisible(const clang::CXXRecordDecl *record);
  bool isConstruction(const clang::FunctionDecl *function, unsigned depth = 0);
  ModuleClass view(const clang::CXXRecordDecl *record);
  ModuleMember view(const clang::FieldDecl *field);
  /// All that may hold what \p entity holds.
  llvm::SmallVector<Entity, 8> component(Entity entity);
  bool reachesParameter(Entity entity);

  /// Whether the thing is being judged already; until the end of the guard's scope it is.
  struct Guard {
    Guard(llvm::SmallPtrSetImpl<const void *> &active, const void *thing)
        : active(active), thing(thing), isFirst(active.insert(thing).second) {}
    ~Guard() {
      if (isFirst)
        active.erase(thing);
    }
    llvm::SmallPtrSetImpl<const void *> &active;
    const void *thing;
    bool isFirst;
  };

  clang::ASTContext &context;
  Vocabulary &vocabulary;
  ModuleUses uses;
  ModuleUses::Functions forward; ///< All that runs in a forward pass.
  llvm::DenseMap<const clang::CXXRecordDecl *, Nature> natures;
  llvm::SmallPtrSet<const void *, 8> active;
};

// ---- What modules are --------------------------------------------------------------------------

Nature ModuleClasses::Implementation::natureOf(const clang::CXXRecordDecl *module) {
  module = module->getCanonicalDecl();
  if (auto found = natures.find(module); found != natures.end())
    return found->second;
  if (uses.isUser(module)) {
    Guard guard(active, module);
    if (!guard.isFirst)
      return {};
    Nature nature = module->hasDefinition() ? natureOfClass(module->getDefinition()) : unknown;
    return natures[module] = nature;
  }
  if (!vocabulary.isFramework(module))
    return unknown;
  switch (vocabulary.traitOf(module)) {
  case Trait::Stateless:
    return {Answer::No, Answer::No};
  case Trait::ModeDependent:
    return {Answer::Yes, Answer::Yes};
  case Trait::ModeByOption:
    return {Answer::Yes, Answer::Unknown};
  case Trait::None:
    return {Answer::Yes, Answer::No};
  default:
    return unknown;
  }
}

Nature ModuleClasses::Implementation::natureOfClass(const clang::CXXRecordDecl *module) {
  Nature nature;
  if (!isVisible(module))
    nature.join(unknown);
  for (const clang::CXXBaseSpecifier &base : module->bases()) {
    const clang::CXXRecordDecl *record = base.getType()->getAsCXXRecordDecl();
    if (record && vocabulary.roleOf(record) == TypeRole::Module &&
        (uses.isUser(record) || vocabulary.traitOf(record) != Trait::Opaque))
      nature.join(natureOf(record));
  }
  for (const clang::FieldDecl *field : module->fields()) {
    const ModuleUses::Held &held = uses.heldBy(field->getType());
    if (!held.modules.empty())
      nature.join(natureOf(canonical(field)));
    else if (held.hasTensors)
      nature.join({Answer::Unknown, Answer::No});
    else if (vocabulary.reachesTraining(field->getType()))
      nature.join(unknown);
  }
  for (const clang::CallExpr *call : uses.registrations.lookup(module->getCanonicalDecl())) {
    if (uses.traitOfCallee(call) != Trait::RegistersModule)
      nature.join({Answer::Yes, Answer::No});
    else
      for (const clang::Expr *argument : call->arguments())
        if (!uses.heldBy(argument->getType()).modules.empty())
          nature.join(natureOf(argument));
  }
  for (const clang::CXXMethodDecl *method : module->methods())
    if (asksForMode(method, module))
      nature.join({Answer::Yes, Answer::Yes});
  return nature;
}

/// Whether the mode makes a difference to the method, or to what it calls outside other modules.
bool ModuleClasses::Implementation::asksForMode(const clang::FunctionDecl *function,
                                                const clang::CXXRecordDecl *record) {
  function = function->getCanonicalDecl();
  if (uses.modeDependent.contains(function))
    return true;
  Guard guard(active, function);
  if (!guard.isFirst)
    return false;
  return llvm::any_of(uses.calleesOf(function), [&](const clang::FunctionDecl *callee) {
    const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
    bool isOther = method &&
                   method->getParent()->getCanonicalDecl() != record->getCanonicalDecl() &&
                   vocabulary.roleOf(method->getParent()) == TypeRole::Module;
    return !isOther && asksForMode(callee, record);
  });
}

/// Whether the type tells all: neither options nor contents matter.
bool ModuleClasses::Implementation::isKnownByType(clang::QualType type) {
  return llvm::all_of(uses.heldBy(type).modules, [&](const clang::CXXRecordDecl *module) {
    Trait trait = uses.isUser(module) ? Trait::None : vocabulary.traitOf(module);
    return trait == Trait::None || trait == Trait::Stateless;
  });
}

Nature ModuleClasses::Implementation::natureOf(Entity entity) {
  if (isKnownByType(entity->getType()))
    return natureOf(entity->getType());
  Guard guard(active, entity);
  if (!guard.isFirst)
    return {};
  Nature nature;
  bool isDefined = false;
  for (Entity other : component(entity)) {
    const EntityFacts &facts = uses.of(other);
    if (facts.escapes || llvm::isa<clang::ParmVarDecl>(other))
      nature.join(unknown);
    for (const EntityDefinition &definition : facts.definitions)
      if (!isNull(definition.value)) {
        nature.join(natureOf(definition.value));
        isDefined = true;
      }
  }
  // A layer has a value somewhere, and what it is by default; an empty container is nothing.
  for (const clang::CXXRecordDecl *module : uses.heldBy(entity->getType()).modules) {
    Trait trait = vocabulary.traitOf(module);
    if (trait == Trait::Opaque ? !isDefined : trait != Trait::Container && !isDefined)
      nature.join(natureOf(module));
  }
  return nature;
}

Nature ModuleClasses::Implementation::natureOf(const clang::Expr *value) {
  value = strip(value);
  if (isNull(value))
    return {};
  auto joined = [&](auto &&parts) {
    Nature nature;
    for (const clang::Expr *part : parts)
      if (!uses.heldBy(part->getType()).modules.empty() ||
          llvm::isa<clang::InitListExpr>(strip(part)))
        nature.join(natureOf(part));
    return nature;
  };
  if (const auto *list = llvm::dyn_cast<clang::InitListExpr>(value))
    return joined(list->inits());
  if (const auto *list = llvm::dyn_cast<clang::CXXStdInitializerListExpr>(value))
    return natureOf(list->getSubExpr());
  if (value->getType().isNull() || value->isTypeDependent())
    return unknown;
  const ModuleUses::Held &held = uses.heldBy(value->getType());
  if (held.modules.empty())
    return unknown;
  if (isKnownByType(value->getType()))
    return natureOf(value->getType());
  if (const auto *choice = llvm::dyn_cast<clang::ConditionalOperator>(value)) {
    Nature nature = natureOf(choice->getTrueExpr());
    nature.join(natureOf(choice->getFalseExpr()));
    return nature;
  }
  if (const auto *construct = llvm::dyn_cast<clang::CXXConstructExpr>(value)) {
    bool isFromOther = construct->getNumArgs() == 1 &&
                       !uses.heldBy(construct->getArg(0)->getType()).modules.empty();
    Trait trait = held.modules.size() == 1 && !isPointer(value->getType()) && !isFromOther
                      ? vocabulary.traitOf(held.modules.front())
                      : Trait::Container;
    if (trait == Trait::Container || trait == Trait::Opaque)
      return joined(construct->arguments());
    return construction(held.modules.front(), construct);
  }
  if (const auto *call = llvm::dyn_cast<clang::CallExpr>(value)) {
    Trait trait = uses.traitOfCallee(call);
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (trait == Trait::RegistersModule)
      return joined(call->arguments());
    if (callee && isFactory(callee))
      return vocabulary.traitOf(held.modules.front()) == Trait::Container
                 ? joined(call->arguments())
                 : construction(held.modules.front(), call);
    if (callee && uses.definitionOf(callee)) {
      Guard guard(active, callee->getCanonicalDecl());
      return guard.isFirst ? joined(uses.returns.lookup(callee->getCanonicalDecl())) : Nature{};
    }
  }
  if (Entity entity = uses.rootOf(value))
    return natureOf(entity);
  return natureOf(value->getType());
}

/// A layer of the framework whose options matter.
Nature ModuleClasses::Implementation::construction(const clang::CXXRecordDecl *module,
                                                   const clang::Expr *expr) {
  Nature nature = natureOf(module);
  switch (vocabulary.traitOf(module)) {
  case Trait::ModeDependent:
    nature.mode = option(expr, Trait::ModeOption, Answer::Yes);
    break;
  case Trait::ModeByOption:
    nature.mode = option(expr, Trait::ModeOption, Answer::No);
    break;
  case Trait::StatelessByDefault:
    nature.mode = option(expr, Trait::ModeOption, Answer::No);
    nature.stateful = std::max(nature.mode, option(expr, Trait::StateOption, Answer::No));
    break;
  default:
    break;
  }
  return nature;
}

/// What the construction says of options of that kind; \p absent if it says nothing.
Answer ModuleClasses::Implementation::option(const clang::Stmt *construction, Trait kind,
                                             Answer absent) {
  Answer answer = absent;
  bool isGiven = false;
  auto visit = [&](auto &&self, const clang::Stmt *statement) -> void {
    if (!statement)
      return;
    if (const auto *call = llvm::dyn_cast<clang::CXXMemberCallExpr>(statement);
        call && call->getMethodDecl() && call->getNumArgs() == 1 &&
        vocabulary.traitOfOption(simpleName(call->getMethodDecl())) == kind) {
      clang::Expr::EvalResult result;
      const clang::Expr *value = call->getArg(0);
      bool isZero = false, isConstant = !value->isValueDependent() && !value->isTypeDependent() &&
                                        value->EvaluateAsRValue(result, context);
      if (isConstant && result.Val.isInt())
        isZero = result.Val.getInt() == 0;
      else if (isConstant && result.Val.isFloat())
        isZero = result.Val.getFloat().isZero();
      Answer given = isZero ? Answer::No : isConstant ? Answer::Yes : Answer::Unknown;
      answer = isGiven ? std::max(answer, given) : given;
      isGiven = true;
    } else if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(statement);
               reference && llvm::isa<clang::VarDecl>(reference->getDecl()) && !isGiven &&
               reference->getType()->getAsCXXRecordDecl() &&
               vocabulary.isFramework(reference->getType()->getAsCXXRecordDecl())) {
      answer = Answer::Unknown; // Options from elsewhere.
    }
    for (const clang::Stmt *child : statement->children())
      self(self, child);
  };
  visit(visit, construction);
  return answer;
}

/// Whether a tensor of this value is data that belongs to the object.
Answer ModuleClasses::Implementation::natureOfTensor(const clang::Expr *value, unsigned depth) {
  if (depth > 8)
    return Answer::Unknown;
  value = strip(value);
  if (llvm::isa<clang::CXXOperatorCallExpr>(value) && !uses.rootOf(value))
    return Answer::Yes; // Arithmetic.
  if (const auto *call = llvm::dyn_cast<clang::CXXMemberCallExpr>(value)) {
    const clang::CXXMethodDecl *method = call->getMethodDecl();
    if (!method || !vocabulary.isFramework(method))
      return Answer::Unknown;
    if (vocabulary.roleOf(method) == FunctionRole::Detach)
      return Answer::Yes; // Not what it comes from, nor moved with it.
    const clang::Expr *object = call->getImplicitObjectArgument();
    return uses.heldBy(object->getType()).hasTensors ? natureOfTensor(object, depth + 1)
                                                     : Answer::Unknown;
  }
  if (const auto *call = llvm::dyn_cast<clang::CallExpr>(value);
      call && call->getDirectCallee() && !uses.rootOf(value)) {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (vocabulary.isFramework(callee)) {
      Trait trait = vocabulary.traitOf(callee);
      const clang::Expr *first = call->getNumArgs() > 0 ? strip(call->getArg(0)) : nullptr;
      while (const auto *construct = llvm::dyn_cast_or_null<clang::CXXConstructExpr>(first))
        first = construct->getNumArgs() == 1 ? strip(construct->getArg(0)) : nullptr;
      bool isNumber = first && isArithmetic(first);
      bool isWhole = trait == Trait::MakesIndices || mentions(call, Trait::IntegerType);
      return isWhole || (trait == Trait::MakesScalar && isNumber) ? Answer::No : Answer::Yes;
    }
    Answer answer = Answer::Unknown;
    if (uses.definitionOf(callee))
      for (const clang::Expr *returned : uses.returns.lookup(callee->getCanonicalDecl()))
        answer = std::max(answer, natureOfTensor(returned, depth + 1));
    return answer;
  }
  if (const auto *construct = llvm::dyn_cast<clang::CXXConstructExpr>(value)) {
    if (construct->getNumArgs() == 0)
      return Answer::No;
    return construct->getNumArgs() == 1 ? natureOfTensor(construct->getArg(0), depth + 1)
                                        : Answer::Unknown;
  }
  if (const auto *list = llvm::dyn_cast<clang::InitListExpr>(value)) {
    Answer answer = Answer::No;
    for (const clang::Expr *element : list->inits())
      answer = std::max(answer, natureOfTensor(element, depth + 1));
    return answer;
  }
  // Another variable. Whoever hands it in may have put it where it is wanted, and what is a member
  // of something else is also kept there.
  Entity entity = uses.rootOf(value);
  if (!entity || llvm::isa<clang::FieldDecl, clang::ParmVarDecl>(entity))
    return Answer::Unknown;
  Answer answer = Answer::No;
  for (const EntityDefinition &definition : uses.of(entity).definitions)
    answer = std::max(answer, natureOfTensor(definition.value, depth + 1));
  return answer;
}

/// Whether something in it has the trait, and is not given false.
bool ModuleClasses::Implementation::mentions(const clang::Stmt *statement, Trait trait) {
  if (!statement)
    return false;
  const clang::NamedDecl *named = nullptr;
  if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(statement))
    named = reference->getDecl();
  else if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(statement))
    named = member->getMemberDecl();
  if (named && vocabulary.traitOf(named) == trait)
    return true;
  if (const auto *call = llvm::dyn_cast<clang::CallExpr>(statement);
      call && call->getNumArgs() == 1 && uses.traitOfCallee(call) == trait) {
    const auto *flag = llvm::dyn_cast<clang::CXXBoolLiteralExpr>(strip(call->getArg(0)));
    if (flag && !flag->getValue())
      return false;
  }
  return llvm::any_of(statement->children(),
                      [&](const clang::Stmt *child) { return mentions(child, trait); });
}

// ---- Classes -----------------------------------------------------------------------------------

/// A class without any forward is used through whatever of its methods handles tensors.
void ModuleClasses::Implementation::findForward() {
  for (const clang::CXXRecordDecl *record : uses.records) {
    const clang::CXXRecordDecl *definition = record->getDefinition();
    bool hasForward = llvm::any_of(definition->methods(), isForward);
    for (const clang::CXXMethodDecl *method : definition->methods())
      if (isForward(method) ||
          (!hasForward && !llvm::isa<clang::CXXConstructorDecl>(method) &&
           !uses.isManagement(method) && uses.heldBy(method->getReturnType()).hasTensors &&
           llvm::any_of(method->parameters(), [&](const clang::ParmVarDecl *parameter) {
             return uses.heldBy(parameter->getType()).hasTensors;
           })))
        forward.insert(method->getCanonicalDecl());
    // Templates among the methods.
    for (const clang::Decl *declaration : definition->decls())
      if (const auto *generic = llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration))
        if (isForward(generic->getTemplatedDecl())) {
          forward.insert(generic->getTemplatedDecl()->getCanonicalDecl());
          for (const clang::FunctionDecl *special : generic->specializations())
            forward.insert(special->getCanonicalDecl());
        }
  }
  for (size_t i = 0; i < forward.size(); ++i)
    for (const clang::FunctionDecl *callee : uses.calleesOf(forward[i]))
      forward.insert(callee);
}

/// What is declared and never defined does not count where the class is implemented in this unit
/// and nobody calls it.
bool ModuleClasses::Implementation::isVisible(const clang::CXXRecordDecl *record) {
  bool isImplementedHere = llvm::any_of(record->methods(), [](const clang::CXXMethodDecl *method) {
    const clang::FunctionDecl *definition = nullptr;
    return method->hasBody(definition) && definition->isOutOfLine();
  });
  auto isSeen = [&](const clang::FunctionDecl *function) {
    if (function->isImplicit() || function->isDeleted() || function->isDefaulted() ||
        function->isPureVirtual() || function->hasBody())
      return true;
    return isImplementedHere && !llvm::isa<clang::CXXConstructorDecl>(function) &&
           uses.callersOf(function).empty();
  };
  return llvm::all_of(record->decls(), [&](const clang::Decl *declaration) {
    if (const auto *generic = llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration))
      declaration = generic->getTemplatedDecl();
    const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(declaration);
    return !method || isSeen(method);
  });
}

/// Whether the function only ever runs while objects are made, as far as the unit shows.
bool ModuleClasses::Implementation::isConstruction(const clang::FunctionDecl *function,
                                                   unsigned depth) {
  if (!function || llvm::isa<clang::CXXConstructorDecl>(function))
    return true;
  const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
  if (method && simpleName(method) == "reset" && method->isVirtual())
    return true; // Cloneable's.
  const ModuleUses::Functions &callers = uses.callersOf(function);
  return depth < 5 && !callers.empty() &&
         llvm::all_of(
             callers,
             [&](const clang::FunctionDecl *caller) { return isConstruction(caller, depth + 1); });
}

llvm::SmallVector<Entity, 8> ModuleClasses::Implementation::component(Entity entity) {
  llvm::SmallVector<Entity, 8> found{entity};
  for (size_t i = 0; i < found.size(); ++i)
    for (Entity other : uses.of(found[i]).same)
      if (!llvm::is_contained(found, other))
        found.push_back(other);
  return found;
}

bool ModuleClasses::Implementation::reachesParameter(Entity entity) {
  return llvm::any_of(component(entity),
                      [](Entity other) { return llvm::isa<clang::ParmVarDecl>(other); });
}

ModuleClass ModuleClasses::Implementation::view(const clang::CXXRecordDecl *record) {
  ModuleClass result;
  result.record = record;
  result.isVisible = isVisible(record);
  result.dependsOnMode = natureOf(record).mode;
  for (const clang::FieldDecl *field : record->fields())
    if (uses.heldBy(field->getType()).any())
      result.members.push_back(view(field));
  for (const clang::CallExpr *call : uses.registrations.lookup(record->getCanonicalDecl()))
    for (const clang::Expr *argument : call->arguments()) {
      const clang::Expr *name = strip(argument);
      while (const auto *construct = llvm::dyn_cast<clang::CXXConstructExpr>(name)) {
        if (construct->getNumArgs() == 0)
          break;
        name = strip(construct->getArg(0));
      }
      if (const auto *literal = llvm::dyn_cast<clang::StringLiteral>(name))
        result.registeredNames.push_back(literal->getString());
    }
  return result;
}

ModuleMember ModuleClasses::Implementation::view(const clang::FieldDecl *field) {
  Entity entity = canonical(field);
  ModuleMember member;
  member.field = field;
  member.role = uses.heldBy(field->getType()).modules.empty() ? TypeRole::Tensor : TypeRole::Module;
  if (member.role == TypeRole::Module) {
    member.stateful = natureOf(entity).stateful;
    member.isHandedIn = field->getType()->isReferenceType() || reachesParameter(entity);
  }

  const clang::CXXRecordDecl *type = field->getType()->getAsCXXRecordDecl();
  TypeRole role = type ? vocabulary.roleOf(type) : TypeRole::None;
  member.isRegistrable = role == TypeRole::Tensor || role == TypeRole::ModuleHolder ||
                         (type && isStandard(type) && type->getName() == "shared_ptr");
  member.isMade = (role == TypeRole::Module || role == TypeRole::ModuleHolder) &&
                  !field->hasInClassInitializer();

  // Who registers or manages what the member holds, be it in a function it is given to.
  llvm::SmallVector<Entity, 8> found = component(entity);
  size_t own = found.size();
  for (size_t i = 0; i < found.size(); ++i) {
    const EntityFacts &facts = uses.of(found[i]);
    if (facts.isRegistered)
      member.registered = Answer::Yes;
    else if (facts.escapes)
      member.registered = std::max(member.registered, Answer::Unknown);
    member.isManaged |= facts.isManaged;
    for (Entity parameter : facts.parameters)
      if (!llvm::is_contained(found, parameter))
        found.push_back(parameter);
    if (i >= own)
      for (Entity other : facts.same)
        if (!llvm::is_contained(found, other))
          found.push_back(other);
  }
  for (Entity other : llvm::ArrayRef(found).take_front(own))
    for (const EntityUse &use : uses.of(other).uses) {
      bool isForward = use.function && forward.contains(use.function);
      if (isForward && use.isRecorded)
        member.forwardUses.push_back(use.site);
      member.isManaged |= use.isMove && !isConstruction(use.function);
    }
  if (member.role == TypeRole::Tensor)
    member.stateful = Answer::No;
  for (const EntityDefinition &definition : uses.of(entity).definitions) {
    if (!isNull(definition.value)) {
      member.definitions.push_back(definition);
      member.isMade = true;
    }
    if (member.role == TypeRole::Tensor) {
      member.isManaged |= !isConstruction(definition.function);
      member.stateful = std::max(member.stateful, natureOfTensor(definition.value));
      member.requiresGrad |= mentions(definition.value, Trait::RequiresGrad);
    }
  }
  return member;
}

// ---- The interface -----------------------------------------------------------------------------

ModuleClasses::ModuleClasses(clang::ASTContext &context, Vocabulary &vocabulary,
                             std::function<bool(const clang::Decl *)> isUserCode)
    : implementation(std::make_unique<Implementation>(context, vocabulary, std::move(isUserCode))) {
}

ModuleClasses::~ModuleClasses() = default;

const std::vector<ModuleClass> &ModuleClasses::all() const { return implementation->classes; }

Answer ModuleClasses::dependsOnMode(clang::QualType type) const {
  return implementation->natureOf(type).mode;
}

Answer ModuleClasses::dependsOnMode(const clang::Expr *module) const {
  return implementation->natureOf(module).mode;
}

} // namespace gradtidy
