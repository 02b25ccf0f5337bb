#include "Uses.h"

#include "llvm/ADT/SetVector.h"

namespace gradtidy {

SiteId SiteTable::of(const Event &event, llvm::ArrayRef<const Event *> callers) {
  std::vector<const Event *> chain(callers.begin(), callers.end());
  chain.push_back(&event);
  auto [entry, isNew] = ids.try_emplace(chain, static_cast<SiteId>(sites.size() + 1));
  if (isNew)
    sites.push_back(std::move(chain));
  return entry->second;
}

SiteId SiteTable::inEvaluation(SiteId site) {
  auto [entry, isNew] = evaluated.try_emplace(site, static_cast<SiteId>(sites.size() + 1));
  if (isNew)
    sites.push_back(std::vector(sites[site - 1]));
  return entry->second;
}

const void *Uses::sharedName(PathId path) const {
  const PathStep &root = paths.last(paths.rootOf(path));
  if (root.kind == PathStep::Variable)
    return root.symbol()->isStatic ? root.symbol() : nullptr;
  if (root.kind != PathStep::This)
    return nullptr;
  while (path && paths.parent(path) != paths.rootOf(path))
    path = paths.parent(path);
  return path && paths.last(path).kind == PathStep::Member ? paths.last(path).identity : nullptr;
}

void Uses::backward(Way way, SourcesId from) {
  for (SiteId site : histories.members(way.history))
    reached.insert(site);
  passed.insert_range(histories.members(way.graphs));
  differentiate(way, from);
}

void Uses::differentiate(Way way, SourcesId from) {
  for (SiteId site : histories.members(way.history))
    differentiated.insert(site);
  need(way.graphs);
  for (PathId path : sources.members(from))
    if (const void *name = sharedName(path))
      readers.insert(name);
}

void Uses::need(SourcesId graphs) {
  mayNeedAny |= histories.isUnknown(graphs);
  for (SiteId site : histories.members(graphs))
    needed.insert(site);
}

void Uses::read(SourcesId history, SourcesId from, const Event &event) {
  for (SiteId site : histories.members(history))
    reads.try_emplace(site, &event);
  for (PathId path : sources.members(from))
    if (const void *name = sharedName(path))
      readStored.try_emplace(name, &event);
}

bool Uses::store(PathId place, Way way, SourcesId from) {
  const void *name = sharedName(place);
  if (!name)
    return false;
  Stored &entry = stored[name];
  if (!llvm::is_contained(entry.ways, way))
    entry.ways.push_back(way);
  for (SiteId site : histories.members(way.graphs))
    storedSites.insert(site);
  for (PathId path : sources.members(from))
    if (const void *other = sharedName(path))
      entry.from.insert(other);
  return true;
}

bool Uses::isNeededOnHost(const Event &creation) const {
  llvm::SmallSetVector<const Event *, 4> reached;
  reached.insert(&creation);
  for (size_t i = 0; i < reached.size(); ++i) {
    if (host.contains(reached[i]))
      return true;
    if (const auto others = mixed.find(reached[i]); others != mixed.end())
      reached.insert(others->second.begin(), others->second.end());
  }
  return false;
}

void Uses::finish() {
  std::vector<const void *> pending(readers.begin(), readers.end());
  while (!pending.empty()) {
    const void *name = pending.back();
    pending.pop_back();
    auto entry = stored.find(name);
    if (entry == stored.end())
      continue;
    for (const Way &way : entry->second.ways) {
      for (SiteId site : histories.members(way.history))
        differentiated.insert(site);
      passed.insert_range(histories.members(way.graphs));
      need(way.graphs);
    }
    for (const void *other : entry->second.from)
      if (readers.insert(other).second)
        pending.push_back(other);
  }
  for (const auto &[name, event] : readStored)
    for (const Way &way : stored.lookup(name).ways)
      read(way.history, noSources, *event);
  for (SiteId site : differentiated) {
    events.insert(&sites.event(site));
    if (!isCutOff(site))
      neededEvents.insert(&sites.event(site));
  }
}

} // namespace gradtidy
