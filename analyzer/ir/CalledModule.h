// What is known of the module that an event calls or makes: from its class and from the code that
// makes it, whatever the flow. Of an operator that moves a window, what such a layer would do.
#pragma once

#include "Layer.h"

namespace gradtidy {

namespace ir {
struct Symbol;
} // namespace ir

struct ModuleClass;

struct CalledModule {
  const ModuleClass *view = nullptr;      ///< Of its class, if that is the user's.
  Answer dependsOnMode = Answer::Unknown; ///< Whether it makes a difference in which mode it is.
  bool isStateless = false;       ///< It is of a user's class with neither layers nor parameters.
  bool isLayer = false;           ///< It is a single layer of the framework.
  bool normalizesBatches = false; ///< A part of it normalises by what is in the batch.
  Layer layer = {};               ///< The one that it is, or ends in.
  std::int64_t parameters = 0;    ///< So many at least.
  /// The registered members, of it or of a module in it, that a clone gets anew: nobody has said
  /// how modules of their classes are copied.
  std::vector<const ir::Symbol *> lostByClone = {};
};

} // namespace gradtidy
