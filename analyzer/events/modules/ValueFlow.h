// Where the value of a variable or member goes from one place where it is mentioned. Internal to
// ModuleUses.
#pragma once

#include "ModuleUses.h"

#include "llvm/ADT/PointerUnion.h"

namespace gradtidy {

/// Where the visited code stands.
struct VisitedPlace {
  using Parent =
      llvm::PointerUnion<const clang::Stmt *, const clang::Decl *, clang::CXXCtorInitializer *>;

  const clang::FunctionDecl *function = nullptr; ///< Null outside of functions.
  std::vector<Parent> parents;                   ///< From the outermost on; the last is visited.

  unsigned guards = 0; ///< That keep autograd from recording there: declared in a block around it.

  bool isInLambda() const;
};

/// What is put into a mode by itself.
struct ModeCalls {
  llvm::SetVector<Entity> trained, evaluated;
  /// Whether a function puts the object whose method it is into evaluation mode.
  llvm::DenseMap<const clang::FunctionDecl *, bool> evaluating;
};

/// Follows a value through the expressions and statements around it to where it is kept, or no
/// longer a value that matters, and notes what becomes of it on the way.
class ValueFlow {
public:
  /// The value is that of the expression \p site on top of the parents of \p place, and of
  /// \p entity (null: of something registered).
  ValueFlow(ModuleUses &uses, const VisitedPlace &place, Entity entity, const clang::Expr *site,
            ModeCalls &modeCalls);

  /// The use that the entity is of there. Nothing is returned if that is no use.
  std::optional<EntityUse> follow();

private:
  /// What a parent does with the value: it is, or holds, that of its child; or the way ends here.
  enum class Step { Onward, Used, NoUse };
  using Arguments = llvm::ArrayRef<const clang::Expr *>;

  Step into(VisitedPlace::Parent parent);
  Step intoStatement(const clang::Stmt *statement);
  Step intoExpression(const clang::Expr *expr);
  Step intoAssignment(const Assigned &assigned);
  Step intoBinary(const clang::BinaryOperator *operation);
  Step intoMember(const clang::MemberExpr *member);
  Step intoConstruction(const clang::CXXConstructExpr *construct);

  Step intoCall(const clang::CallExpr *call);
  Step intoUnresolvedCall(const clang::RecoveryExpr *recovery);
  Step intoRegistration(const clang::CallExpr *call);
  Step intoOperator(const clang::CXXOperatorCallExpr *call);
  Step intoOperation(const clang::CXXOperatorCallExpr *call);
  Step intoMethod(const clang::CallExpr *call);
  Step intoObject(const clang::CallExpr *call, const clang::CXXMethodDecl *method);
  Step intoUnseenMethod(const clang::CallExpr *call, const clang::CXXMethodDecl *method);
  Step intoFunction(const clang::CallExpr *call);

  // How a step ends.
  Step onwardIfHeld(const clang::Expr *expr);
  Step dropped() const;
  Step keep(const clang::ValueDecl *where);
  Step lose();
  Step give();

  // What is noted.
  void holdIn(const clang::ValueDecl *where);
  void meets(bool others) { use.isOperand |= isTensor && others && !use.isMove; }
  void noteManagement(const clang::CallExpr *call, const clang::CXXMethodDecl *method);
  void compute(const clang::CallExpr *call, const clang::CXXMethodDecl *method);
  bool passed(Arguments arguments, const clang::FunctionDecl *callee);
  bool passedUnseen(Arguments arguments, const clang::FunctionDecl *callee,
                    const clang::ParmVarDecl *parameter);

  bool cannotRegister(Arguments arguments, const clang::FunctionDecl *callee);
  bool takesOther(const clang::CallExpr *call);
  bool matters(const clang::Expr *expr);
  bool isHandedOn(const clang::CXXConstructExpr *construct,
                  const clang::CXXConstructorDecl *constructor);
  bool isIndex(const clang::Expr *expr) const;
  bool isOthers() const;
  bool movesDevice(const clang::CXXMethodDecl *method);
  bool makesUsersModule(const clang::Expr *expr);

  ModuleUses &uses;
  Vocabulary &vocabulary;
  const VisitedPlace &place;
  const Entity entity;
  ModeCalls &modeCalls;
  const bool isTensor;
  const clang::Expr *value;   ///< The outermost expression so far that is, or holds, the value.
  bool isDerived = false;     ///< A tensor computed from the entity's.
  bool isAmongOthers = false; ///< It is in a list of tensors.
  bool isTarget = false;      ///< It is the value of an assignment to the entity.
  EntityUse use;
};

} // namespace gradtidy
