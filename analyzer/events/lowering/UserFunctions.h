// The functions of the user that a unit shows.
#pragma once

#include "clang/AST/Decl.h"

#include <vector>

namespace gradtidy {

class UserCode;

/// The functions with bodies in user code of the context's traversal scope, as they stand: template
/// instantiations and lambdas, and templates that nothing instantiates.
std::vector<const clang::FunctionDecl *> userFunctions(clang::ASTContext &context,
                                                       const UserCode &userCode);

} // namespace gradtidy
