// Where the value of a variable or member goes from one place where it is mentioned. Internal to
// ModuleUses.
#pragma once

#include "ModuleUses.h"

namespace gradtidy {

/// Where the visited code stands.
struct VisitedPlace {
  const ir::Symbol *function = nullptr; ///< The first declaration; null outside of functions.
  const ir::Node *root = nullptr;       ///< What stands in no other code.
  Entity keeper = nullptr;              ///< What the root is the value of, or null.
  unsigned guards = 0; ///< That keep autograd from recording there: declared in a block around it.
};

/// Whether the code stands in a closure.
bool isInLambda(const ir::Node *code);

/// What is put into a mode by itself.
struct ModeCalls {
  llvm::SetVector<Entity> trained, evaluated;
  /// Whether a function puts the object whose method it is into evaluation mode.
  llvm::DenseMap<const ir::Symbol *, bool> evaluating;
};

/// Follows a value through the expressions and statements around it to where it is kept, or no
/// longer a value that matters, and notes what becomes of it on the way.
class ValueFlow {
public:
  /// The value is that of the expression \p site, and of \p entity (null: of something registered).
  ValueFlow(ModuleUses &uses, const VisitedPlace &place, Entity entity, const ir::Node &site,
            ModeCalls &modeCalls);

  /// The use that the entity is of there. Nothing is returned if that is no use.
  std::optional<EntityUse> follow();

private:
  /// What a parent does with the value: it is, or holds, that of its child; or the way ends here.
  enum class Step { Onward, Used, NoUse };
  using Arguments = llvm::ArrayRef<const ir::Node *>;

  Step into(const ir::Node &parent);
  Step intoRoot();
  Step intoStatement(const ir::Node &statement);
  Step intoDeclaration(const ir::Node &declaration);
  Step intoExpression(const ir::Node &expr);
  Step intoAssignment(const Assignment &assigned);
  Step intoBinary(const ir::Node &operation);
  Step intoMember(const ir::Node &member);
  Step intoConstruction(const ir::Node &construct);

  Step intoCall(const ir::Node &call);
  Step intoUnresolvedCall(const ir::Node &damaged);
  Step intoRegistration(const ir::Node &call);
  Step intoOperator(const ir::Node &call);
  Step intoOperation(const ir::Node &call);
  Step intoMethod(const ir::Node &call);
  Step intoObject(const ir::Node &call, const ir::Symbol &method);
  Step intoUnseenMethod(const ir::Node &call, const ir::Symbol &method);
  Step intoFunction(const ir::Node &call);

  // How a step ends.
  Step onwardIfHeld(const ir::Node &expr);
  Step dropped() const;
  Step keep(const ir::Symbol *where);
  Step lose();
  Step give();

  // What is noted.
  void holdIn(const ir::Symbol *where);
  void meets(bool others) { use.isOperand |= isTensor && others && !use.isMove; }
  void noteManagement(const ir::Node &call, const ir::Symbol &method);
  void compute(const ir::Node &call, const ir::Symbol &method);
  bool passed(Arguments arguments, const ir::Symbol &callee);
  bool passedUnseen(Arguments arguments, const ir::Symbol &callee, const ir::Symbol &parameter);

  bool isCallee(const ir::Node &call) const;
  bool cannotRegister(Arguments arguments, const ir::Symbol &callee);
  bool takesOther(const ir::Node &call) const;
  bool matters(const ir::Node &expr) const;
  bool isHandedOn(const ir::Node &construct, const ir::Symbol &constructor) const;
  bool isOthers() const;

  ModuleUses &uses;
  const VisitedPlace &place;
  const Entity entity;
  ModeCalls &modeCalls;
  const bool isTensor;
  const ir::Node *value;      ///< The outermost expression so far that is, or holds, the value.
  bool isDerived = false;     ///< A tensor computed from the entity's.
  bool isAmongOthers = false; ///< It is in a list of tensors.
  bool isTarget = false;      ///< It is the value of an assignment to the entity.
  EntityUse use;
};

} // namespace gradtidy
