// Which module classes a program may bring to a GPU, whatever the flow.
#pragma once

#include "CallGraph.h"

#include "llvm/ADT/SetVector.h"

namespace gradtidy {

class MovedModules {
public:
  MovedModules(const LoweredUnit &unit, const CallGraph &graph);

  /// Whether the code moves any module.
  bool any() const { return movesUnknown || !classes.empty(); }

  /// Whether it may move a module of the class \p record, be it as a part of another one.
  bool has(const ir::Symbol &record) const { return movesUnknown || classes.contains(&record); }

private:
  void add(const Event &move);
  /// Adds the user's of the module classes in \p type, which may be null.
  void add(const ir::Type *type);
  /// Adds what belongs to a module of the class: bases, what derives from it, members.
  void addPartsOf(const ir::Symbol &record, const LoweredUnit &unit);
  /// Adds what the methods of the classes, and what these call, name: they may have it in lists.
  void addNamed(const CallGraph &graph);

  llvm::SetVector<const ir::Symbol *> classes; ///< Of the user.
  bool movesUnknown = false;                   ///< A module of which nobody knows what is in it.
};

} // namespace gradtidy
