// What a module class of the user owns, which of it is registered, and what depends on the mode.
#pragma once

#include "Answer.h"
#include "Node.h"
#include "analyzer/model/Role.h"

#include <optional>
#include <vector>

namespace gradtidy {

/// A value that a member gets.
struct MemberDefinition {
  enum Kind : unsigned char { DefaultInitializer, MemberInitializer, Assignment, Insertion };
  Kind kind = DefaultInitializer;
  const ir::Node *value = nullptr;
  const ir::Symbol *function = nullptr; ///< Null for a default member initializer.
};

/// A data member that is a module, a tensor, or a container of such.
struct ModuleMember {
  const ir::Symbol *field = nullptr;
  TypeRole role = TypeRole::Module; ///< Module or Tensor.
  Answer registered = Answer::No;   ///< Unknown where it gets out of sight.
  /// Of a module: whether it has parameters, buffers or a mode. Of a tensor: whether it is data
  /// made at construction, other than indices and scalars.
  Answer stateful = Answer::Yes;
  bool requiresGrad = false;  ///< Of a tensor: it is made to be trained.
  bool isRegistrable = false; ///< It is one tensor, module holder or std::shared_ptr to a module.
  bool isMade = false;        ///< It gets a value here, be it by its default constructor.
  bool isHandedIn = false;    ///< Made elsewhere, and perhaps owned there.
  /// Other code of the program reaches for it: calls its parameters(), train() or eval(), moves a
  /// tensor explicitly, or changes it after construction.
  bool isManaged = false;
  /// Those in forward passes that autograd records; where there are none, those in `user`.
  std::vector<const ir::Node *> forwardUses;
  /// Another method of the class, which certainly has a part in training; null if forward passes
  /// use it.
  const ir::Symbol *user = nullptr;
  std::vector<MemberDefinition> definitions; ///< Without null pointers.
  /// Those that put another module or tensor into the place of a registered one, which stays
  /// registered.
  std::vector<MemberDefinition> replacements;
};

/// A module that lives no longer than one forward pass.
struct Transient {
  const ir::Node *made = nullptr;
  const ir::Symbol *variable = nullptr; ///< That holds it, or null.
};

/// A bool member that by its name says whether the module trains, and that train() and eval() do
/// not know.
struct ModeFlag {
  const ir::Symbol *field = nullptr;
  std::vector<const ir::Node *> asked; ///< Where methods of the class ask it.
};

/// The view of one class.
struct ModuleClass {
  const ir::Symbol *record = nullptr;
  /// Errors may hide that its code registers something.
  bool isIncomplete = false;
  bool isVisible = false; ///< The bodies of all its constructors and methods are in the program.
  /// Whether train() and eval() make a difference to its layers. A class that asks is_training()
  /// itself knows what it does.
  Answer dependsOnMode = Answer::Unknown;
  bool asksForMode = false; ///< A method, or what it calls outside other modules, does by itself
                            ///< what depends on the mode.
  std::vector<ModuleMember> members;
  /// What methods ask for the mode though train() and eval() do not change it (see ModeFlags.h).
  std::optional<ModeFlag> stuckFlag = {};
  std::vector<llvm::StringRef> registeredNames; ///< Those written as literals.
  /// By the forward pass they stand in: modules with parameters or a mode that it makes and only
  /// calls.
  std::vector<std::vector<Transient>> transients;
  bool hasParameters = false; ///< Its objects certainly have some: members are layers that do.
  bool saysHowToCopy = false; ///< It overrides what copies a module, or a base does.
};

} // namespace gradtidy
