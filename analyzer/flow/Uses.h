// What becomes of values in the whole unit: which forward passes a backward may reach, which
// retained graphs are used again. Collected along the way and asked when all functions are
// analysed.
#pragma once

#include "Tables.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {

class Uses {
public:
  explicit Uses(const Tables &tables) : tables(&tables) {}

  /// What a value went through, even if detached since, and what of that is part of its graph.
  struct Way {
    SourcesId history, graphs;
    bool operator==(const Way &) const = default;
  };

  /// A backward goes through a value that came this way.
  void backward(Way way, SourcesId from);
  /// Code that cannot be seen gets such a value.
  void differentiate(Way way, SourcesId from);
  void differentiate(SiteId site) {
    differentiated.insert(site);
    needed.insert(site);
  }

  /// The program reads numbers of a value with that history.
  void read(SourcesId history, SourcesId from, const Event &event);
  bool isRead(SiteId site) const { return reads.contains(site); }
  /// The first event that reads numbers of what the site gives, or null.
  const Event *readerOf(SiteId site) const { return reads.lookup(site); }

  /// More than another tensor, which only a local variable takes, comes of such a value.
  void consume(SourcesId history) {
    consumed.insert_range(tables->histories.members(history));
    consumesAny |= tables->histories.isUnknown(history);
  }
  /// Whether nothing comes of what the site gives: it gets lost.
  bool isLost(SiteId site) const {
    return !consumesAny && !consumed.contains(site) && !reads.contains(site);
  }

  /// A value is stored in a member of `this` or a global variable, from where other functions of
  /// the unit may read it. False if \p place is neither.
  bool store(PathId place, Way way, SourcesId from);

  /// The program goes on with a value with that history, but for its graph.
  void detach(SourcesId history) {
    for (SiteId site : tables->histories.members(history))
      detached.insert(site);
  }
  bool isDetached(SiteId site) const { return detached.contains(site); }

  /// A member keeps a value with that history, and the program goes on with what it holds, but not
  /// with its graph.
  void setAside(SourcesId history) {
    detach(history);
    kept.insert_range(tables->histories.members(history));
  }
  bool isSetAside(SiteId site) const { return kept.contains(site); }

  /// The method of a module that is called at \p site gives its caller a graph of what it computes.
  void handOut(SiteId site) { handedOut.insert(site); }
  bool isHandedOut(SiteId site) const { return handedOut.contains(site); }

  /// Whether other functions may find the graph of what the site gives where that is stored.
  bool isStored(SiteId site) const { return storedSites.contains(site); }

  /// The graph that the backward \p site retains is used again.
  void useRetained(SiteId site) { retainedUsed.insert(site); }

  /// The host needs what the factory \p creation has made there.
  void needOnHost(const Event &creation) { host.insert(&creation); }
  /// Something is made of what both have made.
  void mixOnHost(const Event &creation, const Event &other) {
    mixed[&creation].insert(&other);
    mixed[&other].insert(&creation);
  }
  /// Whether that is so, or of something with which it has been mixed.
  bool isNeededOnHost(const Event &creation) const;

  /// Follows stored values to those who use them; call it when everything is seen.
  void finish();

  /// Whether a backward goes through what the site gives; whether it may.
  bool isDifferentiated(SiteId site) const { return reached.contains(site); }
  /// The same where the site's module was in evaluation mode, though it has been trained.
  bool isDifferentiatedInEvaluation(SiteId site) const {
    return reached.contains(tables->sites.knownInEvaluation(site));
  }
  bool mayBeDifferentiated(SiteId site) const { return differentiated.contains(site); }
  /// Whether what the site gives is detached before all backwards that it has to do with.
  bool isCutOff(SiteId site) const {
    return differentiated.contains(site) && !needed.contains(site) && !mayNeedAny;
  }
  /// Whether a backward is seen to use the graph of what the site gives.
  bool isUsed(SiteId site) const { return passed.contains(site); }
  /// The same as mayBeDifferentiated() for an event in whatever calling context; the same unless
  /// the event is cut off in all of them.
  bool mayBeDifferentiated(const Event &event) const { return events.contains(&event); }
  bool mayBeNeeded(const Event &event) const { return neededEvents.contains(&event); }
  bool isRetainedUsed(SiteId site) const { return retainedUsed.contains(site); }

private:
  /// The field or variable by which other functions of the unit reach \p path, or null.
  const void *sharedName(PathId path) const;

  struct Stored {
    std::vector<Way> ways;
    llvm::SmallDenseSet<const void *, 2> from; ///< Other stored things it was made of.
  };
  const Tables *tables;
  void need(SourcesId graphs);

  llvm::DenseSet<SiteId> reached, differentiated, retainedUsed;
  llvm::DenseSet<SiteId> needed; ///< Those of `differentiated` whose graph may be used.
  bool mayNeedAny = false;
  llvm::DenseMap<SiteId, const Event *> reads;
  llvm::DenseSet<SiteId> consumed; ///< See consume().
  bool consumesAny = false;
  llvm::DenseSet<SiteId> passed, detached, kept, handedOut, storedSites;
  llvm::DenseSet<const Event *> events;       ///< Those of `differentiated`.
  llvm::DenseSet<const Event *> neededEvents; ///< Those of them that are not always cut off.
  llvm::DenseMap<const void *, Stored> stored;
  llvm::DenseSet<const Event *> host; ///< See needOnHost().
  llvm::DenseMap<const Event *, llvm::SmallPtrSet<const Event *, 2>> mixed;
  llvm::DenseSet<const void *> readers; ///< Stored things that a backward may reach.
  llvm::MapVector<const void *, const Event *> readStored; ///< Those of which numbers are read.
};

} // namespace gradtidy
