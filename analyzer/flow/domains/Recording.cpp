// Whether operations are recorded, and autocast.
#include "analyzer/flow/State.h"
#include "analyzer/flow/Words.h"

namespace gradtidy {

void describe(Words &words, const GradMode &mode) {
  static constexpr llvm::StringRef answers[] = {"on", "off", "as values decide"};
  if (mode.possible == GradMode::On)
    return;
  words.add("gradients recorded:", mode.possible, answers);
  words.add("set by", mode.set.event());
}

void describe(Words &words, const Autocast &casting) {
  static constexpr llvm::StringRef answers[] = {"off", "on"};
  if (casting.possible == Autocast::Off)
    return;
  words.add("autocast:", casting.possible, answers);
  words.add("set by", casting.set.event());
}

void State::setGradMode(std::optional<bool> enabled, const Event &event) {
  if (!enabled)
    mode = {GradMode::On | GradMode::Off | GradMode::Depends, &event};
  else if (*enabled)
    mode = {GradMode::On, nullptr};
  else if (mode.possible != GradMode::Off)
    mode = {GradMode::Off, &event};
}

bool State::restoreGradMode(PathId name) {
  const GradMode *before = name ? kept.find(name) : nullptr;
  if (before)
    mode = *before;
  return before;
}

void State::enterGradMode(PathId guard, std::optional<bool> enabled, const Event &event) {
  leaveGuard(guard); // A loop that comes round begins a new life of its variables.
  guards[guard] = mode;
  setGradMode(enabled, event);
}

void State::leaveGuard(PathId guard) {
  if (const GradMode *before = guards.find(guard)) {
    mode = *before;
    guards.erase(guard);
  }
  if (const std::uint8_t *before = casters.find(guard)) {
    casting.possible = *before;
    if (casting.possible == Autocast::Off)
      clearAutocastCache();
    casters.erase(guard);
  }
}

// --- autocast

void State::setAutocast(std::optional<bool> enabled, const Event &event) {
  if (!enabled)
    casting.possible = Autocast::On | Autocast::Off;
  else
    casting.possible = *enabled ? Autocast::On : Autocast::Off;
  casting.set = &event;
}

void State::enterAutocast(PathId guard, const Event &event) {
  leaveGuard(guard);
  casters[guard] = casting.possible;
  setAutocast(true, event);
}

void State::setAutocastCache(std::optional<bool> enabled) { casting.keeps = enabled == true; }

void State::clearAutocastCache() { casting.kept = casting.stale = noSources; }

void State::castWeights(SourcesId forwarded) {
  if (casting.possible == Autocast::On && casting.keeps)
    casting.kept = tables->sources.join(casting.kept, forwarded);
}

void State::autocastMayChange() {
  if (casting.possible == Autocast::On)
    casting.possible |= Autocast::Off;
  clearAutocastCache();
}

void State::outdateWeights(SourcesId owned, const Event &step) {
  SourcesTable &sources = tables->sources;
  SourcesId changed = sources.filter(
      casting.kept, [&](PathId module) { return sources.covers(owned, sources.of(module)); });
  if (sources.members(changed).empty())
    return;
  casting.stale = sources.join(casting.stale, changed);
  casting.step = &step;
}

void State::joinAutocast(const State &other, Junction junction) {
  SourcesTable &sources = tables->sources;
  casters.changeIf([&](const auto &entry) { return !other.casters.find(entry.first); },
                   [&](PathId, std::uint8_t &before) { before |= other.casting.possible; });
  for (const auto &[guard, before] : other.casters) {
    const std::uint8_t *here = casters.find(guard);
    casters[guard] = before | (here ? *here : casting.possible);
  }
  const Autocast &there = other.casting;
  casting.possible |= there.possible;
  casting.keeps &= there.keeps;
  casting.kept = sources.join(casting.kept, there.kept);
  if (junction == Junction::Branches) {
    // Cleared on one way only: whether that is the one taken depends on values.
    casting.stale = sources.filter(casting.stale, [&](PathId module) {
      return llvm::is_contained(sources.members(there.stale), module);
    });
  } else {
    casting.stale = sources.join(casting.stale, there.stale);
  }
  if (!casting.set)
    casting.set = there.set;
  if (!casting.step)
    casting.step = there.step;
}

void State::joinGradMode(const State &other, Junction junction) {
  for (PathId name : kept.differences(other.kept)) {
    const GradMode *here = kept.find(name), *there = other.kept.find(name);
    if (here && !(there && *there == *here))
      kept.erase(name);
  }
  for (PathId name : keptModes.differences(other.keptModes)) {
    const std::uint8_t *here = keptModes.find(name), *there = other.keptModes.find(name);
    if (here && !(there && *there == *here))
      keptModes.erase(name);
  }
  auto join = [&](GradMode &here, const GradMode &there) {
    // Set on one way only: whoever runs a backward later may ask the same condition again.
    if (junction == Junction::Branches && here.possible != there.possible)
      here.possible |= GradMode::Depends;
    here.possible |= there.possible;
    if (!here.set)
      here.set = there.set;
  };
  guards.changeIf([&](const auto &entry) { return !other.guards.find(entry.first); },
                  [&](PathId, GradMode &before) { join(before, other.mode); });
  for (const auto &[guard, before] : other.guards) {
    const GradMode *here = guards.find(guard);
    GradMode both = here ? *here : mode;
    join(both, before);
    guards[guard] = both;
  }
  join(mode, other.mode);
  retained.take(other.retained);
  gradientGraphs = tables->histories.join(gradientGraphs, other.gradientGraphs);
}

} // namespace gradtidy
