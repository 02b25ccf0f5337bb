#include "Sources.h"

namespace gradtidy {

SourcesTable::SourcesTable(const PathTable &paths, unsigned limit) : paths(paths), limit(limit) {
  intern({});
  unknownId = intern({{}, true});
}

SourcesId SourcesTable::intern(Set set) {
  auto [entry, isNew] = ids.try_emplace(set, static_cast<SourcesId>(sets.size()));
  if (isNew) {
    for (PathId path : set.paths)
      roots.insert(PathTable::rootOf(path));
    sets.push_back(std::move(set));
  }
  return entry->second;
}

SourcesId SourcesTable::of(PathId path) { return intern({{path}, false}); }

SourcesId SourcesTable::join(SourcesId a, SourcesId b) {
  if (a == b || b == noSources)
    return a;
  if (a == noSources)
    return b;
  if (a > b)
    std::swap(a, b);
  if (const auto known = joined.find({a, b}); known != joined.end())
    return known->second;
  Set set;
  set.unknown = sets[a].unknown || sets[b].unknown;
  std::set_union(sets[a].paths.begin(), sets[a].paths.end(), sets[b].paths.begin(),
                 sets[b].paths.end(), std::back_inserter(set.paths));
  if (set.paths.size() > limit) {
    set.paths.resize(limit);
    set.unknown = true;
  }
  const SourcesId result = intern(std::move(set));
  joined[{a, b}] = result;
  return result;
}

bool SourcesTable::mayOverlap(SourcesId a, SourcesId b) const {
  if (isUnknown(a) || isUnknown(b))
    return true;
  for (PathId pathA : sets[a].paths)
    for (PathId pathB : sets[b].paths)
      if (paths.overlap(pathA, pathB))
        return true;
  return false;
}

bool SourcesTable::covers(SourcesId outer, SourcesId inner) const {
  if (isUnknown(inner))
    return false;
  for (PathId path : sets[inner].paths) {
    bool covered = false;
    for (PathId whole : sets[outer].paths)
      covered |= paths.isWithin(path, whole);
    if (!covered)
      return false;
  }
  return true;
}

} // namespace gradtidy
