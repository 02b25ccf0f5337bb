// Results of earlier runs: a unit of which nothing has changed is not analyzed again.
#pragma once

#include "UnitInputs.h"
#include "UnitResult.h"
#include "analyzer/frontend/CacheFolder.h"
#include "analyzer/source/SharedSources.h"

#include <optional>
#include <string>

namespace gradtidy {

/// A result holds as long as the command, the configuration, the models and the program are the
/// same, every file that was read, and the units that it was linked to, and as long as no header
/// turns up that one of them would include.
class ResultCache {
public:
  /// All must outlive this object.
  ResultCache(CacheFolder folder, CacheTrouble &trouble, UnitInputs &inputs,
              SharedSources &sharedSources)
      : folder(std::move(folder)), trouble(trouble), inputs(inputs), sharedSources(sharedSources) {}

  std::optional<UnitResult> find(const Job &job);
  void add(const Job &job, const UnitResult &result);

  /// Brings the cache back to its size, after results were added.
  void tidyUp() const { folder.evict({}); }

private:
  std::string fileOf(const Job &job);

  CacheFolder folder;
  CacheTrouble &trouble;
  UnitInputs &inputs;
  SharedSources &sharedSources;
};

} // namespace gradtidy
