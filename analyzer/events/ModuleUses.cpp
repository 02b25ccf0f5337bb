#include "ModuleUses.h"

#include "Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSet.h"

namespace gradtidy {
namespace {

const clang::CXXRecordDecl *classOf(const clang::FunctionDecl *function) {
  const auto *method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function);
  return method ? method->getParent()->getCanonicalDecl() : nullptr;
}

/// Where the constructor is written: users inherit those of module holders from the framework.
const clang::CXXConstructorDecl *written(const clang::CXXConstructorDecl *constructor) {
  if (auto inherited = constructor->getInheritedConstructor())
    return inherited.getConstructor();
  return constructor;
}

bool isCopyOrMove(const clang::CXXConstructExpr *construct) {
  return construct->getConstructor()->isCopyOrMoveConstructor();
}

bool isMethodCall(const clang::CallExpr *call) {
  return llvm::isa<clang::CXXMemberCallExpr>(call) ||
         llvm::isa<clang::UnresolvedMemberExpr>(call->getCallee()->IgnoreParens());
}

/// The object of a call of a method, also where its overload is open. Null if it is implicit.
const clang::Expr *objectOf(const clang::CallExpr *call) {
  if (const auto *known = llvm::dyn_cast<clang::CXXMemberCallExpr>(call))
    return known->getImplicitObjectArgument();
  const auto *open = llvm::dyn_cast<clang::UnresolvedMemberExpr>(call->getCallee()->IgnoreParens());
  return open && !open->isImplicitAccess() ? open->getBase() : nullptr;
}

/// The type that is written where an object is made, for want of a better one.
clang::QualType typeOf(const clang::Expr *expr) {
  const auto *open = llvm::dyn_cast<clang::CXXUnresolvedConstructExpr>(strip(expr));
  return open ? open->getTypeAsWritten() : expr->getType();
}

} // namespace

Entity canonical(const clang::ValueDecl *declaration) {
  if (const auto *binding = llvm::dyn_cast<clang::BindingDecl>(declaration))
    declaration = binding->getDecomposedDecl();
  return declaration ? llvm::cast<clang::ValueDecl>(declaration->getCanonicalDecl()) : nullptr;
}

std::optional<Assigned> asAssignment(const clang::Expr *expr) {
  if (const auto *operation = llvm::dyn_cast<clang::BinaryOperator>(expr);
      operation && operation->getOpcode() == clang::BO_Assign)
    return Assigned{operation->getLHS(), operation->getRHS()};
  if (const auto *call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(expr);
      call && call->getOperator() == clang::OO_Equal && call->getNumArgs() == 2)
    return Assigned{call->getArg(0), call->getArg(1)};
  return std::nullopt;
}

bool registers(Trait trait) {
  return trait == Trait::RegistersModule || trait == Trait::RegistersParameter ||
         trait == Trait::RegistersBuffer;
}

/// Follows every mention of an entity to where its value goes.
class ModuleUses::Collector : public clang::RecursiveASTVisitor<Collector> {
  using Base = clang::RecursiveASTVisitor<Collector>;

public:
  Collector(ModuleUses &uses, Vocabulary &vocabulary) : uses(uses), vocabulary(vocabulary) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(clang::Decl *declaration) {
    if (!declaration || (!llvm::isa<clang::TranslationUnitDecl>(declaration) &&
                         declaration->getLocation().isValid() && !uses.isUserCode(declaration)))
      return true;
    if (auto *inner = llvm::dyn_cast<clang::FunctionDecl>(declaration)) {
      const clang::FunctionDecl *outer = std::exchange(function, uses.declared(inner));
      std::vector<Parent> outerParents = std::exchange(parents, {});
      bool result = Base::TraverseDecl(declaration);
      function = outer;
      parents = std::move(outerParents);
      return result;
    }
    bool isValue = llvm::isa<clang::VarDecl, clang::FieldDecl>(declaration);
    if (isValue)
      parents.push_back(declaration);
    bool result = Base::TraverseDecl(declaration);
    if (isValue)
      parents.pop_back();
    return result;
  }

  bool TraverseTypeLoc(clang::TypeLoc, bool = true) { return true; }

  bool TraverseConstructorInitializer(clang::CXXCtorInitializer *initialiser) {
    if (initialiser->isAnyMemberInitializer() && initialiser->isWritten())
      define(initialiser->getAnyMember(), EntityDefinition::MemberInitialiser,
             initialiser->getInit());
    parents.push_back(initialiser);
    bool result = Base::TraverseConstructorInitializer(initialiser);
    parents.pop_back();
    return result;
  }

  bool TraverseStmt(clang::Stmt *statement) {
    if (!statement)
      return true;
    parents.push_back(statement);
    bool result = Base::TraverseStmt(statement);
    parents.pop_back();
    return result;
  }

  bool VisitCXXRecordDecl(clang::CXXRecordDecl *record) {
    if (record->isThisDeclarationADefinition() && !record->isDependentContext() &&
        vocabulary.roleOf(record) == TypeRole::Module) {
      uses.records.insert(record->getCanonicalDecl());
      followPattern(record);
    }
    return true;
  }

  bool VisitVarDecl(clang::VarDecl *variable) {
    if (variable->hasInit())
      define(variable, EntityDefinition::Assignment, variable->getInit());
    return true;
  }

