// Times that a function takes, one from the other.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

struct Reading {
  const ir::Symbol *place = nullptr; ///< The variable or member that gets the time, or null.
  const ir::Symbol *since = nullptr; ///< That with the earlier time that is taken from it, or null.
};

/// Whether all that \p function does is to tell the time.
bool readsClock(const ir::Symbol &function);

/// What becomes of the time that \p now reads.
Reading readingOf(const ir::Node &now, const FunctionBody &function);

} // namespace gradtidy
