// The visitor that collects what ModuleUses knows.
#include "FunctionalModes.h"
#include "ValueFlow.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace gradtidy {

/// Follows every mention of an entity to where its value goes.
class ModuleUses::Collector : public RecursiveASTVisitor<Collector> {
  using Base = RecursiveASTVisitor<Collector>;

public:
  Collector(ModuleUses &uses, Vocabulary &vocabulary) : uses(uses), vocabulary(vocabulary) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(Decl *declaration) {
    if (!declaration || isPassedOver(declaration, uses.isUserCode))
      return true;
    if (auto *inner = dyn_cast<FunctionDecl>(declaration)) {
      VisitedPlace outer = std::exchange(place, {uses.declared(inner), {}});
      bool result = Base::TraverseDecl(declaration);
      place = std::move(outer);
      return result;
    }
    bool isValue = isa<VarDecl, FieldDecl>(declaration);
    if (isValue)
      place.parents.push_back(declaration);
    bool result = Base::TraverseDecl(declaration);
    if (isValue)
      place.parents.pop_back();
    return result;
  }

  bool TraverseTypeLoc(TypeLoc, bool = true) { return true; }

  bool TraverseConstructorInitializer(CXXCtorInitializer *initialiser) {
    if (initialiser->isAnyMemberInitializer() && initialiser->isWritten())
      define(initialiser->getAnyMember(), MemberDefinition::MemberInitializer,
             initialiser->getInit());
    place.parents.push_back(initialiser);
    bool result = Base::TraverseConstructorInitializer(initialiser);
    place.parents.pop_back();
    return result;
  }

  bool TraverseStmt(Stmt *statement) {
    if (!statement)
      return true;
    const unsigned guards = place.guards;
    place.parents.push_back(statement);
    bool result = Base::TraverseStmt(statement);
    place.parents.pop_back();
    if (const auto *declaration = dyn_cast<DeclStmt>(statement))
      place.guards += declaresGuard(*declaration);
    else
      place.guards = guards;
    return result;
  }

  bool VisitCXXRecordDecl(CXXRecordDecl *record) {
    if (record->isThisDeclarationADefinition() &&
        (!record->isDependentContext() || isOnlyWritten(record)) &&
        vocabulary.roleOf(record) == TypeRole::Module) {
      uses.records.insert(record->getCanonicalDecl());
      followPattern(record);
    }
    return true;
  }

  bool VisitVarDecl(VarDecl *variable) {
    if (variable->hasInit())
      define(variable, MemberDefinition::Assignment, variable->getInit());
    return true;
  }

  bool VisitFieldDecl(FieldDecl *field) {
    if (field->hasInClassInitializer() && field->getInClassInitializer())
      define(field, MemberDefinition::DefaultInitializer, field->getInClassInitializer());
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr *reference) {
    if (isa<VarDecl, BindingDecl>(reference->getDecl()))
      mention(canonical(reference->getDecl()), reference);
    return true;
  }

  bool VisitOverloadExpr(OverloadExpr *overloads) {
    if (registers(uses.traitOf(overloads)))
      registering.insert(overloads->getNameLoc());
    return true;
  }

  bool VisitCXXDependentScopeMemberExpr(CXXDependentScopeMemberExpr *member) {
    if (const IdentifierInfo *name = member->getMember().getAsIdentifierInfo())
      openNames.insert(name);
    return true;
  }

  bool VisitMemberExpr(MemberExpr *member) {
    if (registers(vocabulary.traitOf(member->getMemberDecl())))
      registering.insert(member->getMemberLoc());
    if (isa<FieldDecl, VarDecl>(member->getMemberDecl()))
      mention(canonical(member->getMemberDecl()), member);
    return true;
  }

  bool VisitReturnStmt(ReturnStmt *statement) {
    if (place.function && statement->getRetValue() && !place.isInLambda())
      uses.returns[place.function].push_back(statement->getRetValue());
    return true;
  }

  bool VisitCXXConstructExpr(CXXConstructExpr *construct) {
    calls(construct->getConstructor());
    hand({construct->getArgs(), construct->getNumArgs()}, construct->getConstructor());
    return true;
  }

