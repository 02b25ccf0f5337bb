// Runs a check over what the flow analysis has seen.
#pragma once

#include "Check.h"

namespace gradtidy {

class UnitAnalysis;

/// Findings come in source order: of those in one place the worst.
void replay(const UnitAnalysis &analysis, Check &check, Reporter &reporter);

} // namespace gradtidy