  bool VisitFieldDecl(clang::FieldDecl *field) {
    if (field->hasInClassInitializer() && field->getInClassInitializer())
      define(field, EntityDefinition::DefaultInitialiser, field->getInClassInitializer());
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr *reference) {
    if (llvm::isa<clang::VarDecl, clang::BindingDecl>(reference->getDecl()))
      mention(canonical(reference->getDecl()), reference);
    return true;
  }

  bool VisitOverloadExpr(clang::OverloadExpr *overloads) {
    if (registers(uses.traitOf(overloads)))
      registering.insert(overloads->getNameLoc());
    return true;
  }

  bool VisitMemberExpr(clang::MemberExpr *member) {
    if (registers(vocabulary.traitOf(member->getMemberDecl())))
      registering.insert(member->getMemberLoc());
    if (llvm::isa<clang::FieldDecl, clang::VarDecl>(member->getMemberDecl()))
      mention(canonical(member->getMemberDecl()), member);
    return true;
  }

  bool VisitReturnStmt(clang::ReturnStmt *statement) {
    if (function && statement->getRetValue() && !isInLambda())
      uses.returns[function].push_back(statement->getRetValue());
    return true;
  }

  bool VisitCXXConstructExpr(clang::CXXConstructExpr *construct) {
    calls(construct->getConstructor());
    hand(construct, construct->getConstructor());
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *call) {
    const clang::FunctionDecl *callee = uses.calleeOf(call);
    if (callee) {
      calls(callee);
      hand(call, callee);
    }
    if (const auto *method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(callee);
        method && !llvm::isa<clang::CXXOperatorCallExpr>(call))
      insert(call, method);
    Trait trait = uses.traitOfCallee(call);
    if (trait == Trait::ModeDependent && function)
      uses.modeDependent.insert(function);
    if (registers(trait)) {
      if (const clang::CXXRecordDecl *record = classOf(function))
        uses.registrations[record].push_back(call);
      follow(nullptr, call);
    }
    return true;
  }

  bool VisitExpr(clang::Expr *expr) {
    if (std::optional<Assigned> assigned = asAssignment(expr))
      if (Entity target = uses.rootOf(assigned->target))
        define(target, EntityDefinition::Assignment, assigned->value);
    return true;
  }

private:
  using Parent =
      llvm::PointerUnion<const clang::Stmt *, const clang::Decl *, clang::CXXCtorInitializer *>;

  void define(const clang::ValueDecl *declaration, EntityDefinition::Kind kind,
              const clang::Expr *value) {
    Entity entity = canonical(declaration);
    if (!entity || !uses.heldBy(entity->getType()).any())
      return;
    uses.facts[entity].definitions.push_back({kind, value, function});
    uses.facts[entity].escapes |= isHidden(value);
  }

  /// Whether errors, or a template, hide where the value comes from. A value made on the spot is
  /// known, whatever it is made of.
  bool isHidden(const clang::Expr *value) {
    value = strip(value);
    if (llvm::isa<clang::RecoveryExpr>(value))
      return true;
    if (!value->isTypeDependent() ||
        llvm::isa<clang::CXXUnresolvedConstructExpr, clang::InitListExpr, clang::ParenListExpr>(
            value))
      return false;
    const auto *call = llvm::dyn_cast<clang::CallExpr>(value);
    if (call && registers(uses.traitOfCallee(call)))
      return false;
    const clang::FunctionDecl *callee = call ? uses.calleeOf(call) : nullptr;
    return !callee ||
           !(isFactory(callee) || vocabulary.isFramework(callee) || uses.definitionOf(callee));
  }

  /// Methods of a class template that only a skipped body calls, such as the constructor that a
  /// module holder calls, exist as written in the template alone.
  void followPattern(const clang::CXXRecordDecl *record) {
    const clang::CXXRecordDecl *pattern = record->getTemplateInstantiationPattern();
    if (!pattern || llvm::none_of(record->methods(), [&](const clang::CXXMethodDecl *method) {
          const clang::FunctionDecl *written = method->getTemplateInstantiationPattern();
          return !method->hasBody() && written && uses.definitionOf(written);
        }))
      return;
    for (auto [field, written] : llvm::zip(record->fields(), pattern->fields()))
      if (field->getType().getCanonicalType() == written->getType().getCanonicalType())
        link(canonical(field), written);
      else
        uses.facts[canonical(field)].escapes = true;
  }

  /// What is put into a container.
  void insert(const clang::CallExpr *call, const clang::CXXMethodDecl *method) {
    const clang::Expr *object = objectOf(call);
    if (!object || method->isConst() || uses.isUserCode(method))
      return;
    Entity container = uses.rootOf(object);
    if (!container)
      return;
    bool takesTensors = isStandard(method);
    bool takesLists = takesTensors || !uses.heldBy(container->getType()).modules.empty();
    for (const clang::Expr *argument : call->arguments())
      if (const Held &held = uses.heldBy(typeOf(argument));
          !held.modules.empty() || (takesTensors && held.hasTensors) ||
          (takesLists && llvm::isa<clang::InitListExpr>(strip(argument))))
        define(container, EntityDefinition::Insertion, argument);
  }

  void mention(Entity entity, const clang::Expr *site) {
    if (!entity || !uses.heldBy(entity->getType()).any())
      return;
    if (std::optional<EntityUse> use = follow(entity, site))
      uses.facts[entity].uses.push_back(*use);
    if (function && isManagementOf(function, entity))
      uses.facts[entity].isManaged = true;
  }

