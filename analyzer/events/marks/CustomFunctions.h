// Functions that compute their own gradients: classes with forward() and backward(), whose rules no
// compiler checks.
#pragma once

#include "analyzer/events/Event.h"
#include "analyzer/events/values/Vocabulary.h"

namespace gradtidy {

/// Whether autograd calls the function, for the gradients of a function of the user's.
bool isOwnBackward(const clang::FunctionDecl &function, const Vocabulary &vocabulary);

/// What is wrong with the gradients that \p returned, in \p function, gives back: their number, or
/// one for an input that has none. Nothing where either cannot be known.
CustomFunctionFacts gradientsOf(const clang::FunctionDecl &function,
                                const clang::ReturnStmt &returned, const Vocabulary &vocabulary);

/// Whether \p call, in the forward function \p function, changes its object in place, although that
/// is an input and what the function gives, and nothing marks it.
bool changesInput(const clang::FunctionDecl &function, const clang::CallExpr &call,
                  const Vocabulary &vocabulary);

/// Whether \p place, to which the forward function \p function assigns \p value, is in its context,
/// and the value is what the function gives: these two then keep each other alive.
bool keepsOutput(const clang::FunctionDecl &function, const clang::Expr &place,
                 const clang::Expr &value, Vocabulary &vocabulary);

} // namespace gradtidy
