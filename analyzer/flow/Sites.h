// Events in their calling contexts.
#pragma once

#include "analyzer/ir/Event.h"

#include "llvm/ADT/DenseMap.h"

#include <map>

namespace gradtidy {

/// An event in one calling context: a forward pass, a store of a tensor, a backward.
using SiteId = std::uint32_t;

/// Gives numbers to sites. Sets of them are kept in a SourcesTable.
class SiteTable {
public:
  SiteId of(const Event &event, llvm::ArrayRef<const Event *> callers);
  /// The same site where its module runs in evaluation mode, though it has been trained: histories
  /// tell by it which of several ways a value came.
  SiteId inEvaluation(SiteId site);
  /// That, or 0 if it never does.
  SiteId knownInEvaluation(SiteId site) const { return evaluated.lookup(site); }

  /// The event of a site, and the calls that lead there, outermost first.
  const Event &event(SiteId site) const { return *sites[site - 1].back(); }
  llvm::ArrayRef<const Event *> callers(SiteId site) const {
    return llvm::ArrayRef(sites[site - 1]).drop_back();
  }

private:
  std::vector<std::vector<const Event *>> sites; ///< The callers, then the event.
  std::map<std::vector<const Event *>, SiteId> ids;
  llvm::DenseMap<SiteId, SiteId> evaluated;
};

} // namespace gradtidy