  /// Whether the entity is a member of a class that the function is no part of: what it takes to
  /// the host, it looks at.
  bool isOthers(Entity entity) const {
    const auto *field = llvm::dyn_cast_or_null<clang::FieldDecl>(entity);
    const auto *method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function);
    return field && !(method && method->getParent()->getCanonicalDecl() ==
                                    field->getParent()->getCanonicalDecl());
  }

  bool isManagementOf(const clang::FunctionDecl *function, Entity entity) {
    return llvm::isa<clang::FieldDecl>(entity) && uses.isManagement(function);
  }

  void calls(const clang::FunctionDecl *callee) {
    callee = uses.declared(callee);
    if (!function || !uses.isUserCode(callee))
      return;
    uses.callees[function].insert(callee);
    uses.callers[callee].insert(function);
  }

  bool isInLambda() const {
    return llvm::any_of(parents, [](Parent parent) {
      const auto *statement = llvm::dyn_cast<const clang::Stmt *>(parent);
      return statement && llvm::isa<clang::LambdaExpr>(statement);
    });
  }

  /// Whether no guard declared before the current place, in a block around it, is alive.
  bool isRecorded() {
    for (size_t i = 0; i + 1 < parents.size(); ++i) {
      const auto *block = llvm::dyn_cast_or_null<clang::CompoundStmt>(
          llvm::dyn_cast<const clang::Stmt *>(parents[i]));
      if (!block)
        continue;
      for (const clang::Stmt *statement : block->body()) {
        if (Parent(statement) == parents[i + 1])
          break;
        if (const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(statement))
          for (const clang::Decl *each : declaration->decls())
            if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(each))
              if (const clang::CXXRecordDecl *type = variable->getType()->getAsCXXRecordDecl();
                  type && vocabulary.traitOf(type) == Trait::GradGuard)
                return false;
      }
    }
    return true;
  }

  /// The variable that \p expr is a member of: `net` of `net.conv`, which somebody registers part
  /// by part.
  static Entity wholeOf(const clang::Stmt *expr) {
    const clang::Expr *part = strip(llvm::cast<clang::Expr>(expr));
    while (const auto *copy = llvm::dyn_cast<clang::CXXConstructExpr>(part)) {
      if (copy->getNumArgs() != 1)
        return nullptr;
      part = strip(copy->getArg(0));
    }
    const auto *member = llvm::dyn_cast<clang::MemberExpr>(part);
    const auto *whole =
        member ? llvm::dyn_cast<clang::DeclRefExpr>(strip(member->getBase())) : nullptr;
    return whole ? canonical(whole->getDecl()) : nullptr;
  }

  /// \p to holds what \p entity holds; null stands for something registered.
  void link(Entity entity, const clang::ValueDecl *to) {
    Entity target = to ? canonical(to) : nullptr;
    if (!target || target == entity)
      return;
    if (!entity) {
      uses.facts[target].isRegistered = true;
    } else if (!uses.heldBy(target->getType()).any()) {
      uses.facts[entity].escapes = true;
    } else {
      uses.facts[entity].same.insert(target);
      uses.facts[target].same.insert(entity);
    }
  }

  void escape(Entity entity) {
    if (entity)
      uses.facts[entity].escapes = true;
  }

  static bool endsInAssignment(const clang::Expr *expr) {
    expr = strip(expr);
    const auto *operation = llvm::dyn_cast<clang::BinaryOperator>(expr);
    return operation && operation->isCommaOp() ? endsInAssignment(operation->getRHS())
                                               : asAssignment(expr).has_value();
  }

  /// Follows the value of the expression on top of the parents, which is that of \p entity (null:
  /// of something registered), to where it is kept, or no longer a value that matters. Nothing is
  /// returned if that is no use.
  std::optional<EntityUse> follow(Entity entity, const clang::Expr *site) {
    const bool isTensor = entity ? uses.heldBy(entity->getType()).modules.empty()
                                 : uses.heldBy(site->getType()).modules.empty();
    const clang::Stmt *child = site;
    bool isDerived = false;     // A tensor computed from the entity's.
    bool isAmongOthers = false; // It is in a list of tensors.
    bool isTarget = false;      // It is the value of an assignment to the entity.
    EntityUse use{site, function, false, false, false, false};
    auto used = [&] {
      use.isRecorded = isRecorded();
      return std::optional(use);
    };
    // Nobody takes the value. To have assigned it was no use.
    auto dropped = [&](const clang::Stmt *value) {
      return isTarget && endsInAssignment(llvm::cast<clang::Expr>(value)) ? std::nullopt : used();
    };
    auto meets = [&](bool others) { use.isOperand |= isTensor && others && !use.isMove; };
    auto keep = [&](const clang::ValueDecl *where) {
      if (!isDerived || !entity)
        link(entity, where);
      else if (isTensor && !use.isMove && !use.isOperand &&
               llvm::isa_and_nonnull<clang::VarDecl>(where))
        uses.facts[entity].derived.insert(canonical(where));
      return used();
    };
    auto lose = [&] {
      if (!isDerived)
        escape(entity);
      return used();
    };

    for (size_t i = parents.size() - 1; i-- > 0;
         child = llvm::cast<const clang::Stmt *>(parents[i])) {
      if (const auto *declaration = llvm::dyn_cast<const clang::Decl *>(parents[i]))
        return keep(llvm::dyn_cast<clang::ValueDecl>(declaration));
      if (const auto *initialiser = llvm::dyn_cast<clang::CXXCtorInitializer *>(parents[i]))
        return initialiser->isAnyMemberInitializer() ? keep(initialiser->getAnyMember()) : lose();
      const auto *parent = llvm::cast<const clang::Stmt *>(parents[i]);

      if (const auto *loop = llvm::dyn_cast<clang::CXXForRangeStmt>(parent))
        return child == loop->getRangeInit() ? keep(loop->getLoopVariable()) : used();
      if (llvm::isa<clang::ReturnStmt>(parent))
        return isTensor && function && isForward(function) && !isInLambda() ? used() : lose();
      const auto *expr = llvm::dyn_cast<clang::Expr>(parent);
      if (!expr)
        return dropped(child);

      if (std::optional<Assigned> assigned = asAssignment(expr)) {
        if (child == assigned->target) {
          if (isDerived)
            return used();
          isTarget = true;
        } else {
          Entity target = uses.rootOf(assigned->target);
          if (!target)
            return lose();
          keep(target);
        }
        continue;
      }

      if (const auto *call = llvm::dyn_cast<clang::CallExpr>(expr)) {
        if (registers(uses.traitOfCallee(call))) {
          if (child == call->getCallee())
            return used();
          if (entity && !isDerived) {
            uses.facts[entity].isRegistered = true;
            if (Entity whole = wholeOf(child))
              uses.facts[whole].isRegistered = true;
          }
          return std::nullopt;
        }
      }

      // A call that clang could not resolve for errors elsewhere.
      if (const auto *recovery = llvm::dyn_cast<clang::RecoveryExpr>(expr);
          recovery && !onlyDamaged(recovery)) {
        const auto *callee =
            llvm::dyn_cast<clang::OverloadExpr>(recovery->subExpressions().front());
        if (callee && callee == child)
          return used();
        if (callee && registers(uses.traitOf(callee)) && entity && !isDerived) {
          uses.facts[entity].isRegistered = true;
          return std::nullopt;
        }
        return lose();
      }

      if (const auto *call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(expr)) {
        bool isFirst = child == call->getArg(0);
        switch (call->isInfixBinaryOp() && call->getOperator() == clang::OO_Star
                    ? clang::OO_None
                    : call->getOperator()) {
        case clang::OO_Subscript:
        case clang::OO_Star:
        case clang::OO_Arrow:
        case clang::OO_PlusPlus:
        case clang::OO_MinusMinus:
          if (isTensor && isFirst && ofFramework(call))
            isDerived = true;
          if (!isFirst || !matters(expr, isTensor))
            return used();
          continue;
        case clang::OO_Call:
          meets(!isFirst && !uses.heldBy(call->getArg(0)->getType()).modules.empty());
          return isFirst || isTensor ? used() : lose();
        default:
          if (!matters(expr, isTensor))
            return used();
          if (!isTensor)
            return lose();
          use.isChange |= isFirst && !isDerived && call->isAssignmentOp();
          meets(takesOther(call, child));
          isDerived = true;
          continue;
        }
      }
      if (const auto *call = llvm::dyn_cast<clang::CallExpr>(expr); call && isMethodCall(call)) {
        const auto *method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(uses.calleeOf(call));
        if (!method)
          return lose();
        if (child == call->getCallee()) {
          Trait trait = vocabulary.traitOf(method);
          FunctionRole role = vocabulary.roleOf(method);
          if (isTensor || !entity || isDerived)
            ;
          else if (role == FunctionRole::Train && isTrue(call))
            trained.insert(entity);
          else if (role == FunctionRole::Train || role == FunctionRole::Eval)
            evaluated.insert(entity);
          else if (trait == Trait::ReachesModule || uses.isManagement(method) ||
                   role == FunctionRole::Parameters)
            uses.facts[entity].isManaged = true;
          if (isTensor && !isStandard(method)) {
            // The result of an operation with others is no longer what should have been moved.
            use.isMove |= trait == Trait::MovesTensor && !use.isOperand && movesDevice(method) &&
                          !(role == FunctionRole::MoveToCpu && isOthers(entity));
            use.isChange |= trait == Trait::None && !isDerived && worksInPlace(method);
            meets(takesOther(call, child) && !simpleName(method).ends_with("_as"));
            isDerived |= !worksInPlace(method);
          }
          if (!matters(expr, isTensor))
            return used();
          continue;
        }
        if (!passed(entity, isDerived, call, method, child))
          return lose();
        const clang::Expr *object = objectOf(call);
        if (!uses.definitionOf(method)) {
          bool isThis = !object || llvm::isa<clang::CXXThisExpr>(strip(object));
          if (isTensor && !isStandard(method)) {
            meets(object && uses.heldBy(object->getType()).any());
            isDerived = true;
          } else if (Entity container = object ? uses.rootOf(object) : nullptr) {
            keep(container);
          } else if (isThis && entity) {
            uses.facts[entity].isRegistered = true;
            return std::nullopt;
          } else {
            return lose();
          }
        }
        if (!matters(expr, isTensor))
          return used();
        continue;
      }
      if (const auto *call = llvm::dyn_cast<clang::CallExpr>(expr)) {
        const clang::FunctionDecl *callee = uses.calleeOf(call);
        if (child == call->getCallee())
          return used();
        if (!callee)
          return lose();
        bool takesClosure = llvm::any_of(call->arguments(), [](const clang::Expr *argument) {
          return Vocabulary::isClosure(argument->getType());
        });
        if (!passed(entity, isDerived, call, callee, child) || takesClosure ||
            (isFactory(callee) && makesUsersModule(expr)))
          return lose();
        if (isTensor && !isStandard(callee)) {
          meets(vocabulary.isFramework(callee) && (isAmongOthers || takesOther(call, child)));
          isDerived |= !worksInPlace(callee) || child != call->getArg(0);
        }
        if (!matters(expr, isTensor))
          return used();
        continue;
      }
      if (isTensor && isIndex(expr))
        return used();
      if (const auto *list = llvm::dyn_cast<clang::InitListExpr>(expr))
        isAmongOthers |= llvm::any_of(list->inits(), [&](const clang::Expr *element) {
          return element != child && heldIn(element->getType());
        });
      if (const auto *construct = llvm::dyn_cast<clang::CXXConstructExpr>(expr)) {
        const clang::CXXConstructorDecl *constructor = written(construct->getConstructor());
        if (isTensor && heldIn(construct->getType()) && construct->getNumArgs() == 1)
          continue;
        // Copies, and holders of what a shared pointer points to.
        if (isCopyOrMove(construct) ||
            (construct->getNumArgs() == 1 && !uses.isUserCode(constructor) &&
             uses.heldBy(construct->getArg(0)->getType()).modules ==
                 uses.heldBy(construct->getType()).modules))
          continue;
        bool isSeen = constructor == construct->getConstructor() || !makesUsersModule(expr);
        if (!isSeen || !passed(entity, isDerived, construct, constructor, child))
          return lose();
        continue;
      }
      if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(expr)) {
        if (llvm::isa<clang::CXXMethodDecl>(member->getMemberDecl()))
          continue;
        if (!matters(expr, isTensor) || (!isTensor && uses.heldBy(expr->getType()).hasTensors))
          return used();
        // `pair.first` is a part; a member of the user's class is an entity of its own.
        if (uses.isUserCode(member->getMemberDecl()))
          return used();
        continue;
      }
      if (const auto *operation = llvm::dyn_cast<clang::BinaryOperator>(expr)) {
        if (operation->getOpcode() != clang::BO_Comma)
          return used();
        if (child == operation->getLHS())
          return dropped(child);
        continue;
      }
      if (const auto *operation = llvm::dyn_cast<clang::UnaryOperator>(expr);
          operation && operation->getOpcode() == clang::UO_LNot)
        return used();
      if (const auto *choice = llvm::dyn_cast<clang::ConditionalOperator>(expr);
          choice && child == choice->getCond())
        return used();
      if (llvm::isa<clang::LambdaExpr>(expr))
        return used();
      if (llvm::isa<clang::CXXDependentScopeMemberExpr>(expr))
        return lose();
      if (llvm::isa<clang::CastExpr>(expr) && expr->getType()->isArithmeticType())
        return used();
    }
    return used();
  }

  /// Notes what modules the user's function gets.
  template <typename Call> void hand(const Call *call, const clang::FunctionDecl *callee) {
    const clang::FunctionDecl *definition = uses.definitionOf(callee);
    const bool hasObject =
        llvm::isa<clang::CXXOperatorCallExpr>(call) && llvm::isa<clang::CXXMethodDecl>(callee);
    for (unsigned i = hasObject; definition && i < call->getNumArgs(); ++i)
      if (const unsigned index = i - hasObject; index < definition->getNumParams())
        if (Entity parameter = canonical(definition->getParamDecl(index));
            !uses.heldBy(parameter->getType()).modules.empty())
          uses.facts[parameter].arguments.push_back(call->getArg(i));
  }

  /// Hands the entity on to the parameter that takes \p argument. False if nobody knows what
  /// happens to it there.
  template <typename Call>
  bool passed(Entity entity, bool isDerived, const Call *call, const clang::FunctionDecl *callee,
              const clang::Stmt *argument) {
    if (!uses.isUserCode(callee))
      return isStandard(callee) || vocabulary.isFramework(callee);
    const clang::FunctionDecl *definition = uses.definitionOf(callee);
    for (unsigned i = 0; i < call->getNumArgs(); ++i) {
      if (call->getArg(i) != argument)
        continue;
      if (i >= callee->getNumParams())
        return false;
      clang::QualType type = callee->getParamDecl(i)->getType();
      bool isRead = uses.heldBy(type).modules.empty() &&
                    (!type->isReferenceType() || type.getNonReferenceType().isConstQualified());
      if (!definition || i >= definition->getNumParams()) {
        bool isLent = !isRead && entity && cannotRegister(call, callee, argument);
        if (isLent && !isDerived)
          uses.facts[entity].isLent = true;
        return isRead || isLent;
      }
      if (entity && !isDerived)
        uses.facts[entity].parameters.insert(canonical(definition->getParamDecl(i)));
      return true;
    }
    return false;
  }

  /// Whether the unseen function that a module calls gets nothing that could own the argument.
  template <typename Call>
  bool cannotRegister(const Call *call, const clang::FunctionDecl *callee,
                      const clang::Stmt *argument) {
    const clang::CXXRecordDecl *record = classOf(function);
    const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
    auto reaches = [&](clang::QualType type) {
      return !uses.heldBy(type).modules.empty() || vocabulary.reachesTraining(type);
    };
    return record && vocabulary.roleOf(record) == TypeRole::Module &&
           (!method || method->isStatic()) &&
           (callee->getReturnType()->isVoidType() || !reaches(callee->getReturnType())) &&
           llvm::none_of(call->arguments(), [&](const clang::Expr *other) {
             return other != argument && reaches(other->getType());
           });
  }

  bool ofFramework(const clang::CallExpr *call) {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    return callee && !isStandard(callee);
  }

  /// Whether the value, or each of a list, selects elements of a tensor.
  bool isIndex(const clang::Expr *expr) {
    clang::QualType type = expr->getType();
    if (type.isNull())
      return false;
    if (const clang::ArrayType *array = type->getAsArrayTypeUnsafe())
      type = array->getElementType();
    const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
    return record && vocabulary.traitOf(record) == Trait::Index;
  }

  /// Whether a tensor meets others in the call.
  bool takesOther(const clang::CallExpr *call, const clang::Stmt *child) {
    return llvm::any_of(call->arguments(), [&](const clang::Expr *argument) {
      return argument != child && heldIn(argument->getType());
    });
  }

  /// Whether the conversion is, or may be, one to a device, and not only to a type of numbers.
  bool movesDevice(const clang::CXXMethodDecl *method) {
    return method->param_empty() ||
           llvm::any_of(method->parameters(), [&](const clang::ParmVarDecl *parameter) {
             TypeRole role = vocabulary.roleOf(parameter->getType());
             return role == TypeRole::Device || role == TypeRole::Tensor;
           });
  }

  /// Whether it changes, and returns, its subject or first argument.
  static bool worksInPlace(const clang::FunctionDecl *function) {
    return simpleName(function).ends_with("_");
  }

  bool heldIn(clang::QualType type) { return uses.heldBy(type).hasTensors; }

  /// Whether the value can still be, or hold, the entity's.
  bool matters(const clang::Expr *expr, bool isTensor) {
    if (expr->isTypeDependent())
      return true;
    const Held &held = uses.heldBy(expr->getType());
    return isTensor ? held.hasTensors : !held.modules.empty();
  }

  bool makesUsersModule(const clang::Expr *expr) {
    return llvm::any_of(
        uses.heldBy(expr->getType()).modules,
        [&](const clang::CXXRecordDecl *module) { return uses.isUserCode(module); });
  }

  static bool isTrue(const clang::CallExpr *call) {
    const auto *flag = call->getNumArgs() == 1
                           ? llvm::dyn_cast<clang::CXXBoolLiteralExpr>(strip(call->getArg(0)))
                           : nullptr;
    return call->getNumArgs() == 0 || (flag && flag->getValue());
  }

