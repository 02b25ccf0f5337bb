// A unit, lowered: all that the analysis and the checks know of its code. It is plain data: what
// makes it, from an AST (lowering/UnitLowering.h) or from a text (Parse.h), leaves nothing to be
// asked later.
#pragma once

#include "CalledModule.h"
#include "Event.h"
#include "ModuleClass.h"
#include "Path.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

#include <memory>
#include <string>
#include <vector>

namespace gradtidy {

class Model;

class LoweredUnit {
public:
  struct Contents {
    /// Those of the user, as they stand, and behind them those marked as FunctionBody::isInner.
    std::vector<std::unique_ptr<FunctionBody>> functions;
    /// The module classes of the user. What is known of them is found when the program is linked,
    /// see modules/ModuleClasses.h.
    std::vector<std::unique_ptr<const ModuleClass>> classes;
    /// The outermost namespaces of the framework's classes that the unit uses.
    std::vector<std::string> namespaces;
    /// Of the phrases that not every unit can use, those whose names it declares.
    std::vector<Phrase> phrases;
    bool isGuarded = false;            ///< A guard of recording lives as long as the program.
    bool isCuda = false;               ///< It is compiled for CUDA.
    bool hasErrors = false;            ///< Part of it does not compile.
    std::shared_ptr<const void> owner; ///< Of what all this points to.
  };

  /// What the paths of \p contents are interned in. The model must outlive this object.
  LoweredUnit(const Model &model, std::unique_ptr<PathTable> paths, Contents contents);
  ~LoweredUnit();
  LoweredUnit(const LoweredUnit &) = delete;

  const Contents &contents() const { return all; }

  const Model &model() const { return words; }

  /// Paths of the functions; the analysis adds its own.
  PathTable &paths() { return *table; }
  const PathTable &paths() const { return *table; }

  // --- functions

  /// The functions of the user, as they stand: template instantiations and closures, and templates
  /// that nothing instantiates.
  llvm::ArrayRef<const FunctionBody *> functions() const { return standing; }

  /// The events of a function of the user, or null where it has no body.
  const FunctionBody *bodyOf(const ir::Symbol &function) const {
    return function.definition ? bodies.lookup(function.definition) : nullptr;
  }

  /// What overrides the method \p first, a first declaration, as the unit shows: the methods that
  /// have a body, by their first declarations.
  llvm::ArrayRef<const ir::Symbol *> overridersOf(const ir::Symbol &first) const;

  // --- classes

  /// The module classes of the user.
  auto classes() const { return llvm::make_pointee_range(all.classes); }

  /// Takes what is known of the module classes.
  void setClasses(std::vector<std::unique_ptr<const ModuleClass>> classes) {
    all.classes = std::move(classes);
  }

  /// What is known of a module class of the user, or null.
  const ModuleClass *viewOf(const ir::Symbol &record) const;

  // --- names

  /// What a fix-it writes in this unit, see Model::phrase() and Model::constant().
  llvm::StringRef phrase(Phrase phrase) const;
  llvm::StringRef constant(ElementType element) const;
  llvm::StringRef constant(DeviceRole device) const;

  /// Whether the unit declares the names in \p phrase: the device guard, the current stream, or the
  /// check of launches.
  bool knows(Phrase phrase) const { return llvm::is_contained(all.phrases, phrase); }

  bool isCuda() const { return all.isCuda; }

  /// Whether a guard of the recording of gradients lives as long as the program.
  bool isGuarded() const { return all.isGuarded; }

private:
  void addOverrider(const ir::Symbol &overridden, const ir::Symbol &method);

  const Model &words;
  const std::unique_ptr<PathTable> table;
  Contents all;
  std::vector<const FunctionBody *> standing;
  llvm::DenseMap<const ir::Symbol *, const FunctionBody *> bodies; ///< By their definitions.
  llvm::DenseMap<const ir::Symbol *, llvm::SetVector<const ir::Symbol *>> overriders;
};

} // namespace gradtidy
