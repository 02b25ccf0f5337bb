#include "ModuleClass.h"

#include "LastLayer.h"
#include "Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
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

/// What a tensor holds. Ordered like answers: the larger one is that of whatever may be either.
enum class Content : unsigned char {
  Nothing,
  Scalar,  ///< Without dimensions: as an operand it fits tensors on every device.
  Indices, ///< Whole numbers or flags that can be made again: as an index it fits as well.
  Unknown,
  Data,
};

/// The variable or member that the expression names, or null.
Entity variableOf(const clang::Expr *expr) {
  if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(expr))
    return llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
  const auto *member = llvm::dyn_cast<clang::MemberExpr>(expr);
  const auto *field = member ? llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl()) : nullptr;
  return field ? canonical(field) : nullptr;
}

/// What a conversion to a class, such as that for numbers, is made of, or null.
const clang::Expr *converted(const clang::Expr *value) {
  value = strip(value);
  while (const auto *construct = llvm::dyn_cast<clang::CXXConstructExpr>(value)) {
    const bool isOther =
        construct->getNumArgs() > 1 && !llvm::isa<clang::CXXDefaultArgExpr>(construct->getArg(1));
    if (construct->getNumArgs() == 0 || isOther)
      return nullptr;
    value = strip(construct->getArg(0));
  }
  return value;
}

bool isInteger(const clang::Expr *value) {
  value = converted(value);
  return value && isArithmetic(value) && !value->getType()->isRealFloatingType();
}

bool isAbstract(const clang::CXXRecordDecl *record) {
  return record->hasDefinition() && record->getDefinition()->isAbstract();
}

bool isPointer(clang::QualType type) { return !pointee(type).isNull() || type->isPointerType(); }

} // namespace

class ModuleClasses::Implementation {
public:
  Implementation(clang::ASTContext &context, Vocabulary &vocabulary,
                 std::function<bool(const clang::Decl *)> isUserCode)
      : context(context), vocabulary(vocabulary),
        flags(findStuckModeFlags(context, vocabulary, isUserCode)),
        uses(context, vocabulary, std::move(isUserCode)) {
    findForward();
    for (const clang::CXXRecordDecl *record : uses.records)
      classes.push_back(view(record->getDefinition()));
  }

  Nature natureOf(clang::QualType type) {
    Nature result;
    for (const clang::CXXRecordDecl *module : uses.heldBy(type).modules)
      result.join(natureOfObject(module));
    return result;
  }
  Nature natureOf(const clang::Expr *value);
  Operation lastOperation(const clang::Expr *module) {
    return gradtidy::lastOperation(module, uses, vocabulary);
  }

  std::vector<ModuleClass> classes;

private:
  // ---- What modules are ----
  Nature natureOf(const clang::CXXRecordDecl *module);
  Nature natureOfObject(const clang::CXXRecordDecl *type);
  Nature natureOfClass(const clang::CXXRecordDecl *module);
  Nature natureOf(Entity entity);
  Nature construction(const clang::CXXRecordDecl *module, const clang::Expr *expr);
  bool isKnownByType(clang::QualType type);
  Answer option(const clang::Stmt *construction, Trait kind, Answer absent);
  Content contentOf(const clang::Expr *value, unsigned depth = 0);
  Content contentOfOperation(const clang::CXXOperatorCallExpr *operation, unsigned depth);
  Content contentOfCall(const clang::CallExpr *call, const clang::FunctionDecl *callee);
  bool isComputed(const clang::Expr *value);
  bool isPlaced(const clang::Stmt *statement);
  bool mentions(const clang::Stmt *statement, Trait trait);
  bool asksForMode(const clang::FunctionDecl *function, const clang::CXXRecordDecl *record);

