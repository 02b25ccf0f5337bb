// The functions of the user that a unit shares with other sources of the program.
#pragma once

#include "analyzer/lowering/ast/Vocabulary.h"
#include "analyzer/source/SharedFunction.h"

#include <vector>

namespace clang {
class ASTContext;
} // namespace clang

namespace gradtidy {

/// Those that the unit calls and does not define, and those that it defines for others, as far as
/// modules, optimizers or tensors pass through them; of a module class that is used, and of a class
/// with such data that has functions here, all that is defined elsewhere. Sorted; the forward pass
/// and the constructors of a module are not counted among what others may call. Visits the
/// traversal scope of \p context, as far as it is the user's.
std::vector<SharedFunction> findSharedFunctions(clang::ASTContext &context, Vocabulary &vocabulary);

} // namespace gradtidy
