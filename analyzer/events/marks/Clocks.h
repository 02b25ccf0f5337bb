// Times that a function takes, one from the other.
#pragma once

#include "analyzer/events/values/FunctionCode.h"

namespace gradtidy {

struct Reading {
  const clang::VarDecl *variable = nullptr; ///< That gets the time, or null.
  const clang::VarDecl *since = nullptr; ///< With the earlier time that is taken from it, or null.
};

/// What becomes of the time that \p now reads.
Reading readingOf(const clang::CallExpr &now, const FunctionCode &function);

} // namespace gradtidy
