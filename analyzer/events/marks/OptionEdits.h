// Changes of an optimizer's options that the optimizer does not see: it has its own, of which a
// variable is a copy, and which were copied from those that it was made with.
#pragma once

#include "analyzer/events/values/Vocabulary.h"

#include "clang/AST/Expr.h"

namespace gradtidy {

/// Whether \p variable, of \p function, is a copy of what an optimizer holds, which the function
/// changes, perhaps reads, and does nothing else with.
bool isLostCopy(const clang::VarDecl &variable, const clang::FunctionDecl &function,
                Vocabulary &vocabulary);

/// Whether \p call, in \p function, changes options after all optimizers have copied them: the
/// defaults of an optimizer, or a variable that one was made with.
bool isLostEdit(const clang::CallExpr &call, const clang::FunctionDecl &function,
                Vocabulary &vocabulary);

} // namespace gradtidy
