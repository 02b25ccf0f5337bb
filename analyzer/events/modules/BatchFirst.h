// Whether layers of sequences have the samples of a batch first, or the steps.
#pragma once

#include "analyzer/events/Answer.h"
#include "analyzer/events/values/Vocabulary.h"

#include "clang/AST/Expr.h"

namespace gradtidy {

/// Whether a layer that is made with \p arguments has the samples of a batch first.
Answer putsBatchFirst(llvm::ArrayRef<const clang::Expr *> arguments, const Vocabulary &vocabulary,
                      const clang::ASTContext &context);

/// Whether \p call tells a layer that is there already which dimension is which.
bool changesOrder(const clang::CallExpr &call, const Vocabulary &vocabulary);

} // namespace gradtidy
