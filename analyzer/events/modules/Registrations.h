// What module classes register: which values come from a registration, and which take the place of
// one.
#pragma once

#include "ModulePhases.h"
#include "ModuleUses.h"
#include "RecursionGuard.h"
#include "analyzer/events/Answer.h"

namespace gradtidy {

class Registrations {
public:
  Registrations(const clang::ASTContext &context, Vocabulary &vocabulary, ModuleUses &uses,
                const ModulePhases &phases)
      : context(context), vocabulary(vocabulary), uses(uses), phases(phases) {}

  /// Whether what these hold is registered; Unknown where it gets out of sight.
  Answer of(llvm::ArrayRef<Entity> reached);

  /// Whether the value comes from a registration, be it in a function of the user that returns it.
  bool isResult(const clang::Expr *value);

  /// Whether the definition makes another value for a member after one was made and registered for
  /// it, and nothing registers the member by its name.
  bool isReplacement(const EntityDefinition &definition, const clang::FieldDecl *field);

  /// The names that the class registers, as far as they are literals.
  std::vector<llvm::StringRef> namesIn(const clang::CXXRecordDecl *record) const;

private:
  bool isReturnedResult(const clang::FunctionDecl *function);
  bool makesAnother(const clang::Expr *value);
  bool names(const clang::CallExpr *registration, Entity entity);
  bool isNamed(Entity entity);
  bool isRegisteredAtOnce(Entity entity);
  bool isReassignment(const EntityDefinition &definition, Entity entity);
  bool isInConstructor(const clang::CallExpr &call, const clang::CXXRecordDecl &record) const;
  bool mentions(const clang::Stmt *value, Entity entity);
  bool isBefore(const EntityDefinition &first, const EntityDefinition &second, bool isLater) const;

  const clang::ASTContext &context;
  Vocabulary &vocabulary;
  ModuleUses &uses;
  const ModulePhases &phases;
  ActiveSet active;
};

} // namespace gradtidy
