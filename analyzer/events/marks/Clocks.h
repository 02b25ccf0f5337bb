// Times that a function takes, one from the other.
#pragma once

#include "analyzer/events/values/FunctionCode.h"
#include "analyzer/events/values/Syntax.h"

namespace gradtidy {

struct Reading {
  Entity place = nullptr; ///< The variable or member that gets the time, or null.
  Entity since = nullptr; ///< That with the earlier time that is taken from it, or null.
};

/// What becomes of the time that \p now reads.
Reading readingOf(const clang::CallExpr &now, const FunctionCode &function);

} // namespace gradtidy
