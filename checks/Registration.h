// What the checks for members that are not registered share: the place, the notes and the repair.
#pragma once

#include "Check.h"

namespace gradtidy {

/// Whether forward(), or another method that is trained, uses the member, this unit shows all that
/// its class does with it, and nobody registers it or takes care of it.
bool isForgotten(const ModuleClass &view, const ModuleMember &member);

/// The method that uses the member: "forward()".
std::string userOf(const ModuleMember &member);

/// A finding at the member's declaration, with notes that tell where it is used and made. It is
/// repaired by handing what it is made of through \p function ("register_module").
Finding unregistered(const ClassVisit &visit, const ModuleMember &member, llvm::StringRef function,
                     std::string message);

/// A finding where \p definition puts something else into the place of the registered member, which
/// is a \p kind ("submodule") that the functions in \p reaching do not reach.
Finding replaced(const ModuleMember &member, const MemberDefinition &definition,
                 llvm::StringRef kind, llvm::StringRef reaching);

} // namespace gradtidy