public:
  llvm::DenseSet<clang::SourceLocation> registering; ///< Where functions that register are named.
  llvm::SetVector<Entity> trained, evaluated;        ///< What is put into a mode by itself.

private:
  ModuleUses &uses;
  Vocabulary &vocabulary;
  const clang::FunctionDecl *function = nullptr;
  std::vector<Parent> parents;
};

ModuleUses::ModuleUses(clang::ASTContext &context, Vocabulary &vocabulary,
                       std::function<bool(const clang::Decl *)> isUserCode)
    : vocabulary(vocabulary), isUserCode(std::move(isUserCode)) {
  bool hasErrors = context.getDiagnostics().hasErrorOccurred();
  if (hasErrors)
    findStrays(context);
  Collector collector(*this, vocabulary);
  for (clang::Decl *declaration : context.getTraversalScope())
    collector.TraverseDecl(declaration);
  // What is put back into training mode is to be trained, whoever cares for its mode.
  for (Entity entity : collector.evaluated)
    facts[entity].isManaged |= !collector.trained.contains(entity);
  if (hasErrors)
    findDamage(context, collector.registering);
}

/// A method whose parameters have unknown types is declared in the class, and once more where it is
/// defined.
void ModuleUses::findStrays(const clang::ASTContext &context) {
  auto visit = [&](auto &&self, const clang::Decl *declaration) -> void {
    if (const auto *scope = llvm::dyn_cast<clang::DeclContext>(declaration);
        scope && (scope->isFileContext() || llvm::isa<clang::LinkageSpecDecl>(scope)))
      for (const clang::Decl *inner : scope->decls())
        self(self, inner);
    const auto *definition = llvm::dyn_cast<clang::CXXMethodDecl>(declaration);
    if (!definition || !definition->isInvalidDecl() || !definition->hasBody() ||
        !definition->isOutOfLine() || definition->getPreviousDecl())
      return;
    for (const clang::Decl *member : definition->getParent()->decls())
      if (const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(member);
          method && method->isInvalidDecl() && !method->hasBody() &&
          method->getDeclName() == definition->getDeclName() &&
          context.hasSameType(method->getType(), definition->getType())) {
        strays[method->getCanonicalDecl()] = definition;
        declarations[definition->getCanonicalDecl()] = method->getCanonicalDecl();
        return;
      }
  };
  for (const clang::Decl *declaration : context.getTraversalScope())
    visit(visit, declaration);
}

