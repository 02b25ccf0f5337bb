#include "Modes.h"

namespace gradtidy {

Answer dependsOnMode(const Visit &visit) {
  const bool isShown = &visit.shown() == &visit.event;
  const Answer known =
      isShown ? visit.before.module(visit.event.subject).dependsOnMode : Answer::Unknown;
  if (known != Answer::Unknown)
    return known;
  if (isShown || visit.shown().kind != EventKind::Call)
    return visit.shown().module().dependsOnMode;
  const size_t outside = visit.unit.tables().sites.callers(visit.site).size();
  const Event &inner =
      outside + 1 < visit.callers.size() ? *visit.callers[outside + 1] : visit.event;
  return inner.function->asksForMode ? Answer::Yes : visit.event.module().dependsOnMode;
}

} // namespace gradtidy
