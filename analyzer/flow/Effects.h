// What functions do to modules, optimizers, gradients and data members, with all that they call.
#pragma once

#include "CallGraph.h"

namespace gradtidy {

/// Who, but for constructors, decides which module or device a member holds, where that is, and its
/// mode.
enum class MemberChanges : unsigned char {
  None,  ///< Nobody: who else could is seen.
  Mode,  ///< Nobody, but for its mode.
  Loads, ///< The same, as far as is seen; but it is loaded from files.
  Any,
};

class Effects {
public:
  /// All arguments must outlive this object.
  Effects(const CallGraph &graph, const PathTable &paths);

  /// Whether all that \p call may run can be seen and only computes tensors.
  bool isHarmless(const Event &call) const;

  /// Whether all that \p call may run can be seen and has nothing to do with training.
  bool isIrrelevant(const Event &call) const;

  /// Whether \p function and what it calls, as far as that can be seen, have nothing to do with
  /// training, as in other libraries. Closures that it is given may.
  bool isForeign(const FunctionBody &function) const;

  /// Whether \p function, or what it calls, has anything to do with training.
  bool concernsTraining(const FunctionBody &function) const;

  /// Whether \p event calls a function of the unit that runs a backward or a step.
  bool callsTraining(const Event &event) const;

  /// Whether the forward pass \p event needs the graph that it records, for derivatives. Unknown
  /// where it cannot be seen, and takes more than tensors and numbers.
  Answer differentiates(const Event &event) const;

  /// Whether \p function, or what it calls, switches the recording of gradients on by hand.
  bool enablesGradients(const FunctionBody &function) const;

  /// Who decides what the member \p field holds.
  MemberChanges changesOf(const ir::Symbol &field) const;

  /// Whether something other than a constructor gives the member \p field another value, or may.
  bool isReplaced(const ir::Symbol &field) const { return changed.contains(&field); }

  /// Whether nothing but constructors decides what the member \p field holds, as far as is seen.
  bool isSetUpOnly(const ir::Symbol &field) const;

  /// Whether a function that runs no forward pass of the member \p field sets its mode: set-up for
  /// those that do.
  bool isModeSetUp(const ir::Symbol &field) const { return modeSetUps.contains(&field); }

private:
  using Predicate = bool(const Event &);
  using Known = llvm::DenseMap<const FunctionBody *, bool>;

  /// See CallGraph; \p known is what it has answered before.
  bool runs(const FunctionBody &function, Known &known, Predicate one, Predicate unseen) const;
  /// Whether all that the call may run can be seen, and does not run() that.
  bool runsNone(const Event &call, Known &known, Predicate one, Predicate unseen) const;
  /// Finds the members that \p body changes, or hands to code that may.
  void findChanges(const FunctionBody &body, const PathTable &paths);
  void findModeSetUps(const FunctionBody &body, const PathTable &paths);

  const CallGraph &graph;
  mutable Known touching;                                 ///< See isHarmless().
  mutable Known following;                                ///< See isIrrelevant().
  mutable Known foreign;                                  ///< See isForeign().
  mutable Known updating;                                 ///< See callsTraining().
  Known changing;                                         ///< See findChanges().
  llvm::DenseSet<const void *> changed, loaded, switched; ///< Members, but for constructors.
  llvm::DenseSet<const void *> written;                   ///< The same: perhaps their elements.
  llvm::DenseSet<const void *> modeSetUps;                ///< Members.
};

} // namespace gradtidy
