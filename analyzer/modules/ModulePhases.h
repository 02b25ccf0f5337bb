// When functions run in the life of modules.
#pragma once

#include "ModuleUses.h"

namespace gradtidy {

class ModulePhases {
public:
  explicit ModulePhases(const ModuleUses &uses);

  /// Whether the function is run in forward passes. A class without any forward() is used through
  /// whatever of its methods handles tensors.
  bool isForwardPass(const ir::Symbol *function) const {
    return function && forward.contains(function->first);
  }

  /// Whether the function is another method of a module with a forward(), which handles tensors and
  /// is called where a backward is run.
  bool isTrained(const ir::Symbol *function) const;

  /// Whether the function, or null for a default member initializer, only ever runs while objects
  /// are made, as far as the program shows.
  bool isConstruction(const ir::Symbol *function) const { return isConstruction(function, 0); }

private:
  void addMethods(const ir::Class &record);
  bool isConstruction(const ir::Symbol *function, unsigned depth) const;

  const ModuleUses &uses;
  ModuleUses::Functions forward;
};

} // namespace gradtidy
