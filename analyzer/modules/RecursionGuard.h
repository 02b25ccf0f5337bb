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

/// What one question has led to. Where answers are joined a second look adds nothing, and there can
/// be exponentially many ways to one thing.
class VisitedSet {
  friend class VisitGuard;
  ActiveSet things;
  unsigned depth = 0;
};

/// Visits the thing; isFirst says whether the question had not led to it yet. The outermost guard
/// is the question, and ends it.
class VisitGuard {
public:
  VisitGuard(VisitedSet &visited, const void *thing)
      : visited(visited), isQuestion(visited.depth++ == 0),
        isFirst(visited.things.insert(thing).second) {}
  ~VisitGuard() {
    if (--visited.depth == 0)
      visited.things.clear();
  }
  VisitGuard(const VisitGuard &) = delete;
  VisitGuard &operator=(const VisitGuard &) = delete;

private:
  VisitedSet &visited;

public:
  const bool isQuestion, isFirst;
};

} // namespace gradtidy
