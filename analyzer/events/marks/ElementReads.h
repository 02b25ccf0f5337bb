// Tensors whose elements are read one after the other.
#pragma once

#include "analyzer/events/Event.h"
#include "analyzer/events/values/Vocabulary.h"

namespace gradtidy {

/// The loop in which \p read, of a number on the host, reads another element of one and the same
/// tensor in each round; null if it is none, or one of a few rounds within such.
const clang::Stmt *elementLoopOf(const clang::CallExpr &read, const FunctionBody &function,
                                 const Vocabulary &vocabulary, const clang::ASTContext &context);

} // namespace gradtidy
