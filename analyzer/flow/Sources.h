// Where a tensor, a list of parameters or an optimizer comes from: the modules and leaf tensors
// whose gradients a backward through it reaches. This is the association that decides precision.
#pragma once

#include "analyzer/ir/Path.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

#include <unordered_map>
#include <vector>

namespace gradtidy {

/// An interned set of paths; 0 is the empty set, which is known to be empty.
using SourcesId = std::uint32_t;
inline constexpr SourcesId noSources = 0;

/// Owns the sets of one translation unit.
class SourcesTable {
public:
  /// Of more than \p limit sources the rest is unknown.
  SourcesTable(const PathTable &paths, unsigned limit);

  SourcesId of(PathId path);
  SourcesId unknown() const { return unknownId; }
  SourcesId join(SourcesId a, SourcesId b);

  /// The known members of both.
  SourcesId common(SourcesId a, SourcesId b) {
    return a == b ? a
                  : filter(a, [&](PathId path) { return llvm::is_contained(members(b), path); });
  }

  /// The known members, sorted.
  llvm::ArrayRef<PathId> members(SourcesId set) const { return sets[set].paths; }

  /// Whether a set may have members with the root of \p path.
  bool mayMention(PathId path) const { return roots.contains(PathTable::rootOf(path)); }

  /// Whether there may be others than the known members.
  bool isUnknown(SourcesId set) const { return sets[set].unknown; }

  /// Whether a backward through \p a may reach parameters of \p b.
  bool mayOverlap(SourcesId a, SourcesId b) const;

  /// Whether everything in \p inner is known and within something of \p outer.
  bool covers(SourcesId outer, SourcesId inner) const;

  /// The set with every path replaced by what \p rebase makes of it.
  template <typename Rebase> SourcesId map(SourcesId set, Rebase rebase) {
    Set result = sets[set];
    llvm::transform(result.paths, result.paths.begin(), rebase);
    if (result == sets[set])
      return set;
    llvm::sort(result.paths);
    result.paths.erase(llvm::unique(result.paths), result.paths.end());
    return intern(std::move(result));
  }

  /// The members for which \p keep holds; what else there may be stays unknown.
  template <typename Keep> SourcesId filter(SourcesId set, Keep keep) {
    Set result = sets[set];
    llvm::erase_if(result.paths, [&](PathId path) { return !keep(path); });
    return intern(std::move(result));
  }

private:
  struct Set {
    std::vector<PathId> paths;
    bool unknown = false;
    bool operator==(const Set &) const = default;
  };
  struct Hash {
    size_t operator()(const Set &set) const {
      return llvm::hash_combine(llvm::hash_combine_range(set.paths), set.unknown);
    }
  };
  SourcesId intern(Set set);

  const PathTable &paths;
  const unsigned limit;
  std::vector<Set> sets;
  std::unordered_map<Set, SourcesId, Hash> ids;
  llvm::DenseMap<std::pair<SourcesId, SourcesId>, SourcesId> joined; ///< The same are joined often.
  llvm::DenseSet<PathId> roots; ///< Of all members of all sets.
  SourcesId unknownId;
};

} // namespace gradtidy
