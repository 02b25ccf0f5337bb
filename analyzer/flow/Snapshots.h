// The states behind events, for people who look at what the engine knows.
#pragma once

#include "State.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace gradtidy {

/// Keeps the states behind all events that interpreters of this thread observe while it lives. One
/// at a time.
class Snapshots {
public:
  Snapshots();
  ~Snapshots();
  Snapshots(const Snapshots &) = delete;

  /// A state, once for each calling context and each of the ways that are kept apart.
  struct Snapshot {
    State after;
    llvm::SmallVector<const Event *, 2> callers; ///< Outermost first.
    bool goesOn;                                 ///< Whether control gets behind the event.
  };
  llvm::ArrayRef<Snapshot> of(const Event &event) const {
    const auto known = kept.find(&event);
    return known == kept.end() ? llvm::ArrayRef<Snapshot>() : llvm::ArrayRef(known->second);
  }

  /// Called by interpreters.
  static void take(const Event &event, const State &after, llvm::ArrayRef<const Event *> callers,
                   bool goesOn);

private:
  llvm::DenseMap<const Event *, std::vector<Snapshot>> kept;
};

} // namespace gradtidy
