// Steps that are taken in every Nth round of a loop, for which the gradients of N rounds add up.
#pragma once

#include "analyzer/lowering/ast/FunctionCode.h"

#include "clang/AST/ASTContext.h"

namespace gradtidy {

/// N of `if ((i + 1) % N == 0)` around \p call, within the innermost loop; null if there is none.
const clang::Expr *roundsBetween(const clang::Expr &call, const FunctionCode &function);

/// Whether the code that can be seen has no other use for the number \p rounds than to count, to
/// compare and to print: nothing is divided by it.
bool onlyCounts(const clang::Expr &rounds, const FunctionCode &function,
                clang::ASTContext &context);

} // namespace gradtidy
