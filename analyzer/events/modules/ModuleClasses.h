// The module classes of the user, and what is known of the modules that expressions denote or make.
//
// The view is flow-insensitive. It follows module handles and tensors through variables, members,
// containers and the parameters of functions whose bodies it sees, and never guesses: what gets out
// of sight may be registered there.
#pragma once

#include "analyzer/events/Layer.h"
#include "analyzer/events/ModuleClass.h"
#include "analyzer/events/values/Vocabulary.h"

#include <functional>
#include <memory>

namespace gradtidy {

class ModuleClasses {
public:
  /// Looks at the user's code in the context's traversal scope. Both must outlive this object.
  ModuleClasses(clang::ASTContext &context, Vocabulary &vocabulary);
  ~ModuleClasses();

  const std::vector<ModuleClass> &all() const;

  /// Whether train() and eval() make a difference to a module of this type.
  Answer dependsOnMode(clang::QualType type) const;

  /// The same for the module that an expression denotes or makes: options, and what is put into a
  /// container, count.
  Answer dependsOnMode(const clang::Expr *module) const;

  /// Whether the method, or what it calls outside other modules, does by itself what depends on the
  /// mode.
  bool asksForMode(const clang::FunctionDecl &method) const;

  /// Whether a part of the module that an expression denotes or makes normalises by what is in the
  /// batch.
  Answer normalizesBatches(const clang::Expr *module) const;

  /// What is known of the sizes of the module that an expression denotes or makes.
  ModuleSize sizeOf(const clang::Expr *module) const;

  /// The last layer of the container, or the layer (see LastLayer.h).
  Layer lastLayer(const clang::Expr *module) const;

private:
  class Implementation;
  std::unique_ptr<Implementation> implementation;
};

} // namespace gradtidy
