// Finds what is known of the modules that events call or make.
#pragma once

#include "ModuleClasses.h"
#include "analyzer/events/CalledModule.h"
#include "analyzer/events/Event.h"

#include "llvm/ADT/SmallPtrSet.h"

#include <memory>
#include <vector>

namespace gradtidy {

class CalledModules {
public:
  /// Looks at the user's code in the context's traversal scope. All arguments must outlive this
  /// object.
  CalledModules(clang::ASTContext &context, Vocabulary &vocabulary);

  /// What is known of the module that is the subject of \p event, or that it makes; null for
  /// nothing.
  std::unique_ptr<const CalledModule> describe(const Event &event) const;

  /// Whether \p function, or what it calls outside other modules, does by itself what depends on
  /// the mode.
  bool asksForMode(const clang::FunctionDecl &function) const;

  /// The module classes of the user, to which what was described leads.
  std::vector<std::unique_ptr<const ModuleClass>> takeClasses() { return std::move(classes); }

private:
  using Views = llvm::SmallVector<const ModuleClass *, 4>;
  using Seen = llvm::SmallPtrSetImpl<const ModuleClass *>;

  const ModuleClass *viewOf(const clang::CXXRecordDecl *record) const;
  /// Whether it makes a difference in which mode the module is.
  Answer dependsOnMode(const clang::Expr *module, const ModuleClass *view) const;
  /// Whether it is a single layer of the framework.
  bool isLayer(const clang::CXXRecordDecl *record) const;
  /// The registered members, of the class or of a module in it, that a clone gets anew.
  std::vector<const ir::Symbol *> lostByClone(const ModuleClass &view) const;
  /// Whether modules of the class have neither layers nor parameters.
  bool hasNothing(const ModuleClass &view) const;
  /// Whether the class, or one that it derives from, overrides what copies a module.
  bool saysHowToCopy(const clang::CXXRecordDecl &record) const;
  /// What an object of the class may be, which is abstract.
  Views variantsOf(const ModuleClass &view) const;
  /// Whether the class holds, and inherits, neither modules nor parameters.
  bool isStateless(const ModuleClass &view) const;
  /// Whether layers of the class may depend on the mode. They are members: what these are tells
  /// enough where the class is implemented elsewhere, but for those that a base class out of sight
  /// holds, such as a Sequential. An option that nobody is seen to set is not set.
  bool mayHoldModes(const ModuleClass &view, Seen &seen) const;
  bool mayHoldOwnModes(const ModuleClass &view, Seen &seen) const;

  Vocabulary &vocabulary;
  const ModuleClasses modules;
  std::vector<std::unique_ptr<const ModuleClass>> classes;
};

} // namespace gradtidy
