// Where the variables and members that hold modules or tensors get their values from, where they
// go, and where they are used: all of a program at once, whatever the order of things.
#pragma once

#include "Constants.h"
#include "analyzer/ir/Layer.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <vector>

namespace gradtidy {

struct EntityUse {
  const ir::Node *site;
  const ir::Symbol *function; ///< Null in a default member initializer.
  bool isRecorded = false;    ///< No guard around it switches autograd off.
  bool isMove = false;        ///< A tensor, of which this makes a copy on a device.
  bool isOperand =
      false;             ///< A tensor that meets others, other than as an index: all on one device.
  bool isChange = false; ///< A tensor that is changed in place, or whose gradient is asked for.
};

struct EntityFacts {
  llvm::SmallSetVector<Entity, 4> same;       ///< What may hold the same objects.
  llvm::SmallSetVector<Entity, 2> parameters; ///< Of functions that get hold of it.
  std::vector<const ir::Node *> arguments;    ///< Of a parameter: what seen calls hand to it.
  llvm::SmallSetVector<Entity, 2> derived;    ///< Variables for tensors computed of it alone.
  /// Methods of classes that are no modules: they give it to their callers, if they have any.
  llvm::SmallSetVector<const ir::Symbol *, 1> givers;
  bool isRegistered = false;
  bool escapes = false;   ///< Code that cannot be seen gets hold of it.
  bool isLent = false;    ///< The same, but code that has nothing to register it with.
  bool isManaged = false; ///< Somebody calls what registration would call.
  std::vector<EntityUse> uses;
  std::vector<MemberDefinition> definitions;
};

class ModuleUses {
public:
  /// Visits the code of the user's functions. All arguments must outlive this object.
  ModuleUses(const LoweredUnit::Contents &unit, const Constants &constants, const Model &model);

  /// First declarations.
  using Functions = llvm::SmallSetVector<const ir::Symbol *, 8>;

  const EntityFacts &of(Entity entity) const;
  const Functions &calleesOf(const ir::Symbol *function) const;
  const Functions &callersOf(const ir::Symbol *function) const;

  /// Where the field gets its values. Those of a class template's field stand for those that nobody
  /// instantiated.
  const std::vector<MemberDefinition> &definitionsOf(const ir::Symbol *field) const;

  /// All that may hold what \p entity holds.
  llvm::SmallVector<Entity, 8> aliasesOf(Entity entity) const;

  /// What the value of an entity gets to.
  struct Reached {
    /// The aliases, and then the parameters through which functions get hold of it, and theirs.
    llvm::SmallVector<Entity, 8> entities;
    size_t aliases; ///< How many of them are those of the entity itself.
  };
  Reached reachedFrom(Entity entity) const;

  /// The user's module classes.
  std::vector<const ir::Symbol *> records;
  /// Functions that call what depends on the mode, unless it is certainly told to train.
  llvm::DenseSet<const ir::Symbol *> modeDependent;
  /// Functions that run a backward.
  llvm::DenseSet<const ir::Symbol *> training;
  llvm::DenseMap<const ir::Symbol *, std::vector<const ir::Node *>> returns;
  /// The calls that register something, by the class in which they stand.
  llvm::MapVector<const ir::Symbol *, std::vector<const ir::Node *>> registrations;

  llvm::ArrayRef<const ir::Node *> registrationsOf(const ir::Symbol &record) const;

  /// The entity of which \p expr is the value, or a part, or an element. Null if there is none.
  Entity rootOf(const ir::Node *expr) const;

  /// Whether the method does what a method of the framework's modules does, other than forward()
  /// and reset(): to(), train(), parameters(), save() and so on.
  static bool isManagement(const ir::Symbol *function);

  /// Whether the bodies of all constructors and methods of the class are in the program. What is
  /// declared and never defined does not count where the class is implemented in the program and
  /// nobody calls it.
  bool isVisible(const ir::Symbol &record) const;

  /// Whether the construction is of another module or handle: a copy, a move, a conversion.
  static bool handsOnModule(const ir::Node &construct);
  /// Whether it makes a module, or a container or handle of some.
  static bool makesModule(const ir::Node &construct) {
    return holdsModules(construct.type) && !handsOnModule(construct);
  }

  /// Whether a container makes a module of the arguments: `layers.emplace_back(4, 4)`.
  static bool makesElement(const ir::Node &call);

  /// Whether a method of that name changes tensors in place.
  bool worksInPlace(llvm::StringRef member) const;

  /// What a layer of that rule, or an operator, makes of shapes that is made with \p arguments.
  SizedLayer shapeOf(ResultRule rule, llvm::ArrayRef<const ir::Node *> arguments) const;

  /// What the model says of an option of that simple name.
  Trait traitOfOption(llvm::StringRef name) const;

  /// Whether modules of the class certainly have parameters: layers that do, and classes with
  /// members of such types, or with containers that they fill with such layers.
  bool hasParameters(const ir::Symbol *record) const;

private:
  class Collector;
  friend class ValueFlow;

  void collect(const LoweredUnit::Contents &unit);

  /// Whether the function is called, or may be by what is not seen.
  bool mayBeCalled(const ir::Symbol *function) const;

  /// \p to holds what \p entity holds; null stands for something registered.
  void link(Entity entity, const ir::Symbol *to);

  bool makesLayers(const ir::Symbol &record) const;

  const Model &model;
  const Constants &constants;
  llvm::DenseSet<const ir::Symbol *> incomplete; ///< See ModuleClass::isIncomplete.
  const bool hasErrors;
  llvm::DenseMap<Entity, EntityFacts> facts;
  llvm::DenseMap<const ir::Symbol *, Functions> callees, callers;
  mutable llvm::DenseMap<const ir::Symbol *, bool> parametrized;
};

} // namespace gradtidy
