// Layers that begin with all weights the same.
#pragma once

#include "analyzer/events/values/FunctionCode.h"
#include "analyzer/events/values/Vocabulary.h"

#include "clang/AST/ExprCXX.h"

namespace gradtidy {

/// What \p fill, a call that fills a tensor with one value, leaves equal: the neurons between the
/// layer whose weights it fills and the one behind it, as the forward pass of the class or the
/// function shows them, if that one's are filled too and nothing fills either with anything else.
EqualNeurons equalNeuronsOf(const clang::CallExpr &fill, const FunctionCode &function,
                            Vocabulary &vocabulary);

/// The same of what \p apply does: it calls a function for all parts of a module.
EqualNeurons equalNeuronsOfApply(const clang::CXXMemberCallExpr &apply, Vocabulary &vocabulary);

} // namespace gradtidy
