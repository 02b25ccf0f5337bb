// Where the variables and members that hold modules or tensors get their values from, where they
// go, and where they are used: all of a unit at once, whatever the order of things.
#pragma once

#include "DamagedCode.h"
#include "analyzer/events/ModuleClass.h"
#include "analyzer/events/values/HeldTypes.h"
#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Vocabulary.h"

#include "llvm/ADT/SetVector.h"

#include <functional>
#include <vector>

namespace clang {
class ASTContext;
} // namespace clang

namespace gradtidy {

struct EntityUse {
  const clang::Expr *site;
  const clang::FunctionDecl *function; ///< Null in a default member initialiser.
  bool isRecorded;                     ///< No guard around it switches autograd off.
  bool isMove;                         ///< A tensor, of which this makes a copy on a device.
  bool isOperand; ///< A tensor that meets others, other than as an index: all on one device.
  bool isChange;  ///< A tensor that is changed in place, or whose gradient is asked for.
};

/// Where an entity gets a value.
struct EntityDefinition {
  MemberDefinition::Kind kind;
  const clang::Expr *value;
  const clang::FunctionDecl *function; ///< Null for a default member initialiser.
};

struct EntityFacts {
  llvm::SmallSetVector<Entity, 4> same;       ///< What may hold the same objects.
  llvm::SmallSetVector<Entity, 2> parameters; ///< Of functions that get hold of it.
  std::vector<const clang::Expr *> arguments; ///< Of a parameter: what seen calls hand to it.
  llvm::SmallSetVector<Entity, 2> derived;    ///< Variables for tensors computed of it alone.
  /// Methods of classes that are no modules: they give it to their callers, if they have any.
  llvm::SmallSetVector<const clang::FunctionDecl *, 1> givers;
  bool isRegistered = false;
  bool escapes = false;   ///< Code that cannot be seen gets hold of it.
  bool isLent = false;    ///< The same, but code that has nothing to register it with.
  bool isManaged = false; ///< Somebody calls what registration would call.
  std::vector<EntityUse> uses;
  std::vector<EntityDefinition> definitions;
};

class ModuleUses {
public:
  /// Visits the user's code in the traversal scope of \p context.
  ModuleUses(clang::ASTContext &context, Vocabulary &vocabulary);

  using Functions = llvm::SmallSetVector<const clang::FunctionDecl *, 8>;

  const EntityFacts &of(Entity entity) const;
  const Functions &calleesOf(const clang::FunctionDecl *function) const;
  const Functions &callersOf(const clang::FunctionDecl *function) const;

  /// Where the field gets its values. Those of a class template's field stand for those that nobody
  /// instantiated.
  const std::vector<EntityDefinition> &definitionsOf(const clang::FieldDecl *field) const;

  /// All that may hold what \p entity holds.
  llvm::SmallVector<Entity, 8> aliasesOf(Entity entity) const;

  /// What the value of an entity gets to.
  struct Reached {
    /// The aliases, and then the parameters through which functions get hold of it, and theirs.
    llvm::SmallVector<Entity, 8> entities;
    size_t aliases; ///< How many of them are those of the entity itself.
  };
  Reached reachedFrom(Entity entity) const;

  /// The user's module classes, in source order.
  llvm::SetVector<const clang::CXXRecordDecl *> records;
  /// Functions that call what depends on the mode, unless it is certainly told to train.
  llvm::DenseSet<const clang::FunctionDecl *> modeDependent;
  /// Functions that run a backward.
  llvm::DenseSet<const clang::FunctionDecl *> training;
  llvm::DenseMap<const clang::FunctionDecl *, std::vector<const clang::Expr *>> returns;
  /// The calls that register something, by the class in which they stand.
  llvm::DenseMap<const clang::CXXRecordDecl *, std::vector<const clang::CallExpr *>> registrations;
  /// Classes with such calls in code that clang dropped for its errors.
  llvm::DenseSet<const clang::CXXRecordDecl *> damaged;

  const Held &heldBy(clang::QualType type) { return heldTypes.of(type); }
  bool holdsModules(clang::QualType type) { return !heldBy(type).modules.empty(); }
  bool holdsTensors(clang::QualType type) { return heldBy(type).hasTensors; }

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

  /// Whether the bodies of all constructors and methods of the class are in this unit. What is
  /// declared and never defined does not count where the class is implemented in this unit and
  /// nobody calls it.
  bool isVisible(const clang::CXXRecordDecl *record) const;

  /// Whether the construction is of another module or handle: a copy, a move, a conversion.
  bool handsOnModule(const clang::CXXConstructExpr *construct);
  /// Whether it makes a module, or a container or handle of some.
  bool makesModule(const clang::CXXConstructExpr *construct) {
    return holdsModules(construct->getType()) && !handsOnModule(construct);
  }

  /// Whether a container makes a module of the arguments: `layers.emplace_back(4, 4)`.
  bool makesElement(const clang::CallExpr *call) const;

  bool isUser(const clang::Decl *declaration) const { return isUserCode(declaration); }

  /// Whether a method of that name changes tensors in place.
  bool worksInPlace(llvm::StringRef member) const { return vocabulary.worksInPlace(member); }

private:
  class Collector;
  friend class ValueFlow;

  /// Visits the traversal scope. Returns where functions that register are named.
  llvm::DenseSet<clang::SourceLocation> collect(const clang::ASTContext &context);

  /// Whether the function is called, or may be by what is not seen.
  bool mayBeCalled(const clang::FunctionDecl *function, const clang::ASTContext &context) const;

  /// \p to holds what \p entity holds; null stands for something registered.
  void link(Entity entity, const clang::ValueDecl *to);

  /// What \p expr is the value of, or a part, or an element. Null if it is something of its own.
  const clang::Expr *wholeOf(const clang::Expr *expr);
  const clang::Expr *wholeOfOperation(const clang::CXXOperatorCallExpr *operation);
  const clang::Expr *wholeOfMethod(const clang::CXXMemberCallExpr *call);

  Trait traitOf(const clang::OverloadExpr *overloads) const;
  /// The declaration that stands for the function.
  const clang::FunctionDecl *declared(const clang::FunctionDecl *function) const;

  Vocabulary &vocabulary;
  const CodeMap::IsUserCode &isUserCode;
  HeldTypes heldTypes;
  llvm::DenseMap<Entity, EntityFacts> facts;
  llvm::DenseMap<const clang::FunctionDecl *, Functions> callees, callers;
  StrayMethods strays;
};

} // namespace gradtidy
