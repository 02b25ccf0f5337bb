// Functions of the framework that are written out.
#pragma once

#include "analyzer/events/values/FunctionCode.h"
#include "analyzer/events/values/Vocabulary.h"

namespace clang {
class CallExpr;
} // namespace clang

namespace gradtidy {

/// What \p call, in \p function, computes as the last step of a formula: `exp(x) / exp(x).sum(1)`
/// is a softmax, `1 / (1 + exp(-x))` a sigmoid, `1 - tanh(x) * tanh(x)` the derivative of tanh.
/// Operation::None for all else.
Operation formulaOf(const clang::CallExpr &call, const FunctionCode &function,
                    Vocabulary &vocabulary, const clang::ASTContext &context);

} // namespace gradtidy
