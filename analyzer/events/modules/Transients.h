// Modules that live no longer than one forward pass.
#pragma once

#include "ModuleNature.h"

namespace gradtidy {

/// The local variables of \p body, the body of a forward pass, that hold modules with parameters or
/// a mode, made there and only called.
std::vector<const clang::VarDecl *> findTransients(const clang::Stmt *body, ModuleUses &uses,
                                                   ModuleNatures &natures);

} // namespace gradtidy
