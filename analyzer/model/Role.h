// What the types and functions of a tensor framework mean to the analysis. The names in the JSON
// models are those of roleName(): "module-holder", "clear-gradients" and so on.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace gradtidy {

/// The role of a class. A class without a role of its own has that of its nearest base.
enum class TypeRole : unsigned char {
  None,
  Tensor,       ///< A handle to a tensor; copies share it.
  Module,       ///< Owns parameters and submodules.
  ModuleHolder, ///< A smart pointer to a module that forwards calls to it.
  Optimizer,    ///< Updates the parameters it was given from their gradients.
};

/// The role of a function. The subject is the object of a member function, else the first argument.
enum class FunctionRole : unsigned char {
  None,
  Backward,       ///< Adds to the gradients of everything the subject was computed from.
  Step,           ///< The subject updates its parameters from their gradients.
  ClearGradients, ///< Forgets the gradients of the subject's parameters.
  Parameters,     ///< The parameters of the subject, as a list.
  Gradient,       ///< The gradient of the subject, shared with it.
  Overwrite,      ///< Replaces the values of the subject in place.
  Defined,        ///< Whether the subject holds anything.
  Detach,         ///< The values of the subject without their history.
};

llvm::StringRef roleName(TypeRole role);
llvm::StringRef roleName(FunctionRole role);
std::optional<TypeRole> typeRole(llvm::StringRef name);
std::optional<FunctionRole> functionRole(llvm::StringRef name);

} // namespace gradtidy