/// Compares what is written with what was \p seen in the syntax tree.
void ModuleUses::findDamage(const clang::ASTContext &context,
                            const llvm::DenseSet<clang::SourceLocation> &seen) {
  const clang::SourceManager &sources = context.getSourceManager();
  llvm::StringSet<> names;
  llvm::SmallVector<std::pair<clang::SourceRange, const clang::CXXRecordDecl *>> places;
  llvm::SmallSetVector<clang::FileID, 4> files;
  for (const clang::CXXRecordDecl *record : records) {
    const clang::CXXRecordDecl *definition = record->getDefinition();
    auto add = [&](const clang::Decl *declaration) {
      clang::SourceRange range =
          sources.getExpansionRange(declaration->getSourceRange()).getAsRange();
      places.push_back({range, record});
      files.insert(sources.getFileID(range.getBegin()));
    };
    add(definition);
    for (const clang::CXXMethodDecl *method : definition->methods())
      if (const clang::FunctionDecl *body = definitionOf(method))
        add(body);
    definition->forallBases([&](const clang::CXXRecordDecl *base) {
      for (const clang::CXXMethodDecl *method : base->methods())
        if (registers(vocabulary.traitOf(method)))
          names.insert(simpleName(method));
      for (const clang::Decl *member : base->decls())
        if (const auto *generic = llvm::dyn_cast<clang::FunctionTemplateDecl>(member);
            generic && registers(vocabulary.traitOf(generic)))
          names.insert(generic->getName());
      return true;
    });
  }
  llvm::DenseSet<clang::SourceLocation> spelled;
  for (clang::SourceLocation location : seen)
    spelled.insert(sources.getSpellingLoc(location));

  auto hide = [&](clang::SourceLocation location) {
    bool isPlaced = false;
    for (auto &[range, record] : places)
      if (range.fullyContains(location)) {
        damaged.insert(record);
        isPlaced = true;
      }
    for (auto &[range, record] : places)
      if (!isPlaced && sources.getFileID(range.getBegin()) == sources.getFileID(location))
        damaged.insert(record);
  };
  for (clang::FileID file : files) {
    clang::Lexer lexer(file, sources.getBufferOrFake(file), sources, context.getLangOpts());
    clang::Token token;
    bool isDirective = false;
    do {
      lexer.LexFromRawLexer(token);
      if (token.isAtStartOfLine())
        isDirective = token.is(clang::tok::hash);
      if (!isDirective && token.is(clang::tok::raw_identifier) &&
          names.contains(token.getRawIdentifier()) && !spelled.contains(token.getLocation()))
        hide(token.getLocation());
    } while (token.isNot(clang::tok::eof));
  }
}

