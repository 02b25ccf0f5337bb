#include "Snapshots.h"

#include <cassert>

namespace gradtidy {

static thread_local Snapshots *collecting = nullptr;

Snapshots::Snapshots() {
  assert(!collecting && "one at a time");
  collecting = this;
}

Snapshots::~Snapshots() { collecting = nullptr; }

void Snapshots::take(const Event &event, const State &after, llvm::ArrayRef<const Event *> callers,
                     bool goesOn) {
  if (collecting)
    collecting->kept[&event].push_back({after, {callers.begin(), callers.end()}, goesOn});
}

} // namespace gradtidy
