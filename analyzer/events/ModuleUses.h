// Where the variables and members that hold modules or tensors get their values from, where they
// go, and where they are used: all of a unit at once, whatever the order of things.
#pragma once

#include "Vocabulary.h"

#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/SetVector.h"

#include <functional>
#include <memory>
#include <optional>
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
  bool isOperand; ///< A tensor that meets others, other than as an index: all on one device.
  bool isChange;  ///< A tensor that is changed in place.
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
  std::vector<const clang::Expr *> arguments; ///< Of a parameter: what seen calls hand to it.
  llvm::SmallSetVector<Entity, 2> derived;    ///< Variables for tensors computed of it alone.
  bool isRegistered = false;
  bool escapes = false;   ///< Code that cannot be seen gets hold of it.
  bool isLent = false;    ///< The same, but code that has nothing to register it with.
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
  /// Classes with such calls in code that clang dropped for its errors.
  llvm::DenseSet<const clang::CXXRecordDecl *> damaged;

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

  /// What is called; where errors or templates leave the overload open, the only candidate of the
  /// user, or any that is not the user's. Null if nobody knows.
  const clang::FunctionDecl *calleeOf(const clang::CallExpr *call) const;

  /// The definition of a function of the user, or null.
  const clang::FunctionDecl *definitionOf(const clang::FunctionDecl *function) const;

  /// Whether the method does what a method of the framework's modules does, other than forward()
  /// and reset(): to(), train(), parameters(), save() and so on.
  bool isManagement(const clang::FunctionDecl *function);

  bool isUser(const clang::Decl *declaration) const { return isUserCode(declaration); }

private:
  class Collector;

  Trait traitOf(const clang::OverloadExpr *overloads) const;
  void findStrays(const clang::ASTContext &context);
  void findDamage(const clang::ASTContext &context,
                  const llvm::DenseSet<clang::SourceLocation> &seen);
  /// The declaration that stands for the function.
  const clang::FunctionDecl *declared(const clang::FunctionDecl *function) const;
  void addHeld(clang::QualType type, Held &held, unsigned depth);

  Vocabulary &vocabulary;
  std::function<bool(const clang::Decl *)> isUserCode;
  llvm::DenseMap<Entity, EntityFacts> facts;
  llvm::DenseMap<const clang::FunctionDecl *, Functions> callees, callers;
  /// Definitions that clang did not connect with their declarations, for errors in both.
  llvm::DenseMap<const clang::FunctionDecl *, const clang::FunctionDecl *> strays, declarations;
  llvm::DenseMap<const void *, std::unique_ptr<Held>> heldByType;
};

Entity canonical(const clang::ValueDecl *declaration);

/// A plain assignment, built in or overloaded. Its value is its target's.
struct Assigned {
  const clang::Expr *target, *value;
};

/// What \p expr assigns where it is an assignment.
std::optional<Assigned> asAssignment(const clang::Expr *expr);

/// Whether a function of that trait registers something.
bool registers(Trait trait);

} // namespace gradtidy