  bool VisitCallExpr(CallExpr *call) {
    const FunctionDecl *callee = uses.calleeOf(call);
    const auto *method = dyn_cast_or_null<CXXMethodDecl>(callee);
    const bool isOperator = isa<CXXOperatorCallExpr>(call);
    if (callee) {
      calls(callee);
      const llvm::ArrayRef<const Expr *> arguments(call->getArgs(), call->getNumArgs());
      hand(arguments.drop_front(isOperator && method), callee); // Without the object.
    }
    if (method && !isOperator)
      insert(call, method);
    Trait trait = uses.traitOfCallee(call);
    if (trait == Trait::ModeDependent && place.function)
      (ignoresMode(*call, vocabulary) ? modeIgnorant : uses.modeDependent).insert(place.function);
    if (callee && place.function && vocabulary.roleOf(callee) == FunctionRole::Backward)
      uses.training.insert(place.function);
    if (place.function && simpleName(callee) == "is_training")
      asking.insert(classOf(place.function));
    if (registers(trait)) {
      if (const CXXRecordDecl *record = classOf(place.function))
        uses.registrations[record].push_back(call);
      follow(nullptr, call);
    }
    return true;
  }

  bool VisitExpr(Expr *expr) {
    if (std::optional<Assigned> assigned = asAssignment(expr))
      if (Entity target = uses.rootOf(assigned->target))
        define(target,
               isElement(assigned->target) ? MemberDefinition::Insertion
                                           : MemberDefinition::Assignment,
               assigned->value);
    return true;
  }

  llvm::DenseSet<SourceLocation> registering;       ///< Where functions that register are named.
  llvm::DenseSet<const IdentifierInfo *> openNames; ///< Of members of nobody knows which class.
  ModeCalls modeCalls;
  /// Functions that call what depends on a mode, but not on the module's.
  llvm::DenseSet<const FunctionDecl *> modeIgnorant;
  llvm::DenseSet<const CXXRecordDecl *> asking; ///< Classes that call is_training().

private:
  /// Whether the statement switches autograd off for the rest of its block.
  bool declaresGuard(const DeclStmt &declaration) const {
    return llvm::any_of(declaration.decls(), [&](const Decl *each) {
      const auto *variable = dyn_cast<VarDecl>(each);
      const CXXRecordDecl *type = variable ? variable->getType()->getAsCXXRecordDecl() : nullptr;
      return type && vocabulary.traitOf(type) == Trait::GradGuard;
    });
  }

  /// Of a tensor, which stays the same one whatever is written into it.
  bool isElement(const Expr *target) const {
    const auto *element = dyn_cast<CXXOperatorCallExpr>(strip(target));
    return element && element->getOperator() == OO_Subscript &&
           uses.vocabulary.roleOf(element->getArg(0)->getType()) == TypeRole::Tensor;
  }

  void define(const ValueDecl *declaration, MemberDefinition::Kind kind, const Expr *value) {
    Entity entity = canonical(declaration);
    if (!entity || !uses.heldBy(entity->getType()).any())
      return;
    uses.facts[entity].definitions.push_back({kind, value, place.function});
    uses.facts[entity].escapes |= isHidden(value);
  }

  /// Whether errors, or a template, hide where the value comes from. A value made on the spot is
  /// known, whatever it is made of.
  bool isHidden(const Expr *value) {
    value = strip(value);
    if (isa<RecoveryExpr>(value))
      return true;
    if (!value->isTypeDependent() ||
        isa<CXXUnresolvedConstructExpr, InitListExpr, ParenListExpr, CXXNewExpr>(value))
      return false;
    const auto *call = dyn_cast<CallExpr>(value);
    if (call && registers(uses.traitOfCallee(call)))
      return false;
    const FunctionDecl *callee = call ? uses.calleeOf(call) : nullptr;
    return !callee ||
           !(isFactory(callee) || vocabulary.isFramework(callee) || uses.definitionOf(callee));
  }

  /// Whether it is a class template that the unit, as far as it compiles, makes no class of.
  static bool isOnlyWritten(const CXXRecordDecl *record) {
    ClassTemplateDecl *generic = record->getDescribedClassTemplate();
    return generic && !record->getDeclContext()->isDependentContext() &&
           llvm::none_of(generic->specializations(), [](const auto *special) {
             return special->hasDefinition() && !special->isInvalidDecl();
           });
  }

  /// Methods of a class template that only a skipped body calls, such as the constructor that a
  /// module holder calls, exist as written in the template alone.
  void followPattern(const CXXRecordDecl *record) {
    const CXXRecordDecl *pattern = record->getTemplateInstantiationPattern();
    if (!pattern || llvm::none_of(record->methods(), [&](const CXXMethodDecl *method) {
          const FunctionDecl *written = method->getTemplateInstantiationPattern();
          return !method->hasBody() && written && uses.definitionOf(written);
        }))
      return;
    for (auto [field, written] : llvm::zip(record->fields(), pattern->fields()))
      if (field->getType().getCanonicalType() == written->getType().getCanonicalType())
        uses.link(canonical(field), written);
      else
        uses.facts[canonical(field)].escapes = true;
  }

