// What functions get from the driver of a GPU, or from a library that computes there, and what they
// do with it.
#pragma once

#include "Check.h"

namespace gradtidy {

/// A call that gets memory, a stream, an event or a handle for a local variable.
struct Acquisition {
  const ir::Node *call;
  const ir::Symbol *function; ///< That is called.
  const ir::Symbol *variable;

  Trait kind() const { return function->trait; }
};

/// A call that gives something back.
struct Release {
  const ir::Node *call = nullptr;
  const ir::Symbol *function = nullptr;
};

/// Those of \p function and of the closures in it, in the order of the source. One that depends on
/// what the variable holds is none.
std::vector<Acquisition> acquisitionsIn(const FunctionBody &function);

/// What is done with a resource, in the function that gets it and in those that it is handed to.
struct ResourceUses {
  Release release;             ///< The last call in the function itself that gives it back.
  bool isReleased = false;     ///< The same, or closures or other functions do.
  bool isComputedWith = false; ///< A kernel or a function of a library gets it.
  bool isGivenStream = false;
  bool escapes = false; ///< Something else may get hold of it, which cannot be seen.
};
ResourceUses usesOf(const Acquisition &acquired, const FunctionBody &function,
                    const UnitAnalysis &unit);

/// Whether \p function computes with tensors: it gets some or launches kernels on their memory, or
/// gets pointers from a function that does.
bool worksOnTensors(const FunctionBody &function, const UnitAnalysis &unit);

} // namespace gradtidy
