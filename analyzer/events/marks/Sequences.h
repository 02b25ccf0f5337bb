// Sequences in batches: which dimension counts the samples and which the steps, as it is written.
#pragma once

#include "analyzer/events/Answer.h"
#include "analyzer/events/values/FunctionCode.h"
#include "analyzer/events/values/Vocabulary.h"

#include "clang/AST/Expr.h"

namespace gradtidy {

/// The first or second dimension, of which \p size asks for the size, if that becomes the number of
/// samples in the state from which a layer of \p function starts; else -1.
int samplesCountedBy(const clang::CallExpr &size, const FunctionCode &function,
                     Vocabulary &vocabulary);

/// What \p call, of which \p event is lowered, says of the order of its subject.
OrderMark orderOf(const clang::CallExpr &call, const Event &event,
                  const clang::ASTContext &context);

/// What \p pad, which fills up sequences, says of its result: it is plain if what it fills up with
/// is 0, which may be anything else, too.
OrderMark orderOfPadded(const clang::CallExpr &pad, const clang::ASTContext &context);

/// Whether the \p arguments of a loss of classes are scores and classes, and no more.
bool isPlainLoss(llvm::ArrayRef<const clang::Expr *> arguments, Vocabulary &vocabulary);

} // namespace gradtidy