  /// What is put into a container.
  void insert(const CallExpr *call, const CXXMethodDecl *method) {
    const Expr *object = methodObject(call);
    if (!object || method->isConst() || uses.isUser(method))
      return;
    Entity container = uses.rootOf(object);
    if (!container)
      return;
    bool isFilled = false;
    bool takesTensors = isStandard(method);
    bool takesLists = takesTensors || uses.holdsModules(container->getType());
    for (const Expr *argument : call->arguments())
      if (const Held &held = uses.heldBy(typeOf(argument));
          !held.modules.empty() || (takesTensors && held.hasTensors) ||
          (takesLists && isa<InitListExpr>(strip(argument)))) {
        define(container, MemberDefinition::Insertion, argument);
        isFilled = true;
      }
    if (!isFilled && uses.makesElement(call))
      define(container, MemberDefinition::Insertion, call);
  }

  /// The type that is written where an object is made, for want of a better one.
  static QualType typeOf(const Expr *expr) {
    const auto *open = dyn_cast<CXXUnresolvedConstructExpr>(strip(expr));
    return open ? open->getTypeAsWritten() : expr->getType();
  }

  void mention(Entity entity, const Expr *site) {
    if (!entity || !uses.heldBy(entity->getType()).any())
      return;
    if (std::optional<EntityUse> use = follow(entity, site))
      uses.facts[entity].uses.push_back(*use);
    if (place.function && isa<FieldDecl>(entity) && uses.isManagement(place.function) &&
        !(passesModeOnly(*place.function) && vocabulary.hasParameters(entity->getType())))
      uses.facts[entity].isManaged = true;
  }

  /// Whether the function is train() or eval() of a class that hides nothing else of its base: who
  /// passes on the mode wants the part to be trained, and nothing does that.
  bool passesModeOnly(const FunctionDecl &function) {
    const auto isMode = [&](const CXXMethodDecl *method) {
      const FunctionRole role = vocabulary.roleOf(method);
      return role == FunctionRole::Train || role == FunctionRole::Eval;
    };
    const auto *method = dyn_cast<CXXMethodDecl>(&function);
    return method && isMode(method) &&
           llvm::all_of(method->getParent()->methods(), [&](const CXXMethodDecl *other) {
             return isMode(other) || !uses.isManagement(other);
           });
  }

  std::optional<EntityUse> follow(Entity entity, const Expr *site) {
    return ValueFlow(uses, place, entity, site, modeCalls).follow();
  }

  void calls(const FunctionDecl *callee) {
    callee = uses.declared(callee);
    if (!place.function || !uses.isUser(callee))
      return;
    uses.callees[place.function].insert(callee);
    uses.callers[callee].insert(place.function);
  }

  /// Notes what modules the user's function gets.
  void hand(llvm::ArrayRef<const Expr *> arguments, const FunctionDecl *callee) {
    const FunctionDecl *definition = uses.definitionOf(callee);
    if (!definition)
      return;
    for (auto [declaration, argument] : llvm::zip(definition->parameters(), arguments))
      if (Entity parameter = canonical(declaration); uses.holdsModules(parameter->getType()))
        uses.facts[parameter].arguments.push_back(argument);
  }

  ModuleUses &uses;
  Vocabulary &vocabulary;
  VisitedPlace place;
};

/// Whether the class has its own notion of the modes.
static bool setsOwnMode(const CXXRecordDecl &record) {
  return llvm::any_of(record.getDefinition()->methods(), [](const CXXMethodDecl *method) {
    return simpleName(method) == "train" || simpleName(method) == "eval";
  });
}

llvm::DenseSet<SourceLocation> ModuleUses::collect(const ASTContext &context) {
  Collector collector(*this, vocabulary);
  for (Decl *declaration : context.getTraversalScope())
    collector.TraverseDecl(declaration);
  for (const CXXRecordDecl *record : records)
    if (record->isDependentContext())
      for (const FieldDecl *field : record->getDefinition()->fields())
        facts[canonical(field)].escapes |= collector.openNames.contains(field->getIdentifier());
  for (const FunctionDecl *function : collector.modeIgnorant)
    if (const CXXRecordDecl *record = classOf(function);
        !record || collector.asking.contains(record) || setsOwnMode(*record))
      modeDependent.insert(function); // Its callers, or a branch, may heed the mode.
  // What is put back into training mode is to be trained, whoever cares for its mode.
  for (Entity entity : collector.modeCalls.evaluated)
    facts[entity].isManaged |= !collector.modeCalls.trained.contains(entity);
  return std::move(collector.registering);
}

} // namespace gradtidy
