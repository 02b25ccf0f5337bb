// From an AST to a unit that knows no AST.
#pragma once

#include "analyzer/ir/LoweredUnit.h"
#include "analyzer/source/SharedFunction.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace gradtidy {

class UserCode;

/// Lowers the functions and classes of the context's traversal scope. The model must outlive the
/// result, and so must the context: what the unit is made of reads its names. \p shared, if given,
/// gets the functions that the unit shares with other sources (see SharedFunctions.h).
std::unique_ptr<LoweredUnit> lowerUnit(clang::ASTContext &context, const Model &model,
                                       const UserCode &userCode,
                                       std::vector<SharedFunction> *shared = nullptr);

} // namespace gradtidy
