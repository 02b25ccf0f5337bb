// What modules are: whether they have parameters, buffers or a mode, and whether that makes a
// difference.
#pragma once

#include "ModuleUses.h"
#include "RecursionGuard.h"
#include "analyzer/events/Answer.h"

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
  ModuleNatures(const clang::ASTContext &context, Vocabulary &vocabulary, ModuleUses &uses)
      : context(context), vocabulary(vocabulary), uses(uses) {}

  Nature of(const clang::CXXRecordDecl *module);

  /// Of all that a value of the type holds.
  Nature of(clang::QualType type);

  /// Of all that the variable or member may hold.
  Nature of(Entity entity);

  /// Of the module that an expression denotes or makes: options, and what is put into a container,
  /// count.
  Nature of(const clang::Expr *value);

  /// Whether the mode makes a difference to the function, or to what it calls outside other modules
  /// than \p record, beside the layers.
  bool asksForMode(const clang::FunctionDecl *function, const clang::CXXRecordDecl *record);

private:
  Nature ofValues(Entity entity);
  Nature ofClass(const clang::CXXRecordDecl *module);
  Nature ofBases(const clang::CXXRecordDecl *module);
  Nature ofFields(const clang::CXXRecordDecl *module);
  Nature ofRegistrations(const clang::CXXRecordDecl *module);
  Nature ofObject(const clang::CXXRecordDecl *type);
  Nature ofUnresolved(const clang::CXXUnresolvedConstructExpr *construct);
  Nature ofConstruct(const clang::CXXConstructExpr *construct);
  std::optional<Nature> ofCall(const clang::CallExpr *call);
  Nature ofReturned(const clang::FunctionDecl *function);
  Nature ofLayer(const clang::CXXRecordDecl *layer, const clang::Expr *construction);
  template <typename Parts> Nature joined(const Parts &parts);
  template <typename Call> Nature ofMade(const clang::CXXRecordDecl *module, const Call *call);

  Answer option(const clang::Stmt *construction, Trait kind, Answer absent);
  Answer isGiven(const clang::Expr *value);
  bool isGivenZero(const clang::Expr *construction);
  bool isKnownByType(clang::QualType type);
  bool asksForMode(const clang::FunctionDecl *function, const clang::CXXRecordDecl *record,
                   ActiveSet &asked);
  /// The functions outside modules for which asksForMode() holds, among others.
  const llvm::DenseSet<const clang::FunctionDecl *> &askingOutside();

  const clang::ASTContext &context;
  Vocabulary &vocabulary;
  ModuleUses &uses;
  llvm::DenseMap<const clang::CXXRecordDecl *, Nature> natures;
  llvm::DenseMap<Entity, Nature> naturesOfEntities;
  std::optional<llvm::DenseSet<const clang::FunctionDecl *>> asking; ///< See askingOutside().
  ActiveSet active;                                                  ///< Classes.
  VisitedSet visited; ///< Entities and functions, since the class or the question from outside.
};

} // namespace gradtidy
