// Layers that are called as functions, which do not know the mode of the module they belong to.
#pragma once

#include "analyzer/events/values/Vocabulary.h"

namespace clang {
class CallExpr;
} // namespace clang

namespace gradtidy {

/// Whether \p call drops, or normalises by the batch, whatever the mode of a module is: it is
/// told so literally, or by a default.
bool ignoresMode(const clang::CallExpr &call, Vocabulary &vocabulary);

/// Whether a \p layer does so that is made of a function and all that this is to be called with but
/// the tensor.
bool ignoresMode(const clang::CXXRecordDecl &layer, llvm::ArrayRef<const clang::Expr *> arguments,
                 Vocabulary &vocabulary);

/// Whether the method, or its class, says by its name that it wants randomness in evaluation, too.
bool samplesOnPurpose(const clang::CXXMethodDecl &method);

} // namespace gradtidy
