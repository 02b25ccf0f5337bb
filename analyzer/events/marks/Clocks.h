// Times that a function takes, one from the other.
#pragma once

#include "clang/AST/Expr.h"

namespace gradtidy {

class FunctionBody;

struct Reading {
  const clang::VarDecl *variable = nullptr; ///< That gets the time, or null.
  const clang::VarDecl *since = nullptr; ///< With the earlier time that is taken from it, or null.
};

/// What becomes of the time that \p now reads.
Reading readingOf(const clang::CallExpr &now, const FunctionBody &function);

} // namespace gradtidy
