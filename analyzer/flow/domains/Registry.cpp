// Modules that are parts of others.
#include "Registry.h"

#include "analyzer/ir/Event.h"

#include "llvm/ADT/SmallVector.h"

namespace gradtidy {

bool Registry::walk(PathId module, bool isDown, llvm::function_ref<bool(PathId)> visit) const {
  llvm::SmallVector<PathId, 8> found{module};
  for (size_t next = 0; next < found.size(); ++next) {
    const PathId each = found[next];
    if (visit(each))
      return true;
    for (const auto &[pair, event] : parts) {
      const PathId from = isDown ? pair.second : pair.first;
      const PathId to = isDown ? pair.first : pair.second;
      if (from == each && !llvm::is_contained(found, to))
        found.push_back(to);
    }
  }
  return false;
}

bool Registry::below(PathId module, llvm::function_ref<bool(PathId)> visit) const {
  return walk(module, /*isDown=*/true, visit);
}

bool Registry::around(PathId module, llvm::function_ref<bool(PathId)> visit) const {
  return walk(module, /*isDown=*/false, visit);
}

bool Registry::hasParameters(PathId module) const {
  return below(module, [&](PathId each) {
    return llvm::any_of(parts, [&](const auto &entry) {
      return entry.first.first == each && entry.second->growsSubject;
    });
  });
}

void Registry::add(PathId whole, PathId part, const Event &event) {
  const bool isKnown = event.growsSubject || hasParameters(part);
  if (isKnown)
    below(part, [&](PathId each) {
      for (const auto &[pair, registered] : parts)
        if (pair.first == each && pair.second != whole && !isPart(pair.second, part))
          sharing[{std::min(pair.second, whole), std::max(pair.second, whole)}] = registered;
      return false;
    });
  parts[{part, whole}] = &event;
}

bool Registry::isPart(PathId part, PathId whole) const {
  return below(whole, [&](PathId each) { return each == part; });
}

std::optional<Registry::Twice> Registry::twiceBy(PathId whole, PathId part,
                                                 const Event &event) const {
  std::optional<Twice> found;
  below(part, [&](PathId each) {
    if (!(each == part && event.growsSubject) && !hasParameters(each))
      return false;
    return around(whole, [&](PathId outer) {
      for (const auto &[pair, registered] : parts)
        if (pair.first == each && isPart(pair.second, outer) && !isPart(pair.second, part)) {
          found = {each, registered};
          return true;
        }
      return false;
    });
  });
  if (!found)
    for (const auto &[pair, registered] : sharing) {
      const auto joins = [&](PathId one, PathId other) {
        return isPart(one, part) &&
               around(whole, [&](PathId outer) { return isPart(other, outer); }) &&
               !isPart(other, part);
      };
      if (joins(pair.first, pair.second) || joins(pair.second, pair.first))
        return Twice{noPath, registered};
    }
  return found;
}

const Event *Registry::tiedWithin(PathId whole, const PathTable &paths) const {
  for (const auto &[module, event] : tied)
    if (paths.isWithin(module, whole) || isPart(module, whole))
      return event;
  return nullptr;
}

void Registry::forgetParts(PathId whole) {
  parts.eraseIf([&](const auto &entry) { return entry.first.second == whole; });
  sharing.eraseIf(
      [&](const auto &entry) { return entry.first.first == whole || entry.first.second == whole; });
  names.eraseIf([&](const auto &entry) { return entry.first.first == whole; });
  tied.erase(whole);
}

void Registry::forget(llvm::function_ref<bool(PathId)> isMeant) {
  const auto isEither = [&](const auto &entry) {
    return isMeant(entry.first.first) || isMeant(entry.first.second);
  };
  parts.eraseIf(isEither);
  sharing.eraseIf(isEither);
  names.eraseIf([&](const auto &entry) { return isMeant(entry.first.first); });
  tied.eraseIf([&](const auto &entry) { return isMeant(entry.first); });
}

void Registry::forgetElements(llvm::function_ref<bool(PathId)> isMeant) {
  parts.eraseIf([&](const auto &entry) { return isMeant(entry.first.first); });
}

/// The same entries with other keys.
template <typename Map, typename Rename> static void renameKeys(Map &map, Rename renamed) {
  const auto isRenamed = [&](const auto &entry) { return renamed(entry.first) != entry.first; };
  if (llvm::none_of(map, isRenamed))
    return;
  const Map before = map;
  map.eraseIf(isRenamed);
  for (const auto &entry : before)
    if (isRenamed(entry))
      map[renamed(entry.first)] = entry.second;
}

void Registry::rename(llvm::function_ref<PathId(PathId)> renamed) {
  renameKeys(parts, [&](Pair pair) { return Pair(renamed(pair.first), renamed(pair.second)); });
  renameKeys(sharing, [&](Pair pair) {
    const PathId first = renamed(pair.first), second = renamed(pair.second);
    return Pair(std::min(first, second), std::max(first, second));
  });
  renameKeys(names, [&](const auto &key) { return std::pair(renamed(key.first), key.second); });
  renameKeys(tied, renamed);
}

/// What both have.
template <typename Map> static void keepCommon(Map &map, const Map &other) {
  for (const auto &key : map.differences(other))
    if (!other.find(key))
      map.erase(key);
}

void Registry::join(const Registry &other) {
  keepCommon(parts, other.parts);
  keepCommon(sharing, other.sharing);
  keepCommon(names, other.names);
  keepCommon(tied, other.tied);
}

} // namespace gradtidy
