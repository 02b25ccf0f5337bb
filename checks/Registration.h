// What the checks for members that are not registered share: the place, the notes and the repair.
#pragma once

#include "Check.h"

namespace gradtidy {

/// Whether forward() uses the member, this unit shows all that its class does with it, and nobody
/// registers it or takes care of it.
bool isForgotten(const ModuleClass &view, const ModuleMember &member);

/// A finding at the member's declaration, with notes that tell where it is used and made. It is
/// repaired by handing what it is made of through \p function ("register_module").
Finding unregistered(const ClassVisit &visit, const ModuleMember &member, llvm::StringRef function,
                     std::string message);

} // namespace gradtidy
