#include "Modes.h"

#include <optional>

namespace gradtidy {

/// The same, as those callers say that are known: what a parameter is, they decide.
static Answer knownToCallers(const Visit &visit) {
  std::optional<Answer> answer;
  for (const Observation &other : visit.observations()) {
    if (other.event != &visit.event || other.callers.empty())
      continue;
    const Answer said = other.before.module(visit.event.subject).dependsOnMode;
    if (answer && *answer != said)
      return Answer::Unknown;
    answer = said;
  }
  return answer.value_or(Answer::Unknown);
}

Answer dependsOnMode(const Visit &visit) {
  const bool isShown = &visit.shown() == &visit.event;
  const Answer known =
      isShown ? visit.before.module(visit.event.subject).dependsOnMode : Answer::Unknown;
  if (known != Answer::Unknown)
    return known;
  if (isShown || visit.shown().kind != EventKind::Call) {
    const Answer shown = visit.shown().module().dependsOnMode;
    return isShown && shown == Answer::Unknown ? knownToCallers(visit) : shown;
  }
  const size_t outside = visit.unit.tables().sites.callers(visit.site).size();
  const Event &inner =
      outside + 1 < visit.callers.size() ? *visit.callers[outside + 1] : visit.event;
  return inner.function->asksForMode ? Answer::Yes : visit.event.module().dependsOnMode;
}

} // namespace gradtidy
