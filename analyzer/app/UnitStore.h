// The texts of lowered units, from which they are analyzed: see
// docs/decisions/0039-linked-analysis.md.
#pragma once

#include "UnitInputs.h"
#include "UnitResult.h"
#include "analyzer/frontend/CacheFolder.h"

#include <optional>
#include <string>

namespace gradtidy {

/// A unit has a record, found by what it is made with, that names its text by the checksum of the
/// text. What is damaged or gone counts as not there.
class UnitStore {
public:
  /// \param kept   has the units of saved files from run to run; none if no other run is asked.
  /// \param ofRun  has all others, for this run. Without a place for them texts stay in memory.
  /// All must outlive this object.
  UnitStore(std::optional<CacheFolder> kept, std::optional<CacheFolder> ofRun,
            CacheTrouble &trouble, UnitInputs &inputs)
      : kept(std::move(kept)), ofRun(std::move(ofRun)), trouble(trouble), inputs(inputs) {}

  /// What an earlier run made of the unit, without the text.
  std::optional<UnitResult> find(const Job &job);

  /// Puts the text of \p result away, and keeps the unit if others may use it.
  void add(const Job &job, UnitResult &result);

  /// The text of a unit that was found or added; nothing if it is lost.
  std::optional<std::string> textOf(const UnitResult &result) const;

  /// Brings the store back to its size.
  void tidyUp() const;

private:
  std::optional<CacheFolder> kept, ofRun;
  CacheTrouble &trouble;
  UnitInputs &inputs;
};

} // namespace gradtidy
