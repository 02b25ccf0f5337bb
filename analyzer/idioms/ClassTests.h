// Questions for the class of a module that always have the same answer.
#pragma once

#include "analyzer/ir/Event.h"

#include <optional>

namespace gradtidy {

/// A question whether a module is of the class of a holder, which is a pointer to modules and none
/// itself.
struct ClassTest {
  enum Form : unsigned char {
    Comparison, ///< `typeid(module) == typeid(Holder)`
    Pointer,    ///< `dynamic_cast<Holder *>(&module)`, or the same of shared pointers.
    Reference,  ///< `dynamic_cast<Holder &>(module)`, which throws.
    Key,        ///< `std::type_index(typeid(Holder))`, by which something is kept or looked up.
    Lookup,     ///< `std::type_index(typeid(module))`: no question, but what such keys are for.
  };
  Form form = Comparison;
  const ir::Node *site = nullptr;     ///< The question; never null.
  const ir::Symbol *holder = nullptr; ///< The class of the holder; null for a Lookup.
  clang::SourceRange written = {};    ///< Where that is named; invalid where it is not.
  /// What `module.as<Holder>()`, or its opposite, may stand for, as only its truth is asked for;
  /// null if nothing is known.
  const ir::Node *replaced = nullptr;
  const ir::Node *module = nullptr; ///< A name of the module, or of a pointer to it.
  bool isPointer = false;
  bool isOpposite = false;
};

/// What \p code asks, if it asks whether a module is of the class of a holder.
std::optional<ClassTest> classTestOf(const ir::Node &code);

} // namespace gradtidy
