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

/// What holds of a module class or function beyond its role. A module class without a trait has
/// parameters and no mode.
enum class Trait : unsigned char {
  None,
  Stateless,          ///< Neither parameters nor buffers nor a mode.
  StatelessByDefault, ///< So unless a mode or state option says otherwise.
  ModeDependent,      ///< train() and eval() make a difference unless a mode option says no.
  ModeByOption,       ///< They do only if a mode option says so.
  Container,          ///< Is what is put into it.
  Opaque,             ///< May be any module.
  ModeOption,         ///< An option's simple name: not zero means a mode.
  StateOption,        ///< An option's simple name: not zero means parameters.
  RegistersModule,    ///< The subject owns the argument from now on.
  RegistersParameter, ///< The same, of a trained tensor.
  RegistersBuffer,    ///< The same, of a tensor that is not trained.
  ReachesModule,      ///< Does by hand what registration is for.
  MovesTensor,        ///< Makes a copy on another device.
  MakesIndices,       ///< Makes a tensor of indices.
  MakesScalar,        ///< Makes a tensor of no dimension if it is given a number.
  IntegerType,        ///< A constant that makes tensors integers.
  RequiresGrad,       ///< Marks a tensor for training, unless it is given false.
  GradGuard,          ///< Its constructor switches autograd off as long as it lives.
};

llvm::StringRef roleName(TypeRole role);
llvm::StringRef roleName(FunctionRole role);
llvm::StringRef traitName(Trait trait);
std::optional<TypeRole> typeRole(llvm::StringRef name);
std::optional<FunctionRole> functionRole(llvm::StringRef name);
std::optional<Trait> traitOf(llvm::StringRef name);

} // namespace gradtidy
