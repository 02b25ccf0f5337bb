// When functions run in the life of modules.
#pragma once

#include "ModuleUses.h"

namespace gradtidy {

class ModulePhases {
public:
  explicit ModulePhases(ModuleUses &uses);

  /// Whether the function is run in forward passes. A class without any forward() is used through
  /// whatever of its methods handles tensors.
  bool isForwardPass(const clang::FunctionDecl *function) const {
    return function && forward.contains(function->getCanonicalDecl());
  }

  /// Whether the function is another method of a module with a forward(), which handles tensors and
  /// is called where a backward is run.
  bool isTrained(const clang::FunctionDecl *function) const;

  /// Whether the function, or null for a default member initialiser, only ever runs while objects
  /// are made, as far as the unit shows.
  bool isConstruction(const clang::FunctionDecl *function) const {
    return isConstruction(function, 0);
  }

private:
  void addMethods(const clang::CXXRecordDecl *definition);
  void addTemplates(const clang::CXXRecordDecl *definition);
  bool handlesTensors(const clang::CXXMethodDecl *method) const;
  bool isConstruction(const clang::FunctionDecl *function, unsigned depth) const;

  ModuleUses &uses;
  ModuleUses::Functions forward;
};

} // namespace gradtidy
