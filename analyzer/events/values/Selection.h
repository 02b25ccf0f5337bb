// Copies of the elements of a tensor that a mask or a list of indices selects.
#pragma once

#include "Vocabulary.h"

#include "clang/AST/Expr.h"

namespace gradtidy {

/// The tensor of which \p expr, a call, copies some elements; null if it is a view of them, or may
/// be one, or anything else.
const clang::Expr *copiedFrom(const clang::Expr *expr, Vocabulary &vocabulary);

} // namespace gradtidy
