// Numbers of tensors that are for people alone: sums for a report, entries of a log, output.
#pragma once

#include "analyzer/events/values/FunctionCode.h"
#include "analyzer/events/values/Vocabulary.h"

namespace gradtidy {

/// What becomes of the number that \p read gives, if nothing but that.
Shown shownBy(const clang::CallExpr &read, const FunctionCode &function, Vocabulary &vocabulary);

} // namespace gradtidy
