// Values that are given to a variable and that nothing reads after that.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace gradtidy {

/// Whether \p variable, of \p function, is not named any more once \p assignment has given it a
/// value: neither behind it, nor in another round of a loop that the variable outlives, nor in a
/// closure.
bool isLastMention(const clang::Expr &assignment, const clang::VarDecl &variable,
                   const clang::FunctionDecl &function);

} // namespace gradtidy
