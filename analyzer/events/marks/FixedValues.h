// Values that are the same each time: a tensor of them could be made once.
#pragma once

#include "analyzer/events/values/FunctionCode.h"

namespace gradtidy {

/// Whether \p value, from which \p site makes something in \p function, is the same each time:
/// constants, members that only constructors set, and numbers that are older than a loop around
/// \p site and that nothing changes.
bool isFixedValue(const clang::Expr &value, const clang::Stmt &site, const FunctionCode &function);

} // namespace gradtidy
