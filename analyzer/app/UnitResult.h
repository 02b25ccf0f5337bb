// What came of one unit, as bytes: workers send it, the cache and shards keep it.
#pragma once

#include "analyzer/frontend/Frontend.h"
#include "analyzer/frontend/PhaseTimer.h"
#include "analyzer/plugin/CheckAdapter.h"
#include "analyzer/source/Partners.h"
#include "checks/Finding.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gradtidy {

struct UnitResult {
  Unit unit;
  std::vector<std::optional<Level>> levels; ///< Of the unit's diagnostics, in their order.
  UnitCoverage coverage;
  std::string text;  ///< Of `ir`.
  std::string error; ///< Why the unit was not even tried, or empty.
  PhaseSeconds seconds;

  /// What was asked of Partners, and the answer.
  struct Question {
    std::vector<SharedFunction> functions;
    Partners::Found found;
    std::string commands; ///< How those found are compiled: see commandsOf().
  };
  std::vector<Question> questions;
};

/// A checksum of what the partners \p found are compiled with, behind the unit of \p job.
std::string commandsOf(Partners &partners, const Job &job, const Partners::Found &found);

std::string toBytes(const UnitResult &result);

/// None if \p bytes are not what toBytes made.
std::optional<UnitResult> fromBytes(llvm::StringRef bytes);

/// The same for several, by any number.
using NumberedResults = std::map<size_t, UnitResult>;
std::string toBytes(const NumberedResults &results);
std::optional<NumberedResults> numberedFromBytes(llvm::StringRef bytes);

} // namespace gradtidy