const clang::FunctionDecl *ModuleUses::declared(const clang::FunctionDecl *function) const {
  function = function->getCanonicalDecl();
  auto found = declarations.find(function);
  return found == declarations.end() ? function : found->second;
}

const EntityFacts &ModuleUses::of(Entity entity) const {
  static const EntityFacts none;
  auto found = facts.find(entity);
  return found == facts.end() ? none : found->second;
}

const ModuleUses::Functions &ModuleUses::calleesOf(const clang::FunctionDecl *function) const {
  static const Functions none;
  auto found = callees.find(function->getCanonicalDecl());
  return found == callees.end() ? none : found->second;
}

const ModuleUses::Functions &ModuleUses::callersOf(const clang::FunctionDecl *function) const {
  static const Functions none;
  auto found = callers.find(function->getCanonicalDecl());
  return found == callers.end() ? none : found->second;
}

const ModuleUses::Held &ModuleUses::heldBy(clang::QualType type) {
  static const Held none;
  if (type.isNull())
    return none;
  const void *key = type.getCanonicalType().getAsOpaquePtr();
  if (auto known = heldByType.find(key); known != heldByType.end())
    return *known->second;
  auto held = std::make_unique<Held>();
  addHeld(type, *held, 0);
  return *(heldByType[key] = std::move(held));
}

