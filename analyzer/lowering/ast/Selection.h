// What indexing gives: a view, or a copy of the elements that a mask or a list of indices selects.
#pragma once

#include "Vocabulary.h"

#include "clang/AST/Expr.h"

namespace gradtidy {

/// Whether \p call takes elements of a tensor by numbers, ranges and new dimensions alone: a view.
bool takesRanges(const clang::CallExpr &call, Vocabulary &vocabulary);

/// The tensor of which \p expr, a call, copies some elements; null if it is a view of them, or may
/// be one, or anything else.
const clang::Expr *copiedFrom(const clang::Expr *expr, Vocabulary &vocabulary);

} // namespace gradtidy
