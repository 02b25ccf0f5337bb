// Where the variables and members that hold modules or tensors get their values from, where they
// go, and where they are used: all of a unit at once, whatever the order of things.
#pragma once

#include "Vocabulary.h"

#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/SetVector.h"

#include <functional>
#include <memory>
#include <vector>

namespace clang {
class ASTContext;
} // namespace clang

namespace gradtidy {

/// A variable, parameter or data member.
using Entity = const clang::ValueDecl *;

struct EntityUse {
  const clang::Expr *site;
  const clang::FunctionDecl *function; ///< Null in a default member initialiser.
  bool isRecorded;                     ///< No guard around it switches autograd off.
  bool isMove;                         ///< A tensor, of which this makes a copy on a device.
};

/// Where an entity gets a value.
struct EntityDefinition {
  enum Kind : unsigned char { DefaultInitialiser, MemberInitialiser, Assignment, Insertion };
  Kind kind;
  const clang::Expr *value;
  const clang::FunctionDecl *function; ///< Null for a default member initialiser.
};

struct EntityFacts {
  llvm::SmallSetVector<Entity, 4> same;       ///< What may hold the same objects.
  llvm::SmallSetVector<Entity, 2> parameters; ///< Of functions that get hold of it.
  bool isRegistered = false;
  bool escapes = false;   ///< Code that cannot be seen gets hold of it.
  bool isManaged = false; ///< Somebody calls what registration would call.
  std::vector<EntityUse> uses;
  std::vector<EntityDefinition> definitions;
};

class ModuleUses {
public:
  /// Visits the traversal scope of \p context, as far as \p isUserCode holds.
  ModuleUses(clang::ASTContext &context, Vocabulary &vocabulary,
             std::function<bool(const clang::Decl *)> isUserCode);

  using Functions = llvm::SmallSetVector<const clang::FunctionDecl *, 8>;

  const EntityFacts &of(Entity entity) const;
  const Functions &calleesOf(const clang::FunctionDecl *function) const;
  const Functions &callersOf(const clang::FunctionDecl *function) const;

  /// The user's module classes, in source order.
  llvm::SetVector<const clang::CXXRecordDecl *> records;
  /// Functions that call what depends on the mode.
  llvm::DenseSet<const clang::FunctionDecl *> modeDependent;
  llvm::DenseMap<const clang::FunctionDecl *, std::vector<const clang::Expr *>> returns;
  /// The calls that register something, by the class in which they stand.
  llvm::DenseMap<const clang::CXXRecordDecl *, std::vector<const clang::CallExpr *>> registrations;

  /// What a value of some type holds, through references, pointers, holders and containers.
  struct Held {
    llvm::SmallVector<const clang::CXXRecordDecl *, 2> modules;
    bool hasTensors = false;
    bool any() const { return hasTensors || !modules.empty(); }
  };
  const Held &heldBy(clang::QualType type);

  /// The entity of which \p expr is the value, or a part, or an element. Null if there is none.
  Entity rootOf(const clang::Expr *expr);

  Trait traitOfCallee(const clang::CallExpr *call);

  /// The definition of a function of the user, or null.
  const clang::FunctionDecl *definitionOf(const clang::FunctionDecl *function) const;

  /// Whether the method does what a method of the framework's modules does, other than forward()
  /// and reset(): to(), train(), parameters(), save() and so on.
  bool isManagement(const clang::FunctionDecl *function);

  bool isUser(const clang::Decl *declaration) const { return isUserCode(declaration); }

private:
  class Collector;

  Trait traitOf(const clang::OverloadExpr *overloads) const;
  void addHeld(clang::QualType type, Held &held, unsigned depth);

  Vocabulary &vocabulary;
  std::function<bool(const clang::Decl *)> isUserCode;
  llvm::DenseMap<Entity, EntityFacts> facts;
  llvm::DenseMap<const clang::FunctionDecl *, Functions> callees, callers;
  llvm::DenseMap<const void *, std::unique_ptr<Held>> heldByType;
};

Entity canonical(const clang::ValueDecl *declaration);

/// Whether a method makes a forward pass, by its name: forward, forward_features, operator().
bool isForward(const clang::FunctionDecl *function);

} // namespace gradtidy
