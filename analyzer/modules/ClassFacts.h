// What follows from all module classes of a program.
#pragma once

#include "ModuleNature.h"
#include "analyzer/ir/CalledModule.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <memory>
#include <vector>

namespace gradtidy {

class ClassFacts {
public:
  /// The module classes of the user. All arguments must outlive this object.
  ClassFacts(const std::vector<std::unique_ptr<const ModuleClass>> &classes,
             ModuleNatures &natures);

  const ModuleClass *viewOf(const ir::Symbol *record) const { return views.lookup(record); }

  /// Adds to \p module what follows from its class: whether the mode makes a difference where the
  /// code that makes it does not tell, whether it has nothing, and what a clone loses.
  void complete(CalledModule &module) const;

private:
  using Views = std::vector<const ModuleClass *>;
  using Seen = llvm::SmallPtrSetImpl<const ModuleClass *>;

  /// The registered members, of the class or of a module in it, that a clone gets anew.
  std::vector<const ir::Symbol *> lostByClone(const ModuleClass &view) const;
  /// Whether modules of the class have neither layers nor parameters.
  bool hasNothing(const ModuleClass &view) const;
  /// What an object of the class may be, which is abstract.
  Views variantsOf(const ir::Symbol &record) const;
  /// Whether the class holds, and inherits, neither modules nor parameters.
  bool isStateless(const ModuleClass &view) const;
  /// Whether layers of the class may depend on the mode. They are members: what these are tells
  /// enough where the class is implemented elsewhere, but for those that a base class out of sight
  /// holds, such as a Sequential. An option that nobody is seen to set is not set.
  bool mayHoldModes(const ModuleClass &view, Seen &seen) const;
  bool mayHoldOwnModes(const ModuleClass &view, Seen &seen) const;

  ModuleNatures &natures;
  Views all; ///< In their order.
  llvm::DenseMap<const ir::Symbol *, const ModuleClass *> views;
};

} // namespace gradtidy
