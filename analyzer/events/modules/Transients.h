// Modules that live no longer than one forward pass.
#pragma once

#include "ModuleNature.h"
#include "analyzer/events/ModuleClass.h"

namespace gradtidy {

/// The modules with parameters or a mode that \p forward, a forward pass, makes and only calls.
/// Silent about classes of the user whose parameters may be more than what they are made with.
std::vector<Transient> findTransients(const clang::FunctionDecl &forward, ModuleUses &uses,
                                      ModuleNatures &natures, CodeMap &map);

} // namespace gradtidy
