// The names of all that a unit declares.
#pragma once

#include "analyzer/model/ModelCheck.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace gradtidy {

/// What is declared outside of functions.
DeclaredNames declaredNames(clang::ASTContext &context, const Model &model);

} // namespace gradtidy
