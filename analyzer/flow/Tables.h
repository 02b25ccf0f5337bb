// What one translation unit interns: paths, sets, names of files, and what is said of memory.
#pragma once

#include "Sites.h"
#include "Sources.h"

#include "analyzer/ir/TensorType.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace gradtidy {

/// An interned name of a file; 0 is a name that is not known.
using FileId = unsigned;
inline constexpr FileId noFile = 0;

/// Names of files, as they are put together from literals and what variables hold: equal names have
/// equal ids.
class FileNames {
public:
  /// \p places are those of the variables in it.
  FileId of(llvm::StringRef name, llvm::ArrayRef<PathId> places);

  llvm::StringRef nameOf(FileId file) const { return names[file - 1].text; }
  llvm::ArrayRef<PathId> placesOf(FileId file) const { return names[file - 1].places; }

private:
  struct Name {
    std::string text;
    std::vector<PathId> places;
  };
  std::vector<Name> names;
  llvm::StringMap<FileId> ids;
};

/// The interned paths and sets of one translation unit.
struct Tables {
  explicit Tables(PathTable &paths) : paths(paths) {}

  PathTable &paths;
  SourcesTable sources{paths, 100};
  SiteTable sites;
  SourcesTable histories{paths, 200}; ///< Sets of sites.
  TensorTypes types;
  FileNames files;
  llvm::DenseSet<PathId> lenders; ///< Roots in whose memory tensors may lie that have other names.
  llvm::DenseSet<PathId> allocations;           ///< What names memory (see Storage).
  llvm::DenseMap<PathId, const Event *> savers; ///< By memory, what needs it in a backward.
  bool hasUnwritten = false;                    ///< Some factory leaves elements without a value.
  bool hasReleased = false;                     ///< Memory in which tensors lie is freed somewhere.
  llvm::SmallSetVector<PathId, 8> looked;       ///< What pointers and views lead into.
  llvm::DenseSet<PathId> targets; ///< Roots of what names denote that are not names of themselves.
  bool hasLost = false;           ///< Something has ended that pointers or views lead into.
  llvm::DenseSet<PathId> mayBeShared; ///< What others may hold, too, of what has such a name.

  /// The same owners, in whose memory a tensor now lies.
  SourcesId lent(SourcesId owners) {
    for (PathId owner : sources.members(owners))
      lenders.insert(paths.rootOf(owner));
    return owners;
  }
};

/// What explains a finding and makes no difference to what is known: any two are equal. Compare
/// event() where it matters which one it is.
class Witness {
public:
  Witness(const Event *event = nullptr) : witness(event) {}

  const Event *event() const { return witness; }
  operator const Event *() const { return witness; }
  const Event *operator->() const { return witness; }

  bool operator==(const Witness &) const { return true; }

private:
  const Event *witness;
};

/// Where two states meet, of which one is joined into the other.
enum class Junction : unsigned char {
  Branches,  ///< Behind two branches.
  LoopEntry, ///< A loop head, coming from before the loop.
  LoopBack,  ///< A loop head, coming round.
};

/// What holds on both of two ways, or none.
inline const Event *onBoth(const Event *a, const Event *b) { return a == b ? a : nullptr; }

/// What holds on either of two ways; none if on neither.
template <typename Fact> Fact onEither(Fact a, Fact b) { return a ? a : b; }

} // namespace gradtidy
