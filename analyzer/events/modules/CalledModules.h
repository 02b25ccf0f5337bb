// What is known of the modules that events call: from their classes, whatever the flow.
#pragma once

#include "Layer.h"
#include "ModuleClass.h"
#include "analyzer/events/Event.h"

#include "llvm/ADT/SmallPtrSet.h"

#include <functional>

namespace clang {
class ASTContext;
class CXXRecordDecl;
class Decl;
} // namespace clang

namespace gradtidy {

class ModuleClasses;
class Vocabulary;

class CalledModules {
public:
  /// All arguments must outlive this object.
  CalledModules(clang::ASTContext &context, Vocabulary &vocabulary,
                std::function<bool(const clang::Decl *)> isUserCode);
  ~CalledModules();

  /// The module classes of the user.
  const std::vector<ModuleClass> &classes() const;

  /// The view of the class of the module that \p event calls, or null.
  const ModuleClass *classOf(const Event &event) const;

  /// Whether the module that \p event calls is of a user's class with neither layers nor
  /// parameters.
  bool isStateless(const Event &event) const;

  /// Whether it makes a difference in which mode the module is that \p event calls.
  Answer dependsOnMode(const Event &event) const;

  /// Whether the method, or what it calls outside other modules, does by itself what depends on the
  /// mode.
  bool asksForMode(const ir::Symbol &method) const;

  /// Whether a part of the module that \p event calls normalises by what is in the batch.
  bool normalizesBatches(const Event &event) const;

  /// What is known of the sizes of the module that \p event calls.
  ModuleSize sizeOf(const Event &event) const;

  /// The registered members, of the module that \p event clones or of one in it, that the clone
  /// gets anew: nobody has said how modules of their classes are copied.
  std::vector<const ir::Symbol *> lostByClone(const Event &event) const;

  /// Whether train() and eval() make a difference to what a class of the user does itself, apart
  /// from its layers, or nobody knows.
  bool mayAskForMode(const ir::Symbol &record) const;

  /// Whether \p event calls a single layer of the framework.
  bool isLayer(const Event &event) const;

  /// The layer that the forward pass \p event is one of, or ends in.
  Layer layerOf(const Event &event) const;

  /// The layer that \p event makes, or in which the container that it makes ends.
  Layer layerMadeBy(const Event &event) const;

  /// Whether the mode makes a difference to the module that \p event makes.
  Answer modeOfMade(const Event &event) const;

  /// Whether \p event is a loss of classes that counts all it is given, and each the same.
  bool isPlainLoss(const Event &event) const {
    return event.kind == EventKind::Forward ? layerOf(event).isPlain : event.order.isPlain;
  }

private:
  using Views = llvm::SmallVector<const ModuleClass *, 4>;
  using Seen = llvm::SmallPtrSetImpl<const ModuleClass *>;

  const ModuleClass *viewOf(const clang::CXXRecordDecl *record) const;
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
  std::unique_ptr<ModuleClasses> modules;
};

} // namespace gradtidy