  // ---- Classes ----
  void findForward();
  bool isVisible(const clang::CXXRecordDecl *record);
  bool isConstruction(const clang::FunctionDecl *function, unsigned depth = 0);
  ModuleClass view(const clang::CXXRecordDecl *record);
  ModuleMember view(const clang::FieldDecl *field);
  void judgeTensor(ModuleMember &member, bool isOperand, bool isChanged);
  bool isRegisteredResult(const clang::Expr *value);
  bool isReplacement(const EntityDefinition &definition, const clang::FieldDecl *field);
  bool makesAnother(const clang::Expr *value);
  void findTransients(const clang::Stmt *statement, const clang::Stmt *body,
                      std::vector<const clang::VarDecl *> &found);
  bool isLoadedWithSiblings(const EntityDefinition &definition, const clang::FieldDecl *field);
  const std::vector<EntityDefinition> &definitionsOf(const clang::FieldDecl *field);
  /// All that may hold what \p entity holds.
  llvm::SmallVector<Entity, 8> component(Entity entity);
  /// The same, and from \p own on the parameters through which functions get hold of it.
  llvm::SmallVector<Entity, 8> reached(Entity entity, size_t &own);
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
  std::vector<ModeFlag> flags;
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
  case Trait::CastsWeights:
    return {Answer::Yes, Answer::No};
  default:
    return unknown;
  }
}

