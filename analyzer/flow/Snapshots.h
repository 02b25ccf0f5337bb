// The states behind events, for people who look at what the engine knows.
#pragma once

#include "State.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace gradtidy {

/// A state behind an event, once for each calling context and each of the ways that are kept apart.
struct Snapshot {
  State after;
  llvm::SmallVector<const Event *, 2> callers; ///< Outermost first.
  bool goesOn;                                 ///< Whether control gets behind the event.
};

/// Those of all events that are observed.
using Snapshots = llvm::DenseMap<const Event *, std::vector<Snapshot>>;

} // namespace gradtidy
