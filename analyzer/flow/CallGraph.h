// The functions of a linked unit, and which call which, as far as that shows. A virtual
// call may run what overrides its callee; a closure is called by the function in which it stands,
// the forward function of a class that computes its own gradients by those that apply it.
#pragma once

#include "analyzer/ir/LoweredUnit.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {

class CallGraph {
public:
  /// The argument must outlive this object.
  explicit CallGraph(const LoweredUnit &unit);

  llvm::ArrayRef<const FunctionBody *> functions() const { return unit.functions(); }

  /// Those of the unit itself, and of other sources those that lead to them.
  llvm::ArrayRef<const FunctionBody *> relevant() const { return followed; }

  /// The events of a function of the user, or null where it has no body.
  const FunctionBody *bodyOf(const ir::Symbol &function) const { return unit.bodyOf(function); }

  /// All that a call may run, as far as the unit shows; empty if not all of it can be seen.
  llvm::SmallVector<const FunctionBody *, 4> candidates(const Event &call) const;

  /// The same for a call of a method of an object of the class \p record, and of none that derives
  /// from it.
  llvm::SmallVector<const FunctionBody *, 4> candidates(const Event &call,
                                                        const ir::Symbol &record) const;

  /// The only one of these, or null.
  const FunctionBody *calleeOf(const Event &call) const;

  /// Whether \p function, or what it calls, runs an event that is \p one, or a call that cannot be
  /// seen and is \p unseen.
  bool runs(
      const FunctionBody &function, llvm::function_ref<bool(const Event &)> one,
      llvm::function_ref<bool(const Event &)> unseen = [](const Event &) { return false; }) const;

  /// Whether the unit, or a source that is linked to it, calls \p function.
  bool isCalled(const FunctionBody &function) const { return callers.contains(&function); }

  /// The same, but for another source's calls of what is the unit's: others may call that, too.
  bool isCalledWithin(const FunctionBody &function) const { return called.contains(&function); }

  /// Whether \p function, what it calls or the closures that stand in these run an event that is
  /// \p one.
  bool mayRun(const FunctionBody &function, llvm::function_ref<bool(const Event &)> one) const;

  /// Whether a closure that the function of \p variable hands out names it: it lives on in that.
  bool livesOn(const ir::Symbol &variable) const;
  /// Whether a closure that \p body, a method, hands out names its object.
  bool keepsObject(const FunctionBody &body) const;

  /// Calls \p visit for each event that runs \p function and nothing else.
  void forEachCall(const FunctionBody &function,
                   llvm::function_ref<void(const Event &call)> visit) const;

  /// The functions of the linked unit that call \p function, or in which it is a closure.
  llvm::ArrayRef<const FunctionBody *> callersOf(const FunctionBody &function) const;

private:
  using FunctionSet = llvm::SetVector<const FunctionBody *>;

  void addCallsOf(const FunctionBody &body);
  void addOwnForward(const FunctionBody &body);
  /// The forward functions that the framework runs where the event applies their class.
  llvm::ArrayRef<const FunctionBody *> appliedBy(const Event &event) const;
  /// Whether one of \p reached runs such an event; adds what they call, and \p more of each.
  bool runs(FunctionSet &reached, llvm::function_ref<bool(const Event &)> one,
            llvm::function_ref<bool(const Event &)> unseen,
            llvm::function_ref<void(const FunctionBody &)> more) const;
  /// Whether all objects whose class has the method \p base have one that overrides it: the class
  /// is abstract, and so is none of those that make it whole.
  bool isAlwaysOverridden(const ir::Symbol &base) const;
  /// The function in which a lambda stands, or null.
  const FunctionBody *bodyAround(const FunctionBody &closure) const;

  const LoweredUnit &unit;
  llvm::DenseMap<const FunctionBody *, std::vector<const FunctionBody *>> callers;
  llvm::DenseMap<const FunctionBody *, std::vector<const FunctionBody *>> closures; ///< In each.
  /// The forward functions of classes that compute their own gradients, by the base.
  llvm::DenseMap<const ir::Symbol *, std::vector<const FunctionBody *>> ownForwards;
  llvm::SmallPtrSet<const FunctionBody *, 32> called; ///< See isCalledWithin().
  FunctionSet leading;                        ///< Those of the unit, and what leads to them.
  std::vector<const FunctionBody *> followed; ///< The same in the order of functions().
};

/// Whether the event is a call of a module that gives tensors: a forward pass, or a method of the
/// user's that may contain some.
bool isModuleCall(const Event &event);

/// Whether \p function is a lambda.
bool isClosure(const FunctionBody &function);

/// Whether one of the events of \p function itself is \p one.
bool hasEvent(const FunctionBody &function, llvm::function_ref<bool(const Event &)> one);

/// What the function of the event binds its result to, or noPath.
PathId boundTo(const Event &event);

} // namespace gradtidy