void ModuleUses::addHeld(clang::QualType type, Held &held, unsigned depth) {
  if (type.isNull() || depth > 6)
    return;
  type = type.getNonReferenceType();
  while (type->isPointerType() || type->isArrayType())
    type = type->isPointerType() ? type->getPointeeType()
                                 : clang::QualType(type->getArrayElementTypeNoTypeQual(), 0);
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (!record)
    return;
  auto addArguments = [&](llvm::ArrayRef<clang::TemplateArgument> arguments) {
    for (const clang::TemplateArgument &argument : arguments)
      if (argument.getKind() == clang::TemplateArgument::Type) {
        addHeld(argument.getAsType(), held, depth + 1);
      } else if (argument.getKind() == clang::TemplateArgument::Pack) {
        for (const clang::TemplateArgument &element : argument.pack_elements())
          if (element.getKind() == clang::TemplateArgument::Type)
            addHeld(element.getAsType(), held, depth + 1);
      }
  };
  switch (vocabulary.roleOf(record)) {
  case TypeRole::Tensor:
    held.hasTensors = true;
    return;
  case TypeRole::Module:
    if (!llvm::is_contained(held.modules, record->getCanonicalDecl()))
      held.modules.push_back(record->getCanonicalDecl());
    return;
  case TypeRole::ModuleHolder:
    // What it holds is the argument of the framework's template, somewhere among the bases.
    if (const auto *special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record))
      addArguments(special->getTemplateArgs().asArray());
    else if (record->hasDefinition())
      for (const clang::CXXBaseSpecifier &base : record->bases())
        addHeld(base.getType(), held, depth + 1);
    return;
  default:
    break;
  }
  // Containers and the like, and what is nested in them: iterators, items.
  for (const clang::DeclContext *scope = record; scope && !scope->isFileContext();
       scope = scope->getParent()) {
    const auto *special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(scope);
    if (special && (isStandard(special) || vocabulary.isFramework(special)) &&
        special->getName() != "weak_ptr" && special->getName() != "function")
      addArguments(special->getTemplateArgs().asArray());
  }
}

