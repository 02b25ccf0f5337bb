#include "Uses.h"

#include "llvm/ADT/SetVector.h"

namespace gradtidy {

const void *Uses::sharedName(PathId path) const {
  const PathStep &root = tables->paths.last(tables->paths.rootOf(path));
  if (root.kind == PathStep::Variable)
    return root.symbol()->isStatic ? root.symbol() : nullptr;
  if (root.kind != PathStep::This)
    return nullptr;
  while (path && tables->paths.parent(path) != tables->paths.rootOf(path))
    path = tables->paths.parent(path);
  return path && tables->paths.last(path).kind == PathStep::Member
             ? tables->paths.last(path).identity
             : nullptr;
}

void Uses::backward(Way way, SourcesId from) {
  for (SiteId site : tables->histories.members(way.history))
    reached.insert(site);
  passed.insert_range(tables->histories.members(way.graphs));
  differentiate(way, from);
}

void Uses::differentiate(Way way, SourcesId from) {
  for (SiteId site : tables->histories.members(way.history))
    differentiated.insert(site);
  need(way.graphs);
  for (PathId path : tables->sources.members(from))
    if (const void *name = sharedName(path))
      readers.insert(name);
}

void Uses::need(SourcesId graphs) {
  mayNeedAny |= tables->histories.isUnknown(graphs);
  for (SiteId site : tables->histories.members(graphs))
    needed.insert(site);
}

void Uses::read(SourcesId history, SourcesId from, const Event &event) {
  for (SiteId site : tables->histories.members(history))
    reads.try_emplace(site, &event);
  for (PathId path : tables->sources.members(from))
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
  for (SiteId site : tables->histories.members(way.graphs))
    storedSites.insert(site);
  for (PathId path : tables->sources.members(from))
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
      for (SiteId site : tables->histories.members(way.history))
        differentiated.insert(site);
      passed.insert_range(tables->histories.members(way.graphs));
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
    events.insert(&tables->sites.event(site));
    if (!isCutOff(site))
      neededEvents.insert(&tables->sites.event(site));
  }
}

} // namespace gradtidy
