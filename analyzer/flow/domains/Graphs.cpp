// The graphs that forwards record, and the backwards that go through them and free them.
#include "analyzer/flow/State.h"

namespace gradtidy {

void State::recordGraph(SiteId site, const Event &event, Value &value, bool isCertain,
                        bool isFirst) {
  SourcesTable &histories = tables->histories;
  const auto isOther = [&](SiteId other) { return other != site; };
  const bool isFreed = freedBy(site);
  if (llvm::is_contained(histories.members(value.autograd.latest.sites), site) && passedBy(site))
    value.autograd.latest.again = &event;
  value.autograd.latest.sites = histories.filter(value.autograd.latest.sites, isOther);
  if (!isFirst)
    values.changeIf(
        [&](const auto &entry) {
          return llvm::is_contained(histories.members(entry.second.autograd.latest.sites), site);
        },
        [&](PathId, Value &other) {
          other.autograd.latest.sites = histories.filter(other.autograd.latest.sites, isOther);
          if (isFreed)
            other.autograd.latest.freed = &event;
        });
  if (isCertain)
    value.autograd.latest.sites = histories.join(value.autograd.latest.sites, histories.of(site));
  graphs.untouched = histories.join(graphs.untouched, histories.of(site));
  graphs.kept = histories.filter(graphs.kept, isOther);
}

/// States share what does not change.
static void setLast(SharedMap<SiteId, const Event *> &backwards, SiteId site,
                    const Event *backward) {
  const Event *const *known = backwards.find(site);
  if (!known || *known != backward)
    backwards[site] = backward;
}

void State::passGraph(const Value &value, const Event &backward, std::optional<bool> isKept) {
  SourcesTable &histories = tables->histories;
  if (!isKept)
    return;
  const auto passed = histories.members(value.autograd.latest.sites);
  const auto isOther = [&](SiteId other) { return !llvm::is_contained(passed, other); };
  graphs.untouched = histories.filter(graphs.untouched, isOther);
  graphs.kept = *isKept ? histories.join(graphs.kept, value.autograd.latest.sites)
                        : histories.filter(graphs.kept, isOther);
  for (SiteId site : passed)
    setLast(graphs.backwards, site, &backward);
}

const Event *State::passedBy(SiteId site) const {
  const Event *const *backward = graphs.backwards.find(site);
  const bool isUntouched = llvm::is_contained(tables->histories.members(graphs.untouched), site);
  return backward && !isUntouched ? *backward : nullptr;
}

const Event *State::freedBy(SiteId site) const {
  const bool isKept = llvm::is_contained(tables->histories.members(graphs.kept), site);
  return isKept ? nullptr : passedBy(site);
}

void State::joinGraphs(const State &other) {
  graphs.untouched = tables->histories.join(graphs.untouched, other.graphs.untouched);
  graphs.kept = tables->histories.join(graphs.kept, other.graphs.kept);
  if (graphs.backwards.empty())
    graphs.backwards = other.graphs.backwards;
  for (SiteId site : graphs.backwards.differences(other.graphs.backwards))
    if (const Event *const *there = other.graphs.backwards.find(site))
      setLast(graphs.backwards, site, *there);
}

void State::takeGraphsOf(llvm::ArrayRef<const State *> rounds) {
  graphs.untouched = graphs.kept = noSources;
  for (const State *round : rounds)
    joinGraphs(*round);
  const auto latestAt = [&](PathId path) {
    const auto latestIn = [&](const State &round) {
      const Value *there = round.values.find(path);
      return there ? there->autograd.latest : LastGraphs();
    };
    LastGraphs common = latestIn(*rounds.front());
    for (const State *round : rounds.drop_front())
      common = commonGraphs(common, latestIn(*round), *tables);
    return common;
  };
  values.changeIf(
      [&](const auto &entry) { return !(entry.second.autograd.latest == latestAt(entry.first)); },
      [&](PathId path, Value &value) { value.autograd.latest = latestAt(path); });
}

} // namespace gradtidy
