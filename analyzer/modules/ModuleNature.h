// What modules are: whether they have parameters, buffers or a mode, and whether that makes a
// difference.
#pragma once

#include "ModuleUses.h"
#include "RecursionGuard.h"
#include "analyzer/ir/Answer.h"

#include <algorithm>

namespace gradtidy {

/// What a module is, in answers.
struct Nature {
  Answer stateful = Answer::No, mode = Answer::No;
  Answer normalizesBatches = Answer::No;
  void join(const Nature &other) {
    stateful = std::max(stateful, other.stateful);
    mode = std::max(mode, other.mode);
    normalizesBatches = std::max(normalizesBatches, other.normalizesBatches);
  }
};

class ModuleNatures {
public:
  explicit ModuleNatures(const ModuleUses &uses) : uses(uses) {}

  Nature of(const ir::Symbol &module);

  /// Of all that a value of the type holds.
  Nature of(const ir::Type *type);

  /// Of all that the variable or member may hold.
  Nature ofEntity(Entity entity);

  /// Of the module that an expression denotes or makes: options, and what is put into a container,
  /// count.
  Nature of(const ir::Node *value);

  /// Whether the mode makes a difference to the function, or to what it calls outside other modules
  /// than its own, beside the layers.
  bool asksForMode(const ir::Symbol &function);

private:
  Nature ofValues(Entity entity);
  Nature ofClass(const ir::Symbol &module);
  Nature ofBases(const ir::Symbol &module);
  Nature ofFields(const ir::Symbol &module);
  Nature ofRegistrations(const ir::Symbol &module);
  Nature ofObject(const ir::Symbol &type);
  Nature ofConstruct(const ir::Node &construct);
  std::optional<Nature> ofCall(const ir::Node &call);
  Nature ofReturned(const ir::Symbol &function);
  Nature ofLayer(const ir::Symbol &layer, const ir::Node &construction);
  Nature joined(llvm::ArrayRef<const ir::Node *> parts);
  Nature ofMade(const ir::Symbol &module, const ir::Node &call);

  Answer option(const ir::Node &construction, Trait kind, Answer absent) const;
  bool isKnownByType(const ir::Type *type) const;
  bool asksForMode(const ir::Symbol &function, const ir::Symbol &record, ActiveSet &asked);
  /// The functions outside modules for which asksForMode() holds, among others.
  const llvm::DenseSet<const ir::Symbol *> &askingOutside();

  const ModuleUses &uses;
  llvm::DenseMap<const ir::Symbol *, Nature> natures;
  llvm::DenseMap<Entity, Nature> naturesOfEntities;
  std::optional<llvm::DenseSet<const ir::Symbol *>> asking; ///< See askingOutside().
  ActiveSet active;                                         ///< Classes.
  VisitedSet visited; ///< Entities and functions, since the class or the question from outside.
};

} // namespace gradtidy
