// Flags that module classes keep where the framework's is_training() is meant.
#pragma once

#include "analyzer/ir/LoweredUnit.h"

#include <vector>

namespace gradtidy {

/// The flags that say "training" in every object and at all times: each construction in \p unit
/// sets them to true, and nothing changes them later. Classes that ask is_training(), or have a
/// train() or eval() of their own, are left out.
std::vector<ModeFlag> findStuckModeFlags(const LoweredUnit::Contents &unit);

} // namespace gradtidy
