// Which elements of a tensor a write to a view of it reaches.
#pragma once

#include "analyzer/events/values/FunctionCode.h"
#include "analyzer/events/values/Vocabulary.h"

namespace gradtidy {

/// What \p write, a call in \p function, reaches of the tensor of which \p view is a view.
Coverage coverageOf(const clang::Expr &view, const clang::CallExpr &write,
                    const FunctionCode &function, const Vocabulary &vocabulary);

} // namespace gradtidy
