#include "Sites.h"

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

} // namespace gradtidy
