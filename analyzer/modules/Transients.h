// Modules that live no longer than one forward pass.
#pragma once

#include "ModuleNature.h"

namespace gradtidy {

/// The modules with parameters or a mode that a forward pass, whose code is \p body, makes and only
/// calls. Silent about classes of the user whose parameters may be more than what they are made
/// with.
std::vector<Transient> findTransients(const ir::Node &body, const ModuleUses &uses,
                                      ModuleNatures &natures);

} // namespace gradtidy
