// What came of one unit, as bytes: workers send it, the cache and shards keep it.
#pragma once

#include "UnitInputs.h"
#include "analyzer/frontend/PhaseTimer.h"
#include "analyzer/plugin/Plugin.h"
#include "analyzer/source/SharedSources.h"
#include "checks/Finding.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gradtidy {

/// What a source shares with others: what was asked of SharedSources, and the answer.
struct Question {
  std::string asking; ///< The source. Absolute.
  std::vector<SharedFunction> functions;
  SharedSources::Found found;
};

struct UnitResult {
  Unit unit;
  std::vector<std::optional<Level>> levels; ///< Of the unit's diagnostics, in their order.
  UnitCoverage coverage;
  std::string ir;    ///< The checksum of the unit's text, under which UnitStore has it.
  std::string text;  ///< What `gradtidy ir` shows.
  std::string error; ///< Why the unit was not even tried, or empty.
  PhaseSeconds seconds;

  // --- what it depends on
  std::vector<Question> questions;
  /// The sources that these led to, and what they are compiled with: see UnitInputs::keyOf().
  std::vector<std::pair<std::string, std::string>> links;
  InputFiles inputs;         ///< Of the unit and all of these.
  bool isRepeatable = false; ///< All that it depends on is known.
};

std::string toBytes(const UnitResult &result);

/// None if \p bytes are not what toBytes made.
std::optional<UnitResult> fromBytes(llvm::StringRef bytes);

} // namespace gradtidy
