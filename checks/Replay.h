// Runs checks over what the flow analysis has seen.
#pragma once

#include "Check.h"

namespace gradtidy {

class UnitAnalysis;

/// The moments that one of the checks wants to see. \p checks must outlive the result.
Interest interestOf(llvm::ArrayRef<const Check *> checks);

/// Shows the check what it wants to see, whoever wants to see more; \p analysis was made with an
/// interest of its own, or of several checks. \p source is the text of the unit. Findings come in
/// source order: of those in one place the worst.
void replay(const UnitAnalysis &analysis, const Source &source, Check &check, Reporter &reporter);

} // namespace gradtidy