Entity ModuleUses::rootOf(const clang::Expr *expr) {
  while (expr) {
    expr = strip(expr);
    if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(expr))
      return llvm::isa<clang::VarDecl, clang::BindingDecl>(reference->getDecl())
                 ? canonical(reference->getDecl())
                 : nullptr;
    if (std::optional<Assigned> assigned = asAssignment(expr)) {
      expr = assigned->target;
    } else if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(expr)) {
      const auto *field = llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
      if (!field || (isUserCode(field) && heldBy(field->getType()).any()))
        return field ? canonical(field) : nullptr;
      if (isUserCode(field) || !isStandard(field))
        return nullptr;
      expr = member->getBase();
    } else if (const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(expr)) {
      expr = subscript->getBase();
    } else if (const auto *operation = llvm::dyn_cast<clang::CXXOperatorCallExpr>(expr)) {
      bool isAccess =
          operation->getOperator() == clang::OO_Subscript ||
          (operation->getOperator() == clang::OO_Star && operation->getNumArgs() == 1) ||
          operation->getOperator() == clang::OO_Arrow;
      if (!isAccess || heldBy(operation->getArg(0)->getType()).modules.empty() !=
                           heldBy(operation->getType()).modules.empty())
        return nullptr;
      expr = operation->getArg(0);
    } else if (const auto *call = llvm::dyn_cast<clang::CXXMemberCallExpr>(expr)) {
      // `layers.back()`, `holder.ptr()`, but not what a tensor computes.
      if (!call->getMethodDecl() || isUserCode(call->getMethodDecl()) ||
          !heldBy(expr->getType()).any() ||
          (heldBy(expr->getType()).hasTensors && !isStandard(call->getMethodDecl())))
        return nullptr;
      expr = call->getImplicitObjectArgument();
    } else if (const auto *call = llvm::dyn_cast<clang::CallExpr>(expr)) {
      const clang::FunctionDecl *callee = call->getDirectCallee();
      if (!callee || !isStandard(callee) || isFactory(callee) || call->getNumArgs() == 0)
        return nullptr;
      expr = call->getArg(0); // std::get, std::move
    } else if (const auto *construct = llvm::dyn_cast<clang::CXXConstructExpr>(expr)) {
      if (construct->getNumArgs() != 1 || !isCopyOrMove(construct))
        return nullptr;
      expr = construct->getArg(0);
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

Trait ModuleUses::traitOfCallee(const clang::CallExpr *call) {
  if (const clang::FunctionDecl *callee = call->getDirectCallee())
    return vocabulary.traitOf(callee);
  // In a template that nobody instantiates.
  const auto *overloads = llvm::dyn_cast<clang::OverloadExpr>(call->getCallee()->IgnoreParens());
  return overloads ? traitOf(overloads) : Trait::None;
}

const clang::FunctionDecl *ModuleUses::calleeOf(const clang::CallExpr *call) const {
  if (const clang::FunctionDecl *callee = call->getDirectCallee())
    return callee;
  const auto *overloads =
      llvm::dyn_cast<clang::OverloadExpr>(call->getCallee()->IgnoreParenImpCasts());
  if (!overloads)
    return nullptr;
  const clang::FunctionDecl *only = nullptr;
  for (const clang::NamedDecl *candidate : overloads->decls()) {
    const clang::FunctionDecl *function = candidate->getUnderlyingDecl()->getAsFunction();
    if (!function || (!function->isTemplated() && !function->isVariadic() &&
                      (function->getNumParams() < call->getNumArgs() ||
                       function->getMinRequiredArguments() > call->getNumArgs())))
      continue;
    if (only && (isUserCode(function) || isUserCode(only)))
      return nullptr;
    only = function;
  }
  return only;
}

Trait ModuleUses::traitOf(const clang::OverloadExpr *overloads) const {
  for (const clang::NamedDecl *candidate : overloads->decls())
    if (Trait trait = vocabulary.traitOf(candidate->getUnderlyingDecl()); trait != Trait::None)
      return trait;
  return Trait::None;
}

const clang::FunctionDecl *ModuleUses::definitionOf(const clang::FunctionDecl *function) const {
  const clang::FunctionDecl *definition = nullptr;
  if (!function->hasBody(definition))
    definition = strays.lookup(function->getCanonicalDecl());
  return definition && isUserCode(definition) ? definition : nullptr;
}

bool ModuleUses::isManagement(const clang::FunctionDecl *function) {
  const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
  if (!method || !method->getIdentifier() || isForward(method) || method->getName() == "reset" ||
      method->getName() == "save" || // Which says nothing of parameters() and to().
      !isUserCode(method) || vocabulary.roleOf(method->getParent()) != TypeRole::Module)
    return false;
  for (const clang::ParmVarDecl *parameter : method->parameters())
    if (const auto *type = parameter->getType().getNonReferenceType()->getAsCXXRecordDecl();
        type && isStandard(type) && type->getName() == "basic_ostream")
      return false; // pretty_print
  bool hides = false;
  method->getParent()->forallBases([&](const clang::CXXRecordDecl *base) {
    hides |= vocabulary.isFramework(base) && !base->lookup(method->getDeclName()).empty();
    return true;
  });
  return hides;
}

} // namespace gradtidy
