// What module classes register: which values come from a registration, and which take the place of
// one.
#pragma once

#include "ModulePhases.h"
#include "ModuleUses.h"
#include "RecursionGuard.h"
#include "analyzer/ir/Answer.h"

namespace gradtidy {

class Registrations {
public:
  Registrations(const ModuleUses &uses, const ModulePhases &phases) : uses(uses), phases(phases) {}

  /// Whether what these hold is registered; Unknown where it gets out of sight.
  Answer of(llvm::ArrayRef<Entity> reached);

  /// Whether the value comes from a registration, be it in a function of the user that returns it.
  bool isResult(const ir::Node *value);

  /// Whether the definition makes another value for a member after one was made and registered for
  /// it, and nothing registers the member by its name.
  bool isReplacement(const MemberDefinition &definition, const ir::Symbol &field) const;

  /// The names that the class registers, as far as they are literals.
  std::vector<llvm::StringRef> namesIn(const ir::Symbol &record) const;

private:
  bool isReturnedResult(const ir::Symbol &function);
  bool names(const ir::Node &registration, Entity entity) const;
  bool isNamed(Entity entity) const;
  bool isRegisteredAtOnce(Entity entity) const;
  bool isReassignment(const MemberDefinition &definition, Entity entity) const;
  bool mentions(const ir::Node *value, Entity entity) const;
  bool isBefore(const MemberDefinition &first, const MemberDefinition &second, bool isLater) const;

  const ModuleUses &uses;
  const ModulePhases &phases;
  ActiveSet active;
};

} // namespace gradtidy