/// What an object is that is known as a \p type: if that is abstract, what all its classes are.
Nature ModuleClasses::Implementation::natureOfObject(const clang::CXXRecordDecl *type) {
  Nature nature = natureOf(type);
  if (!isAbstract(type))
    return nature;
  std::optional<Nature> variant;
  for (const clang::CXXRecordDecl *record : uses.records) {
    if (isAbstract(record) || !record->getDefinition()->isDerivedFrom(type))
      continue;
    const Nature other = natureOf(record);
    if (!variant)
      variant = other;
    if (variant->stateful != other.stateful)
      variant->stateful = Answer::Unknown;
    if (variant->mode != other.mode)
      variant->mode = Answer::Unknown;
  }
  nature.join(variant.value_or(unknown));
  return nature;
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
    return trait == Trait::None || trait == Trait::CastsWeights || trait == Trait::Stateless;
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
  size_t own = 0;
  llvm::SmallVector<Entity, 8> found = reached(entity, own);
  for (size_t i = 0; i < found.size(); ++i) {
    const EntityFacts &facts = uses.of(found[i]);
    const bool isParameter = i < own && llvm::isa<clang::ParmVarDecl>(found[i]);
    if (facts.escapes || facts.isLent || (isParameter && facts.arguments.empty()))
      nature.join(unknown);
    for (const clang::Expr *argument : facts.arguments) {
      nature.join(natureOf(argument));
      isDefined = true;
    }
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
  if (const auto *open = llvm::dyn_cast<clang::CXXUnresolvedConstructExpr>(value)) {
    clang::QualType type = open->getTypeAsWritten();
    const ModuleUses::Held &held = uses.heldBy(type);
    if (held.modules.empty())
      return unknown;
    if (isKnownByType(type))
      return natureOf(type);
    return vocabulary.traitOf(held.modules.front()) == Trait::Container
               ? joined(open->arguments())
               : construction(held.modules.front(), open);
  }
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
  if (const auto *access = llvm::dyn_cast<clang::CXXOperatorCallExpr>(value);
      access && access->getNumArgs() == 1)
    return natureOf(access->getArg(0)); // `Sequential(net)->`, `*net`
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

Content ModuleClasses::Implementation::contentOf(const clang::Expr *value, unsigned depth) {
  if (depth > 8)
    return Content::Unknown;
  value = strip(value);
  if (std::optional<Assigned> assigned = asAssignment(value))
    return contentOf(assigned->value, depth + 1);
  Entity root = uses.rootOf(value);
  if (const auto *operation = llvm::dyn_cast<clang::CXXOperatorCallExpr>(value); operation && !root)
    return contentOfOperation(operation, depth + 1);
  if (const auto *call = llvm::dyn_cast<clang::CXXMemberCallExpr>(value)) {
    const clang::CXXMethodDecl *method = call->getMethodDecl();
    if (!method || !vocabulary.isFramework(method))
      return Content::Unknown;
    if (vocabulary.roleOf(method) == FunctionRole::Detach)
      return Content::Data; // Not what it comes from, nor moved with it.
    const clang::Expr *object = call->getImplicitObjectArgument();
    if (!uses.heldBy(object->getType()).hasTensors)
      return Content::Unknown;
    Content content = contentOf(object, depth + 1);
    bool isWhole = false, isFloat = false;
    for (const clang::Expr *argument : call->arguments()) {
      isWhole |= mentions(argument, Trait::IntegerType);
      isFloat |= mentions(argument, Trait::FloatType);
    }
    if (content == Content::Data && isWhole && !mentions(object, Trait::MakesRandom))
      return Content::Indices;
    return content == Content::Indices && isFloat ? Content::Data : content;
  }
  if (const auto *call = llvm::dyn_cast<clang::CallExpr>(value); call && !root) {
    const clang::FunctionDecl *callee = uses.calleeOf(call);
    if (callee && vocabulary.isFramework(callee))
      return contentOfCall(call, callee);
    Content content = Content::Unknown;
    if (callee && uses.definitionOf(callee))
      for (const clang::Expr *returned : uses.returns.lookup(callee->getCanonicalDecl()))
        content = std::max(content, contentOf(returned, depth + 1));
    return content;
  }
  if (const auto *construct = llvm::dyn_cast<clang::CXXConstructExpr>(value)) {
    if (construct->getNumArgs() == 0)
      return Content::Nothing;
    return construct->getNumArgs() == 1 ? contentOf(construct->getArg(0), depth + 1)
                                        : Content::Unknown;
  }
  if (const auto *list = llvm::dyn_cast<clang::InitListExpr>(value)) {
    Content content = Content::Nothing;
    for (const clang::Expr *element : list->inits())
      content = std::max(content, contentOf(element, depth + 1));
    return content;
  }
  // Another variable. Whoever hands it in may have put it where it is wanted, and what is a member
  // of something else is also kept there.
  if (!root || llvm::isa<clang::FieldDecl, clang::ParmVarDecl>(root))
    return Content::Unknown;
  Content content = Content::Nothing;
  for (const EntityDefinition &definition : uses.of(root).definitions)
    content = std::max(content, contentOf(definition.value, depth + 1));
  return content;
}

/// Comparisons, and whole numbers computed with whole numbers, are indices.
Content
ModuleClasses::Implementation::contentOfOperation(const clang::CXXOperatorCallExpr *operation,
                                                  unsigned depth) {
  bool isWhole = operation->getOperator() != clang::OO_Slash;
  bool isRandom = false;
  for (const clang::Expr *operand : operation->arguments()) {
    bool isTensor = uses.heldBy(operand->getType()).hasTensors;
    isWhole &= isTensor ? contentOf(operand, depth) == Content::Indices : isInteger(operand);
    isRandom |= mentions(operand, Trait::MakesRandom);
  }
  bool isFlag = operation->isComparisonOp() || operation->getOperator() == clang::OO_Exclaim;
  return (isFlag && !isRandom) || isWhole ? Content::Indices : Content::Data;
}

Content ModuleClasses::Implementation::contentOfCall(const clang::CallExpr *call,
                                                     const clang::FunctionDecl *callee) {
  Trait trait = vocabulary.traitOf(callee);
  const clang::Expr *first = call->getNumArgs() > 0 ? converted(call->getArg(0)) : nullptr;
  if (trait == Trait::MakesScalar && first && isArithmetic(first))
    return Content::Scalar;
  if (simpleName(callee) == "full" && makesScalar(call))
    return Content::Scalar;
  if (trait == Trait::MakesRandom || mentions(call, Trait::FloatType))
    return Content::Data;
  bool isWhole = mentions(call, Trait::IntegerType) ||
                 (trait == Trait::MakesIndices &&
                  llvm::none_of(call->arguments(), [](const clang::Expr *argument) {
                    const clang::Expr *number = converted(argument);
                    return number && isArithmetic(number) && !isInteger(number);
                  }));
  return isWhole && !mentions(call, Trait::MakesRandom) ? Content::Indices : Content::Data;
}

/// Whether the constructor computes the value anew from others, on the device of its choice: a
/// table, and not the first value of something that is trained or changed.
bool ModuleClasses::Implementation::isComputed(const clang::Expr *value) {
  if (!isPlaced(value) || mentions(value, Trait::MakesRandom))
    return false;
  value = strip(value);
  while (const auto *call = llvm::dyn_cast<clang::CXXMemberCallExpr>(value))
    value = strip(call->getImplicitObjectArgument());
  const auto *call = llvm::dyn_cast<clang::CallExpr>(value);
  return call && llvm::any_of(call->arguments(), [&](const clang::Expr *argument) {
           return uses.heldBy(argument->getType()).hasTensors;
         });
}

/// Whether a device or options that somebody chose have a part in it.
bool ModuleClasses::Implementation::isPlaced(const clang::Stmt *statement) {
  if (!statement)
    return false;
  if (const auto *expr = llvm::dyn_cast<clang::Expr>(statement))
    if (Entity entity = variableOf(expr); entity && uses.isUser(entity)) {
      Guard guard(active, entity);
      return guard.isFirst &&
             (vocabulary.roleOf(entity->getType()) == TypeRole::Device ||
              llvm::any_of(uses.of(entity).definitions, [&](const EntityDefinition &definition) {
                return isPlaced(definition.value);
              }));
    }
  return llvm::any_of(statement->children(),
                      [&](const clang::Stmt *child) { return isPlaced(child); });
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
  for (size_t i = 0; i < forward.size(); ++i) {
    if (const clang::FunctionDecl *pattern = forward[i]->getTemplateInstantiationPattern())
      forward.insert(pattern->getCanonicalDecl());
    for (const clang::FunctionDecl *callee : uses.calleesOf(forward[i]))
      forward.insert(callee);
  }
}

/// What is declared and never defined does not count where the class is implemented in this unit
/// and nobody calls it.
bool ModuleClasses::Implementation::isVisible(const clang::CXXRecordDecl *record) {
  if (uses.damaged.contains(record->getCanonicalDecl()))
    return false;
  bool isImplementedHere = llvm::any_of(record->methods(), [&](const clang::CXXMethodDecl *method) {
    const clang::FunctionDecl *definition = uses.definitionOf(method);
    return definition && definition->isOutOfLine();
  });
  auto isSeen = [&](const clang::FunctionDecl *function) {
    if (function->isImplicit() || function->isDeleted() || function->isDefaulted() ||
        function->isPureVirtual() || uses.definitionOf(function))
      return true;
    if (const clang::FunctionDecl *pattern = function->getTemplateInstantiationPattern();
        pattern && uses.definitionOf(pattern))
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
         llvm::all_of(callers, [&](const clang::FunctionDecl *caller) {
           return isConstruction(caller, depth + 1);
         });
}

llvm::SmallVector<Entity, 8> ModuleClasses::Implementation::reached(Entity entity, size_t &own) {
  llvm::SmallVector<Entity, 8> found = component(entity);
  own = found.size();
  auto add = [&](Entity other) {
    if (!llvm::is_contained(found, other))
      found.push_back(other);
  };
  for (size_t i = 0; i < found.size(); ++i) {
    llvm::for_each(uses.of(found[i]).parameters, add);
    if (i >= own)
      llvm::for_each(uses.of(found[i]).same, add);
  }
  return found;
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
  for (const ModeFlag &flag : flags)
    if (flag.field->getParent() == record)
      result.stuckFlag = &flag;
  for (const clang::CXXMethodDecl *method : record->methods())
    if (const clang::FunctionDecl *body = uses.definitionOf(method);
        body && forward.contains(method->getCanonicalDecl()))
      findTransients(body->getBody(), body->getBody(), result.transients);
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
  size_t own = 0;
  llvm::SmallVector<Entity, 8> found = reached(entity, own);
  for (Entity other : found) {
    const EntityFacts &facts = uses.of(other);
    if (facts.isRegistered)
      member.registered = Answer::Yes;
    else if (facts.escapes)
      member.registered = std::max(member.registered, Answer::Unknown);
    member.isManaged |= facts.isManaged;
    if (llvm::any_of(facts.definitions, [&](const EntityDefinition &definition) {
          return isRegisteredResult(definition.value);
        }))
      member.registered = Answer::Yes;
  }
  bool isOperand = false, isChanged = false;
  for (size_t i = 0; i < found.size(); ++i)
    for (const EntityUse &use : uses.of(found[i]).uses) {
      member.isManaged |= use.isMove && !isConstruction(use.function);
      bool isForward = i < own && use.function && forward.contains(use.function);
      // A tensor has to be on the device under a guard, too.
      if (isForward && (use.isRecorded || (member.role == TypeRole::Tensor && use.isOperand)))
        member.forwardUses.push_back(use.site);
      isOperand |= isForward && use.isOperand;
      isChanged |= isForward && use.isChange;
    }
  for (const EntityDefinition &definition : definitionsOf(field))
    if (!isNull(definition.value)) {
      member.definitions.push_back(definition);
      member.isMade = true;
      if (isReplacement(definition, field))
        member.replacements.push_back(definition);
    }
  if (member.role == TypeRole::Tensor)
    judgeTensor(member, isOperand, isChanged);
  return member;
}

/// Those of a class template's field stand for those that nobody instantiated.
const std::vector<EntityDefinition> &
ModuleClasses::Implementation::definitionsOf(const clang::FieldDecl *field) {
  const EntityFacts &facts = uses.of(canonical(field));
  if (facts.definitions.empty())
    for (Entity other : facts.same)
      if (llvm::isa<clang::FieldDecl>(other) && other->getLocation() == field->getLocation())
        return uses.of(other).definitions;
  return facts.definitions;
}

/// Whether the value comes from a registration, be it in a function of the user that returns it.
bool ModuleClasses::Implementation::isRegisteredResult(const clang::Expr *value) {
  const clang::Expr *source = value ? converted(value) : nullptr;
  if (const auto *elements = llvm::dyn_cast_or_null<clang::CXXStdInitializerListExpr>(source))
    source = strip(elements->getSubExpr());
  if (const auto *list = llvm::dyn_cast_or_null<clang::InitListExpr>(source))
    return list->getNumInits() && llvm::all_of(list->inits(), [&](const clang::Expr *element) {
             return isRegisteredResult(element);
           });
  const auto *call = llvm::dyn_cast_or_null<clang::CallExpr>(source);
  if (!call || registers(uses.traitOfCallee(call)))
    return call;
  const clang::FunctionDecl *callee = uses.calleeOf(call);
  if (!callee || !uses.definitionOf(callee))
    return false;
  callee = callee->getCanonicalDecl();
  Guard guard(active, callee);
  auto isRegistered = [&](Entity entity) { return uses.of(entity).isRegistered; };
  return guard.isFirst && llvm::any_of(uses.returns.lookup(callee), [&](const clang::Expr *result) {
           size_t own = 0;
           Entity root = uses.rootOf(result);
           return isRegisteredResult(result) ||
                  (root && llvm::any_of(reached(root, own), isRegistered));
         });
}

/// Whether the value is a module that is made here, or a tensor that is made or computed.
bool ModuleClasses::Implementation::makesAnother(const clang::Expr *value) {
  value = strip(value);
  if (const auto *made = llvm::dyn_cast<clang::CXXConstructExpr>(value))
    return !uses.heldBy(made->getType()).modules.empty() &&
           (made->getNumArgs() != 1 || uses.heldBy(made->getArg(0)->getType()).modules.empty());
  const auto *call = llvm::dyn_cast<clang::CallExpr>(value);
  const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (!callee || vocabulary.roleOf(callee->getReturnType()) != TypeRole::Tensor)
    return false;
  const FunctionRole role = vocabulary.roleOf(callee);
  const auto *operation = llvm::dyn_cast<clang::CXXOperatorCallExpr>(call);
  return role == FunctionRole::Create || role == FunctionRole::CreateLike ||
         (operation && operation->getOperator() != clang::OO_Call && !asAssignment(call) &&
          !callee->getReturnType()->isReferenceType());
}

/// The statement of its own in the body of the constructor \p function that assigns \p value, or
/// null.
static const clang::Stmt *assignmentIn(const clang::FunctionDecl *function,
                                       const clang::Expr *value) {
  const clang::FunctionDecl *definition = nullptr;
  if (!llvm::isa_and_nonnull<clang::CXXConstructorDecl>(function) || !function->hasBody(definition))
    return nullptr;
  for (const clang::Stmt *statement : definition->getBody()->children())
    if (const auto *expr = llvm::dyn_cast<clang::Expr>(statement))
      if (std::optional<Assigned> assigned = asAssignment(expr->IgnoreImplicit());
          assigned && assigned->value == value && variableOf(strip(assigned->target)))
        return statement;
  return nullptr;
}

/// Whether the definition makes another value for a member after one was made and registered for
/// it, and nothing registers the member by its name.
bool ModuleClasses::Implementation::isReplacement(const EntityDefinition &definition,
                                                  const clang::FieldDecl *field) {
  if (definition.kind != EntityDefinition::Assignment || !makesAnother(definition.value))
    return false;
  Entity entity = canonical(field);
  const EntityFacts &facts = uses.of(entity);
  const auto isNamed = [&](const clang::CallExpr *call) {
    return llvm::any_of(call->arguments(), [&](const clang::Expr *argument) {
      return uses.rootOf(argument) == entity;
    });
  };
  if (facts.escapes || !facts.parameters.empty() ||
      llvm::any_of(uses.registrations,
                   [&](const auto &entry) { return llvm::any_of(entry.second, isNamed); }))
    return false;
  // Tensors that methods replace may be what the module keeps between its calls.
  const bool isModule = !uses.heldBy(field->getType()).modules.empty();
  const bool isLater = isModule && !isConstruction(definition.function);
  const clang::SourceManager &sources = context.getSourceManager();
  const auto isBefore = [&](const EntityDefinition &first) {
    if (first.kind == EntityDefinition::MemberInitialiser)
      return isLater || first.function == definition.function;
    if (first.function != definition.function)
      return isLater && isConstruction(first.function);
    const clang::Stmt *before = assignmentIn(first.function, first.value);
    const clang::Stmt *after = assignmentIn(first.function, definition.value);
    return before && after &&
           sources.isBeforeInTranslationUnit(before->getBeginLoc(), after->getBeginLoc());
  };
  return llvm::any_of(facts.definitions, [&](const EntityDefinition &first) {
    const auto *call = llvm::dyn_cast_or_null<clang::CallExpr>(converted(first.value));
    return isBefore(first) && call && registers(uses.traitOfCallee(call));
  });
}

/// How often \p variable is named below \p statement other than to call it for a forward pass.
static unsigned otherMentions(const clang::Stmt *statement, const clang::VarDecl *variable) {
  const clang::Expr *object = nullptr;
  if (const auto *call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(statement);
      call && call->getOperator() == clang::OO_Call)
    object = call->getArg(0);
  else if (const auto *call = llvm::dyn_cast<clang::CXXMemberCallExpr>(statement);
           call && isForward(call->getMethodDecl()))
    object = call->getImplicitObjectArgument();
  if (object)
    if (const auto *arrow = llvm::dyn_cast<clang::CXXOperatorCallExpr>(strip(object));
        arrow && arrow->getOperator() == clang::OO_Arrow)
      object = arrow->getArg(0);
  const bool isCalled = object && variableOf(strip(object)) == variable;
  if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(statement))
    return reference->getDecl() == variable;
  unsigned found = 0;
  for (const clang::Stmt *child : statement->children())
    found += child ? otherMentions(child, variable) : 0;
  return found - isCalled;
}

/// Norms have no parameters if their options say so.
static bool mayLackState(const clang::VarDecl &variable) {
  const clang::CXXRecordDecl *record = variable.getType()->getAsCXXRecordDecl();
  return record && record->getIdentifier() && record->getName().contains("Norm");
}

void ModuleClasses::Implementation::findTransients(const clang::Stmt *statement,
                                                   const clang::Stmt *body,
                                                   std::vector<const clang::VarDecl *> &found) {
  if (const auto *declarations = llvm::dyn_cast<clang::DeclStmt>(statement))
    for (const clang::Decl *declaration : declarations->decls()) {
      const auto *variable = llvm::dyn_cast<clang::VarDecl>(declaration);
      const auto *made = variable && variable->isLocalVarDecl() && variable->hasLocalStorage() &&
                                 variable->hasInit()
                             ? llvm::dyn_cast<clang::CXXConstructExpr>(strip(variable->getInit()))
                             : nullptr;
      if (made && !isNull(made) && makesAnother(made) &&
          !uses.heldBy(variable->getType()).modules.empty() &&
          natureOf(canonical(variable)).stateful == Answer::Yes && !mayLackState(*variable) &&
          otherMentions(body, variable) == 0)
        found.push_back(variable);
    }
  for (const clang::Stmt *child : statement->children())
    if (child)
      findTransients(child, body, found);
}

/// Whether the definition gives the member a value where registered tensors of its class get
/// theirs, as when parameters are loaded by hand.
bool ModuleClasses::Implementation::isLoadedWithSiblings(const EntityDefinition &definition,
                                                         const clang::FieldDecl *field) {
  const auto *method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(definition.function);
  if (method && method->getParent()->getCanonicalDecl() == field->getParent()->getCanonicalDecl())
    return false;
  return llvm::any_of(field->getParent()->fields(), [&](const clang::FieldDecl *sibling) {
    if (sibling == field || !uses.heldBy(sibling->getType()).hasTensors)
      return false;
    const std::vector<EntityDefinition> &definitions = definitionsOf(sibling);
    const bool isRegistered = uses.of(canonical(sibling)).isRegistered ||
                              llvm::any_of(definitions, [&](const auto &other) {
                                return isRegisteredResult(other.value);
                              });
    return isRegistered && llvm::any_of(definitions, [&](const EntityDefinition &other) {
             return other.function == definition.function;
           });
  });
}

/// Whether the tensor is missed by to() or save().
void ModuleClasses::Implementation::judgeTensor(ModuleMember &member, bool isOperand,
                                                bool isChanged) {
  Entity entity = canonical(member.field);
  // What is computed of it alone is where it is.
  llvm::SmallSetVector<Entity, 4> derived(uses.of(entity).derived.begin(),
                                          uses.of(entity).derived.end());
  for (size_t i = 0; i < derived.size(); ++i) {
    derived.insert(uses.of(derived[i]).derived.begin(), uses.of(derived[i]).derived.end());
    for (const EntityUse &use : uses.of(derived[i]).uses) {
      isOperand |= use.function && forward.contains(use.function) && use.isOperand;
      member.isManaged |= use.isMove && !isConstruction(use.function);
    }
  }
  Content content = Content::Nothing;
  bool isTable = true;
  for (const EntityDefinition &definition : definitionsOf(member.field)) {
    isTable &= isComputed(definition.value);
    member.isManaged |=
        !isConstruction(definition.function) && !isLoadedWithSiblings(definition, member.field);
    content = std::max(content, contentOf(definition.value));
    member.requiresGrad |= mentions(definition.value, Trait::RequiresGrad);
  }
  bool isState = isChanged || member.requiresGrad || (content == Content::Indices && isOperand);
  if (content == Content::Unknown)
    member.stateful = Answer::Unknown;
  else if ((content == Content::Data && !isTable) || (content != Content::Nothing && isState))
    member.stateful = Answer::Yes;
  else
    member.stateful = Answer::No;
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

Operation ModuleClasses::lastOperation(const clang::Expr *module) const {
  return implementation->lastOperation(module);
}

} // namespace gradtidy
