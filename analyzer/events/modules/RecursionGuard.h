// Ends recursions over what may contain itself.
#pragma once

#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {

/// What is being judged.
using ActiveSet = llvm::SmallPtrSet<const void *, 8>;

/// Until the end of its scope the thing is being judged; isFirst says whether it was not before.
class RecursionGuard {
public:
  RecursionGuard(ActiveSet &active, const void *thing)
      : active(active), thing(thing), isFirst(active.insert(thing).second) {}
  ~RecursionGuard() {
    if (isFirst)
      active.erase(thing);
  }
  RecursionGuard(const RecursionGuard &) = delete;
  RecursionGuard &operator=(const RecursionGuard &) = delete;

private:
  ActiveSet &active;
  const void *thing;

public:
  const bool isFirst;
};

} // namespace gradtidy
